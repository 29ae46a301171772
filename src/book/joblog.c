#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/feed.h"
#include "../lib/outbox.h"
#include "../lib/room.h"
#include "../lib/secret.h"
#include "joblog.h"
#include "logline.h"

#define NOT_ONE "not a log of jobs, and left as it is; name another file"

enum { WHY = 128, FEWEST = 64 /* places in a table, a power of 2 */ };
enum { LAST = 9 /* descriptor that a caller can have given us for output */ };

/* A command that the log has; or a failed job with that command. */
struct past {
	unsigned long long command; /* a hash of it */
	long id;                    /* of the job, or ANY; 0: nothing is here */
	int succeeded, failed;      /* how many jobs */
};

enum { ANY = -1 };

/* FNV-1a, 64 bits. */
static unsigned long long
hash(const struct joblog *log, const char *text, size_t length)
{
	unsigned long long hash = log->seed ^ 14695981039346656037ULL;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 1099511628211ULL;
	return hash;
}

/* The place where that is, or would be: the first free one from where its hash points to. */
static struct past *
find(const struct joblog *log, unsigned long long command, long id)
{
	size_t mask = log->room - 1;
	size_t i = (size_t)((command + (unsigned long long)id) * 0x9E3779B97F4A7C15ULL >> 32) &
	    mask;

	while (log->past[i].id != 0 && (log->past[i].command != command || log->past[i].id != id))
		i = (i + 1) & mask;
	return log->past + i;
}

/* Room for two more, with a quarter of all places free. */
static int
make_room(struct joblog *log)
{
	struct joblog bigger = *log;

	if (log->pasts + 2 <= log->room / 4 * 3)
		return 0;
	bigger.room = log->room == 0 ? FEWEST : log->room * 2;
	if ((bigger.past = calloc(bigger.room, sizeof *bigger.past)) == NULL)
		return -1;
	for (size_t i = 0; i < log->room; i++)
		if (log->past[i].id != 0)
			*find(&bigger, log->past[i].command, log->past[i].id) = log->past[i];
	free(log->past);
	*log = bigger;
	return 0;
}

static struct past *
enter(struct joblog *log, unsigned long long command, long id)
{
	struct past *past = find(log, command, id);

	if (past->id == 0) {
		past->command = command;
		past->id = id;
		log->pasts++;
		log->commands += id == ANY;
	}
	return past;
}

/* A job that failed was tried again where a later line has its number and command. One that has
   succeeded is not: there another job with that command has the number. */
static int
remember(struct joblog *log, long id, unsigned long long command, int succeeded)
{
	struct past *all, *job;

	if (make_room(log) != 0)
		return -1;
	all = enter(log, command, ANY);
	all->succeeded += succeeded;
	if (succeeded && all->failed == 0)
		return 0;
	job = enter(log, command, id);
	all->failed += !succeeded - job->failed;
	job->failed = !succeeded;
	return 0;
}

static int
keep_command(struct joblog *log, const struct logline *found)
{
	static char nothing[] = "#", lost[] = "";
	char **list = room_for(log->undone, &log->undone_room, (size_t)found->id + 1, sizeof *list);
	int whole = strlen(found->command) == found->length;

	if (list == NULL)
		return -1;
	log->undone = list;
	while (log->numbers <= (size_t)found->id)
		list[log->numbers++] = nothing;
	if (list[found->id] != nothing && list[found->id] != lost)
		free(list[found->id]);
	list[found->id] = found->succeeded ? nothing : whole ? strdup(found->command) : lost;
	return list[found->id] == NULL ? -1 : 0;
}

static int
take_line(struct joblog *log, char *line, size_t length)
{
	struct logline found;

	if (logline_read(&found, line, length) != 0)
		return -1;
	if (found.id > log->highest)
		log->highest = found.id;
	if (log->again)
		return keep_command(log, &found);
	return remember(log, found.id, hash(log, found.command, found.length), found.succeeded);
}

/* 1 where the file has objects of ours, or nothing, or the beginning of one: its writer died. */
static int
has_objects(const struct joblog *log)
{
	char begins[sizeof LOGLINE_OBJECT];
	ssize_t n = pread(log->fd, begins, sizeof begins - 1, 0);

	return n >= 0 && memcmp(begins, LOGLINE_OBJECT, (size_t)n) == 0;
}

/* Reads the file: -1 when it is no log, else 0. *whole is the length of its whole
   lines: a last one without its end was being written when somebody died. */
static int
read_log(struct joblog *log, off_t *whole)
{
	off_t size = lseek(log->fd, 0, SEEK_END);
	struct feed feed;
	char *line;
	size_t n;
	int more, bad = 0;

	*whole = 0;
	feed_open(&feed, NULL, '\n');
	feed.fd = log->fd; /* to close one of its own would end our lock */
	if (size < 0 || lseek(log->fd, 0, SEEK_SET) != 0)
		return -1;
	while (!bad && (more = feed_line(&feed, &line, &n)) >= 0) {
		if (more == 0)
			bad = feed_fill(&feed) != 0;
		else if (*whole + (off_t)n == size) {
			bad = *whole == 0;
			break;
		} else if (*whole == 0)
			bad = strcmp(line, LOGLINE_HEADER) != 0;
		else
			bad = take_line(log, line, n) != 0;
		if (more > 0)
			*whole += (off_t)n + 1;
	}
	feed_close(&feed);
	return bad ? -1 : 0;
}

/* Writes what is in the box, in one write where the system takes it, and perhaps waits until it is
   on disk: 0, or -1 after a message. */
static int
put(struct joblog *log, struct outbox *box)
{
	int bad = box->lost;

	log->size += (off_t)outbox_waits(box);
	while (!bad && outbox_waits(box) > 0)
		bad = outbox_write(box, log->fd, OUTBOX_ALL) != 0;
	if (!bad && log->sync)
		bad = descriptors_sync(log->fd) != 0;
	if (bad)
		complain("%s %s:", log->option, log->path);
	outbox_drop(box);
	return bad ? -1 : 0;
}

static void
forget(struct joblog *log)
{
	free(log->past);
	log->past = NULL;
	log->pasts = log->room = 0;
	log->highest = 0;
}

static int
give_up(struct joblog *log, const char *why)
{
	complain("%s %s: %s", log->option, log->path, why != NULL ? why : strerror(errno));
	descriptors_close(&log->fd);
	log->path = NULL;
	return -1;
}

/* Until we close the file, nobody else may write it. 0, or -1 when somebody has it, and why. */
static int
lock(const struct joblog *log, char why[WHY])
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
	off_t whole;

	if (resume)
		log->fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (resume && log->fd < 0 && errno != ENOENT)
		return give_up(log, NULL);
	if (log->fd >= 0 && read_log(log, &whole) != 0)
		return give_up(log, NOT_ONE);
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

	if (secret_make(&log->seed) != 0)
		log->seed = 0;
	log->json = logline_json(path);
	log->path = path;
	log->fd = -1;
	if (log->option == NULL)
		log->option = "--joblog";
	if (strcmp(path, "-") == 0)
		return give_up(log, "a log cannot be standard output: name a file");
	if (resume && log->json)
		return give_up(log, "objects of JSON are not read again: name a log with "
		    "columns, such as jobs.log");
	if (dry)
		return only_read(log, resume);
	if ((log->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK,
	    0666)) < 0 || fstat(log->fd, &st) != 0)
		return give_up(log, NULL);
	if (!S_ISREG(st.st_mode))
		return give_up(log, "not a regular file");
	if (is_output(log, &st))
		return give_up(log, "is standard output or error, too: name another log");
	if (lock(log, why) != 0)
		return give_up(log, why);
	if (log->json ? !has_objects(log) : read_log(log, &whole) != 0)
		return give_up(log, NOT_ONE);
	if (!resume) {
		whole = 0;
		forget(log);
	}
	if (ftruncate(log->fd, whole) != 0)
		return give_up(log, NULL);
	log->size = whole;
	if (whole > 0 || log->json)
		return 0;
	outbox_say(&box, LOGLINE_HEADER "\n");
	return put(log, &box);
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

	forget(log);
	if (log->path == NULL)
		return 0;
	if ((bad = !log->failed && !is_there(log)) != 0)
		complain("%s %s: it was removed, renamed or cut while jobs ran: their lines "
		    "are lost, or elsewhere", log->option, log->path);
	if (close(log->fd) == 0)
		return bad || log->failed ? -1 : 0;
	complain("%s %s:", log->option, log->path);
	return -1;
}

char *
joblog_text(struct joblog *log, const struct end *end, const char *command)
{
	char *text;

	if (log->path == NULL)
		return NULL;
	text = command == NULL ? NULL : logline_text(end, command, log->json);
	if (text == NULL && !log->failed)
		complain("no memory:");
	log->failed |= text == NULL;
	return text;
}

void
joblog_write(struct joblog *log, const char *text)
{
	struct outbox box = {0};

	if (log->failed)
		return;
	outbox_add(&box, text, strlen(text));
	log->failed = put(log, &box) != 0;
}

int
joblog_take(struct joblog *log, const char *command, int all)
{
	struct past *past;

	log->asked = 1;
	if (log->pasts == 0)
		return 0;
	past = find(log, hash(log, command, strlen(command)), ANY);
	log->met |= past->id != 0;
	if (past->succeeded > 0)
		past->succeeded--;
	else if (all && past->failed > 0)
		past->failed--;
	else
		return 0;
	return 1;
}

void
joblog_check(const struct joblog *log)
{
	if (log->path != NULL && log->asked && !log->met && log->commands > 0)
		complain("warning: %s: none of its %zu commands was in this list: is it the log of "
		    "another batch?", log->path, log->commands);
}
