/*
 * What jobpool writes: answers as they come, or in the order of the requests.
 *
 * ANSWERS_PLAIN: an answer is a line; with order, a request that has none has an empty
 * line in its place. ANSWERS_NUMBERED: "NUMBER<tab>ANSWER". ANSWERS_ATTENDED, for
 * jobctl.sh: "NUMBER ANSWER", "failed NUMBER WHY", "said WORKER TEXT".
 *
 * answers_open() begins. answers_give() takes over the request, whose answer this line
 * is; answers_fail() one that will have none. answers_said() is what worker number said
 * besides. All return 0, or -1 with errno where there is no memory.
 * answers_keep() is how many wait for their turn. What is to be written, is in out.
 * answers_drop() frees what is left.
 *
 * outbox.h and requests.h come before this.
 */
#include <stddef.h>

enum answers_form { ANSWERS_PLAIN, ANSWERS_NUMBERED, ANSWERS_ATTENDED };

struct answers {
	enum answers_form form;
	int order;
	long next;              /* the number whose turn it is */
	long kept;
	long room;              /* a power of two; request number n is at n % room */
	struct request **early;
	struct outbox out;
};

void answers_open(struct answers *answers, enum answers_form form, int order);
int answers_give(struct answers *answers, struct request *request, const char *line, size_t length);
int answers_fail(struct answers *answers, struct request *request, const char *why);
int answers_said(struct answers *answers, long worker, const char *text, size_t length);
long answers_keep(const struct answers *answers);
void answers_drop(struct answers *answers);
