/*
 * A board: what a batch or a dispenser does, for others of this user to read. It is a file in
 * /tmp/jobctl-UID, or in $JOBCTL_BOARDS, and is locked as long as its process lives, so nobody
 * believes what a killed one has left. Who has a board never waits for a reader. If it cannot be
 * made or written there is none, and that is no error. Its lines have fields with tabs between:
 *
 *	jobctl KIND PID BESIDE PATH TEXT
 *	batch SLOTS RUNNING TOTAL DONE FAILED START
 *	run SLOT ID TRY PID START LABEL COMMAND	for each job that runs
 *	end
 *
 * KIND is "list" for jobctl, "batch" or "pool"; BESIDE the shell of the batch, or 0; PATH that of
 * its dispenser, or "-"; START in ms since the epoch. TOTAL is -1, PID 0 and COMMAND empty where
 * that is not known. A pool has the first line alone: it says the rest itself (report.h). PATH,
 * TEXT, LABEL and COMMAND have "\t", "\n" and "\\" for such bytes.
 */
#include <sys/types.h>

#include <stddef.h>

struct outbox;

enum { BOARD_PATH = 120, BOARD_TEXT = 8192 };

struct board {
	int fd;             /* -1: there is none */
	char path[BOARD_PATH];
	char *first;        /* line */
	long long written;  /* clock.h */
	int stale;          /* it says less than there is to say */
};

/* Puts one up, with its first line. Only the process that does so may take it down. */
void board_open(struct board *board, const char *kind, pid_t beside, const char *path,
    const char *text);
/* How long until it is to be written anew, or -1; 0: now. */
long long board_wait_ms(const struct board *board);
/* Writes it: these lines after the first. They are the caller's. */
void board_write(struct board *board, const struct outbox *lines);
/* Takes it down. */
void board_close(struct board *board);
/* Adds text, at most BOARD_TEXT bytes of it, with "\t", "\n" and "\\" for such bytes. */
void board_text(struct outbox *lines, const char *text);

/* The directory of all, as it is to be named in a message. */
void boards_place(char place[BOARD_PATH]);
/* Calls back for each that is up, with its pid and all of its text, until it returns other than 0;
   removes what the killed have left. The text is NULL, with errno, where that one cannot be read:
   EBADMSG where it could not be written. What was returned, or 0, or -1 with errno; EPERM: others
   may write in that directory. */
int boards_each(int (*each)(void *context, pid_t pid, char *text), void *context);
/* Turns "\t", "\n" and "\\" back, in place. */
void board_plain(char *text);
