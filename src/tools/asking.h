/*
 * A client's side of a dispenser's directory: it makes the FIFO w.NAME there,
 * asks by the inlet, and reads the answer from that FIFO, whose write end it
 * keeps as the lease.
 *
 * asking_open() opens the inlet and makes the FIFO. 0; or -1 where no dispenser
 * is, with errno ENOENT when there is no inlet either (it ended), ENXIO when
 * nobody reads it (it was killed, or has not begun). Exits with a message when
 * something else is wrong.
 * asking_send() writes "@WHAT NAME REST", or without REST: 0, or -1 when the dispenser went away.
 * asking_line() reads a line of the answer, without its newline, until the clock
 * says until (ms, clock.h; -1: for ever): 1; or 0 when that came first; or -1
 * when the dispenser went away.
 * asking_withdraw() gives up what get asked for: 0; or -1 when it is too late, and
 * the answer is there, or comes.
 * asking_keep() ends the asking: all is closed but the lease, which is returned,
 * at 10 or above, non-blocking, and left open on exec; the name is the
 * dispenser's then. asking_close() closes all and removes the name.
 *
 * A signal that ends the program while it asks removes the name first, or returns
 * the plain token that it was given already.
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

int asking_open(struct asking *a, const char *fifo);
int asking_send(struct asking *a, const char *what, const char *rest);
int asking_line(struct asking *a, char *line, size_t size, long long until);
int asking_withdraw(struct asking *a);
int asking_keep(struct asking *a);
void asking_close(struct asking *a);
