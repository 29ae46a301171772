/*
 * The batches and dispensers of this user that have a board (board.h).
 */
#include <sys/types.h>

struct running;
struct sheet;

struct found {
	pid_t pid;     /* of the board; 0: none was found */
	pid_t beside;  /* the shell of a batch, or 0 */
	int pool;      /* it is a dispenser for programs */
	char *path;    /* of its dispenser, for the caller to free; or NULL */
	int trouble;   /* errno, where it may be one of those that could not be read; or 0 */
};

/* That of a process: of jobctl, of a dispenser, or of a shell that has batches: the latest. */
struct found batches_by_pid(pid_t pid);
/* The one whose dispenser has that path, or that path and ".d". */
struct found batches_by_path(const char *path);
/* Its board, as a sheet: 1, or 0 when it is not there any more, or -1 with errno. */
int batches_read(pid_t pid, struct sheet *sheet, struct running *running);
/* An entry for each: 0, or -1 with errno when not all could be read. Figures that a board
   does not have, those of pools, are "-". */
int batches_list(struct sheet *sheet, struct running *running);
/* Says that not all could be read, and why: errno. */
void batches_complain(int error);
