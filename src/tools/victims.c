#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

#define FD_PATH "/proc/%ld/fd/%.16s"
#define LEASE "9" /* the descriptor of a job's lease */

enum {
	LOOK = 20,      /* ms between two looks at the dying */
	KILLED = 2000   /* ms until what was sent KILL is gone, but for a stuck system call */
};

static volatile sig_atomic_t hurry;

static void
on_signal(int sig)
{
	(void)sig;
	hurry = 1;
}

static void
add_victim(struct victims *v, const struct process *process)
{
	if (family_add(&v->list, process) != 0)
		fail(STATUS_TROUBLE, "no memory:");
}

/* The FIFO that a process has open as that descriptor: 0; or -1 where there is none, or where the
   system does not show descriptors. Its st_mode is how it is open, as the link in /proc shows. */
static int
fifo_of(pid_t pid, const char *number, struct stat *fifo)
{
	char path[64];
	struct stat link;

	snprintf(path, sizeof path, FD_PATH, (long)pid, number);
	if (stat(path, fifo) != 0 || !S_ISFIFO(fifo->st_mode) || lstat(path, &link) != 0)
		return -1;
	fifo->st_mode = link.st_mode;
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

/* Whether that FIFO, which a process has as that descriptor, is in that directory. By its name: its
   number may be that of another file as soon as it has gone. */
static int
is_lease(int dir, pid_t pid, const char *number, const struct stat *fifo)
{
	char path[64], link[4096], *name;
	struct stat st;
	ssize_t n;

	snprintf(path, sizeof path, FD_PATH, (long)pid, number);
	n = readlink(path, link, sizeof link - 1);
	link[n > 0 ? n : 0] = '\0';
	return (name = strrchr(link, '/')) != NULL &&
	    fstatat(dir, name + 1, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    descriptors_same(fifo, &st);
}

/* A pid alone promises nothing. The parent of a job may have ended, if it was a subshell. */
static int
is_job(const struct victims *v, const struct process *process)
{
	pid_t parent = getppid();
	struct stat lease;

	if (process == NULL || process->pid == getpid() || process->pid == parent)
		return 0;
	if (v->script == 0 && v->dir < 0)
		return process->parent == parent || process->parent == family_parent(parent);
	return (v->script > 0 && is_of_script(v, process)) || (v->dir >= 0 &&
	    fifo_of(process->pid, LEASE, &lease) == 0 &&
	    is_lease(v->dir, process->pid, LEASE, &lease));
}

/* Adds who has that lease open for writing, as the dispenser has not, and does not descend from the
   script, which has it while it starts a job there. group 0: of any group. */
static void
add_left(struct victims *v, const struct stat *lease, pid_t group)
{
	for (size_t i = 0; i < v->all.count; i++) {
		const struct process *process = v->all.list + i;
		struct stat st;

		if (process->pid != v->script && (group == 0 || process->group == group) &&
		    fifo_of(process->pid, LEASE, &st) == 0 && descriptors_same(&st, lease) &&
		    (st.st_mode & S_IWUSR) && !(v->script > 0 && is_of_script(v, process)))
			add_victim(v, process);
	}
}

/* They stay open: else the inode of a lease that is gone is soon that of another batch's, and who
   has that would be taken for an orphan of ours. */
static void
know_lease(struct victims *v, const struct process *root)
{
	struct stat *lease = v->leases + v->leased, st;
	char path[64];

	snprintf(path, sizeof path, FD_PATH, (long)root->pid, LEASE);
	if (fifo_of(root->pid, LEASE, lease) != 0 ||
	    fstat(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), &st) != 0 ||
	    !descriptors_same(&st, lease))
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
look_at_all(struct victims *v)
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
	struct stat st;
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
		look_at_all(v); /* children that they started just before they ended may be new */
	/* Their shells are gone, by no order of ours, and said nothing in the lease. bash, for one,
	   puts off a TERM to all of its group while it forks, and then dies of it alone. */
	for (size_t i = 0; i < left; i++)
		if (v->dir >= 0 && fstatat(v->dir, pids[i], &st, 0) == 0)
			add_left(v, &st, 0);
	if (v->script == 0 && v->list.count > 0)
		v->script = v->list.list[0].parent;
}

/* A child that a job made between our first look and the signal that ended the job is an orphan.
   A daemon, which left family and group before that, is spared; so is a child of the dispenser that
   has yet to execute something, which may have the other end of a lease as its descriptor 9. */
static int
is_orphan(void *context, const struct process *process)
{
	const struct victims *v = context;
	const struct process *was = family_find(&v->before, process->pid);
	struct stat st;

	if ((was != NULL && was->start == process->start) || fifo_of(process->pid, LEASE, &st) != 0)
		return 0;
	for (size_t i = 0; i < v->leased; i++)
		if (descriptors_same(&st, v->leases + i) && st.st_mode == v->leases[i].st_mode)
			return !is_of_script(v, process);
	return 0;
}

/* All that runs with tokens of a tokend that borrows from ours is to end, too: that has its
   directory open. */
static void
add_borrower(struct victims *v, DIR *fds)
{
	struct dirent *entry;
	char lock[32];
	int dir;

	rewinddir(fds);
	while ((entry = readdir(fds)) != NULL) {
		snprintf(lock, sizeof lock, "%.16s/" NAMES_WAITING "/../lock", entry->d_name);
		if (faccessat(dirfd(fds), lock, F_OK, 0) != 0 || (dir = openat(dirfd(fds),
		    entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
			continue;
		v->borrowers = need_memory(room_for(v->borrowers, &v->room, v->borrow + 1,
		    sizeof *v->borrowers));
		v->borrowers[v->borrow++] = dir;
	}
}

/* Whoever has a lease open for writing, but for the dispenser, which alone reads the inlet. */
static int
is_holder(void *context, const struct process *process)
{
	struct victims *v = context;
	struct dirent *entry;
	struct stat fifo;
	int holds = 0, writes;
	char path[64];
	DIR *fds;

	snprintf(path, sizeof path, FD_PATH, (long)process->pid, "");
	if ((fds = opendir(path)) == NULL)
		return 0;
	while (holds >= 0 && (entry = readdir(fds)) != NULL) {
		if (fifo_of(process->pid, entry->d_name, &fifo) != 0)
			continue;
		writes = (fifo.st_mode & S_IWUSR) != 0;
		if (!writes && descriptors_same(&fifo, &v->inlet))
			holds = -1;
		for (size_t i = 0; writes && holds == 0 && i <= v->borrow; i++)
			holds = is_lease(i == 0 ? v->dir : v->borrowers[i - 1], process->pid,
			    entry->d_name, &fifo);
	}
	if (holds > 0)
		add_borrower(v, fds);
	closedir(fds);
	return holds > 0;
}

static void
add_descendants(struct victims *v)
{
	if (family_spread(&v->list, &v->all, v->also, v) != 0)
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
	long long until = clock_now() + ms, next = 0, began;

	family_signal(&v->list, sig);
	while (v->list.count > 0 && clock_now() < until && (sig == SIGKILL || !hurry)) {
		clock_pause(LOOK);
		began = clock_now();
		if (began < next && one_lives(&v->list))
			continue;
		look_again(v);
		family_signal(&v->list, sig);
		next = clock_now() + 9 * (clock_now() - began);
	}
}

void
victims_end(struct victims *v)
{
	end_victims(v, SIGTERM, v->grace);
	if (v->list.count > 0)
		look_again(v);
	end_victims(v, SIGKILL, KILLED);
}

void
victims_end_jobs(struct victims *v, char **pids)
{
	orders_catch(SIGINT, on_signal);
	orders_catch(SIGTERM, on_signal);
	orders_catch(SIGHUP, on_signal);
	if (*pids == NULL)
		return;
	look_at_all(v);
	add_roots(v, pids);
	add_descendants(v);
	v->also = is_orphan;
	v->before = v->all;
	v->all = (struct family){0};
	victims_end(v);
}

int
victims_hold(struct victims *v, int inlet)
{
	char number[16];

	snprintf(number, sizeof number, "%d", inlet);
	if (fifo_of(getpid(), number, &v->inlet) != 0)
		fail(STATUS_TROUBLE, "--kill: this system does not tell who has a token");
	while (v->borrow > 0)
		close(v->borrowers[--v->borrow]);
	v->list.count = 0;
	v->also = is_holder;
	look_at_all(v);
	add_descendants(v);
	return family_find(&v->list, getpid()) != NULL;
}
