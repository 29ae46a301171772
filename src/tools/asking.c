#define _XOPEN_SOURCE 700 /* realpath */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

#define NO_TOKEND "%s: it is no tokend that answers"
#define WAITING ".d/" NAMES_WAITING "/"

enum {
	TRIES = 100,
	LINE = 4096, /* bytes of a request, of which tokend reads no more */
	ABOVE = 10,  /* out of the way of a script's own descriptors */
	ANSWER = 1800, /* ms in which any dispenser answers, unless it is stopped */
	FULL = 1000, /* ms between two tries to write */
	LOOK = 500   /* ms after which others are looked at without any news */
};

static const unsigned long long SECRETS = 1000000000000000; /* some 2^50 */

const char *
inlet_default(const char *operand)
{
	const char *path = operand != NULL ? operand : getenv("FIFO");

	if (path == NULL || *path == '\0')
		fail(STATUS_TROUBLE, "no FIFO: none named, and $FIFO is not set");
	return path;
}

const char *
inlet_path(const char *path)
{
	static char *whole; /* to the end */
	struct stat st;

	if (whole == NULL && lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
	    stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		whole = realpath(path, NULL);
	return whole != NULL ? whole : path;
}

int
inlet_find(const char *path)
{
	int fd = fifo_open(AT_FDCWD, path, O_WRONLY);

	if (fd < 0 && errno == EISDIR)
		fail(STATUS_TROUBLE, "%s: is a directory: give the path of a FIFO, such as "
		    "%s/tokens", path, path);
	if (fd < 0 && errno == EEXIST)
		fail(STATUS_TROUBLE, "%s: not a FIFO: tokend makes the FIFO itself, at a path "
		    "where nothing is", path);
	if (fd < 0 && errno != ENXIO && errno != ENOENT)
		fail(STATUS_TROUBLE, "%s:", path);
	return fd;
}

int
inlet_send(int inlet, const char *text, size_t length, long long until)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	long long left = FULL;
	int reason = 0;

	while (reason == 0 && write(inlet, text, length) < 0) {
		reason = errno == EAGAIN || errno == EINTR ? 0 : errno;
		if (reason == 0 && until >= 0 && (left = clock_wait_ms(until)) == 0)
			reason = ETIMEDOUT;
		if (reason == 0) /* or sooner */
			descriptors_poll(inlet, POLLOUT, (int)(left < FULL ? left : FULL));
	}
	signal(SIGPIPE, before);
	errno = reason;
	return reason == 0 ? 0 : -1;
}

long long
inlet_soon(void)
{
	return clock_now() + ANSWER;
}

void
inlet_fail(const char *path, int status)
{
	fail(status, "%s: its tokend is stopped, or too busy to answer", path);
}

void
inlet_write(const char *path, const char *text)
{
	int inlet = inlet_find(path);

	if (inlet < 0)
		fail(STATUS_GONE, "%s: no tokend runs there", path);
	if (inlet_send(inlet, text, strlen(text), inlet_soon()) != 0) {
		if (errno == ETIMEDOUT)
			inlet_fail(path, STATUS_TROUBLE);
		if (errno == EPIPE)
			fail(STATUS_GONE, "%s: its tokend went away", path);
		fail(STATUS_TROUBLE, "%s:", path);
	}
	close(inlet);
}

/* The write end polls POLLERR when the last reader is gone. */
int
inlet_watch(int inlet, int answers, const int *others, size_t count, long long ms)
{
	struct pollfd fds[2 + INLET_MOST] = {{.fd = answers, .events = POLLIN}, {.fd = inlet}};
	int most = others != NULL ? LOOK : INT_MAX;

	for (size_t i = 0; i < count; i++)
		fds[2 + i].fd = others[i];
	if (poll(fds, 2 + count, ms < 0 && others == NULL ? -1
	    : ms < 0 || ms > most ? most : (int)ms) < 0)
		return errno == EINTR || errno == EAGAIN ? INLET_SAME : -1;
	if (fds[1].revents != 0)
		return INLET_GONE;
	return others != NULL && fds[0].revents == 0 ? INLET_OTHERS : INLET_SAME;
}

/* No name comes a second time: the dispenser may still know it from a request that was given up.
   And nobody can guess it: whoever knows it can speak for us. Each guess is an open(2); a dispenser
   of before takes 15 digits and no more. */
static void
choose_name(struct asking *a, size_t size)
{
	unsigned long long secret;

	if (secret_make(&secret) != 0)
		fail(STATUS_TROUBLE, "/dev/urandom, for a name that nobody can guess:");
	snprintf(a->file, size, "%s" WAITING "%ld_%015llu", a->fifo, (long)getpid(),
	    secret % SECRETS);
	a->name = a->file + strlen(a->fifo) + strlen(WAITING);
}

/* Exits with that message, in which %s is the FIFO. */
static void
abandon(const struct asking *a, const char *format)
{
	int reason = errno;

	unlink(a->file);
	errno = reason;
	fail(STATUS_TROUBLE, format, a->fifo);
}

/* The FIFO and both ends of it: 0, or -1 when the directory is not there. A name that has gone was
   taken for that of a dead client. */
static int
make_fifo(struct asking *a, mode_t mode)
{
	size_t size = strlen(a->fifo) + strlen(WAITING) + NAMES_FILE;

	if (a->file == NULL)
		a->file = need_memory(malloc(size));
	for (int i = 0; i < TRIES; i++) {
		choose_name(a, size);
		if (fifo_make(a->file, mode) != 0)
			break;
		a->answers = fifo_open(AT_FDCWD, a->file, O_RDONLY | O_NOFOLLOW);
		a->lease = a->answers < 0 ? -1
		    : fifo_open(AT_FDCWD, a->file, O_WRONLY | O_NOFOLLOW);
		if (a->lease >= 0)
			return 0;
		descriptors_close(&a->answers);
		if (errno != ENOENT)
			abandon(a, "%s.d:");
	}
	if (errno != ENOENT && errno != ENOTDIR)
		fail(STATUS_TROUBLE, "%s:", a->file);
	return -1;
}

/* The dispenser may be another user, and both read and write there; the inlet it alone reads. Where
   its owner alone can ask, root can, too; and nobody but these two comes into the directory. */
int
asking_open(struct asking *a, const char *fifo)
{
	struct stat st;
	mode_t others;

	a->fifo = fifo;
	a->used = 0;
	if ((a->inlet = inlet_find(fifo)) < 0)
		return -1;
	if (fstat(a->inlet, &st) != 0)
		fail(STATUS_TROUBLE, "%s:", fifo);
	others = st.st_mode & 022;
	if (make_fifo(a, st.st_uid != geteuid() && others == 0 ? 0666
	    : 0600 | others | others << 1) != 0) {
		close(a->inlet);
		errno = ENXIO;
		return -1;
	}
	return 0;
}

int
asking_send(struct asking *a, const char *what, const char *rest, long long until)
{
	char line[LINE];

	snprintf(line, sizeof line, "@%s %s%s%s\n", what, a->name, *rest ? " " : "", rest);
	if (inlet_send(a->inlet, line, strlen(line), until) == 0)
		return 0;
	if (errno == EPIPE || errno == ETIMEDOUT)
		return -1;
	abandon(a, "%s:");
	return -1;
}

/* Takes the first line out of what was read. */
static int
take_line(struct asking *a, char *line, size_t size)
{
	char *end = memchr(a->text, '\n', a->used);
	size_t length;

	if (end == NULL)
		return 0;
	length = (size_t)(end - a->text);
	if (length >= size)
		abandon(a, NO_TOKEND);
	memcpy(line, a->text, length);
	line[length] = '\0';
	a->used -= length + 1;
	memmove(a->text, end + 1, a->used);
	return 1;
}

/* A line counts, too, if the dispenser wrote it and then went away. */
int
asking_line(struct asking *a, char *line, size_t size, long long until)
{
	int news = INLET_SAME, late = 0;
	long long left;
	ssize_t n;

	for (;;) {
		if (take_line(a, line, size))
			return 1;
		if (a->used == sizeof a->text)
			abandon(a, NO_TOKEND);
		n = read(a->answers, a->text + a->used, sizeof a->text - a->used);
		if (n > 0) {
			a->used += (size_t)n;
			continue;
		}
		if (news == INLET_GONE)
			return -1;
		if (late)
			return 0;
		if (news == INLET_OTHERS)
			return 2;
		left = until < 0 ? -1 : clock_wait_ms(until);
		late = left == 0;
		news = inlet_watch(a->inlet, a->answers, a->others, a->watching, left);
		if (news < 0)
			abandon(a, "%s: poll:");
	}
}

void
tokens_clear(struct tokens *tokens)
{
	tokens->count = 0;
	tokens->slots[0] = tokens->labels[0] = '\0';
}

static void
append_item(char text[TOKENS_TEXT], int more, char separator, const char *item, size_t length)
{
	size_t used = strlen(text);

	if (used + length + 2 > TOKENS_TEXT)
		return;
	if (more)
		text[used++] = separator;
	memcpy(text + used, item, length);
	text[used + length] = '\0';
}

void
tokens_add(struct tokens *tokens, long slot, const char *label, size_t length)
{
	char number[24];
	int digits = snprintf(number, sizeof number, "%ld", slot);

	append_item(tokens->slots, tokens->count > 0, ' ', number, (size_t)digits);
	append_item(tokens->labels, tokens->count > 0, '\n', label, length);
	tokens->count++;
}

int
tokens_have(const struct tokens *tokens, long slot)
{
	const char *at = tokens->slots;
	long i = 0;

	while (i < tokens->count && strtol(at, (char **)&at, 10) != slot)
		i++;
	return i < tokens->count;
}

const char *
tokens_labels(const struct tokens *tokens)
{
	return tokens->labels[strspn(tokens->labels, "\n")] == '\0' ? "" : tokens->labels;
}

/* A slot becomes a path that a script opens for writing, and the line may come from anybody. */
int
asking_tokens(struct asking *a, struct tokens *tokens, long count, long long until)
{
	char line[LONGEST_LABEL + 32], *label;
	long slot;
	int got = 1;

	for (tokens_clear(tokens); count > 0; count--) {
		if ((got = asking_line(a, line, sizeof line, until)) != 1)
			return -1;
		if ((label = strchr(line, ' ')) != NULL)
			*label++ = '\0';
		if (number_scan(line, 1, LONG_MAX, &slot) != 0)
			return 1;
		tokens_add(tokens, slot, label == NULL ? "" : label,
		    label == NULL ? 0 : strlen(label));
	}
	return 0;
}

/* Where the unlink fails for another reason than that the name is gone, a lease that is granted now
   comes home when we have closed it. */
int
asking_withdraw(struct asking *a)
{
	return unlink(a->file) != 0 && errno == ENOENT ? -1 : 0;
}

static void
let_go(struct asking *a)
{
	close(a->lease);
	close(a->answers);
	close(a->inlet);
	free(a->file);
	a->file = NULL;
}

char *
asking_given(const struct asking *a, const char *slots)
{
	int digits = (int)strspn(slots, "0123456789");
	size_t size = strlen(a->file) + (size_t)digits + 1;
	char *path = need_memory(malloc(size));

	snprintf(path, size, "%s.d/%.*s.%s", a->fifo, digits, slots, a->name);
	if (descriptors_named(a->lease, AT_FDCWD, path) == 1)
		return path;
	free(path);
	return NULL;
}

int
asking_keep(struct asking *a)
{
	int lease = fcntl(a->lease, F_DUPFD, ABOVE);

	if (lease < 0)
		fail(STATUS_TROUBLE, "no descriptor for the lease:");
	let_go(a);
	return lease;
}

void
asking_close(struct asking *a)
{
	unlink(a->file);
	let_go(a);
}

int
asking_once(const char *fifo, const char *what, const char *rest, char *line, size_t size)
{
	struct asking a = {0};
	long long soon = inlet_soon();
	int got = -1, late = 0;

	if (asking_open(&a, fifo) != 0)
		fail(STATUS_GONE, "%s: no tokend runs there", fifo);
	if (asking_send(&a, what, rest, soon) == 0)
		got = asking_line(&a, line, size, soon);
	else
		late = errno == ETIMEDOUT;
	asking_close(&a);
	if (late)
		inlet_fail(fifo, STATUS_TROUBLE);
	if (got < 0 || (got == 1 && (strcmp(line, "no again") == 0 || strcmp(line, "again") == 0)))
		fail(STATUS_GONE, "%s: its tokend went away", fifo);
	return got;
}
