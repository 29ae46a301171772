/*
 * Requests, the order in which they wait, and their answers, which are written as they come, or in
 * the order of the requests. Then a request that has no answer has an empty line in its place.
 * Without memory jobpool exits with a message.
 */
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

struct answers {
	int attended;                 /* "NUMBER ANSWER", "failed NUMBER WHY", "said WORKER TEXT" */
	int tagged;                   /* or "NUMBER<tab>ANSWER"; or else an answer is a line */
	int order;
	struct request *first, *last; /* with order: all without their turn yet, by number */
	long kept;                    /* of them, how many have their answer */
	struct outbox out;            /* for the caller to write */
};

/* A request; with order it has its place among the answers. */
struct request *request_make(struct answers *answers, long number, const char *line, size_t length);
/* Makes it the last one. */
void queue_put(struct queue *queue, struct request *request);
/* Takes the first one, or NULL. */
struct request *queue_take(struct queue *queue);
/* Puts all of another queue before those of this one. */
void queue_return(struct queue *queue, struct queue *other);

/* Takes over the request, whose answer this line is. */
void answers_give(struct answers *answers, struct request *request, const char *line,
    size_t length);
/* Takes over a request that will have none. */
void answers_fail(struct answers *answers, struct request *request, const char *why);
/* Adds a line to those that wait to be written. */
void answers_put(struct outbox *box, const char *prefix, const char *text, size_t length);
