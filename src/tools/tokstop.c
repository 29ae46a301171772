/*
 * tokstop -- asks a dispenser to end and waits until it has. Where it is killed before that,
 * another one may follow, by tokend -k for one, and is asked.
 *
 * With --kill it ends whoever holds a token there, too; with -p it ends jobs, and no dispenser.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

#define USAGE \
	"usage: tokstop [-f] [FIFO]\n" \
	"       tokstop --kill [-g seconds] [FIFO]\n" \
	"       tokstop -p [-g seconds] [-s pid] [-d FIFO] pid[/lease]..."

enum { KILL = 256 };

static const struct option table[] = {
	{'f', "force", NULL, "do not wait for the tokens: their jobs go on"},
	{KILL, "kill", NULL, "end those that hold tokens: SIGTERM, SIGKILL after grace"},
	{'g', "grace", "SECONDS", "time between TERM and KILL (default: 5)"},
	{'p', "processes", NULL, "end jobs, and no pool: by the pids of their shells"},
	{'d', "dispenser", "FIFO", "... that have a lease of this pool open"},
	{'s', "script", "PID", "... that are descendants of this script"},
	OPTIONS_END
};

#define HELD "%s: this command holds a token of that pool, and would "
#define HELD_END "wait for its own end: run tokstop after it"

enum {
	LOOK = 20,       /* ms between two looks for a dispenser that follows */
	AGAIN = 1000,    /* ms until it is asked again, who may be another one */
	RESTART = 2000,  /* ms in which one follows */
	GRACE = 5000     /* ms */
};

static int
has_name(int inlet)
{
	struct stat st;

	return fstat(inlet, &st) != 0 || st.st_nlink > 0;
}

/* Waits for the dispenser to close the inlet; or to remove it, should somebody else read it. One
   that takes over at once from one that is killed may open it before we see that. Ends those who
   hold tokens, unless v is NULL: also who was given one before the request came. */
static void
wait_for_end(int inlet, const char *path, const char *request, struct victims *v)
{
	int news;

	do {
		if (v != NULL && victims_hold(v, inlet))
			fail(STATUS_TROUBLE, HELD "end itself: run tokstop after it", path);
		if (inlet_send(inlet, request, strlen(request), -1) != 0) {
			if (errno != EPIPE)
				fail(STATUS_TROUBLE, "%s:", path);
			return;
		}
		if (v != NULL)
			victims_end(v);
	} while ((news = inlet_watch(inlet, -1, NULL, 0, AGAIN)) == INLET_SAME && has_name(inlet));
	if (news < 0)
		fail(STATUS_TROUBLE, "poll:");
}

/* The name of a file in the dispenser's directory, until the next call. */
static const char *
name_in(const char *path, const char *file)
{
	static char name[PATH_MAX];

	snprintf(name, sizeof name, "%s.d/%s", path, file);
	return name;
}

/* A dispenser that ends removes its lock; one that is killed leaves it. */
static int
left_its_lock(const char *path)
{
	return access(name_in(path, "lock"), F_OK) == 0;
}

/* Until one has ended in order. Where one was killed there may soon be another one. */
static void
stop_dispenser(const char *path, const char *request, struct victims *v)
{
	long long until;
	int inlet, over;

	do {
		until = clock_now() + RESTART;
		while ((inlet = inlet_find(path)) < 0) {
			if (!left_its_lock(path))
				fail(STATUS_GONE, "%s: no tokend runs there", path);
			if (clock_now() >= until)
				fail(STATUS_GONE, "%s: its tokend was killed; remove what it left: "
				    "tokend -r %s", path, path);
			clock_pause(LOOK);
		}
		wait_for_end(inlet, path, request, v);
		over = !has_name(inlet) || !left_its_lock(path);
		close(inlet);
	} while (!over);
}

/* -1 where it is gone: only descent counts then. */
static int
open_directory(const char *path)
{
	return open(name_in(path, ""), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
check_pool(const char *fifo, struct victims *v)
{
	struct held held;
	char line[1024];

	if (held_find(fifo, &held))
		fail(STATUS_TROUBLE, HELD HELD_END "; tokstop -f does not wait", fifo);
	if (v == NULL)
		return;
	/* The jobs of a script are its own, which may have a lease of theirs as it starts one. */
	if (!asking_once(fifo, "stat", "0", line, sizeof line))
		inlet_fail(fifo, STATUS_TROUBLE);
	if (strcmp(line, "no attendant") == 0)
		fail(STATUS_TROUBLE, "%s: its tokend serves one script only: end that", fifo);
	if ((v->dir = open_directory(fifo)) < 0)
		fail(STATUS_TROUBLE, "%s.d:", fifo);
}

int
main(int argc, char **argv)
{
	struct victims victims = {.dir = -1, .grace = GRACE};
	struct options o;
	int code, fflag = 0, pflag = 0, kills = 0, of_jobs = 0, graced = 0;
	const char *fifo;

	(void)argc;
	program = "tokstop";
	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1) {
		of_jobs |= code == 'd' || code == 's';
		switch (code) {
		case 'd': victims.dir = open_directory(o.argument); break;
		case 'f': fflag = 1; break;
		case 'g': graced = 1; victims.grace = number_option_ms(&o); break;
		case 'p': pflag = 1; break;
		case 's': victims.script = (pid_t)number_option(&o, 1, INT_MAX); break;
		case KILL: kills = 1; break;
		}
	}
	if (fflag + pflag + kills > 1 || of_jobs > pflag || graced > pflag + kills)
		fail(STATUS_TROUBLE, "-d and -s are for -p, which ends jobs; -g is for that and "
		    "--kill; -f goes with none of them");
	if (pflag) {
		victims_end_jobs(&victims, o.argv);
		exit(STATUS_DONE); /* victims lives: nothing of it is freed */
	}
	options_single(&o, 0, "needs one FIFO");
	fifo = inlet_default(o.argv[0]);
	abroad_become(argv, fifo, fflag ? NULL : HELD HELD_END);
	fifo = inlet_path(fifo);
	if (!fflag)
		check_pool(fifo, kills ? &victims : NULL);
	stop_dispenser(fifo, fflag ? "@stop now\n" : "@stop\n", kills ? &victims : NULL);
	exit(STATUS_DONE); /* as above */
}
