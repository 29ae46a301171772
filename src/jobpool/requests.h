/* Requests, and the order in which they wait. */
#include <stddef.h>

struct request {
	struct request *next;
	long number;
	long tries;      /* how many workers failed with it */
	struct request *after; /* the next number, where answers wait for their turn */
	int answered;    /* and what is to be written for it is kept in answer */
	struct outbox answer;
	size_t length;
	char text[];
};

struct queue {
	struct request *first, *last;
	long count;
};

/* A request, "NUMBER " before it where numbered; freed by who takes it last. NULL with errno. */
struct request *request_make(long number, const char *line, size_t length, int numbered);
/* Makes it the last one. */
void queue_put(struct queue *queue, struct request *request);
/* Takes the first one, or the one of that number unless that is 0; or NULL. */
struct request *queue_take(struct queue *queue, long number);
/* Puts all of another queue before those of this one. */
void queue_return(struct queue *queue, struct queue *other);
