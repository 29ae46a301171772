#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lease.h"

enum { TRIES = 3 };

/* The length of the NAME at the start of the text; 0: there is none. */
static size_t
client_length(const char *text)
{
	size_t digits = strspn(text, "0123456789"), more = 0;

	if (text[digits] == '_')
		more = 1 + strspn(text + digits + 1, "0123456789");
	return digits == 0 || more == 1 || digits + more >= NAMES_CLIENT ? 0 : digits + more;
}

int
names_file(char file[NAMES_FILE], const char *name)
{
	size_t length = client_length(name);

	if (length == 0 || name[length] != '\0')
		return -1;
	snprintf(file, NAMES_FILE, NAMES_WAITING "/%s", name);
	return 0;
}

void
names_holder(char file[NAMES_FILE], long slot, const char *client)
{
	snprintf(file, NAMES_FILE, "%ld.%.*s", slot, NAMES_CLIENT - 1, client);
}

void
names_token(char file[NAMES_FILE], long slot, const char *client)
{
	snprintf(file, NAMES_FILE, "%ld.%.*s" NAMES_TOKEN, slot, NAMES_CLIENT - 1, client);
}

int
names_hide(int dir, const char *file, char hidden[NAMES_FILE])
{
	snprintf(hidden, NAMES_FILE, "x.%s", file + sizeof NAMES_WAITING);
	return renameat(dir, file, dir, hidden);
}

/* EACCES for a file is its owner's doing. For the directory it may pass: EAGAIN. */
static void
blame(int dir)
{
	struct stat st;

	if (errno == EACCES)
		errno = fstatat(dir, ".", &st, 0) != 0 ? EAGAIN : EACCES;
}

int
names_open(int dir, const char *file, int flags)
{
	int fd, tries = 0;

	do
		fd = fifo_open(dir, file, flags | O_NOFOLLOW);
	while (fd < 0 && (errno == ENOMEM || errno == EIO || errno == EINTR || errno == EACCES) &&
	    ++tries < TRIES);
	if (fd < 0)
		blame(dir);
	return fd;
}

/* Only its owner can have filled the FIFO, and then gets no answer. A write that fails is tried
   again: the reason, such as too little memory, may pass, and the client would wait for ever. */
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
names_answer(int dir, const char *file, const char *text, int *spare)
{
	int fd = names_open(dir, file, O_WRONLY), given = 0, result;

	if (fd < 0 && spare != NULL && (errno == EMFILE || errno == ENFILE)) {
		close(*spare);
		given = 1;
		fd = names_open(dir, file, O_WRONLY);
	}
	result = fd < 0 ? -1 : names_say(fd, text);
	descriptors_close(&fd);
	if (given)
		*spare = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	return result;
}

/* What follows NAME: ".loan", or as in tools/borrow.c. */
static int
is_of_loan(const char *rest)
{
	return strcmp(rest, "." NAMES_LOANS) == 0 ||
	    (*rest == '.' && rest[strspn(rest, ".0123456789j")] == '\0');
}

/* "w/NAME", "x.NAME", or that of a loan. */
static int
is_of_waiter(struct name *name)
{
	static const char waiting[] = NAMES_WAITING "/", leaving[] = "x.";
	int waits = strncmp(name->text, waiting, sizeof waiting - 1) == 0;
	const char *client = name->text + (waits ? sizeof waiting : sizeof leaving) - 1;
	size_t length = client_length(client);

	if ((!waits && strncmp(name->text, leaving, sizeof leaving - 1) != 0) || length == 0 ||
	    (client[length] != '\0' && !(waits && is_of_loan(client + length))))
		return 0;
	name->kind = client[length] != '\0' ? NAME_LOAN : waits ? NAME_WAITER : NAME_LEAVER;
	snprintf(name->client, sizeof name->client, "%.*s", (int)length, client);
	return 1;
}

/* "K" or "K_1", which ends at the dot: 0, or -1. */
static int
slot_before(struct name *name, const char *dot)
{
	char number[LEASE_NAME];

	if (dot - name->text >= LEASE_NAME)
		return -1;
	snprintf(number, sizeof number, "%.*s", (int)(dot - name->text), name->text);
	return lease_parse(number, &name->slot, &name->generation);
}

/* "K.NAME", or with a suffix. */
static int
is_of_holder(struct name *name)
{
	const char *dot = strchr(name->text, '.'), *rest;
	size_t length;

	if (dot == NULL || slot_before(name, dot) != 0 || name->generation != 0)
		return 0;
	if ((length = client_length(dot + 1)) == 0)
		return 0;
	snprintf(name->client, sizeof name->client, "%.*s", (int)length, dot + 1);
	rest = dot + 1 + length;
	if (strcmp(rest, NAMES_TOKEN) == 0)
		name->kind = NAME_TOKEN;
	else if (*rest == '\0' || strcmp(rest, NAMES_GOING) == 0)
		name->kind = NAME_HOLDER;
	else if (strcmp(rest, NAMES_OFFERS) == 0 || strcmp(rest, NAMES_RETURNS) == 0)
		name->kind = NAME_BUILD;
	else
		return 0;
	return 1;
}

/* "bell", "calls", "K.out" and the other files that jobs of a batch write. */
static int
is_of_batch(struct name *name)
{
	static const char *const whole[] = {"answer", "heard", "bell", "calls", "calls.next"},
	    *const kinds[] = {".out", ".err", ".result", ".again"};
	const char *dot = strchr(name->text, '.');

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (strcmp(name->text, whole[i]) == 0)
			return 1;
	for (size_t i = 0; dot != NULL && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(dot, kinds[i]) == 0)
			return slot_before(name, dot) == 0;
	return 0;
}

static int
is_ours(struct name *name, const char *text)
{
	name->text = text;
	name->client[0] = '\0';
	if (is_of_waiter(name) || is_of_holder(name))
		return 1;
	name->client[0] = '\0';
	if (lease_parse(text, &name->slot, &name->generation) == 0)
		name->kind = NAME_LEASE;
	else if (strcmp(text, NAMES_WITHIN) == 0)
		name->kind = NAME_NOTE;
	else if (is_of_batch(name))
		name->kind = NAME_BATCH;
	else
		return 0;
	return 1;
}

/* Opens the directory anew: closing the stream must not close our descriptor. */
static DIR *
open_stream(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *names = fd < 0 ? NULL : fdopendir(fd);

	if (names == NULL)
		descriptors_close(&fd);
	return names;
}

/* Names in the directory, ".", or in that one within it, which may be missing. */
static int
each_in(int dir, const char *within, int (*call)(void *, const struct name *), void *context)
{
	int itself = strcmp(within, ".") == 0;
	DIR *names = open_stream(dir, within);
	char text[NAMES_FILE];
	struct dirent *entry;
	struct name name;
	int result = 0;

	if (names == NULL)
		return !itself && errno == ENOENT ? 0 : -1;
	while (result == 0 && (errno = 0, entry = readdir(names)) != NULL)
		if (snprintf(text, sizeof text, "%s%s%s", itself ? "" : within, itself ? "" : "/",
		    entry->d_name) < (int)sizeof text && is_ours(&name, text))
			result = call(context, &name);
	if (result == 0 && errno != 0)
		result = -1;
	closedir(names);
	return result;
}

int
names_each(int dir, int (*call)(void *, const struct name *), void *context)
{
	int result = each_in(dir, ".", call, context);

	return result != 0 ? result : each_in(dir, NAMES_WAITING, call, context);
}

/* The client may sleep until another dispenser reads the same inlet, and so never see that this one
   has gone. After the rename the client has the FIFO open, or its open fails. */
static void
dismiss(int dir, const char *file)
{
	char hidden[NAMES_FILE];

	if (names_hide(dir, file, hidden) != 0)
		return;
	names_answer(dir, hidden, NAMES_AGAIN, NULL);
	unlinkat(dir, hidden, 0);
}

/* A shell that opens a lease too late leaves a plain file of that name. */
static int
remove_one(void *context, const struct name *name)
{
	int dir = *(int *)context;
	struct stat st;

	if (name->kind != NAME_LEASE && name->kind != NAME_HOLDER && name->kind != NAME_BATCH &&
	    name->kind != NAME_LOAN &&
	    (fstatat(dir, name->text, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !(name->kind == NAME_NOTE ? S_ISLNK(st.st_mode) : S_ISFIFO(st.st_mode))))
		return 0;
	if (name->kind == NAME_WAITER) {
		dismiss(dir, name->text);
		return 0;
	}
	if (name->kind == NAME_LEAVER)
		names_answer(dir, name->text, NAMES_AGAIN, NULL);
	unlinkat(dir, name->text, 0);
	return 0;
}

struct loans {
	int dir;
	const char *client;
};

static int
remove_loan(void *context, const struct name *name)
{
	const struct loans *loans = context;

	if (name->kind == NAME_LOAN && strcmp(name->client, loans->client) == 0)
		unlinkat(loans->dir, name->text, 0);
	return 0;
}

/* Most clients lend nothing, and cost one look. */
void
names_forget_loans(int dir, const char *client)
{
	struct loans loans = {dir, client};
	char file[NAMES_FILE];

	snprintf(file, sizeof file, NAMES_WAITING "/%.*s." NAMES_LOANS, NAMES_CLIENT - 1, client);
	if (unlinkat(dir, file, 0) == 0)
		each_in(dir, NAMES_WAITING, remove_loan, &loans);
}

void
names_remove(int dir)
{
	names_each(dir, remove_one, &dir);
}
