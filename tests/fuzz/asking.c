/*
 * Input of tokget: the answer of a dispenser (asking-pieces.c, and hear() in wish.c). The first byte
 * says how tokget was called, the second how long the pieces are in which the rest comes.
 */
#include "leaving.h"
#include "pieces.h"

static const unsigned char *coming;
static size_t come, piece;

ssize_t
read_piece(int fd, void *to, size_t room)
{
	size_t n = come < piece ? come : piece;

	(void)fd;
	if (n > room)
		n = room;
	memcpy(to, coming, n);
	coming += n;
	come -= n;
	return (ssize_t)n;
}

static int
no_pause(const struct timespec *for_this, struct timespec *left)
{
	(void)for_this;
	(void)left;
	return 0;
}

#define nanosleep no_pause
#include "../../src/tools/wish.c"

static struct grant grant;
static struct asking a;

static void
check_slots(void)
{
	const struct tokens *tokens = &grant.tokens;

	if (strlen(tokens->slots) >= TOKENS_TEXT || strlen(tokens->labels) >= TOKENS_TEXT ||
	    strlen(grant.build) >= GRANT_LINE)
		wrong("a grant without its end");
	if (tokens->slots[strspn(tokens->slots, "0123456789 ")] != '\0')
		wrong("a script would open the lease '%s'", tokens->slots);
	if (grant.build[strspn(grant.build, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._:,=+@%-")] != '\0')
		wrong("make would read '%s' in MAKEFLAGS", grant.build);
}

static void
run_hear(void *context)
{
	struct wish *wish = context;

	if (hear(&a, wish, &grant) == 0)
		check_slots();
}

/* The inlet's reader is gone, so tokget waits for nothing. */
static void
open_ends_of(struct asking *ask)
{
	int ends[2];

	memset(ask, 0, sizeof *ask);
	if (pipe(ends) != 0)
		wrong("no pipe");
	close(ends[0]);
	ask->inlet = ends[1];
	ask->answers = open("/dev/null", O_RDONLY);
	ask->lease = open("/dev/null", O_WRONLY);
	ask->fifo = "f";
	ask->file = leaving_malloc(8);
	ask->name = strcpy(ask->file, "w/1");
}

static void
close_if_open(int fd)
{
	if (fcntl(fd, F_GETFD) >= 0)
		close(fd);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static int output = -1;
	struct wish wish = {.count = "1", .no_token = STATUS_NO_TOKEN};

	if (size < 2)
		return 0;
	ground_enter();
	if (output < 0)
		output = dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	wish.fifo = "f";
	wish.until = data[0] & 1 ? clock_now() + 100 : -1;
	wish.start = data[0] & 2 ? "2" : NULL;
	wish.now = (data[0] & 4) != 0;
	piece = data[1] + 1u;
	coming = data + 2;
	come = size - 2;
	open_ends_of(&a);
	leaves(run_hear, &wish);
	close_if_open(a.inlet);
	close_if_open(a.answers);
	close_if_open(a.lease);
	leaving_free(a.file);
	return 0;
}
