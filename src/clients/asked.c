#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients.h"

enum {
	LINE = 4096,          /* bytes of a request, at most */
	MOST_WAITING = 100000,
	LOOKS = 100,          /* at waiters that a report does not show */
	MANY = 1000,          /* waiters: with more, all of them are looked at ... */
	SELDOM = 10000,       /* ... only after so many ms */
	MOST_ROWS = 10000
};

static int
is_dead(void *context, const struct waiter *waiter)
{
	struct clients *c = context;
	char file[NAMES_FILE];
	int fd;

	names_file(file, waiter->who.name);
	if ((fd = store_client(&c->store, file)) < 0)
		return !room_short(errno);
	close(fd);
	return 0;
}

/* Forgets waiters that gave up or were killed while nothing was free. Each costs a look: a report
   looks at those that it shows, and a few others in turn; with rows -1 at all, but seldom if many
   wait. */
static void
forget_dead(struct clients *c, long rows)
{
	struct waiters *waiters = &c->waiters;

	if (rows < 0) {
		if (waiters->count > MANY && clock_now() < c->count_due)
			return;
		if (waiters->count > MANY)
			c->count_due = clock_now() + SELDOM;
		waiters_some(waiters, 0, LONG_MAX, is_dead, c);
		return;
	}
	waiters_some(waiters, 0, rows, is_dead, c);
	c->asked_about = c->asked_about >= waiters->count ? 0 : c->asked_about;
	waiters_some(waiters, c->asked_about, LOOKS, is_dead, c);
	c->asked_about += LOOKS;
}

/* Why it cannot wait, or NULL. */
static const char *
enqueue(struct clients *c, const struct waiter *waiter)
{
	struct waiters *waiters = &c->waiters;

	if (c->store.closing != NULL)
		return "closing";
	if (store_lacks(&c->store, waiter->who.count))
		return "many";
	if (waiters->count >= MOST_WAITING)
		forget_dead(c, -1);
	if (waiters->count >= MOST_WAITING || waiters_add(waiters, waiter) != 0)
		return "room";
	c->store.hurried |= waiter->now;
	return NULL;
}

/* "COUNT", or "LOW-HIGH": 0, or -1. */
static int
read_count(const struct clients *c, char *text, struct waiter *waiter)
{
	char *high = strchr(text, '-');
	long n, most = 0;

	if (high != NULL)
		*high++ = '\0';
	if (number_scan(text, high != NULL, INT_MAX, &n) != 0 ||
	    (high != NULL && number_scan(high, n, INT_MAX, &most) != 0))
		return -1;
	waiter->all = n == 0;
	waiter->who.count = (int)(waiter->all ? c->store.pool.wanted : n);
	waiter->most = (int)(most < MOST_AT_ONCE ? most : MOST_AT_ONCE);
	return 0;
}

/* Letters, and digits among them: the most tokens of a build. 0, or -1. */
static int
read_flags(const struct clients *c, const char *flags, struct waiter *waiter)
{
	struct party *who = &waiter->who;
	const char *digits = strpbrk(flags, "0123456789");

	waiter->now = strchr(flags, 'n') != NULL;
	who->shell = strchr(flags, 'l') != NULL;
	who->build = c->builds.path != NULL && strchr(flags, 'j') != NULL;
	who->silent = strchr(flags, 's') != NULL;
	return digits == NULL ? 0 : number_scan(digits, 1, INT_MAX, &who->cap);
}

/* Cuts a word off, or "" at the end. */
static char *
next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " ");

	*rest = word + strcspn(word, " ");
	if (**rest != '\0')
		*(*rest)++ = '\0';
	return word;
}

/* "COMMAND", right before the request of that client. Without memory it is not known. */
static void
keep_command(struct clients *c, const char *name, const char *command)
{
	free(c->runs);
	c->runs = strdup(command);
	for (char *p = c->runs; p != NULL && (p = strchr(p, WORDS_AT)) != NULL;)
		*p = '@';
	strcpy(c->runs_name, name);
}

/* "COUNT PRIORITY FLAGS" */
static int
ask_tokens(struct clients *c, const char *name, char *rest)
{
	struct waiter waiter = {.who.pid = strtol(name, NULL, 10), .asked = clock_now()};
	char *count = next_word(&rest), *flags;
	const char *reason;
	long priority;

	if (number_scan(next_word(&rest), 0, PRIORITIES - 1, &priority) != 0 ||
	    *(flags = next_word(&rest)) == '\0' || *next_word(&rest) != '\0' ||
	    read_flags(c, flags, &waiter) != 0 || read_count(c, count, &waiter) != 0)
		return -1;
	strcpy(waiter.who.name, name);
	waiter.who.priority = (int)priority;
	if (c->runs != NULL && strcmp(c->runs_name, name) == 0) {
		waiter.who.command = c->runs;
		c->runs = NULL;
	}
	remains_sweep(c);
	if ((reason = enqueue(c, &waiter)) != NULL) {
		free(waiter.who.command);
		store_refuse(&c->store, name, reason);
	}
	return 0;
}

/* Tokens that builds have not taken are free. 0: a pause, in which nothing is forgotten. */
static int
resize_pool(struct clients *c, const char *text)
{
	long count;

	if (number_scan(text, 0, MOST_TOKENS, &count) != 0) {
		errno = EINVAL;
		return -1;
	}
	builds_recall(&c->builds, LONG_MAX);
	if (count > 0 && pool_resize(&c->store.pool, count) != 0)
		return -1;
	c->store.paused = count == 0;
	return 0;
}

static int
add_label(struct clients *c, const char *label)
{
	if (strlen(label) <= LONGEST_LABEL && c->store.pool.wanted < MOST_TOKENS)
		return pool_add(&c->store.pool, label);
	errno = EINVAL;
	return -1;
}

static int
drop_label(struct clients *c, const char *label)
{
	builds_recall(&c->builds, LONG_MAX);
	return pool_drop(&c->store.pool, label);
}

/* "VALUE", to the end of the line */
static int
change_pool(struct clients *c, int (*how)(struct clients *, const char *), const char *name,
    const char *value)
{
	char file[NAMES_FILE];

	if (*value == '\0')
		return -1;
	names_file(file, name);
	if (how(c, value) == 0)
		names_answer(c->store.dir, file, "ok\n", &c->store.spare);
	else
		store_refuse(&c->store, name,
		    errno == ENOENT ? "label" : errno == EINVAL ? "such" : "room");
	waiters_resize(&c->waiters, c->store.pool.wanted);
	return 0;
}

/* Nothing, or "ROWS" */
static int
ask_report(struct clients *c, const char *file, char *rest)
{
	long rows = -1;

	if (*rest != '\0' && (number_scan(next_word(&rest), 0, MOST_ROWS, &rows) != 0 ||
	    *next_word(&rest) != '\0'))
		return -1;
	if (report_ask(c, file, rows) || rows >= 0)
		forget_dead(c, rows);
	return 0;
}

/* "VERB NAME" and what the verb needs */
int
asked_take(struct clients *c, const char *text, size_t length)
{
	char line[LINE], file[NAMES_FILE], *rest = line;
	const char *verb, *name;
	long n;

	if (length >= sizeof line || memchr(text, '\0', length) != NULL)
		return -1;
	memcpy(line, text, length);
	line[length] = '\0';
	verb = next_word(&rest);
	name = next_word(&rest);
	if (names_file(file, name) != 0)
		return -1;
	if (strcmp(verb, "get") == 0)
		return ask_tokens(c, name, rest);
	if (strcmp(verb, "size") == 0)
		return change_pool(c, resize_pool, name, rest);
	if (strcmp(verb, "add") == 0)
		return change_pool(c, add_label, name, rest);
	if (strcmp(verb, "drop") == 0)
		return change_pool(c, drop_label, name, rest);
	if (strcmp(verb, "stat") == 0)
		return ask_report(c, file, rest);
	if (strcmp(verb, "begun") == 0 && number_scan(next_word(&rest), 1, INT_MAX, &n) == 0)
		holders_begin(&c->holders, name, n);
	else if (strcmp(verb, "pid") == 0 && number_scan(next_word(&rest), 1, INT_MAX, &n) == 0)
		holders_pid(&c->holders, name, n);
	else if (strcmp(verb, "runs") == 0)
		keep_command(c, name, rest);
	else if (strcmp(verb, "heard") == 0)
		holders_heard(&c->holders, name);
	else if (strcmp(verb, "slots") == 0)
		holders_tell(&c->holders, name, next_word(&rest));
	else
		return -1;
	return 0;
}
