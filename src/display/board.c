#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "display.h"

#define NEW ".new" /* what is written beside PID.SECRET, and renamed to it */

enum {
	TRIES = 20,
	PAUSE = 200, /* ms between two writes */
	SECRET = 16  /* digits, so that no two processes have one name, in whatever containers */
};

int
boards_place(char place[BOARD_PLACE])
{
	const char *said = getenv("JOBCTL_BOARDS");
	struct stat st;
	int length = said != NULL && *said != '\0' ? snprintf(place, BOARD_PLACE, "%s", said)
	    : snprintf(place, BOARD_PLACE, "/tmp/jobctl-%ld", (long)geteuid());

	if (length >= BOARD_PLACE) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (lstat(place, &st) != 0)
		return -1;
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 022) == 0)
		return 0;
	errno = EPERM;
	return -1;
}

/* Opens a board: the descriptor, or -1 with errno, which is 0 if this is none, or its process was
   killed: then it is removed. While we look, a living one may rename its next file to that name: it
   has no lock on this one any more. No other process ever has that name. */
static int
open_live(const char *path)
{
	struct stat ours, there;
	int fd;

	for (int i = 0; i < TRIES && lstat(path, &there) == 0 && S_ISREG(there.st_mode); i++) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 && errno != ENOENT)
			return -1;
		if (fd >= 0 && (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK))
			return fd;
		if (fd >= 0 && fstat(fd, &ours) == 0 && lstat(path, &there) == 0 &&
		    descriptors_same(&ours, &there))
			unlink(path);
		descriptors_close(&fd);
	}
	errno = 0;
	return -1;
}

/* The whole text, to be freed, or NULL with errno. */
static char *
read_text(int fd)
{
	struct outbox box = {0};
	ssize_t n;

	while ((n = outbox_read(&box, fd, BOARD_TEXT)) > 0)
		;
	outbox_add(&box, "", 1);
	box.lost |= n < 0;
	return outbox_whole(&box);
}

int
boards_each(int (*each)(void *context, pid_t pid, char *text), void *context)
{
	char place[BOARD_PLACE], path[BOARD_PATH], *dot, *text;
	struct dirent *entry;
	DIR *dir;
	long pid;
	int said = 0, fd;

	if (boards_place(place) != 0 || (dir = opendir(place)) == NULL)
		return errno == ENOENT ? 0 : -1;
	while (errno = 0, said == 0 && (entry = readdir(dir)) != NULL) {
		pid = strtol(entry->d_name, &dot, 10);
		if (pid <= 0 || *dot != '.' || strspn(dot + 1, "0123456789abcdef") != SECRET ||
		    (dot[1 + SECRET] != '\0' && strcmp(dot + 1 + SECRET, NEW) != 0))
			continue;
		snprintf(path, sizeof path, "%s/%.40s", place, entry->d_name);
		fd = open_live(path);
		if ((fd >= 0 || errno != 0) && each != NULL && dot[1 + SECRET] == '\0') {
			text = fd < 0 ? NULL : read_text(fd);
			said = each(context, (pid_t)pid, text);
			free(text);
		}
		descriptors_close(&fd);
	}
	if (said == 0 && errno != 0)
		said = -1;
	closedir(dir); /* keeps errno where it succeeds */
	return said;
}

void
board_open(struct board *board, const char *kind, pid_t beside, const char *path, const char *text)
{
	struct outbox line = {0};
	char place[BOARD_PLACE], here[BOARD_TEXT];
	unsigned long long secret;
	int saved = errno;

	*board = (struct board){.fd = -1};
	boards_each(NULL, NULL);
	outbox_say(&line, "jobctl\t%s\t%ld\t%ld\t", kind, (long)getpid(), (long)beside);
	if (*path != '/' && strcmp(path, "-") != 0 && getcwd(here, sizeof here) != NULL) {
		board_text(&line, here); /* for readers in any directory */
		board_text(&line, "/");
	}
	board_text(&line, path);
	outbox_say(&line, "\t");
	board_text(&line, text);
	outbox_add(&line, "\n", 2);
	board->first = outbox_whole(&line);
	for (int i = 0; i < TRIES && board->first != NULL && board->fd < 0; i++) {
		if (boards_place(place) != 0 && errno == ENOENT)
			mkdir(place, 0700);
		if (boards_place(place) != 0 || secret_make(&secret) != 0)
			break;
		snprintf(board->path, sizeof board->path, "%s/%ld.%0*llx", place, (long)getpid(),
		    SECRET, secret);
		board_write(board, &(struct outbox){0});
	}
	board->stale = 1; /* by what there is to add */
	errno = saved;
}

long long
board_wait_ms(const struct board *board)
{
	return board->fd < 0 || !board->stale ? -1 : clock_wait_ms(board->written + PAUSE);
}

void
board_write(struct board *board, const struct outbox *lines)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct outbox all = {0};
	char new[BOARD_PATH + sizeof NEW];
	int fd, saved = errno;

	board->written = clock_now();
	outbox_add(&all, board->first, strlen(board->first));
	outbox_add(&all, outbox_bytes(lines), outbox_waits(lines));
	snprintf(new, sizeof new, "%s" NEW, board->path);
	fd = descriptors_lift(open(new, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
	    STDERR_FILENO + 1);
	if (fd >= 0 && !all.lost && !lines->lost && fcntl(fd, F_SETLK, &lock) == 0 &&
	    pwrite(fd, outbox_bytes(&all), outbox_waits(&all), 0) ==
	    (ssize_t)outbox_waits(&all) && rename(new, board->path) == 0) {
		descriptors_close(&board->fd);
		board->fd = fd;
		board->stale = 0;
	} else if (fd >= 0) {
		unlink(new);
		close(fd);
	}
	outbox_drop(&all);
	errno = saved;
}

void
board_close(struct board *board)
{
	int saved = errno;

	if (board->fd >= 0) {
		unlink(board->path);
		descriptors_close(&board->fd);
		*strrchr(board->path, '/') = '\0';
		if (getenv("JOBCTL_BOARDS") == NULL)
			rmdir(board->path); /* the last one */
	}
	free(board->first);
	board->first = NULL;
	errno = saved;
}

void
board_text(struct outbox *lines, const char *text)
{
	const char *end = text + utf8_cut(text, BOARD_TEXT);

	for (; text < end; text++)
		if (*text == '\t' || *text == '\n' || *text == '\\')
			outbox_say(lines, "\\%c", *text == '\t' ? 't' : *text == '\n' ? 'n' : '\\');
		else
			outbox_add(lines, text, 1);
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
