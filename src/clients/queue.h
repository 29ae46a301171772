/*
 * The requests that wait for tokens: first come, first served within a
 * priority, the higher priority first. So that the lowest is served as well, a
 * priority whose first request was passed over PATIENCE times is next.
 *
 * queue_add() puts a request, which it copies, at the end of its priority; it
 * returns 0, or -1 with errno.
 * queue_first() is the request to be served next, or NULL. It stays that until
 * one is added or taken. queue_take() removes it; served says that it was, and
 * then those that it went before have been passed over.
 * queue_each() calls back for each, in the order of priority and age.
 * queue_drop() removes those for which the call returns other than 0.
 * queue_clear() frees all.
 */
enum {
	PRIORITIES = 10, /* 0 to 9 */
	PATIENCE = 15,
	REQUEST_NAME = 24 /* with its end */
};

struct request {
	char name[REQUEST_NAME];  /* of its FIFO, after "w." */
	long pid;                 /* as it says itself: for people */
	int count;                /* tokens, all at once */
	int priority;
	int plain;                /* holds without a lease */
	int build;                /* is a client of the jobserver, too */
	int kept;                 /* its lease is, for a moment, by us */
	int silent;               /* says nothing when it returns */
	long long asked;          /* when (clock.h) */
	struct request *next;
};

struct queue {
	struct request *first[PRIORITIES], *last[PRIORITIES];
	int passed[PRIORITIES];
	long count;
};

int queue_add(struct queue *queue, const struct request *request);
struct request *queue_first(const struct queue *queue);
void queue_take(struct queue *queue, int served);
void queue_each(const struct queue *queue, void (*call)(void *, const struct request *), void *context);
void queue_drop(struct queue *queue, int (*call)(void *, const struct request *), void *context);
void queue_clear(struct queue *queue);
