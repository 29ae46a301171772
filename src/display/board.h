/*
 * A board tells other programs of this user what a batch or a dispenser does. It is a file in
 * /tmp/jobctl-UID, or in $JOBCTL_BOARDS, written anew beside it and renamed: readers need no lock.
 * Its process has it locked while it lives: the board of a killed one is removed. If a board cannot
 * be written there is none, or the last one stays: no error. Its fields have tabs between:
 *
 *	jobctl KIND PID BESIDE PATH TEXT
 *	batch SLOTS RUNNING TOTAL DONE FAILED START
 *	run SLOT ID TRY PID START LABEL COMMAND	for each job that runs
 *
 * KIND is "list" for jobctl, "batch" or "pool"; BESIDE the shell of the batch, or 0; PATH its
 * dispenser's, or "-"; START in ms since the epoch. TOTAL is -1, PID 0 and COMMAND empty if not
 * known. A pool has only the first line, as it reports the rest itself (report.h). PATH, TEXT,
 * LABEL and COMMAND have "\t", "\n" and "\\" for such bytes.
 */
#include <sys/types.h>

struct outbox;

enum { BOARD_PLACE = 200, BOARD_PATH = 256, BOARD_TEXT = 8192 };

struct board {
	int fd;             /* -1: there is none */
	char path[BOARD_PATH];
	char *first;        /* line */
	long long written;  /* clock.h */
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
