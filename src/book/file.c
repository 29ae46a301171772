#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "book.h"

enum { PATH = 8192 }; /* no system takes a longer one */
enum { MOST_JOBS = 50000000 }; /* another number is not one of ours */

int
file_directory(const char *path)
{
	char part[PATH];
	struct stat st;
	size_t length = strlen(path);

	if (length >= sizeof part) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (size_t n = 1; stat(path, &st) != 0; n++) {
		n += strcspn(path + n, "/");
		memcpy(part, path, n);
		part[n] = '\0';
		if (mkdir(part, 0777) != 0 && n == length && errno != EEXIST)
			return -1; /* what fails before shows here */
		if (n == length)
			return stat(path, &st);
	}
	if (S_ISDIR(st.st_mode))
		return 0;
	errno = ENOTDIR;
	return -1;
}

int
file_unnamed(const char *directory)
{
	char path[PATH];
	int fd;

#ifdef O_TMPFILE /* never has a name: nothing is left by a kill between the two calls below */
	if ((fd = open(directory, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600)) >= 0)
		return fd;
#endif
	snprintf(path, sizeof path, "%s/jobctl.XXXXXX", directory);
	if ((fd = mkstemp(path)) < 0)
		return -1;
	unlink(path);
	fcntl(fd, F_SETFL, O_APPEND); /* a job may open it anew, by /dev/stderr */
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

int
file_result(const char *directory, long id, const char *what, int flags)
{
	char path[PATH];

	snprintf(path, sizeof path, "%s/%ld.%s", directory, id, what);
	return open(path, flags | O_CLOEXEC, 0666);
}

long
file_highest(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	long id, highest = 0;
	char *end;

	if (dir == NULL)
		return -1;
	for (errno = 0; (entry = readdir(dir)) != NULL; errno = 0) {
		id = strtol(entry->d_name, &end, 10);
		if (id > highest && id < MOST_JOBS &&
		    (strcmp(end, ".out") == 0 || strcmp(end, ".err") == 0))
			highest = id;
	}
	if (errno != 0)
		highest = -1;
	closedir(dir); /* keeps errno where it succeeds */
	return highest;
}

int
file_written(int dir, const char *name, const char *what)
{
	char path[PATH];
	struct stat st;
	int fd;

	snprintf(path, sizeof path, "%s.%s", name, what);
	fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

void
file_forget(int dir, const char *name)
{
	char path[PATH];

	snprintf(path, sizeof path, "%s.out", name);
	unlinkat(dir, path, 0);
	snprintf(path, sizeof path, "%s.err", name);
	unlinkat(dir, path, 0);
}

int
file_sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), bad = fd < 0 || descriptors_sync(fd) != 0;

	descriptors_close(&fd);
	return bad ? -1 : 0;
}

/* Some file systems have no blocks to count. */
int
file_disk_full(int fd)
{
	struct statvfs fs;

	return fstatvfs(fd, &fs) == 0 && fs.f_blocks > 0 &&
	    (geteuid() == 0 ? fs.f_bfree : fs.f_bavail) == 0;
}
