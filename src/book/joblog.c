#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "book.h"

enum { WHY = 320 };
enum { LAST = 9 /* descriptor that a caller can have given us for output */ };
enum { ANY = -1 /* job with that command */ };
enum { SUCCEEDED, FAILED };

/* A job that failed was tried again where a later line has its number and command. One that has
   succeeded is not: there another job with that command has the number. */
static void
remember(struct joblog *log, const struct logline *found)
{
	struct table_entry *job, *all = need_memory(table_add(&log->past, found->command,
	    found->length, ANY));

	log->commands += all->count[SUCCEEDED] + all->count[FAILED] == 0;
	all->count[SUCCEEDED] += found->succeeded;
	if (found->succeeded && all->count[FAILED] == 0)
		return;
	job = need_memory(table_add(&log->past, found->command, found->length, found->seq));
	all = table_find(&log->past, found->command, found->length, ANY);
	all->count[FAILED] += !found->succeeded - job->count[FAILED];
	job->count[FAILED] = !found->succeeded;
}

/* 0, or -1 where it is no line of a log, and line->why. */
static int
take_line(struct joblog *log, struct logline *line, char *text, size_t length)
{
	enum logline_kind kind = logline_read(line, text, length);

	if (line->number == 1 && kind != LOGLINE_NAMES) {
		snprintf(line->why, sizeof line->why, "no names of columns: Seq, Host and so on");
		return -1;
	}
	if (kind != LOGLINE_JOB)
		return kind == LOGLINE_BAD ? -1 : 0;
	if (line->seq > log->highest)
		log->highest = line->seq;
	remember(log, line);
	return 0;
}

/* Reads the file: 0, or -1 when it is no log, and why. *whole is the length of its whole lines: a
   last one without its end was being written when somebody died. */
static int
read_log(struct joblog *log, off_t *whole, char why[WHY])
{
	off_t size = lseek(log->fd, 0, SEEK_END);
	struct logline line = {0};
	struct feed feed;
	char *text;
	size_t n;
	int more, bad = size < 0 || lseek(log->fd, 0, SEEK_SET) != 0;

	*whole = 0;
	feed_open(&feed, NULL, '\n');
	feed.fd = log->fd; /* to close one of its own would end our lock */
	if (bad)
		snprintf(line.why, sizeof line.why, "%s", strerror(errno));
	while (!bad && (more = feed_line(&feed, &text, &n)) >= 0) {
		if (more == 0) {
			if ((bad = feed_fill(&feed) != 0) != 0)
				snprintf(line.why, sizeof line.why, "%s", strerror(errno));
			continue;
		}
		if (*whole + (off_t)n == size) {
			if ((bad = *whole == 0) != 0)
				snprintf(line.why, sizeof line.why, "it has no end");
			break;
		}
		if ((bad = take_line(log, &line, text, n) != 0) == 0)
			*whole += (off_t)n + 1;
	}
	feed_close(&feed);
	if (bad)
		snprintf(why, WHY, "not a log of jobs, and left as it is; name another file, or "
		    "mend line %zu: %s", line.number, line.why);
	return bad ? -1 : 0;
}

/* Writes what is in the box, in one write where the system takes it, and perhaps waits until it is
   on disk: 0, or -1 after a message. */
static int
put_lines(struct joblog *log, struct outbox *box)
{
	int bad = box->lost;

	log->size += (off_t)outbox_waits(box);
	while (!bad && outbox_waits(box) > 0)
		bad = outbox_write(box, log->fd, OUTBOX_ALL) != 0;
	if (!bad && log->sync)
		bad = descriptors_sync(log->fd) != 0;
	if (bad)
		complain("--joblog %s:", log->path);
	outbox_drop(box);
	return bad ? -1 : 0;
}

static int
refuse_log(struct joblog *log, const char *why)
{
	complain("--joblog %s: %s", log->path, why != NULL ? why : strerror(errno));
	descriptors_close(&log->fd);
	log->path = NULL;
	return -1;
}

/* Until we close the file, nobody else may write it. 0, or -1 when somebody has it, and why. */
static int
lock_log(const struct joblog *log, char why[WHY])
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET}, other = whole;
	char owner[32] = "another process";

	if (fcntl(log->fd, F_SETLK, &whole) == 0)
		return 0;
	if (errno != EACCES && errno != EAGAIN) {
		complain("warning: %s cannot be locked, let no other batch use it:", log->path);
		return 0;
	}
	if (fcntl(log->fd, F_GETLK, &other) == 0 && other.l_type != F_UNLCK && other.l_pid > 0)
		snprintf(owner, sizeof owner, "process %ld", (long)other.l_pid);
	snprintf(why, WHY, "%s writes this log now: wait until it has ended, or name another log",
	    owner);
	return -1;
}

/* Where output or messages go to the same file, they may overwrite lines, and are none. */
static int
is_output(const struct joblog *log, const struct stat *st)
{
	struct stat other;

	for (int fd = STDOUT_FILENO; fd <= LAST; fd++)
		if (fd != log->fd && fstat(fd, &other) == 0 && descriptors_same(&other, st))
			return 1;
	return 0;
}

/* Others may write the log meanwhile. */
static int
only_read(struct joblog *log, int resume)
{
	char why[WHY];
	off_t whole;

	if (resume)
		log->fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (resume && log->fd < 0 && errno != ENOENT)
		return refuse_log(log, NULL);
	if (log->fd >= 0 && read_log(log, &whole, why) != 0)
		return refuse_log(log, why);
	descriptors_close(&log->fd);
	log->path = NULL;
	return 0;
}

int
joblog_open(struct joblog *log, const char *path, int resume, int dry)
{
	struct outbox box = {0};
	struct stat st;
	off_t whole;
	char why[WHY];

	log->path = path;
	log->fd = -1;
	if (strcmp(path, "-") == 0)
		return refuse_log(log, "a log cannot be standard output: name a file");
	if (fnmatch("*.json", path, 0) == 0 || fnmatch("*.jsonl", path, 0) == 0 ||
	    fnmatch("*.ndjson", path, 0) == 0)
		return refuse_log(log, "the log is a table; jobplot --json LOG prints it as JSON");
	if (dry)
		return only_read(log, resume);
	if ((log->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK,
	    0666)) < 0 || fstat(log->fd, &st) != 0)
		return refuse_log(log, NULL);
	if (!S_ISREG(st.st_mode))
		return refuse_log(log, "not a regular file");
	if (is_output(log, &st))
		return refuse_log(log, "is standard output or error, too: name another log");
	if (lock_log(log, why) != 0)
		return refuse_log(log, why);
	if (read_log(log, &whole, why) != 0)
		return refuse_log(log, why);
	if (!resume) {
		whole = 0;
		table_close(&log->past);
	}
	if (ftruncate(log->fd, whole) != 0)
		return refuse_log(log, NULL);
	log->size = whole;
	if (whole > 0)
		return 0;
	outbox_say(&box, LOGLINE_HEADER "\n");
	return put_lines(log, &box);
}

/* 1 if the log has its name, and all that we wrote; or nobody can tell. */
static int
is_there(const struct joblog *log)
{
	struct stat ours, there;

	if (fstat(log->fd, &ours) != 0)
		return 1;
	if (stat(log->path, &there) != 0)
		return errno != ENOENT && errno != ENOTDIR;
	return ours.st_size >= log->size && descriptors_same(&ours, &there);
}

int
joblog_close(struct joblog *log)
{
	int bad;

	table_close(&log->past);
	if (log->path == NULL)
		return 0;
	if ((bad = !log->failed && !is_there(log)) != 0)
		complain("--joblog %s: it was removed, renamed or cut while jobs ran: their lines "
		    "are lost, or elsewhere", log->path);
	if (close(log->fd) == 0)
		return bad || log->failed ? -1 : 0;
	complain("--joblog %s:", log->path);
	return -1;
}

char *
joblog_text(const struct joblog *log, const struct end *end, const char *command)
{
	return log->path == NULL ? NULL : logline_text(end, command);
}

void
joblog_write(struct joblog *log, const char *text)
{
	struct outbox box = {0};

	if (log->failed)
		return;
	outbox_add(&box, text, strlen(text));
	log->failed = put_lines(log, &box) != 0;
}

void
joblog_add(struct joblog *log, const struct end *end, const char *command)
{
	char *text = joblog_text(log, end, command);

	if (text != NULL)
		joblog_write(log, text);
	free(text);
}

int
joblog_take(struct joblog *log, const char *command, int all)
{
	struct table_entry *past = table_find(&log->past, command, strlen(command), ANY);

	log->asked = 1;
	if (past == NULL)
		return 0;
	log->met = 1;
	if (past->count[SUCCEEDED] > 0)
		past->count[SUCCEEDED]--;
	else if (all && past->count[FAILED] > 0)
		past->count[FAILED]--;
	else
		return 0;
	return 1;
}

void
joblog_check(const struct joblog *log)
{
	if (log->path != NULL && log->asked && !log->met && log->commands > 0)
		complain("warning: %s: none of its %ld commands was in this list: is it the log of "
		    "another batch?", log->path, log->commands);
}
