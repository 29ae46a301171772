#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/descriptors.h"
#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "board.h"

#ifndef PATH_MAX
#define PATH_MAX 1024
#endif

enum {
	TRIES = 20,
	MOST_SWEPT = 32, /* boards that a new one looks at */
	PAUSE = 200,     /* ms between two writes */
	DIRECTORY = BOARD_PATH - 24,
	BLOCK = 65536,
	MOST_READ = 64 << 20, /* bytes of a board */
	LOOK = 5         /* ms between two tries to read a board that is being written */
};

/* Two processes in different containers may have the same pid: NAME is PID.N. */
static int
scan_name(const char *name, pid_t *pid)
{
	char *end;
	long n = strtol(name, &end, 10), copy;

	if (*name < '1' || *name > '9' || *end++ != '.' || *end < '0' || *end > '9')
		return 0;
	copy = strtol(end, &end, 10);
	*pid = (pid_t)n;
	return *end == '\0' && copy >= 0 && copy < TRIES && n > 0 && n == (long)*pid;
}

/* Returns the length, even if there is less room. */
static int
name_directory(char *path, size_t size)
{
	const char *said = getenv("JOBCTL_BOARDS");

	if (said != NULL && *said != '\0')
		return snprintf(path, size, "%s", said);
	return snprintf(path, size, "/tmp/jobctl-%ld", (long)geteuid());
}

void
boards_place(char place[BOARD_PATH])
{
	name_directory(place, BOARD_PATH);
}

/* The directory, if it is ours and nobody else can write there. */
static int
find_directory(char path[DIRECTORY], int make)
{
	struct stat st;

	if (name_directory(path, DIRECTORY) >= DIRECTORY) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (make && mkdir(path, 0700) != 0 && errno != EEXIST)
		return -1;
	if (lstat(path, &st) != 0)
		return -1;
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 022) == 0)
		return 0;
	errno = EPERM;
	return -1;
}

/* A process that has this lock is alive. 0: we have it now; 1: another process has it. */
static int
lock(int fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = BLOCK * 1024L,
	    .l_len = 1};

	return fcntl(fd, F_SETLK, &whole) == 0 ? 0 : errno == EACCES || errno == EAGAIN ? 1 : -1;
}

/* So a reader sees the text of one write. The writer waits for nobody; a reader waits for one
   write, and passes over a writer that was stopped within it. */
static int
lock_text(int fd, short type)
{
	struct flock text = {.l_type = type, .l_whence = SEEK_SET, .l_start = BLOCK * 1024L + 1,
	    .l_len = 1};

	return fcntl(fd, F_SETLK, &text);
}

static int
lock_to_read(int fd)
{
	int bad = lock_text(fd, F_RDLCK);

	for (int i = 0; bad && (errno == EACCES || errno == EAGAIN) && i < TRIES; i++) {
		poll(NULL, 0, LOOK);
		bad = lock_text(fd, F_RDLCK);
	}
	return bad;
}

/* Between our open and our lock, somebody else may have taken the board down, and another process
   with the same pid, later or in another container, may have put up one of that name. */
static int
is_up(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && descriptors_same(&ours, &there);
}

/* Opens a board: the descriptor, or -1 with errno, which is 0 if no process has it. A board that a
   killed process has left is removed; a file that is not ours stays. */
static int
open_live(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW), error = 0;

	if (fd < 0) {
		if (errno == ENOENT || errno == ELOOP || errno == EMLINK || errno == EISDIR)
			errno = 0; /* it is no board, or has gone */
		return -1;
	}
	if (fstat(fd, &st) != 0)
		error = errno;
	else if (S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
		switch (lock(fd)) {
		case 0:
			if (is_up(fd, path))
				unlink(path);
			break;
		case 1: return fd;
		default: error = errno;
		}
	}
	close(fd);
	errno = error;
	return -1;
}

/* Closing a file of our own after trying its lock would end our lock. */
static int
is_ours(pid_t pid)
{
	return pid == getpid();
}

static void
sweep(const char *directory)
{
	char path[BOARD_PATH];
	struct dirent *entry;
	DIR *dir = opendir(directory);
	pid_t pid;
	int n = 0, fd;

	while (dir != NULL && n < MOST_SWEPT && (entry = readdir(dir)) != NULL) {
		if (!scan_name(entry->d_name, &pid) || is_ours(pid))
			continue;
		snprintf(path, sizeof path, "%s/%.20s", directory, entry->d_name);
		if ((fd = open_live(path)) >= 0)
			close(fd);
		n++;
	}
	if (dir != NULL)
		closedir(dir);
}

static int
make_file(struct board *board, const char *directory, int copy)
{
	snprintf(board->path, sizeof board->path, "%s/%ld.%d", directory, (long)getpid(), copy);
	board->fd = descriptors_lift(open(board->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600),
	    STDERR_FILENO + 1);
	if (board->fd < 0)
		return -1;
	/* the text first: a reader looks at locked boards, and we write at once */
	if (lock_text(board->fd, F_WRLCK) == 0 && lock(board->fd) == 0 &&
	    is_up(board->fd, board->path))
		return 0;
	descriptors_close(&board->fd);
	errno = EEXIST;
	return -1;
}

/* Adds an absolute path, for readers in any directory. */
static void
add_path(struct outbox *line, const char *path)
{
	char here[PATH_MAX];

	if (*path != '/' && strcmp(path, "-") != 0 && getcwd(here, sizeof here) != NULL) {
		board_text(line, here);
		board_text(line, "/");
	}
	board_text(line, path);
}

void
board_open(struct board *board, const char *kind, pid_t beside, const char *path, const char *text)
{
	struct outbox line = {0};
	char directory[DIRECTORY];
	int saved = errno;

	*board = (struct board){.fd = -1};
	for (int i = 0; i < TRIES && board->fd < 0; i++) {
		if (find_directory(directory, 1) != 0)
			break;
		if (i == 0)
			sweep(directory);
		if (make_file(board, directory, i) != 0 && errno != EEXIST && errno != ENOENT)
			break;
	}
	errno = saved;
	if (board->fd < 0)
		return;
	outbox_say(&line, "jobctl\t%s\t%ld\t%ld\t", kind, (long)getpid(), (long)beside);
	add_path(&line, path);
	outbox_say(&line, "\t");
	board_text(&line, text);
	outbox_add(&line, "\n", 2);
	if ((board->first = outbox_whole(&line)) == NULL)
		board_close(board);
	else
		board_write(board, &(struct outbox){0});
}

long long
board_wait_ms(const struct board *board)
{
	return board->fd < 0 || !board->stale ? -1 : clock_wait_ms(board->written + PAUSE);
}

void
board_write(struct board *board, const struct outbox *lines)
{
	struct outbox all = {0};
	int saved = errno;

	board->written = clock_now();
	if (board->fd < 0 || lock_text(board->fd, F_WRLCK) != 0)
		return;
	outbox_add(&all, board->first, strlen(board->first));
	outbox_add(&all, outbox_bytes(lines), outbox_waits(lines));
	outbox_say(&all, "end\n");
	if (!all.lost && !lines->lost && ftruncate(board->fd, 0) == 0 &&
	    pwrite(board->fd, outbox_bytes(&all), outbox_waits(&all), 0) ==
	    (ssize_t)outbox_waits(&all))
		board->stale = 0;
	lock_text(board->fd, F_UNLCK);
	outbox_drop(&all);
	errno = saved;
}

void
board_close(struct board *board)
{
	char *slash;
	int saved = errno;

	if (board->fd >= 0) {
		if (is_up(board->fd, board->path))
			unlink(board->path);
		descriptors_close(&board->fd);
		slash = strrchr(board->path, '/');
		if (slash != NULL && getenv("JOBCTL_BOARDS") == NULL) {
			*slash = '\0';
			rmdir(board->path); /* the last one */
		}
	}
	free(board->first);
	board->first = NULL;
	errno = saved;
}

void
board_text(struct outbox *lines, const char *text)
{
	const char *end = text + utf8_cut(text, BOARD_TEXT);
	size_t n;

	for (; text < end; text += n) {
		if ((n = strcspn(text, "\t\n\\")) > 0) {
			n = n < (size_t)(end - text) ? n : (size_t)(end - text);
			outbox_add(lines, text, n);
			continue;
		}
		outbox_say(lines, "\\%c", *text == '\t' ? 't' : *text == '\n' ? 'n' : '\\');
		n = 1;
	}
}

void
board_plain(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++) {
		if (*text == '\\' && text[1] != '\0') {
			text++;
			*to++ = *text == 't' ? '\t' : *text == 'n' ? '\n' : *text;
		} else
			*to++ = *text;
	}
	*to = '\0';
}

/* Reads the whole file: 0, or -1 with errno. */
static int
read_all(int fd, struct outbox *box)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) != 0)
		return -1;
	if (st.st_size > MOST_READ) {
		errno = EFBIG;
		return -1;
	}
	while ((n = outbox_read(box, fd, BLOCK)) > 0)
		;
	return n < 0 ? -1 : 0;
}

/* The whole text, to free, or NULL with errno (EBADMSG: it does not end as it should). */
static char *
read_text(int fd)
{
	struct outbox box = {0};
	char *text;
	size_t n;
	int error;

	if (lseek(fd, 0, SEEK_SET) != 0 || lock_to_read(fd) != 0)
		return NULL;
	error = read_all(fd, &box) == 0 ? 0 : errno;
	lock_text(fd, F_UNLCK);
	outbox_add(&box, "", 1);
	if ((text = outbox_whole(&box)) == NULL)
		error = ENOMEM;
	n = text == NULL ? 0 : strlen(text);
	if (error == 0 && n >= 5 && strcmp(text + n - 5, "\nend\n") == 0)
		return text;
	free(text);
	errno = error != 0 ? error : EBADMSG;
	return NULL;
}

/* The value of the call; 0: no process has this board. */
static int
show_one(const char *path, pid_t pid, int (*each)(void *, pid_t, char *), void *context)
{
	char *text = NULL;
	int fd = open_live(path), said;

	if (fd >= 0)
		text = read_text(fd);
	else if (errno == 0)
		return 0;
	said = each(context, pid, text);
	free(text);
	descriptors_close(&fd);
	return said;
}

int
boards_each(int (*each)(void *context, pid_t pid, char *text), void *context)
{
	char directory[DIRECTORY], path[BOARD_PATH];
	struct dirent *entry;
	DIR *dir;
	pid_t pid;
	int said = 0, error;

	if (find_directory(directory, 0) != 0)
		return errno == ENOENT ? 0 : -1;
	if ((dir = opendir(directory)) == NULL)
		return errno == ENOENT ? 0 : -1;
	while (errno = 0, said == 0 && (entry = readdir(dir)) != NULL) {
		if (!scan_name(entry->d_name, &pid) || is_ours(pid))
			continue;
		snprintf(path, sizeof path, "%s/%.20s", directory, entry->d_name);
		said = show_one(path, pid, each, context);
	}
	error = errno;
	closedir(dir);
	errno = error;
	return said == 0 && error != 0 ? -1 : said;
}
