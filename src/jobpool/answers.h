/*
 * The output of jobpool: answers as they come, or in the order of the requests. With order a
 * request that has no answer has an empty line in its place. Functions return 0, or -1 with errno
 * where there is no memory.
 */
#include <stddef.h>

enum answers_form {
	ANSWERS_PLAIN,    /* an answer is a line */
	ANSWERS_NUMBERED, /* "NUMBER<tab>ANSWER" */
	ANSWERS_ATTENDED  /* "NUMBER ANSWER", "failed NUMBER WHY", or "said WORKER TEXT" */
};

struct answers {
	enum answers_form form;
	int order;
	struct request *first, *last; /* with order: all without their turn yet, by number */
	long kept;                    /* of them, how many have their answer */
	struct outbox out;            /* for the caller to write */
};

/* Begins. */
void answers_open(struct answers *answers, enum answers_form form, int order);
/* A request was made: with order it keeps its place. */
void answers_expect(struct answers *answers, struct request *request);
/* Takes over the request, whose answer this line is. */
int answers_give(struct answers *answers, struct request *request, const char *line, size_t length);
/* Takes over a request that will have none. */
int answers_fail(struct answers *answers, struct request *request, const char *why);
/* A line that the worker said besides. */
int answers_said(struct answers *answers, long worker, const char *text, size_t length);
/* Frees what is left. */
void answers_drop(struct answers *answers);
