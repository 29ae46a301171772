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
};

/* That of a process: of jobctl, of a dispenser, or of a shell that has batches: the latest. */
struct found batches_by_pid(pid_t pid);
/* The one whose dispenser has that path, or that path and ".d". */
struct found batches_by_path(const char *path);
/* Its board, as a sheet: 1, or 0 when it is not there any more. */
int batches_read(pid_t pid, struct sheet *sheet, struct running *running);
/* An entry for each. What a board does not say is "-": the figures of pools. */
void batches_list(struct sheet *sheet, struct running *running);
