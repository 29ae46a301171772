/*
 * tokstop -- asks a dispenser to end and waits until it has. Where it is killed before that,
 * another one may follow, by tokend -k for one, and is asked.
 *
 * With -p it ends the jobs whose shells have these pids: TERM to each and to all that descends from
 * it, and KILL after the grace, or at once when a signal tells us to hurry. They are children of
 * our own parent; or, with -s or -d, descend from that script or have a lease of that dispenser.
 * Where the shell of PID/LEASE is gone, whoever has that lease is ended in its place.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../lease/held.h"
#include "../lease/lease.h"
#include "../lease/names.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/family.h"
#include "../lib/number.h"
#include "../lib/options.h"
#include "../lib/orders.h"
#include "../lib/status.h"
#include "abroad.h"
#include "inlet.h"

#define USAGE \
	"usage: tokstop [-f] [FIFO]\n" \
	"       tokstop -p [-g seconds] [-s pid] [-d FIFO] pid[/lease]..."

static const struct option table[] = {
	{'f', "force", NULL, "do not wait for the tokens: their jobs go on"},
	{'p', "processes", NULL, "end jobs, and no pool: by the pids of their shells"},
	{'d', "dispenser", "FIFO", "... that have a lease of this pool open"},
	{'g', "grace", "SECONDS", "... with this time between TERM and KILL (default: 5)"},
	{'s', "script", "PID", "... that are descendants of this script"},
	OPTIONS_END
};

#define FD_PATH "/proc/%ld/fd/%d"

enum {
	LEASE = 9,       /* the descriptor of a job's lease */
	LOOK = 20,       /* ms between two looks at the dying, or for a dispenser that follows */
	AGAIN = 1000,    /* ms until it is asked again, who may be another one */
	RESTART = 2000,  /* ms in which one follows */
	KILLED = 2000,   /* ms until what was sent KILL is gone, but for a stuck system call */
	GRACE = 5000     /* ms */
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

static int
has_name(int inlet)
{
	struct stat st;

	return fstat(inlet, &st) != 0 || st.st_nlink > 0;
}

/* Waits for the dispenser to close the inlet; or to remove it, should somebody else read it. One
   that takes over at once from one that is killed may open it before we see that. */
static void
wait_for_end(int inlet, const char *path, const char *request)
{
	int gone;

	do {
		if (inlet_send(inlet, request, strlen(request), -1) != 0) {
			if (errno != EPIPE)
				fail(STATUS_TROUBLE, "%s:", path);
			return;
		}
	} while ((gone = inlet_watch(inlet, -1, NULL, 0, AGAIN)) == 0 && has_name(inlet));
	if (gone < 0)
		fail(STATUS_TROUBLE, "poll:");
}

/* The name of a file in the dispenser's directory, for free(3). */
static char *
name_in(const char *path, const char *file)
{
	size_t size = strlen(path) + sizeof ".d/" + strlen(file);
	char *name = need_memory(malloc(size));

	snprintf(name, size, "%s.d/%s", path, file);
	return name;
}

/* A dispenser that ends removes its lock; one that is killed leaves it. */
static int
left_its_lock(const char *path)
{
	char *lock = name_in(path, "lock");
	struct stat st;
	int left = lstat(lock, &st) == 0;

	free(lock);
	return left;
}

/* A descriptor of the inlet. Where a dispenser was killed there may soon be another one. */
static int
find_dispenser(const char *path)
{
	struct timespec pause = clock_span(LOOK);
	long long until = clock_now() + RESTART;
	int inlet;

	while ((inlet = inlet_find(path)) < 0) {
		if (!left_its_lock(path))
			fail(STATUS_GONE, "%s: no tokend runs there", path);
		if (clock_now() >= until)
			fail(STATUS_GONE, "%s: its tokend was killed; remove what it left: tokend "
			    "-r %s", path, path);
		nanosleep(&pause, NULL);
	}
	return inlet;
}

/* Until one has ended in order. */
static void
stop_dispenser(const char *path, const char *request)
{
	int inlet, over;

	do {
		inlet = find_dispenser(path);
		wait_for_end(inlet, path, request);
		over = !has_name(inlet) || !left_its_lock(path);
		close(inlet);
	} while (!over);
}

struct victims {
	struct family all;       /* as of the last look */
	struct family list;      /* of them, those who are to end */
	struct stat *leases;     /* of the jobs */
	size_t leased;
	struct family before;    /* all there were at the first look */
	pid_t script;            /* from which jobs descend, or 0 */
	int dir;                 /* of the dispenser whose leases jobs have, or -1 */
	int orphans;             /* of the victims, too */
};

static void
add_victim(struct victims *v, const struct process *process)
{
	if (family_add(&v->list, process) != 0)
		fail(STATUS_TROUBLE, "no memory:");
}

/* The lease of a job, which all that it starts inherits: 0; or -1 where there is none, or where
   the system does not show descriptors: orphans stay unknown there. *fd, unless NULL, keeps it
   open. Its st_mode is how the job has it open, as the link in /proc shows. */
static int
lease_of(pid_t pid, struct stat *lease, int *fd)
{
	char path[64];
	struct stat link;

	snprintf(path, sizeof path, FD_PATH, (long)pid, LEASE);
	if (lstat(path, &link) != 0 || stat(path, lease) != 0 || !S_ISFIFO(lease->st_mode))
		return -1;
	if (fd != NULL && ((*fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0 ||
	    fstat(*fd, lease) != 0))
		return -1;
	lease->st_mode = link.st_mode;
	return 0;
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

struct claimed {
	int dir;
	struct stat lease;
};

/* Whether its lease is one of the dispenser's in that directory. */
static int
has_lease(void *context, const struct name *name)
{
	const struct claimed *claimed = context;
	struct stat st;

	return name->kind == NAME_LEASE && fstatat(claimed->dir, name->text, &st, 0) == 0 &&
	    descriptors_same(&st, &claimed->lease);
}

/* A pid alone promises nothing. The parent of a job may have ended, if it was a subshell. */
static int
is_job(const struct victims *v, const struct process *process)
{
	struct claimed claimed = {.dir = v->dir};
	pid_t parent = getppid();

	if (process == NULL || process->pid == getpid() || process->pid == parent)
		return 0;
	if (v->script == 0 && v->dir < 0)
		return process->parent == parent || process->parent == family_parent(parent);
	return (v->script > 0 && is_of_script(v, process)) || (v->dir >= 0 &&
	    lease_of(process->pid, &claimed.lease, NULL) == 0 &&
	    names_each(v->dir, has_lease, &claimed) == 1);
}

/* Whether that is its lease, and open for writing: the dispenser has the other end. */
static int
writes(pid_t pid, const struct stat *lease)
{
	struct stat st;

	return lease_of(pid, &st, NULL) == 0 && descriptors_same(&st, lease) &&
	    (st.st_mode & S_IWUSR);
}

/* Adds who has that lease and does not descend from the script, which has it while it starts a job
   there. group 0: of any group. */
static void
add_left(struct victims *v, const struct stat *lease, pid_t group)
{
	for (size_t i = 0; i < v->all.count; i++) {
		const struct process *process = v->all.list + i;

		if (process->pid != v->script && (group == 0 || process->group == group) &&
		    writes(process->pid, lease) &&
		    !(v->script > 0 && is_of_script(v, process)))
			add_victim(v, process);
	}
}

/* The shell of that job is gone, by no order of ours, and said nothing in its lease. bash, for
   one, puts off a TERM to all of its group while it forks, and then dies of it alone. */
static void
add_left_on(struct victims *v, const char *name)
{
	struct stat lease;

	if (v->dir >= 0 && fstatat(v->dir, name, &lease, 0) == 0)
		add_left(v, &lease, 0);
}

/* They stay open: else the inode of a lease that is gone is soon that of another batch's, and who
   has that would be taken for an orphan of ours. */
static void
know_lease(struct victims *v, const struct process *root)
{
	struct stat *lease = v->leases + v->leased;
	int fd;

	if (lease_of(root->pid, lease, &fd) != 0)
		return;
	v->leased++;
	if (v->script > 0)
		add_left(v, lease, root->group); /* its subshell was killed, for one */
}

/* Whether that is a job's shell, and lives when its lease is known: what it starts from then on is
   found by that, should it leave its family. */
static int
add_root(struct victims *v, const char *text)
{
	const struct process *process;
	long pid;

	if (number_scan(text, 2, INT_MAX, &pid) != 0)
		fail(STATUS_TROUBLE, "%s: not a pid", text);
	process = family_find(&v->all, (pid_t)pid);
	if (!is_job(v, process))
		return 0;
	add_victim(v, process);
	know_lease(v, process);
	return !family_ended((pid_t)pid);
}

static void
look(struct victims *v)
{
	if (family_read(&v->all) != 0)
		fail(STATUS_TROUBLE, "cannot list the processes of the jobs:");
}

/* Without -s and -d, our grandparent is the parent of jobs where we were started in the
   background, for which yash makes a shell of its own. */
static void
add_roots(struct victims *v, char **pids)
{
	size_t count = 0, left = 0;
	char *lease;

	while (pids[count] != NULL)
		count++;
	v->leases = need_memory(malloc(count * sizeof *v->leases));
	for (size_t i = 0; i < count; i++) {
		if ((lease = strchr(pids[i], '/')) != NULL)
			*lease++ = '\0';
		if (!add_root(v, pids[i]) && lease != NULL)
			pids[left++] = lease;
	}
	if (left > 0)
		look(v); /* children that they started just before they ended may be new */
	for (size_t i = 0; i < left; i++)
		add_left_on(v, pids[i]);
	if (v->script == 0 && v->list.count > 0)
		v->script = v->list.list[0].parent;
}

/* A child that a job made between our first look and the signal that ended the job is an orphan.
   A daemon, which left family and group before that, is spared; so is a child of the dispenser that
   has yet to execute something, which may have the other end of a lease as its descriptor 9. */
static int
is_orphan(const struct victims *v, const struct process *process)
{
	const struct process *was = family_find(&v->before, process->pid);
	struct stat st;

	if ((was != NULL && was->start == process->start) || lease_of(process->pid, &st, NULL) != 0)
		return 0;
	for (size_t i = 0; i < v->leased; i++)
		if (descriptors_same(&st, v->leases + i) && st.st_mode == v->leases[i].st_mode)
			return !is_of_script(v, process);
	return 0;
}

static int
is_also(void *context, const struct process *process)
{
	const struct victims *v = context;

	return v->orphans && is_orphan(v, process);
}

static void
add_descendants(struct victims *v)
{
	if (family_spread(&v->list, &v->all, is_also, v) != 0)
		fail(STATUS_TROUBLE, "no memory:");
}

/* Those of the victims that live, and the children they still make. */
static void
look_again(struct victims *v)
{
	if (family_read(&v->all) != 0)
		return;
	family_forget_ended(&v->list, &v->all);
	add_descendants(v);
}

static int
one_lives(const struct family *family)
{
	for (size_t i = 0; i < family->count; i++)
		if (!family_ended(family->list[i].pid))
			return 1;
	return 0;
}

/* Sends sig to the victims, until none is left or the time is over. On a machine with many
   processes a look takes long: so that is a tenth of the time at most. */
static void
end_victims(struct victims *v, int sig, long long ms)
{
	struct timespec pause = clock_span(LOOK);
	long long until = clock_now() + ms, next = 0, began;

	family_signal(&v->list, sig);
	while (v->list.count > 0 && clock_now() < until && (sig == SIGKILL || !hurry)) {
		nanosleep(&pause, NULL);
		began = clock_now();
		if (began < next && one_lives(&v->list))
			continue;
		look_again(v);
		family_signal(&v->list, sig);
		next = clock_now() + 9 * (clock_now() - began);
	}
}

static void
end_jobs(struct victims *v, char **pids, long long grace)
{
	if (*pids == NULL)
		return;
	look(v);
	add_roots(v, pids);
	add_descendants(v);
	v->orphans = 1;
	v->before = v->all;
	v->all = (struct family){0};
	end_victims(v, SIGTERM, grace);
	if (v->list.count > 0)
		look_again(v);
	end_victims(v, SIGKILL, KILLED);
}

static int
open_directory(const char *path)
{
	char *name = name_in(path, "");
	int dir = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(name);
	return dir; /* where it is gone only descent counts */
}

static void
check_held(const char *fifo)
{
	struct held held;

	if (held_find(fifo, &held) || held_shared(fifo))
		fail(STATUS_TROUBLE, "%s: this command holds a token of that pool, and would wait "
		    "for its own end: run tokstop after it; tokstop -f does not wait", fifo);
}

int
main(int argc, char **argv)
{
	struct victims victims = {.dir = -1};
	long long grace = GRACE;
	struct options o;
	int code, fflag = 0, pflag = 0, of_jobs = 0;
	const char *fifo;

	program = "tokstop";
	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1) {
		of_jobs |= strchr("dgs", code) != NULL;
		switch (code) {
		case 'd': victims.dir = open_directory(o.argument); break;
		case 'f': fflag = 1; break;
		case 'g': grace = number_option_ms(&o); break;
		case 'p': pflag = 1; break;
		case 's': victims.script = (pid_t)number_option(&o, 1, INT_MAX); break;
		}
	}
	if (pflag ? fflag : of_jobs)
		fail(STATUS_TROUBLE, "-d, -g and -s are for -p, which ends jobs; -f is not");
	if (pflag) {
		catch_signals();
		end_jobs(&victims, o.argv, grace);
		exit(STATUS_DONE); /* victims lives: nothing of it is freed */
	}
	if (argc - (o.argv - argv) > 1)
		options_misused(&o, "needs one FIFO");
	fifo = inlet_default(o.argv[0]);
	abroad_become(argv, fifo);
	fifo = inlet_path(fifo);
	if (!fflag)
		check_held(fifo);
	stop_dispenser(fifo, fflag ? "@stop now\n" : "@stop\n");
	return STATUS_DONE;
}
