#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobpool.h"

enum { REQUESTS, ANSWERS, ORDERS };
enum { LOOK = 1000 }; /* ms between two looks at the script */

/* Waits for room among the answers for a word of ours. The script writes and reads in turn, and may
   wait for room for its requests: so we read these meanwhile. */
static void
await_room(const struct guard *g)
{
	struct pollfd fds[] = {{.fd = g->fifos[ANSWERS].writer, .events = POLLOUT},
	    {.fd = g->fifos[REQUESTS].reader, .events = POLLIN}};
	char text[512];

	while (!family_ended(g->script) && poll(fds, 2, LOOK) >= 0 && fds[0].revents == 0)
		if (fds[1].revents != 0 && read(fds[1].fd, text, sizeof text) < 0)
			return;
}

/* The pool has ended with that status. */
static void
wind_up(struct guard *g, int status)
{
	const struct guard_fifo *orders = &g->fifos[ORDERS];
	int result = status > 128 ? STATUS_GONE : status;
	char text[512];

	if (status > 128)
		complain("%s: jobpool was killed; no more is answered", g->path);
	/* The shell of the workers has ended once nobody reads its orders. */
	if (orders->name != NULL && dprintf(orders->writer, "gone %d\n", status) > 0)
		while ((descriptors_poll(orders->writer, 0, -1) & POLLERR) == 0)
			;
	guard_remove(g);
	if (result > 1)
		await_room(g);
	guard_say(g, g->fifos[ANSWERS].writer, "gone %d\n", result);
	close(g->fifos[ANSWERS].writer);
	close(g->fifos[ANSWERS].reader);
	close(g->fifos[REQUESTS].writer);
	while (result > 1 && read(g->fifos[REQUESTS].reader, text, sizeof text) > 0)
		; /* further requests of the script, until it knows */
}

int
script_guard(int argc, char **argv, const struct staffing *options)
{
	char **words = need_memory(calloc((size_t)argc + 2, sizeof *words)), script[24];
	struct guard g;
	pid_t pool;

	memcpy(words, (char *[]){"jobpool", "--attended"}, 2 * sizeof *words);
	memcpy(words + 2, argv + 1, (size_t)argc * sizeof *words);
	program = "jobctl_workers";
	snprintf(script, sizeof script, "%ld", options->watched);
	guard_of(&g, script, options->directory);
	g.fifos[REQUESTS].name = "requests";
	g.fifos[ANSWERS].name = "answers";
	g.fifos[ORDERS].name = options->command == NULL ? "orders" : NULL;
	for (int fd = 3; fd <= 9; fd++)
		close(fd);
	guard_begin(&g);
	pool = guard_start(words, g.fifos[ANSWERS].writer, g.fifos[ORDERS].writer);
	if (guard_ready(&g, pool) != 0)
		return STATUS_TROUBLE;
	guard_await(&g);
	if (options->command == NULL) /* the shell has it */
		descriptors_close(&g.fifos[ORDERS].reader);
	wind_up(&g, guard_wait(pool));
	return STATUS_DONE;
}
