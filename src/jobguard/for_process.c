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
#include "for_process.h"
#include "guard.h"
#include "wordlist.h"

enum { ROLE, PATH, COUNT, OPTIONS };

/* The script has started the shell that runs us, which is a part of a pipeline: 0 where nobody can
   tell, or it has died. */
static pid_t
find_script(void)
{
	pid_t parent = getppid(), script = family_parent(parent);

	return script > 1 && getppid() == parent ? script : 0;
}

static void
begin_words(struct words *w, pid_t script)
{
	words_add(w, "tokend");
	words_add(w, "-a");
	words_add(w, script > 0 ? "-W%ld" : "-w", (long)script);
}

int
for_process(int argc, char **argv)
{
	struct words w = {0}, again = {0};
	pid_t script = find_script();
	int status, said;
	struct stat st;

	program = "jobctrl";
	if (fstat(STDOUT_FILENO, &st) != 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		fail(STATUS_TROUBLE, "nobody reads this: write \"jobctrl N | process M\"");
	guard_ignore();
	begin_words(&w, script);
	words_add(&w, "-Bwho=process");
	words_add(&w, "-Bfirst=0");
	if (argc > COUNT) {
		words_add(&w, "-n");
		words_copy(&w, argv + COUNT);
	}
	words_add(&w, "--");
	words_add(&w, "%s", argv[PATH]);
	status = said = guard_wait(guard_start(w.list, -1, -1, -1));
	if (status > 128) {
		begin_words(&again, script);
		said = guard_wind_up(&again, argv[PATH], -1);
		status = STATUS_GONE;
	}
	if (said != STATUS_DONE)
		dprintf(STDOUT_FILENO, "fail %d\n", said);
	return status;
}
