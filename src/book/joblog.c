#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/feed.h"
#include "../lib/number.h"
#include "joblog.h"

#define HEADER "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"

enum { COLUMNS = 9, EXITVAL = 6, SIGNAL = 7, COMMAND = 8, MOST_JOBS = 100000000 };

/* A line of the log: in the order of the ids, and of the lines. */
struct past {
	long id;
	size_t line;
	unsigned long long command; /* a hash of it */
	char state;                 /* enum joblog_past */
};

/* FNV-1a, 64 bits. */
static unsigned long long
hash(const char *text)
{
	unsigned long long h = 14695981039346656037ULL;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ULL;
	return h;
}

static int
remember(struct joblog *log, long id, const char *command, int succeeded)
{
	struct past *bigger;

	if (log->pasts == log->room) {
		size_t room = log->room * 2 + 64;

		if ((bigger = realloc(log->past, room * sizeof *bigger)) == NULL)
			return -1;
		log->past = bigger;
		log->room = room;
	}
	log->past[log->pasts].id = id;
	log->past[log->pasts].line = log->pasts;
	log->past[log->pasts].command = hash(command);
	log->past[log->pasts++].state = succeeded ? PAST_SUCCEEDED : PAST_FAILED;
	return 0;
}

static int
compare(const void *one, const void *other)
{
	const struct past *a = one, *b = other;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* The last line of each job is what counts. */
static void
sort(struct joblog *log)
{
	size_t from, to = 0;

	if (log->pasts == 0)
		return;
	qsort(log->past, log->pasts, sizeof *log->past, compare);
	for (from = 1; from < log->pasts; from++) {
		if (log->past[from].id != log->past[to].id)
			to++;
		log->past[to] = log->past[from];
	}
	log->pasts = to + 1;
}

static int
compare_id(const void *id, const void *past)
{
	long one = *(const long *)id, other = ((const struct past *)past)->id;

	return one < other ? -1 : one > other;
}

/* Cuts a line at its tabs; the last column may hold some. */
static int
take_line(struct joblog *log, char *line)
{
	char *column[COLUMNS];
	long id;
	int i;

	for (i = 0; i < COLUMNS; i++) {
		column[i] = line;
		if (i == COLUMNS - 1)
			break;
		if ((line = strchr(line, '\t')) == NULL)
			return -1;
		*line++ = '\0';
	}
	if (number_scan(column[0], 1, MOST_JOBS, &id) != 0)
		return -1;
	return remember(log, id, column[COMMAND],
	    strcmp(column[EXITVAL], "0") == 0 && strcmp(column[SIGNAL], "0") == 0);
}

/* What is there: -1 when it is no log, else 0. *whole is the length of its whole
   lines: a last one without its end was being written when somebody died. */
static int
read_log(struct joblog *log, off_t size, off_t *whole)
{
	struct feed feed;
	char *line;
	size_t n;
	int more, number = 0, bad = 0;

	*whole = 0;
	if (feed_open(&feed, log->path, '\n') != 0)
		return -1;
	while (!bad && (more = feed_line(&feed, &line, &n)) >= 0) {
		if (more == 0)
			bad = feed_fill(&feed) != 0;
		else if (*whole + (off_t)n == size)
			break;
		else if (number++ == 0)
			bad = strcmp(line, HEADER) != 0;
		else
			bad = take_line(log, line) != 0;
		if (more > 0)
			*whole += (off_t)n + 1;
	}
	feed_close(&feed);
	sort(log);
	return bad || (size > 0 && *whole == 0) ? -1 : 0;
}

static int
write_all(const struct joblog *log, const char *text, size_t length)
{
	ssize_t n;

	while (length > 0) {
		if ((n = write(log->fd, text, length)) < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			complain("%s:", log->path);
			return -1;
		}
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

static int
give_up(struct joblog *log, const char *why)
{
	if (why == NULL)
		complain("%s:", log->path);
	else
		complain("%s: %s", log->path, why);
	if (log->fd >= 0)
		close(log->fd);
	log->path = NULL;
	return -1;
}

int
joblog_open(struct joblog *log, const char *path, int resume)
{
	struct stat st;
	off_t whole;

	log->path = path;
	if ((log->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666)) < 0 ||
	    fstat(log->fd, &st) != 0)
		return give_up(log, NULL);
	if (!S_ISREG(st.st_mode))
		return give_up(log, "not a regular file");
	if (read_log(log, st.st_size, &whole) != 0)
		return give_up(log, "something else than a log of jobs; left as it is");
	if (!resume)
		whole = 0;
	if (ftruncate(log->fd, whole) != 0)
		return give_up(log, NULL);
	return whole > 0 ? 0 : write_all(log, HEADER "\n", sizeof HEADER);
}

int
joblog_close(struct joblog *log)
{
	free(log->past);
	log->past = NULL;
	if (log->path == NULL || close(log->fd) == 0)
		return 0;
	complain("%s:", log->path);
	return -1;
}

int
joblog_write(const struct joblog *log, const struct joblog_line *line)
{
	char *text = NULL;
	size_t size;
	int failed;
	FILE *out;

	if (log->path == NULL)
		return 0;
	if ((out = open_memstream(&text, &size)) == NULL) {
		complain("%s:", log->path);
		return -1;
	}
	fprintf(out, "%ld\t%s\t%lld.%03ld\t%lld.%03lld\t0\t%lld\t%d\t%d\t%s\n", line->id, line->host,
	    (long long)line->start.tv_sec, line->start.tv_nsec / 1000000, line->ms / 1000,
	    line->ms % 1000, line->bytes, line->status, line->signal, line->command);
	failed = fclose(out) != 0 || write_all(log, text, size) != 0;
	free(text);
	return failed ? -1 : 0;
}

enum joblog_past
joblog_past(const struct joblog *log, long id, const char *command)
{
	const struct past *past = NULL;

	if (log->pasts > 0)
		past = bsearch(&id, log->past, log->pasts, sizeof *past, compare_id);
	if (past == NULL)
		return PAST_NONE;
	return past->command == hash(command) ? (enum joblog_past)past->state : PAST_OTHER;
}
