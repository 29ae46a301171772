/*
 * Stays beside the dispenser of jobctrl, whatever signals the terminal sends. If tokend is killed,
 * another one keeps the leases open, so that nothing blocks, until the jobs have ended.
 */
#include <sys/stat.h>

#include <stdio.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/family.h"
#include "../lib/status.h"
#include "arguments.h"
#include "for_process.h"
#include "guard.h"

enum { ROLE, PATH, COUNT, OPTIONS };

/* The script is the parent of the shell that runs us as a part of a pipeline: its pid, or 0 if that
   is unknown, or it has died. */
static pid_t
find_script(void)
{
	pid_t parent = getppid(), script = family_parent(parent);

	return script > 1 && getppid() == parent ? script : 0;
}

static void
begin_tokend(struct arguments *w, pid_t script)
{
	arguments_add(w, "tokend");
	arguments_add(w, "-a");
	if (script > 0)
		arguments_add(w, "-W%ld", (long)script);
	else
		arguments_add(w, "-w");
}

int
for_process(int argc, char **argv)
{
	struct arguments w = {0}, again = {0};
	pid_t script = find_script();
	int status, said;
	struct stat st;

	program = "jobctrl";
	if (fstat(STDOUT_FILENO, &st) != 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		fail(STATUS_TROUBLE, "nobody reads this: write \"jobctrl N | process M\"");
	guard_ignore();
	begin_tokend(&w, script);
	arguments_add(&w, "-Bwho=process");
	arguments_add(&w, "-Bwaits");
	arguments_add(&w, "-Bfirst=0");
	if (argc > COUNT) {
		arguments_add(&w, "-n");
		arguments_append(&w, argv + COUNT);
	}
	arguments_add(&w, "--");
	arguments_add(&w, "%s", argv[PATH]);
	status = said = guard_wait(guard_start(w.list, -1, -1));
	if (status > 128) {
		begin_tokend(&again, script);
		said = guard_wind_up(&again, argv[PATH], -1);
		status = STATUS_GONE;
	}
	if (said != STATUS_DONE)
		dprintf(STDOUT_FILENO, "fail %d\n", said);
	return status;
}
