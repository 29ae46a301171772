/*
 * tokstop -- asks a dispenser to end and waits until it has.
 *
 * With -k it first ends the jobs whose shells have these pids, children of our own parent: TERM
 * to each and to all that descends from it, and KILL after the grace, or at once when a signal
 * tells us to hurry. With -p it does nothing else.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/family.h"
#include "../lib/number.h"
#include "../lib/orders.h"
#include "../lib/status.h"
#include "../lib/usage.h"
#include "inlet.h"

#define USAGE \
	"usage: tokstop [-f] [FIFO]\n       tokstop -k [-g seconds] FIFO [pid...]\n" \
	"       tokstop -p [-g seconds] pid..."

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
	struct family all;       /* as of the last look */
	struct family list;      /* of them, those who are to end */
	struct stat *leases;     /* of the jobs */
	size_t leased;
	struct family before;    /* all there were at the first look */
	pid_t script;            /* whose children jobs are */
};

static void
add_victim(struct victims *v, const struct process *process)
{
	if (family_add(&v->list, process) != 0)
		fail(STATUS_TROUBLE, "no memory:");
}

/* A pid alone promises nothing: it is a job's only while our parent is its parent; or our
   grandparent is, where we were started in the background, for which yash makes a shell of its
   own. */
static void
add_roots(struct victims *v, char **pids, int background)
{
	pid_t parent = getppid(), grandparent = background ? family_parent(parent) : parent;
	const struct process *process;
	long pid;

	for (; *pids != NULL; pids++) {
		if (number_scan(*pids, 2, INT_MAX, &pid) != 0)
			fail(STATUS_TROUBLE, "%s: not a pid", *pids);
		process = family_find(&v->all, (pid_t)pid);
		if (process == NULL || process->pid == getpid() || process->pid == parent ||
		    (process->parent != parent && process->parent != grandparent))
			continue;
		v->script = process->parent;
		add_victim(v, process);
	}
}

/* The lease of a job, which all that it starts inherits: 0; or -1 where there is none, or where
   the system does not show descriptors: orphans stay unknown there. *fd, unless NULL, keeps it
   open. */
static int
lease_of(pid_t pid, struct stat *lease, int *fd)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, LEASE);
	if (stat(path, lease) != 0 || !S_ISFIFO(lease->st_mode))
		return -1;
	if (fd == NULL)
		return 0;
	*fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return *fd < 0 ? -1 : fstat(*fd, lease);
}

/* They stay open: else the inode of a lease that is gone is soon that of another batch's, and who
   has that would be taken for an orphan of ours. */
static void
know_leases(struct victims *v)
{
	int fd;

	if ((v->leases = malloc((v->list.count + 1) * sizeof *v->leases)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	for (size_t i = 0; i < v->list.count; i++)
		if (lease_of(v->list.list[i].pid, v->leases + v->leased, &fd) == 0)
			v->leased++;
}

/* With -p the batch goes on, and the next job has the same lease as soon as the one that we
   end has closed it. But that one descends from the script, which an orphan does no more. */
static int
is_of_script(const struct victims *v, const struct process *process)
{
	for (size_t steps = 0; process != NULL && steps < v->all.count; steps++) {
		if (process->parent == v->script)
			return 1;
		process = family_find(&v->all, process->parent);
	}
	return 0;
}

/* A child that a job made between our first look and the signal that ended the job is an
   orphan. Who left its family before that is spared. */
static int
is_orphan(const struct victims *v, const struct process *process)
{
	const struct process *was = family_find(&v->before, process->pid);
	struct stat st;

	if ((was != NULL && was->start == process->start) || lease_of(process->pid, &st, NULL) != 0)
		return 0;
	for (size_t i = 0; i < v->leased; i++)
		if (st.st_dev == v->leases[i].st_dev && st.st_ino == v->leases[i].st_ino)
			return !is_of_script(v, process);
	return 0;
}

/* Parents need not come before their children in the list: so until nothing is added any more. */
static void
add_descendants(struct victims *v, int orphans)
{
	size_t before;

	do {
		before = v->list.count;
		for (size_t i = 0; i < v->all.count; i++) {
			const struct process *process = v->all.list + i;

			if (family_find(&v->list, process->pid) == NULL &&
			    (family_find(&v->list, process->parent) != NULL ||
			    (orphans && is_orphan(v, process))))
				add_victim(v, process);
		}
	} while (v->list.count > before);
}

/* Forgets the victims that have ended: their pids may be others' now. */
static void
forget_dead(struct victims *v)
{
	const struct process *process;
	size_t kept = 0;

	for (size_t i = 0; i < v->list.count; i++) {
		process = family_find(&v->all, v->list.list[i].pid);
		if (process != NULL && process->start == v->list.list[i].start)
			v->list.list[kept++] = v->list.list[i];
	}
	v->list.count = kept;
}

static void
signal_all(const struct victims *v, size_t from, int sig)
{
	for (size_t i = from; i < v->list.count; i++) {
		kill(v->list.list[i].pid, sig); /* it may be gone already */
		kill(v->list.list[i].pid, SIGCONT);
	}
}

/* Sends sig to the victims, and to the children they still make, until none is left or the
   time is over. */
static void
end_victims(struct victims *v, int sig, long long ms)
{
	struct timespec pause = clock_span(LOOK);
	long long until = clock_now() + ms;
	size_t known;

	signal_all(v, 0, sig);
	while (v->list.count > 0 && clock_now() < until && (sig == SIGKILL || !hurry)) {
		nanosleep(&pause, NULL);
		if (family_read(&v->all) != 0)
			continue;
		forget_dead(v);
		known = v->list.count;
		add_descendants(v, 1);
		signal_all(v, known, sig);
	}
}

static void
end_jobs(char **pids, int background, long long grace)
{
	struct victims v = {0};

	if (*pids == NULL)
		return;
	if (family_read(&v.all) != 0)
		fail(STATUS_TROUBLE, "cannot tell the jobs' processes:");
	add_roots(&v, pids, background);
	know_leases(&v);
	add_descendants(&v, 0);
	v.before = v.all;
	v.all = (struct family){0};
	end_victims(&v, SIGTERM, grace);
	if (v.list.count > 0)
		end_victims(&v, SIGKILL, KILLED);
	free(v.before.list);
	free(v.all.list);
	free(v.list.list);
	free(v.leases);
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
		case 'k': kflag = 1; break;
		case 'p': pflag = 1; break;
		default: return usage(option, USAGE);
		}
	if (pflag) {
		catch_signals();
		end_jobs(argv + optind, 1, grace);
		return STATUS_DONE;
	}
	if (argc - optind > 1 && !kflag)
		return usage('?', USAGE);
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
