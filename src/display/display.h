/* Our appearance to others: people, and programs. */
#ifndef DISPLAY_H
#define DISPLAY_H
#include <sys/types.h>

#include <stddef.h>

#include "../lib/lib.h"

/*
 * board.c: a board tells other programs of this user what a batch or a dispenser does. It is a file
 * in /tmp/jobctl-UID, or in $JOBCTL_BOARDS, written anew beside it and renamed: readers need no
 * lock. Its process has it locked while it lives: the board of a killed one is removed. If a board
 * cannot be written there is none, or the last one stays: no error. Its fields have tabs between:
 *
 *	jobctl KIND PID BESIDE PATH TEXT
 *	batch SLOTS RUNNING TOTAL DONE FAILED START
 *	run SLOT ID TRY PID START LABEL COMMAND	for each job that runs
 *
 * KIND is "list" for jobctl, "batch" or "pool"; BESIDE the shell of the batch, or 0; PATH its
 * dispenser's, or "-"; START in ms since the epoch. TOTAL is -1, PID 0 and COMMAND empty if not
 * known. A pool has only the first line, as it reports the rest itself (report.c). PATH, TEXT,
 * LABEL and COMMAND have "\t", "\n" and "\\" for such bytes.
 */

enum { BOARD_PLACE = 200, BOARD_PATH = 256, BOARD_TEXT = 8192 };

struct board {
	int fd;             /* -1: there is none */
	char path[BOARD_PATH];
	char *first;        /* line */
	long long written;  /* clock.c */
	int stale;          /* it is not up to date */
};

/* Puts up a board, with its first line; a process has one at most. Removes those of killed ones. */
void board_open(struct board *board, const char *kind, pid_t beside, const char *path,
    const char *text);
/* How long until the board is to be written anew, or -1; 0: now. */
long long board_wait_ms(const struct board *board);
/* Writes the board: these lines after the first. They are the caller's. */
void board_write(struct board *board, const struct outbox *lines);
/* Takes it down. */
void board_close(struct board *board);
/* Adds text, at most BOARD_TEXT bytes of it, with "\t", "\n" and "\\" for such bytes. */
void board_text(struct outbox *lines, const char *text);

/* The directory of all boards: 0 if it is ours and only we may write there, or -1 with errno. */
int boards_place(char place[BOARD_PLACE]);
/* Calls back for each board that is up, with its pid and its text, or NULL with errno, until a call
   does not return 0, and returns that, or 0; or -1 with errno. Removes boards of killed ones. */
int boards_each(int (*each)(void *context, pid_t pid, char *text), void *context);
/* Turns "\t", "\n" and "\\" back, in place. */
void board_plain(char *text);

/* human.c: numbers as a person reads them. */
enum { HUMAN = 32 };

/* How many ms the rest takes at the same rate; -1: not known. */
long long human_left_ms(long long spent, long long done, long long left);

/* A time: "320 ms", "3.2 s", "45 s", "2 min 05", "1 h 05", "3 d 04". */
void human_time(char text[HUMAN], long long ms);
/* The same by whole seconds, from "0 s" on. */
void human_seconds(char text[HUMAN], long long ms);
/* As on a clock: "0:05", "12:05", "1:02:05". */
void human_clock(char text[HUMAN], long long ms);
/* How many in a second: "0.2", "14", "2100"; "-" if no time has passed. */
void human_rate(char text[HUMAN], long long count, long long ms);

/* json.c: JSON, by RFC 8259. */

/* Adds those bytes as a string with quotes: each byte that is not UTF-8 becomes U+FFFD. */
void json_string(struct outbox *out, const char *text, size_t length);
/* 1 for a number, such as -1.5e3. */
int json_is_number(const char *text);

/* screen.c: a terminal that we write to. */

struct screen {
	int fd;
	int there;         /* it is a terminal, and the rest means something */
	int moves;         /* it knows the escape sequences of ECMA-48 */
	int coloured;      /* ... and the user wants colours */
	int rows, columns; /* as of the last look */
};

/* Looks whether that descriptor is a terminal, and at its size. */
void screen_open(struct screen *screen, int fd);
/* Looks at the terminal's size again. */
void screen_measure(struct screen *screen);
/* 1 if output there may have colours: it is a terminal that has them (TERM), without NO_COLOR. */
int screen_coloured(int fd);
/* 1 if we are in the foreground of that terminal; in the background, a shell has it. */
int screen_is_foreground(int fd);
#endif
