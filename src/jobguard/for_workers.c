/*
 * The guard of a pool of workers, DIRECTORY: the script writes into DIRECTORY/requests and reads
 * DIRECTORY/answers; jobpool has their other ends. If the workers are functions, the script has
 * started a shell that forks them, as DIRECTORY/orders says (jobpool/nursery.h). If jobpool is
 * killed, that shell ends them, and then itself.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/family.h"
#include "../lib/guard.h"
#include "../lib/outbox.h"
#include "../lib/status.h"
#include "for_workers.h"

enum { ROLE, PID, DIRECTORY, KIND, OPTIONS };
enum { REQUESTS, ANSWERS, ORDERS };
enum { LOOK = 1000 }; /* ms between two looks at the script */

/* Tells the shell of the workers, and waits until it has ended: nobody reads its orders then. */
static void
dismiss(struct guard_fifo *orders, int status)
{
	if (orders->name == NULL)
		return;
	if (dprintf(orders->writer, "gone %d\n", status) < 0)
		return; /* then our end tells it */
	while ((descriptors_poll(orders->writer, 0, -1) & POLLERR) == 0)
		;
}

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

/* The command that runs jobpool; never freed. */
static char **
make_command(int argc, char **argv, int functions)
{
	struct outbox requests = {0};
	char *first[] = {"jobpool", "--attended", "--watch", argv[PID], "--requests", NULL,
	    "--nursery", argv[DIRECTORY]}, **all;
	size_t n = sizeof first / sizeof *first - (functions ? 0 : 2);

	outbox_say(&requests, "%s/requests", argv[DIRECTORY]);
	first[5] = (char *)outbox_text(&requests);
	all = need_memory(malloc((n + (size_t)argc) * sizeof *all));
	memcpy(all, first, n * sizeof *all);
	memcpy(all + n, argv + OPTIONS, (size_t)(argc - OPTIONS + 1) * sizeof *all);
	return all;
}

int
for_workers(int argc, char **argv)
{
	int functions = strcmp(argv[KIND], "functions") == 0, status, result;
	char text[512];
	struct guard g;
	pid_t pool;

	program = "jobctl_workers";
	guard_of(&g, argv[PID], argv[DIRECTORY]);
	g.fifos[REQUESTS].name = "requests";
	g.fifos[ANSWERS].name = "answers";
	g.fifos[ORDERS].name = functions ? "orders" : NULL;
	for (int fd = 3; fd <= 9; fd++)
		close(fd);
	guard_begin(&g);
	pool = guard_start(make_command(argc, argv, functions), g.fifos[ANSWERS].writer,
	    functions ? g.fifos[ORDERS].writer : 0);
	if (guard_ready(&g, pool) != 0)
		return STATUS_TROUBLE;
	guard_await(&g);
	if (functions)
		descriptors_close(&g.fifos[ORDERS].reader);
	status = guard_wait(pool);
	result = status > 128 ? STATUS_GONE : status;
	if (status > 128)
		complain("%s: jobpool was killed; no more is answered", g.path);
	dismiss(&g.fifos[ORDERS], status);
	guard_remove(&g);
	if (result > 1)
		await_room(&g);
	guard_say(&g, g.fifos[ANSWERS].writer, "gone %d\n", result);
	close(g.fifos[ANSWERS].writer);
	close(g.fifos[ANSWERS].reader);
	close(g.fifos[REQUESTS].writer);
	while (result > 1 && read(g.fifos[REQUESTS].reader, text, sizeof text) > 0)
		; /* further requests of the script, until it knows */
	return STATUS_DONE;
}
