/*
 * tokstop -- asks a dispenser to end and waits until it has.
 *
 * With -k it first ends the jobs whose shells have these pids, children of our own parent: TERM
 * to each and to all that descends from it, and KILL after the grace, or at once when a signal
 * tells us to hurry. With -p it does nothing else.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/family.h"
#include "../lib/number.h"
#include "../lib/orders.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "inlet.h"

#define USAGE \
	"usage: tokstop [-f] [FIFO]\n       tokstop -k [-g seconds] FIFO [pid...]\n" \
	"       tokstop -p [-g seconds] pid...\n"

enum {
	LEASE = 9,       /* the descriptor of a job's lease */
	LOOK = 20,       /* ms between two looks at the dying */
	KILLED = 2000,   /* ms until what was sent KILL is gone, but for a stuck system call */
	GRACE = 5000,    /* ms */
	HOME = 1000      /* ms for the tokens of the killed to be seen home */
};

static volatile sig_atomic_t hurry;

static void
on_signal(int sig)
{
	(void)sig;
	hurry = 1;
}

static void
catch_signals(void)
{
	orders_catch(SIGINT, on_signal, 0);
	orders_catch(SIGTERM, on_signal, 0);
	orders_catch(SIGHUP, on_signal, 0);
}

/* Waits for the dispenser to close the inlet, for ever with -1. 1 when it is closed. */
static int
wait_for_end(int inlet, long long ms)
{
	long long until = clock_now() + ms;
	int gone;

	for (;;) {
		long long left = ms < 0 ? -1 : until - clock_now();

		if (ms >= 0 && left <= 0)
			return 0;
		if ((gone = inlet_watch(inlet, -1, left)) > 0)
			return 1;
		if (gone < 0 && ms < 0)
			fail(STATUS_TROUBLE, "poll:");
	}
}

struct victims {
	struct process *list;
	size_t count, room;
	struct stat *leases;    /* of the jobs */
	size_t leased;
	struct process *before; /* all there were when we first looked */
	size_t were;
	pid_t script;           /* whose children jobs are */
};

static int
is_victim(const struct victims *v, pid_t pid)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->list[i].pid == pid)
			return 1;
	return 0;
}

static void
add_victim(struct victims *v, struct process process)
{
	struct process *bigger = room_for(v->list, &v->room, v->count + 1, sizeof *bigger);

	if (bigger == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	v->list = bigger;
	v->list[v->count++] = process;
}

/* A pid alone promises nothing: it is a job's only while our parent is its parent; or our
   grandparent is, where we were started in the background, for which yash makes a shell of its
   own. */
static void
add_roots(struct victims *v, char **pids, int background, const struct process *all, size_t count)
{
	pid_t parent = getppid(), grandparent = background ? family_parent(parent) : parent;
	long pid;

	for (; *pids != NULL; pids++) {
		if (number_scan(*pids, 2, 0x7fffffff, &pid) != 0)
			fail(STATUS_TROUBLE, "%s: not a pid", *pids);
		for (size_t i = 0; i < count; i++)
			if (all[i].pid == (pid_t)pid && all[i].pid != getpid() && all[i].pid != parent &&
			    (all[i].parent == parent || all[i].parent == grandparent)) {
				v->script = all[i].parent;
				add_victim(v, all[i]);
			}
	}
}

/* The lease of a job, which all that it starts inherits. Where the system does not show
   descriptors there is none, and orphans stay unknown. */
static int
lease_of(pid_t pid, struct stat *lease)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, LEASE);
	return stat(path, lease);
}

/* It stays open: else the inode of a lease that is gone is soon that of another batch's, and
   who has that would be taken for an orphan of ours. */
static int
keep_lease(pid_t pid, struct stat *lease)
{
	char path[64];
	int fd;

	if (lease_of(pid, lease) != 0 || !S_ISFIFO(lease->st_mode))
		return -1;
	snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, LEASE);
	if ((fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0)
		return -1;
	return fstat(fd, lease);
}

static void
know_leases(struct victims *v, const struct process *all, size_t count)
{
	if ((v->leases = malloc((v->count + 1) * sizeof *v->leases)) == NULL ||
	    (v->before = malloc((count + 1) * sizeof *all)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	for (size_t i = 0; i < v->count; i++)
		if (keep_lease(v->list[i].pid, v->leases + v->leased) == 0)
			v->leased++;
	memcpy(v->before, all, count * sizeof *all);
	v->were = count;
}

static int
is_new(const struct victims *v, const struct process *process)
{
	for (size_t i = 0; i < v->were; i++)
		if (v->before[i].pid == process->pid && v->before[i].start == process->start)
			return 0;
	return 1;
}

/* With -p the batch goes on, and the next job has the same lease as soon as the one that we
   end has closed it. But that one descends from the script, which an orphan does no more. */
static int
is_of_script(const struct victims *v, const struct process *process, const struct process *all, size_t count)
{
	pid_t parent = process->parent;
	size_t i;

	for (size_t steps = 0; parent > 1 && steps < count; steps++) {
		if (parent == v->script)
			return 1;
		for (i = 0; i < count && all[i].pid != parent; i++)
			;
		if (i == count)
			break;
		parent = all[i].parent;
	}
	return 0;
}

/* A child that a job made between our first look and the signal that ended the job is an
   orphan. Who left its family before that is spared. */
static void
add_orphans(struct victims *v, const struct process *all, size_t count)
{
	struct stat st;

	for (size_t i = 0; i < count; i++) {
		if (is_victim(v, all[i].pid) || !is_new(v, all + i) || lease_of(all[i].pid, &st) != 0)
			continue;
		for (size_t j = 0; j < v->leased; j++)
			if (st.st_dev == v->leases[j].st_dev && st.st_ino == v->leases[j].st_ino) {
				if (!is_of_script(v, all + i, all, count))
					add_victim(v, all[i]);
				break;
			}
	}
}

/* Parents need not come before their children in the list: so until nothing is added any more. */
static void
add_descendants(struct victims *v, const struct process *all, size_t count)
{
	size_t before;

	do {
		before = v->count;
		for (size_t i = 0; i < count; i++)
			if (is_victim(v, all[i].parent) && !is_victim(v, all[i].pid))
				add_victim(v, all[i]);
	} while (v->count > before);
}

/* Forgets the victims that have ended, whoever may have their pids now. */
static void
forget_dead(struct victims *v, const struct process *all, size_t count)
{
	size_t i, j, kept = 0;

	for (i = 0; i < v->count; i++)
		for (j = 0; j < count; j++)
			if (all[j].pid == v->list[i].pid && all[j].start == v->list[i].start) {
				v->list[kept++] = v->list[i];
				break;
			}
	v->count = kept;
}

static void
signal_all(const struct victims *v, size_t from, int sig)
{
	for (size_t i = from; i < v->count; i++) {
		kill(v->list[i].pid, sig); /* it may be gone already */
		kill(v->list[i].pid, SIGCONT);
	}
}

/* Sends sig to the victims, and to the children they still make, until none is left or the
   time is over. */
static void
end_victims(struct victims *v, int sig, long long ms)
{
	struct timespec pause = clock_span(LOOK);
	long long until = clock_now() + ms;
	struct process *all;
	size_t count, known;

	signal_all(v, 0, sig);
	while (v->count > 0 && clock_now() < until && (sig == SIGKILL || !hurry)) {
		nanosleep(&pause, NULL);
		if ((all = family_read(&count)) == NULL)
			continue;
		forget_dead(v, all, count);
		known = v->count;
		add_orphans(v, all, count);
		add_descendants(v, all, count);
		signal_all(v, known, sig);
		free(all);
	}
}

static void
end_jobs(char **pids, int background, long long grace)
{
	struct victims v = {0};
	struct process *all;
	size_t count;

	if (*pids == NULL)
		return;
	if ((all = family_read(&count)) == NULL)
		fail(STATUS_TROUBLE, "cannot tell the jobs' processes:");
	add_roots(&v, pids, background, all, count);
	know_leases(&v, all, count);
	add_descendants(&v, all, count);
	free(all);
	end_victims(&v, SIGTERM, grace);
	if (v.count > 0)
		end_victims(&v, SIGKILL, KILLED);
	free(v.list);
	free(v.leases);
	free(v.before);
}

/* After a kill the dispenser ends by itself once the tokens are home. A process that has left
   its job's family may hold one still, and is not waited for. */
static void
stop_after_kill(const char *path)
{
	int inlet = inlet_open(path);

	inlet_write(inlet, path, "@end\n");
	if (wait_for_end(inlet, HOME))
		return;
	inlet_write(inlet, path, "@stop now\n");
	wait_for_end(inlet, HOME);
}

int
main(int argc, char **argv)
{
	long long grace = GRACE;
	int option, inlet, fflag = 0, kflag = 0, pflag = 0;
	const char *path;

	program = "tokstop";
	while ((option = getopt(argc, argv, "fg:hkpV")) != -1)
		switch (option) {
		case 'f': fflag = 1; break;
		case 'g': grace = number_option_ms(option, optarg); break;
		case 'h': return fputs(USAGE, stdout) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		case 'k': kflag = 1; break;
		case 'p': pflag = 1; break;
		case 'V': return puts("tokstop " VERSION) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		default: fputs(USAGE, stderr); return STATUS_TROUBLE;
		}
	if (pflag) {
		catch_signals();
		end_jobs(argv + optind, 1, grace);
		return STATUS_DONE;
	}
	if (argc - optind > 1 && !kflag) {
		fputs(USAGE, stderr);
		return STATUS_TROUBLE;
	}
	path = inlet_default(argv[optind]);
	if (kflag) {
		catch_signals();
		end_jobs(argv + (optind < argc ? optind + 1 : optind), 0, grace);
		stop_after_kill(path);
		return STATUS_DONE;
	}
	inlet = inlet_open(path);
	inlet_write(inlet, path, fflag ? "@stop now\n" : "@stop\n");
	wait_for_end(inlet, -1);
	return STATUS_DONE;
}
