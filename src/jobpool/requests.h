/*
 * Requests, and the order in which they wait.
 *
 * request_make() is one, or NULL with errno; text is what a worker is to read, of
 * length bytes with a newline at its end, after "NUMBER " where numbered. It is the
 * queue's that it was put into, or of who took it from there, who frees it with
 * free(3), or hands it on.
 * queue_put() makes it the last one, queue_push() the first one, queue_take() gives
 * the first one or NULL. queue_find() takes the one of that number out, or NULL.
 * queue_return() puts all of another queue before those of this one.
 */
#include <stddef.h>

struct request {
	struct request *next;
	long number;
	long tries;      /* so many workers failed with it */
	char *answer;    /* answers.h: kept until its turn; NULL: there is none */
	size_t length;
	char text[];
};

struct queue {
	struct request *first, *last;
	long count;
};

struct request *request_make(long number, const char *line, size_t length, int numbered);
void queue_put(struct queue *queue, struct request *request);
void queue_push(struct queue *queue, struct request *request);
struct request *queue_take(struct queue *queue);
struct request *queue_find(struct queue *queue, long number);
void queue_return(struct queue *queue, struct queue *other);
