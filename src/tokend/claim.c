#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tokend.h"

#ifndef PATH_MAX
#define PATH_MAX 1024
#endif

#ifndef S_ISVTX
#define S_ISVTX 01000 /* an option of POSIX, the same number wherever it is */
#endif

enum {
	ROOM = sizeof ".d/" + NAMES_FILE,
	TRIES = 100 /* races with an owner that is just leaving */
};

enum { AGAIN = -1 }; /* besides a status: the directory went away, try anew */

/* Why the object cannot be ours: errno says it where why is NULL. */
static int
trouble(const char *object, const char *why)
{
	complain("%s: %s", object, why != NULL ? why : strerror(errno));
	return STATUS_TROUBLE;
}

/* Users who may write into the inlet may enter the directory, but neither list it nor write
   there: names.c. Its files are of the same group. */
static mode_t
directory_mode(int mode)
{
	mode_t enter = (mode & 022) >> 1;

	return 0700 | enter | (enter != 0 ? S_ISGID : 0);
}

/* Makes it, if it is not there. Refuses a directory that somebody else made or could plant things
   in. Another -m may have let others enter it; and a person, those read there whom ours lets in. */
static int
open_directory(struct claim *claim)
{
	mode_t theirs = 011 | 5 * (directory_mode(claim->mode) & 011);
	struct stat st;

	claim->found = mkdir(claim->directory, 0700) != 0;
	if (claim->found && errno != EEXIST)
		return trouble(claim->directory, NULL);
	claim->dir = open(claim->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (claim->dir < 0 && errno == ENOENT)
		return AGAIN;
	if (claim->dir < 0 || fstat(claim->dir, &st) != 0)
		return trouble(claim->directory, NULL);
	if (st.st_uid != geteuid() || (st.st_mode & 077 & ~theirs) != 0)
		return trouble(claim->directory, "must be a directory of yours where nobody else "
		    "may write");
	return STATUS_DONE;
}

/* Gives a directory there this mode, where it has another: 0, or -1 with errno. */
static int
set_mode_in(const struct claim *claim, const char *name, mode_t mode)
{
	struct stat st;

	if (fstatat(claim->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid()) {
		errno = EEXIST;
		return -1;
	}
	return (st.st_mode & 07777) == mode ? 0 : fchmodat(claim->dir, name, mode, 0);
}

/* Once we have the lock. Nobody else can change what is in the directory then. */
static int
make_waiting(const struct claim *claim)
{
	mode_t mode = directory_mode(claim->mode), others = claim->mode & 022;

	if (set_mode_in(claim, ".", mode) == 0 &&
	    (mkdirat(claim->dir, NAMES_WAITING, 0700) == 0 || errno == EEXIST) &&
	    set_mode_in(claim, NAMES_WAITING, mode | others | (others != 0 ? S_ISVTX : 0)) == 0)
		return STATUS_DONE;
	complain("%s/" NAMES_WAITING ": cannot make this directory, for those who wait:",
	    claim->directory);
	return STATUS_TROUBLE;
}

static int
report_owner(struct claim *claim)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	claim->anothers = 1;
	if (fcntl(claim->lock, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		complain("%s: a tokend is running there (process %ld)", claim->path,
		    (long)lock.l_pid);
	else
		complain("%s: a tokend is running there", claim->path);
	return STATUS_TROUBLE;
}

/* The lock belongs to an inode. A leaving owner may have removed the name between our open and
   our lock: then the lock is worth nothing. */
static int
lock_is_in_place(const struct claim *claim)
{
	return descriptors_named(claim->lock, claim->dir, "lock") == 1;
}

/* Our pid is for people. That there was one before tells that a dispenser lived and died here:
   so there always is one. */
static int
sign_lock(struct claim *claim)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
	off_t there = lseek(claim->lock, 0, SEEK_END);

	claim->stale = there > 0;
	if (there >= 0 && pwrite(claim->lock, text, (size_t)n, 0) == n &&
	    ftruncate(claim->lock, n) == 0)
		return STATUS_DONE;
	complain("%s/lock:", claim->directory);
	if (there == 0)
		unlinkat(claim->dir, "lock", 0);
	return STATUS_TROUBLE;
}

static int
try_lock(struct claim *claim)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	claim->lock = openat(claim->dir, "lock",
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (claim->lock < 0 && errno == ENOENT)
		return AGAIN;
	if (claim->lock < 0 || fcntl(claim->lock, F_SETLK, &lock) != 0) {
		if (claim->lock >= 0 && (errno == EACCES || errno == EAGAIN))
			return report_owner(claim);
		complain("%s/lock:", claim->directory);
		return STATUS_TROUBLE;
	}
	return lock_is_in_place(claim) ? sign_lock(claim) : AGAIN;
}

/* P may already be a FIFO of this user that nobody reads, and nothing else. Such a FIFO is ours to
   remove only where a dispenser made it. */
static int
look_at_path(struct claim *claim, int *there)
{
	struct stat st;
	int reader;

	*there = 0;
	if (lstat(claim->path, &st) != 0)
		return errno == ENOENT ? STATUS_DONE : trouble(claim->path, NULL);
	if (S_ISDIR(st.st_mode))
		return trouble(claim->path, "is a directory: give the path of a FIFO in it");
	if (S_ISLNK(st.st_mode))
		return trouble(claim->path, "is a symbolic link: write the path that it leads to");
	if (!S_ISFIFO(st.st_mode))
		return trouble(claim->path, "is not a FIFO: choose another path");
	if (st.st_uid != geteuid())
		return trouble(claim->path, "is a FIFO of another user: choose another path");
	if ((reader = fifo_open(AT_FDCWD, claim->path, O_WRONLY | O_NOFOLLOW)) >= 0) {
		close(reader);
		return trouble(claim->path, "is a FIFO that a program reads: choose another path");
	}
	if (errno != ENXIO)
		return trouble(claim->path, NULL);
	*there = 1;
	return STATUS_DONE;
}

/* Nobody else may read there who asks: names.c. */
static int
set_inlet_mode(const struct claim *claim)
{
	mode_t mode = (mode_t)claim->mode;
	struct stat st;

	if (!claim->made) {
		if (fstat(claim->inlet, &st) != 0)
			return -1;
		if ((mode & 022) == 0 || (st.st_mode & 044) == 0)
			return 0;
		mode = st.st_mode & 0777;
	}
	return fchmod(claim->inlet, mode & ~(mode_t)044);
}

static int
open_inlet(struct claim *claim)
{
	int there;

	if (look_at_path(claim, &there) != STATUS_DONE)
		return STATUS_TROUBLE;
	if (!there && mkfifo(claim->path, 0600) != 0) /* another user may have been quicker */
		return trouble(claim->path, NULL);
	claim->fresh = !there;
	if (fifo_open_both(AT_FDCWD, claim->path, &claim->inlet, &claim->keep) == 0) {
		claim->made = claim->fresh || claim->stale;
		if (set_inlet_mode(claim) != 0)
			complain("%s:", claim->path);
		return STATUS_DONE;
	}
	complain("%s:", claim->path);
	if (claim->fresh)
		unlink(claim->path);
	return STATUS_TROUBLE;
}

static void
close_all(struct claim *claim)
{
	descriptors_close(&claim->keep);
	descriptors_close(&claim->inlet);
	descriptors_close(&claim->lock); /* any close of the file drops its lock */
	descriptors_close(&claim->dir);
}

static int
try_directory(struct claim *claim)
{
	int result = open_directory(claim);

	if (result == STATUS_DONE && (result = try_lock(claim)) != STATUS_DONE)
		descriptors_close(&claim->lock);
	if (result == STATUS_DONE)
		result = make_waiting(claim);
	if (result != STATUS_DONE)
		claim_undo(claim);
	return result;
}

int
claim_take(struct claim *claim, const char *path, int mode)
{
	int result, tries = 0;

	claim->path = path;
	claim->mode = mode;
	claim->dir = claim->lock = claim->inlet = claim->keep = -1;
	claim->found = 1;
	claim->fresh = claim->made = claim->stale = claim->anothers = 0;
	if (*path == '\0' || strlen(path) + ROOM > PATH_MAX)
		return trouble(path, *path == '\0' ? "an empty name" : "too long a name");
	if ((claim->directory = malloc(strlen(path) + sizeof ".d")) == NULL)
		return trouble(path, NULL);
	strcpy(claim->directory, path);
	strcat(claim->directory, ".d");
	do
		result = try_directory(claim);
	while (result == AGAIN && ++tries < TRIES);
	if (result == AGAIN)
		return trouble(claim->directory, "changes all the time");
	if (result == STATUS_DONE && (result = open_inlet(claim)) != STATUS_DONE)
		claim_undo(claim);
	return result;
}

static int
directory_stands(const struct claim *claim)
{
	return descriptors_named(claim->dir, AT_FDCWD, claim->directory);
}

/* Only the FIFO that we read may go by its name: somebody may have put another file there. */
static void
remove_inlet(const struct claim *claim)
{
	int ours = claim->made && claim->inlet >= 0
	    ? descriptors_named(claim->inlet, AT_FDCWD, claim->path) : 0;

	if (ours < 0 || (ours && unlink(claim->path) != 0))
		complain("%s:", claim->path);
}

int
claim_stands(const struct claim *claim)
{
	return descriptors_named(claim->inlet, AT_FDCWD, claim->path) != 0 &&
	    directory_stands(claim) != 0 &&
	    descriptors_named(claim->lock, claim->dir, "lock") != 0 &&
	    (faccessat(claim->dir, NAMES_WAITING, F_OK, 0) == 0 || errno != ENOENT);
}

void
claim_abandon(struct claim *claim)
{
	close_all(claim);
	free(claim->directory);
	claim->directory = NULL;
}

/* A shell that has not heard yet that we end makes plain files of calls and leases, until there is
   no directory. But there may be another dispenser by now, whose files these are. */
static void
remove_directory(const struct claim *claim)
{
	int tries = 0, error;

	while (rmdir(claim->directory) != 0 && (error = errno) != ENOENT) {
		if (!claim->made || ++tries == TRIES ||
		    faccessat(claim->dir, "lock", F_OK, 0) == 0) {
			errno = error;
			complain("%s:", claim->directory);
			return;
		}
		names_remove(claim->dir);
	}
}

/* Clients may come until there is no room for them. Before the lock goes: then it may be the room
   of another dispenser. */
static void
remove_waiting(const struct claim *claim)
{
	int tries = 0;

	do
		names_remove(claim->dir);
	while (unlinkat(claim->dir, NAMES_WAITING, AT_REMOVEDIR) != 0 && errno != ENOENT &&
	    ++tries < TRIES);
}

void
claim_release(struct claim *claim)
{
	remove_inlet(claim);
	if (lock_is_in_place(claim)) {
		remove_waiting(claim);
		unlinkat(claim->dir, "lock", 0);
	}
	if (claim->dir >= 0 && directory_stands(claim) != 0)
		remove_directory(claim);
	claim_abandon(claim);
}

/* Files that were there before may tell who holds what: so they stay. */
void
claim_undo(struct claim *claim)
{
	if (claim->fresh)
		remove_inlet(claim);
	if (!claim->stale && lock_is_in_place(claim)) {
		if (!claim->found) /* else it may have been there, too */
			unlinkat(claim->dir, NAMES_WAITING, AT_REMOVEDIR);
		unlinkat(claim->dir, "lock", 0);
	}
	if (!claim->found && directory_stands(claim) != 0)
		rmdir(claim->directory); /* fails where another has its lock in it */
	close_all(claim);
}

/* The old inlet goes, if it is still there: who waits for an answer sees that nobody reads it, and
   asks anew. If another file has its name, directory and lock stay ours to remove. */
int
claim_again(struct claim *claim)
{
	int result;

	remove_inlet(claim);
	if (directory_stands(claim) == 1 && lock_is_in_place(claim)) {
		descriptors_close(&claim->keep);
		descriptors_close(&claim->inlet);
		if ((result = make_waiting(claim)) == STATUS_DONE)
			result = open_inlet(claim);
	} else {
		claim_abandon(claim);
		result = claim_take(claim, claim->path, claim->mode);
	}
	if (result != STATUS_DONE)
		return -1;
	claim->made = claim->fresh;
	return 0;
}
