#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lease.h"
#include "names.h"

enum { TRIES = 3 };

/* "w.NAME", for the names that clients may have: digits, or digits_digits. */
int
names_file(char file[NAMES_FILE], const char *name)
{
	size_t digits = strspn(name, "0123456789"), more = 0;

	if (name[digits] == '_')
		more = 1 + strspn(name + digits + 1, "0123456789");
	if (digits == 0 || more == 1 || name[digits + more] != '\0' || digits + more >= NAMES_FILE - 2)
		return -1;
	snprintf(file, NAMES_FILE, "w.%s", name);
	return 0;
}

/* Whatever stands there under that name: only a FIFO is opened for good. */
static int
open_fifo(int dir, const char *file, int flags)
{
	struct stat st;
	int fd = openat(dir, file, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC), reason = EEXIST;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) != 0)
		reason = errno;
	else if (S_ISFIFO(st.st_mode))
		return fd;
	close(fd);
	errno = reason;
	return -1;
}

/* What fails for want of memory, say, is tried again, as in names_say: a client that is
   taken for dead waits. For want of a descriptor it is not. */
int
names_open(int dir, const char *file, int flags)
{
	int fd, tries = 0;

	do
		fd = open_fifo(dir, file, flags);
	while (fd < 0 && (errno == ENOMEM || errno == EIO || errno == EINTR || errno == EACCES) && ++tries < TRIES);
	return fd;
}

/* All or nothing: the FIFO is empty, or else its owner has filled it and gets no
   answer. For want of memory, say, we try again: who asked waits for as long as it takes. */
int
names_say(int fd, const char *text)
{
	size_t length = strlen(text);
	int tries = 0;
	ssize_t n;

	do
		n = write(fd, text, length);
	while (n < 0 && errno != EPIPE && ++tries < TRIES);
	return n == (ssize_t)length ? 0 : -1;
}

int
names_answer(int dir, const char *file, const char *text)
{
	int fd = names_open(dir, file, O_WRONLY), result;

	if (fd < 0)
		return -1;
	result = names_say(fd, text);
	close(fd);
	return result;
}

/* Its client may not run before another dispenser reads the same inlet, and so never
   see that this one has gone. Out of its reach first: then it has been opened, or will
   not be. */
static void
dismiss(int dir, const char *file)
{
	if (renameat(dir, file, dir, NAMES_NOBODY) != 0)
		return;
	names_answer(dir, NAMES_NOBODY, NAMES_AGAIN);
	unlinkat(dir, NAMES_NOBODY, 0);
}

/* A stream of its own: closing it must not close our descriptor. */
DIR *
names_open_all(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = fd < 0 ? NULL : fdopendir(fd);

	if (names == NULL && fd >= 0)
		close(fd);
	return names;
}

/* "K.jobserver", "K.returned": K, or 0 for any other name. */
static long
slot_of_build(const char *name)
{
	const char *dot = strchr(name, '.');
	char number[NAMES_FILE];
	struct lease lease;

	if (dot == NULL || (strcmp(dot, ".jobserver") != 0 && strcmp(dot, ".returned") != 0) ||
	    dot - name >= NAMES_FILE)
		return 0;
	memcpy(number, name, (size_t)(dot - name));
	number[dot - name] = '\0';
	return lease_parse(&lease, number) == 0 && lease.generation == 0 ? (long)lease.slot : 0;
}

/* A redirection to a lease that is gone leaves a plain file of that name. */
static int
is_ours(int dir, const char *name)
{
	struct lease lease;
	struct stat st;
	char file[NAMES_FILE];

	if (lease_parse(&lease, name) == 0 || strcmp(name, "traps") == 0)
		return 1;
	return (strcmp(name, "jobserver") == 0 || slot_of_build(name) != 0 || (strncmp(name, "w.", 2) == 0 && names_file(file, name + 2) == 0)) &&
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISFIFO(st.st_mode);
}

void
names_remove(int dir)
{
	struct dirent *entry;
	DIR *names = names_open_all(dir);

	if (names == NULL)
		return;
	while ((entry = readdir(names)) != NULL)
		if (is_ours(dir, entry->d_name) && strncmp(entry->d_name, "w.", 2) == 0)
			dismiss(dir, entry->d_name);
		else if (is_ours(dir, entry->d_name))
			unlinkat(dir, entry->d_name, 0);
	closedir(names);
}

int
names_each(int dir, int (*call)(void *, const char *, long), void *context)
{
	char file[NAMES_FILE];
	struct dirent *entry;
	struct lease lease;
	DIR *names = names_open_all(dir);
	long slot;
	int result = 0;

	if (names == NULL)
		return -1;
	while (result == 0 && (entry = readdir(names)) != NULL) {
		if (lease_parse(&lease, entry->d_name) == 0 && lease.generation == 0)
			result = call(context, entry->d_name, (long)lease.slot);
		else if (strncmp(entry->d_name, "w.", 2) == 0 &&
		    names_file(file, entry->d_name + 2) == 0)
			result = call(context, entry->d_name, 0);
		else if ((slot = slot_of_build(entry->d_name)) != 0)
			result = call(context, entry->d_name, -slot);
	}
	closedir(names);
	return result;
}
