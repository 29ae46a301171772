#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

enum {
	ABOVE = 10,       /* out of the way of a script's own descriptors */
	TRIES = 1000      /* of the lock, one each ms: its owner may be stopped */
};

/* Of names: of a loan, and within another one of a slot, and of a job. */
#define LOAN "%ld"
#define SLOT "%ld.%ld"
#define JOB "%ld.j%s"

typedef char path_text[HELD_PATH + BORROW_NAME];

/* The path of "NAME.REST" beside the lease. */
static const char *
beside(const struct borrow *b, path_text path, const char *rest, ...)
{
	int directory = (int)(strrchr(b->held.lease, '/') + 1 - b->held.lease), n;
	va_list args;

	n = snprintf(path, sizeof(path_text), "%.*s" NAMES_WAITING "/%s.", directory,
	    b->held.lease, b->held.name);
	va_start(args, rest);
	vsnprintf(path + n, sizeof(path_text) - (size_t)n, rest, args);
	va_end(args);
	return path;
}

/* An end of the FIFO in which a build's tokens lie; -1 where the lease is not that of a build. */
static int
open_build(const struct borrow *b, int flags)
{
	path_text path;
	int fd;

	snprintf(path, sizeof path, "%s" NAMES_OFFERS, b->held.lease);
	fd = fifo_open(AT_FDCWD, path, flags | O_NOFOLLOW);
	if (fd < 0 && lease_unknown(errno))
		fail(STATUS_TROUBLE, "%s:", path);
	return fd;
}

/* Each line is " SLOT LABEL"; of a lease that a shell has opened only the slot is known. */
static void
read_own(struct borrow *b)
{
	const char *line = b->held.slots;
	size_t length;
	char *label;
	long slot;

	for (long i = 0; i < b->held.count; i++, line = label + length) {
		slot = strtol(line, &label, 10);
		label += *label == ' ';
		length = label[-1] == ' ' ? strcspn(label, "\n") : 0;
		tokens_add(&b->own, slot, label, length);
		length += label[length] == '\n';
	}
}

void
borrow_open(struct borrow *b, const char *fifo)
{
	b->offers = b->into = -1;
	if (!(b->may = held_find(fifo, &b->held)))
		return;
	if (strlen(b->held.base) + HELD_NUMBER >= HELD_BASE)
		fail(STATUS_TROUBLE, "%s: too many commands within commands", fifo);
	read_own(b);
	b->offers = open_build(b, O_RDONLY);
	b->into = b->offers < 0 ? -1 : open_build(b, O_WRONLY);
	b->job = b->held.job[0] != '\0' && b->into >= 0;
}

long
borrow_most(const struct borrow *b)
{
	return b->job ? 1 : b->held.count;
}

/* Which tokens the job's build has out: the dispenser is asked once. */
static void
ask_for_others(struct borrow *b)
{
	struct asking a = {0};
	char line[LONGEST_LABEL + 32], fifo[HELD_PATH];
	long long soon = inlet_soon();

	b->asked = 1;
	snprintf(fifo, sizeof fifo, "%s", b->held.lease);
	*strrchr(fifo, '/') = '\0';
	fifo[strlen(fifo) - strlen(".d")] = '\0';
	if (asking_open(&a, fifo) != 0)
		return;
	if (asking_send(&a, "slots", b->held.name, soon) == 0 &&
	    asking_line(&a, line, sizeof line, soon) == 1 && strncmp(line, "ok ", 3) == 0)
		asking_tokens(&a, &b->others, strtol(line + 3, NULL, 10), soon);
	asking_close(&a);
}

static void
close_loans(struct borrow *b)
{
	while (b->count > 0)
		close(b->open[--b->count]);
}

/* Holds that FIFO, which must have a reader, unless we have inherited it: 0, or -1 with errno. */
static int
hold(struct borrow *b, const char *path)
{
	struct stat st;
	int fd;

	if (lstat(path, &st) == 0 && descriptors_find(&st) >= 0)
		return 0;
	fd = descriptors_lift(fifo_open(AT_FDCWD, path, O_WRONLY | O_NOFOLLOW), ABOVE);
	if (fd < 0)
		return -1;
	b->open[b->count++] = fd;
	return 0;
}

/* What was drawn from the FIFO of a build goes back. */
static void
fail_on_loan(const struct borrow *b, const char *path)
{
	int reason = errno;

	bytes_put(b->into, b->drawn);
	errno = reason;
	fail(STATUS_TROUBLE, "%s: a loan of the token of this command:", path);
}

/* Holds a loan that somebody has: 0; -1: nobody has it. */
static int
hold_loan(struct borrow *b, long number)
{
	path_text path;
	int reader = fifo_open(AT_FDCWD, beside(b, path, LOAN, number), O_RDONLY | O_NOFOLLOW),
	    result = -1;

	if (reader < 0 ? errno != ENOENT : lease_held(reader) && (result = hold(b, path)) != 0)
		fail_on_loan(b, path);
	descriptors_close(&reader);
	return result;
}

/* Holds all loans within which we borrow. The innermost one comes first: its holders have the
   others. If one has ended, as its tokget -o was killed, or as an idle pool has given it back, we
   borrow from what that was a loan of; but not in a job, whose token that was. */
static int
hold_outer(struct borrow *b)
{
	char chain[sizeof b->held.base], *last;

	snprintf(chain, sizeof chain, "%s", b->held.base);
	while ((last = strrchr(chain, '.')) != NULL) {
		*last = '\0';
		if (hold_loan(b, strtol(last + 1, NULL, 10)) == 0)
			continue;
		if (b->job)
			return -1;
		strcpy(b->held.base, chain);
		last = strrchr(chain, '.');
		b->held.within = last == NULL ? 0 : strtol(last + 1, NULL, 10);
	}
	return 0;
}

/* Others may use these files if they may use the lease. */
static mode_t
mode_of_lease(const struct borrow *b)
{
	struct stat st;

	return stat(b->held.lease, &st) == 0 ? st.st_mode & 0666 : 0600;
}

/* The lock, for the caller to close; -1 with errno, EAGAIN if its owner is stopped. */
static int
lock_loans(const struct borrow *b)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	path_text path;
	mode_t mask = umask(0);
	int fd;

	fd = open(beside(b, path, NAMES_LOANS), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC, mode_of_lease(b));
	umask(mask);
	fd = descriptors_lift(fd, ABOVE);
	for (int i = 0; fd >= 0 && fcntl(fd, F_SETLK, &whole) != 0; i++) {
		if (i < TRIES && (errno == EAGAIN || errno == EACCES || errno == EINTR)) {
			clock_pause(1);
			continue;
		}
		errno = errno == EACCES ? EAGAIN : errno;
		descriptors_close(&fd);
	}
	return fd;
}

/* 1 if nobody has the loan of that name; else its end is watched. */
static int
is_free(struct borrow *b, const char *path)
{
	int reader = fifo_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);

	if (reader < 0 && errno != ENOENT)
		fail_on_loan(b, path);
	if (reader >= 0 && lease_held(reader)) {
		if (b->watching < INLET_MOST)
			b->watch[b->watching++] = reader;
		else
			close(reader);
		return 0;
	}
	descriptors_close(&reader);
	return 1;
}

/* Tokens of a build but for its first lie in its FIFO, and are drawn before they are lent, so that
   it does not take them. One whose borrower was killed has still its name, and was drawn then. */
static int
draw_token(struct borrow *b, long slot, const char *path)
{
	struct stat st;

	if (slot == strtol(strrchr(b->held.lease, '/') + 1, NULL, 10) || b->into < 0 ||
	    b->job || b->held.within > 0)
		return 0;
	if (lstat(path, &st) == 0)
		b->loose++;
	else if (bytes_draw(b->offers, 1) == 1)
		b->drawn++;
	else
		return -1;
	return 0;
}

/* Chooses from these tokens, of that loan, until there are most; not of those in without. */
static void
choose_tokens(struct borrow *b, const struct tokens *of, long within, long most,
    const struct tokens *without)
{
	const char *slots = of->slots, *label = of->labels;
	path_text path;
	long slot;

	for (long i = 0; i < of->count && b->taken.count < most; i++) {
		slot = strtol(slots, (char **)&slots, 10);
		beside(b, path, SLOT, within, slot);
		if (!(without != NULL && tokens_have(without, slot)) && is_free(b, path) &&
		    draw_token(b, slot, path) == 0)
			tokens_add(&b->taken, slot, label, strcspn(label, "\n"));
		label += strcspn(label, "\n");
		label += *label == '\n';
	}
}

/* Makes each further name of the loan, in place of one of a loan that has ended; or only removes
   it. 0, or -1 with errno. */
static int
name_loan(const struct borrow *b, int ends)
{
	const char *slots = b->taken.slots;
	path_text loan, path;
	long slot;

	beside(b, loan, LOAN, b->number);
	for (long i = b->job ? -1 : 0; i < b->taken.count; i++) {
		slot = i < 0 ? 0 : strtol(slots, (char **)&slots, 10);
		if (i < 0)
			beside(b, path, JOB, b->held.within, b->held.job);
		else
			beside(b, path, SLOT, tokens_have(&b->own, slot) ? b->held.within : 0,
			    slot);
		unlink(path);
		if (!ends && link(loan, path) != 0)
			return -1;
	}
	return 0;
}

/* Makes the loan of what was chosen: 0, or -1 with errno. */
static int
make_loan(struct borrow *b, int lock)
{
	path_text loan;
	struct stat st;
	int reader, result;

	if (fstat(lock, &st) != 0 || ftruncate(lock, st.st_size + 1) != 0)
		return -1;
	b->number = (long)st.st_size + 1;
	if (fifo_make(beside(b, loan, LOAN, b->number), mode_of_lease(b)) != 0)
		return -1;
	reader = fifo_open(AT_FDCWD, loan, O_RDONLY | O_NOFOLLOW);
	result = reader < 0 ? -1 : hold(b, loan);
	descriptors_close(&reader);
	return result != 0 ? -1 : name_loan(b, 0);
}

/* Nobody has the loan: its names go, and the build has its tokens back. */
static void
end_loan(struct borrow *b)
{
	path_text loan;

	name_loan(b, 1);
	unlink(beside(b, loan, LOAN, b->number));
	bytes_put(b->into, b->drawn + b->loose);
}

/* Takes what it can get, under the lock. */
static void
take_loans(struct borrow *b, int lock, long least, long most)
{
	path_text path;
	int reason;

	b->drawn = b->loose = 0;
	if (hold_outer(b) != 0) {
		b->may = 0; /* the loan with which this job began has ended */
		return;
	}
	if (b->job && !is_free(b, beside(b, path, JOB, b->held.within, b->held.job)))
		return;
	choose_tokens(b, &b->own, b->held.within, most, NULL);
	if (b->job)
		choose_tokens(b, &b->others, 0, most, &b->own);
	if (b->taken.count < least) {
		bytes_put(b->into, b->drawn);
	} else if (make_loan(b, lock) != 0) {
		reason = errno;
		end_loan(b);
		errno = reason;
		fail(STATUS_TROUBLE, "%s: a loan of the token of this command:", b->held.lease);
	}
}

/* The lease is opened first, and its name looked at last: a dispenser that brings its token home
   takes the name away first, and looks last whether somebody has it open. */
int
borrow_take(struct borrow *b, long least, long most)
{
	struct stat st;
	int lock;

	if (!b->may)
		return -1;
	if (hold(b, b->held.lease) != 0) {
		b->may = errno == ENXIO; /* its dispenser has died, and may come back */
		return -1;
	}
	if (b->job && !b->asked)
		ask_for_others(b);
	while (b->watching > 0)
		close(b->watch[--b->watching]);
	tokens_clear(&b->taken);
	if ((lock = lock_loans(b)) < 0 && errno != EAGAIN)
		fail(STATUS_TROUBLE, "%s: the lock of its loans:", b->held.lease);
	if (lock >= 0)
		take_loans(b, lock, least, most < borrow_most(b) ? most : borrow_most(b));
	b->may = b->may && lstat(b->held.lease, &st) == 0;
	if (!b->may)
		b->number = 0;
	if (b->number == 0)
		close_loans(b);
	descriptors_close(&lock);
	return b->number > 0 ? 0 : -1;
}

void
borrow_hand_on(const struct borrow *b)
{
	for (int i = 0; i < b->count; i++)
		fcntl(b->open[i], F_SETFD, 0);
}

/* If others have inherited the loan, the next borrower finds its names when they have ended. */
void
borrow_return(struct borrow *b)
{
	int lock = lock_loans(b), reader;
	path_text loan;

	reader = fifo_open(AT_FDCWD, beside(b, loan, LOAN, b->number), O_RDONLY | O_NOFOLLOW);
	close_loans(b);
	if (lock >= 0 && reader >= 0 && !lease_held(reader))
		end_loan(b);
	b->number = 0;
	descriptors_close(&reader);
	descriptors_close(&lock);
}
