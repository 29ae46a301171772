/*
 * A client's side of a dispenser's directory: it makes the FIFO w.NAME there, asks by the inlet, and reads the answer
 * from that FIFO, whose write end it keeps as the lease. A signal that ends the program while it asks removes the name
 * first, or returns the plain token that it was given already.
 */
#include <stddef.h>

struct asking {
	const char *fifo;
	char *file;     /* P.d/w.NAME */
	char *name;     /* within it */
	int inlet, answers, lease;
	int plain;      /* set by the caller: what it gets has no lease */
	char text[8192];
	void (*sigpipe)(int);   /* as it was; ignored while we ask */
	size_t used;    /* bytes read and not yet taken */
};

/* Opens the inlet and makes the FIFO. 0; or -1 where no dispenser is, with errno ENOENT when there is no inlet either (it
   ended), ENXIO when nobody reads it (it was killed, or has not begun). Exits with a message for anything else. */
int asking_open(struct asking *a, const char *fifo);
/* Writes "@WHAT NAME REST", or without REST: 0, or -1 when the dispenser went away. */
int asking_send(struct asking *a, const char *what, const char *rest);
/* Reads a line of the answer, without its newline, until that time (clock.h), or for ever with -1. 1; 0 when the time came
   first; -1 when the dispenser went away. */
int asking_line(struct asking *a, char *line, size_t size, long long until);
/* Gives up what get asked for: 0; or -1 when it is too late, and the answer is there, or comes. */
int asking_withdraw(struct asking *a);
/* Ends the asking: closes all but the lease and returns that, at 10 or above, non-blocking, and left open on exec; the name
   is the dispenser's then. */
int asking_keep(struct asking *a);
/* Closes all and removes the name. */
void asking_close(struct asking *a);
