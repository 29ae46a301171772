/*
 * The language of a dispenser and its attendant, which is one shell. The dispenser keeps the books
 * of jobs; the shell starts them. L is a lease (lease.h), ID the number of a job, STATUS as in $?.
 *
 * The shell reads lines from our standard output:
 *
 *	ready N [plain] [asks] [clock] [tells] [kept|files]	there are N tokens. plain, with the
 *			option "waits" (-B): a lease that closes without a last word means success,
 *			unless j came before or f follows.
 *			asks: a lease is given only when the shell asks. clock: each job writes
 *			'+' into its lease as it begins. tells: the shell tells the pid of each
 *			job. kept: a job writes into files beside its lease; files: into those
 *			of --results.
 *	slot K LABEL	slot K has a label
 *	L ID [KEY]	lease L may be opened for job ID: the next one, or the one asked for
 *	L ID [KEY] TEXT	the same for a command that a callback wanted, or "task TEXT" for that
 *			of a task
 *	who ID L	that job closed L without a last word: the answer is s; asked only of a
 *			shell that has said by "who=NAME" (-B) that it knows this language
 *	said ID TEXT	the job wrote ":TEXT" into its lease
 *	early L		the job that has L gave its token back
 *	ended ID STATUS SECONDS SLOT	with the option "ended"
 *	failed ID STATUS TEXT	with the option "failed"
 *	result ID NAME	a task has succeeded: its result is in the file ID.result
 *	gave STATUS NAME	a task has failed, at its last try
 *	task QUESTION 0	the answer to T and t; 1: there is one of that name
 *	skip ID		the answer to n: that job is not to be run (--resume-failed, --dry-run)
 *	all RESULT STARTED DONE FAILED [FIRST]	the answer to w and q; FIRST is the first of FAILED.
 *	count DONE FAILED [FIRST]	with "ended" or tasks: the figures, before these are told
 *	sync NUMBER	the answer to y
 *	stop RESULT WHY	start nothing more: asked, away, killed, limit, orphan, withdrawn, trouble;
 *			again, if it was said before, or the books' options say so. After away, when
 *			the directory is gone, "all" comes unasked
 *	option NAME VALUE	before "ready", of jobctl_open: the shell itself must know this
 *	fail STATUS	said by the parent of a dispenser that has failed, and has said why
 *	ready 0, stop 123 killed	said by the parent of one that was killed: nobody answers,
 *			and the end of the pipe comes when the shell has emptied the file "heard"
 *			in the dispenser's directory, and all leases are closed
 *
 * The shell appends lines to the plain file "calls" in the dispenser's directory. A plain file
 * never blocks the shell, nor kills it by SIGPIPE. If the shell wants an answer it rings the bell:
 * it opens the FIFO "bell" there to write, and closes it. We read the file also when a job has
 * ended.
 *
 *	n TEXT		asks for a lease for this command: the answer is a lease, skip or stop;
 *			only after "ready N asks", or o asks
 *	n		the same without a command
 *	c TEXT		a callback wants this run
 *	T QUESTION NAME<tab>TEXT	a task; the answer comes when it begins
 *	t QUESTION NAME<tab>TEXT	the same, of a callback: the answer does not wait
 *	p ID PID	the job's shell
 *	f ID STATUS [TEXT]	in a plain batch: the job has failed, as the shell saw that
 *			waited for it; ignored if it is known how it ended
 *	g		in a plain batch: the shell has waited for all jobs that have ended
 *	j ID		in a plain batch: that job will have a last word; without one, "who"
 *	i ID PID	the same of a job that can be tried again: its tries tell theirs
 *	l L PID		the same of the job that has the lease
 *	s ID STATUS [TEXT]	the answer to who, with the command of a job that has failed; -1:
 *			nobody knows; -2: a copy of the shell does not
 *	w [1]  q	wants to hear all; 1: a copy of the shell does; q: and then we end. Leases
 *			given and not opened are taken back, and their numbers given again, except
 *			those with a command
 *	k SECONDS	end the jobs, with this grace, and start no more; a process that then has a
 *			lease open, but left the family of its job, is not waited for
 *	a		the shell has heard the oldest line not acknowledged: any but leases,
 *			ready, slot, count and sync; nor "all" after q
 *	y NUMBER	a signal has ended a read, and a line may be lost: the answer is sync
 *			NUMBER, and then all lines not acknowledged; other leases are given anew
 *	h		"stop" was heard; say it again, to another shell
 *	r ID		that result was read: the file is removed
 *	o OPTION	an option of the books: see -B in tokend(5)
 *	e RESULT	start no more jobs
 *	x RESULT	the same, and the shell opens no more leases
 *
 * A job's last word is in its lease. A job that can be tried again (--retries, --memfree,
 * places, tasks) has a shell that stays as it was started: a child of it runs the command, and '#'
 * in the lease tells the pid of that child. If it fails, the shell makes the FIFO ID.again beside
 * its lease, has its last word, and closes the lease: the token is home. It reads "L TRY", its next
 * lease, or an empty line: the job is over. Until the shell waits (jobend -w) we try again to tell
 * it. If it has died, or dies before it has opened the lease, the job is over, too. We remove the
 * name at the end; without it or without us the shell waits no longer. Until the job is over no
 * other job has the lease of its first try: before a job, the script waits for the last one there.
 *
 * A job's output is kept unless its descriptor is another file than that of the dispenser was: the
 * guard names the files at jobctl_open, and jobend -s compares.
 *
 * This is a queue in front of standard output, written only when that does not block. Out of
 * memory: we report it, and the next flush fails, for a lost line would lose a token.
 */
#include <stddef.h>

/* Queues the formatted line. */
void attendant_say(const char *format, ...);
/* The same, and remembers the line until the shell has acknowledged it. */
void attendant_tell(const char *format, ...);
/* The shell has heard the oldest of these. */
void attendant_heard(void);
/* Says the remembered lines again. */
void attendant_again(void);
/* Nobody reads any more: drops all lines, also those to come. */
void attendant_mute(void);
/* Writes as much as can be written now. 0, or -1 if the reader has gone or a line was lost. */
int attendant_flush(void);
/* How many bytes wait. */
size_t attendant_waits(void);
