/*
 * The first token of a dispenser whose tokens are those of another one (-u PARENT). Further ones
 * come by the jobserver of its lease (jobserver.h). We are started with it. When no client has
 * needed it for a while it goes home, so that others have it; later a child, tokget, stands in line
 * for another one, and holds it until its input ends.
 */
#include <sys/types.h>

struct news;

struct first {
	const char *parent;    /* the FIFO; NULL: the tokens are make's, and the first is ours */
	int lost;              /* there is none: not held now ... */
	int busy;              /* ... as the parent had none free, and the child was not to wait */
	int gone;              /* the parent has ended */
	pid_t child;           /* or 0 */
	int input, line;       /* what keeps it, and where it says MAKEFLAGS; or -1 */
	char text[8192];
	size_t used;
	long long unused;      /* since when nobody has needed it (clock.h), or 0 */
};

/* We hold the first token of that pool, by descriptors that we were started with. */
void first_begin(struct first *first, const char *parent);
/* 1 if we hold it; else asks for it. now: the child is not to wait. */
int first_has(struct first *first, struct news *news, int now);
/* Takes news of that descriptor: 1; 0: it is not ours. */
int first_event(struct first *first, struct news *news, int fd);
/* Gives it back if nobody has needed it for a while. */
void first_rest(struct first *first, int needed);
/* How long until first_rest() is due, or -1. */
long long first_wait_ms(const struct first *first);
/* Ends the child. */
void first_close(struct first *first);
