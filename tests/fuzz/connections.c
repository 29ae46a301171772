/*
 * jobkeep, from the words that jobs write into their slot's FIFO to the connections that it lends:
 * keeper.c and child.c, without processes. The first byte is options; the rest is a
 * script of lines. Job J, 0 to 9, is in slot J % 3 + 1.
 *
 *	oJ	job J opens the FIFOs of its slot; kJ it dies
 *	gJ	it says "get"; uJ it opens the connection that it has got, and says "+";
 *		yJ it says "ok"; each with its WHO, and another WHO for each "get"
 *	wJTEXT	it writes the line; vJTEXT without its newline; in TEXT, \1 stands for NUL
 *	rJ	it reads the connection's output
 *	pN	the last connection of which the number ends with N says something
 *	eNS	it ends, with status S; zN it does not end by TERM; qN it closes its output
 *	bN	the next one cannot be started
 *	d	the dispenser ends
 *	+N	10^N ms later; anything else lets the keeper take its news
 *
 * The keeper reads a line at a time, so that we can keep the same book: a connection is lent
 * to one WHO at a time, the one that asked last in that slot; and not again if that WHO has
 * gone without "ok", or some output is unread. All that wait are answered in time, and at
 * the end nothing is left.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processes.h"

static ssize_t read_line(int fd, void *to, size_t room);
static ssize_t write_seen(int fd, const void *text, size_t length);

#define read read_line
#define write write_seen
#define waitpid wait_none
#include "../../src/jobkeep/keeper.c"
#undef read
#undef write

#include "ground.h"

enum { JOBS = 10, SLOTS = 3, MOST_PROCESSES = 8192, PID = 1000000, ROUNDS = 200, TEXT_ROOM = 4200 };

/* One of connection N is at N. */
struct member {
	int there;           /* it was started and not waited for */
	int ended, status;
	int in, out;
	int stubborn;
	long unread, uses;   /* bytes of its output; jobs that were done with it */
	int slot, lent, spoilt;
};

struct job {
	int ask, in, out;
	int turn;
	char who[WORD];
};

struct book {                /* of a slot */
	char line[WORD];
	size_t used;
	char who[WORD];
	int waits;
	long lent;           /* number of the connection, or 0 */
	int taken;           /* it has said "+" */
};

static struct keeper k;
static struct member processes[MOST_PROCESSES];
static struct job jobs[JOBS];
static struct book books[SLOTS];
static int inlet, error;

static void
end_process(struct member *process, int status)
{
	if (!process->there || process->ended)
		return;
	ground_shut(&process->in);
	ground_shut(&process->out);
	process->ended = 1;
	process->status = status;
}

int
spawn_none(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	static const struct member empty;
	struct member *process = processes + k.number + 1;
	char name[NAME];
	int why = error;

	(void)file;
	(void)argv;
	(void)actions;
	(void)attributes;
	(void)environment;
	error = 0;
	if (why != 0)
		return why;
	if (k.number + 1 == MOST_PROCESSES || process->there)
		wrong("a connection more than there may be");
	*process = empty;
	snprintf(name, sizeof name, "%ld.in", k.number + 1);
	process->in = openat(k.dir, name, O_RDONLY | O_NONBLOCK);
	snprintf(name, sizeof name, "%ld.out", k.number + 1);
	process->out = openat(k.dir, name, O_WRONLY | O_NONBLOCK);
	if (process->in < 0 || process->out < 0)
		wrong("connection %ld has no FIFOs", k.number + 1);
	process->there = 1;
	*pid = PID + (pid_t)k.number + 1;
	return 0;
}

int
kill_none(pid_t pid, int sig)
{
	struct member *process = processes + (-pid - PID);

	if (pid > -PID || pid <= -PID - MOST_PROCESSES || !process->there)
		wrong("signal %d for %ld, who is none of ours", sig, (long)pid);
	if (sig == SIGKILL || (sig == SIGTERM && !process->stubborn))
		end_process(process, sig);
	return 0;
}

pid_t
wait_none(pid_t pid, int *status, int options)
{
	struct member *process = processes + (pid - PID);

	(void)options;
	if (pid <= PID || pid >= PID + MOST_PROCESSES || !process->there || !process->ended)
		wrong("it waits for %ld", (long)pid);
	process->there = 0;
	if (status != NULL)
		*status = process->status;
	return pid;
}

int
waitid_none(idtype_t kind, id_t id, siginfo_t *info, int options)
{
	int i;

	if (kind != P_ALL || id != 0 || options != (WEXITED | WNOHANG | WNOWAIT))
		wrong("it waits otherwise");
	for (i = 1; i < MOST_PROCESSES && i <= k.number + 1; i++)
		if (processes[i].there && processes[i].ended) {
			info->si_pid = PID + i;
			return 0;
		}
	return 0;
}

/* The job has gone, or wants another connection. */
static void
forsake(struct book *book)
{
	if (book->lent > 0) {
		processes[book->lent].lent = 0;
		processes[book->lent].spoilt = 1;
	}
	book->lent = book->waits = 0;
}

static void
note_line(struct book *book)
{
	char *who = strchr(book->line, ' ');

	if (who == NULL || who[1] == '\0' || strchr(who + 1, ' ') != NULL)
		return;
	*who++ = '\0';
	if (strcmp(book->line, "get") == 0) {
		forsake(book);
		strcpy(book->who, who);
		book->waits = 1;
	} else if (book->lent == 0 || strcmp(book->who, who) != 0) {
		return;
	} else if (strcmp(book->line, "+") == 0) {
		book->taken = 1;
	} else if (strcmp(book->line, "ok") == 0) {
		processes[book->lent].lent = 0;
		processes[book->lent].uses++;
		book->lent = 0;
	}
}

static void
note(struct book *book, char byte)
{
	if (byte == '\n') {
		book->line[book->used < WORD ? book->used : 0] = '\0';
		book->used = 0;
		note_line(book);
	} else if (book->used < WORD - 1 && byte >= ' ' && byte <= '~') {
		book->line[book->used++] = byte;
	} else {
		book->used = WORD;
	}
}

static ssize_t
read_line(int fd, void *to, size_t room)
{
	struct book *book = books;
	char *byte = to;
	ssize_t n = 1;

	while (book < books + k.count && k.desks[book - books].ask != fd)
		book++;
	if (book == books + k.count)
		return read(fd, to, room);
	while ((size_t)(byte - (char *)to) < room && (n = read(fd, byte, 1)) > 0) {
		note(book, *byte);
		if (*byte++ == '\n')
			break;
	}
	if (byte > (char *)to)
		return byte - (char *)to;
	if (n == 0) {
		forsake(book);
		book->used = 0;
	}
	return n;
}

static void
check_lent(struct book *book, long number, long uses)
{
	struct member *process = processes + number;
	int slot = (int)(book - books) + 1;

	if (number < 1 || number > k.number || !process->there)
		wrong("connection %ld is lent, and there is none", number);
	if (process->lent || (process->slot != 0 && process->slot != slot))
		wrong("connection %ld is lent twice", number);
	if (process->spoilt)
		wrong("connection %ld is lent, whose job has failed", number);
	if (uses != process->uses || (k.uses > 0 && uses >= k.uses))
		wrong("connection %ld was used %ld times, not %ld", number, process->uses, uses);
	if (uses > 0 && process->unread > 0)
		wrong("connection %ld is lent, and the last job has not read all", number);
	process->lent = 1;
	process->slot = slot;
	book->lent = number;
	book->taken = 0;
}

static void
check_answer(struct book *book, const char *text)
{
	char who[WORD], word[WORD];
	long number, uses;

	if (sscanf(text, "%63s %63s %ld %ld", who, word, &number, &uses) != 4)
		wrong("'%s': no answer", text);
	if (!book->waits || strcmp(who, book->who) != 0)
		wrong("'%s', and %s asked", text, book->who);
	book->waits = 0;
	if (strcmp(word, "ready") == 0)
		check_lent(book, number, uses);
	else if (strcmp(word, "refused") != 0 || number != 0 || uses != 0)
		wrong("'%s': no answer", text);
}

static ssize_t
write_seen(int fd, const void *text, size_t length)
{
	char line[WORD * 4];
	struct book *book = books;

	while (book < books + k.count && k.desks != NULL && k.desks[book - books].say != fd)
		book++;
	if (k.desks != NULL && book < books + k.count) {
		snprintf(line, sizeof line, "%.*s", (int)length, (const char *)text);
		check_answer(book, line);
	}
	return write(fd, text, length);
}

static void
check(void)
{
	const struct connection *c;
	long living = 0;
	int i;

	for (c = k.all; c != NULL; c = c->next)
		living += c->child.stage == CHILD_LIVES;
	if (living > k.count)
		wrong("%ld connections for %ld slots", living, k.count);
	for (i = 0; i < k.count; i++)
		if (k.desks[i].lent != (books[i].lent > 0) || books[i].waits)
			wrong("slot %d: lent is %d", i + 1, k.desks[i].lent);
}

/* Returns 0 if the keeper has ended. */
static int
step(void)
{
	if (k.count == 0)
		return 0;
	wait_ms(&k);
	if (k.inlet < 0 && k.all == NULL)
		return 0;
	if (news_wait(&k.news, 0) != 0)
		wrong("the keeper gives up");
	take_news(&k);
	check();
	return 1;
}

static void
say(struct job *job, const char *text, size_t length)
{
	if (job->ask >= 0 && write(job->ask, text, length) < 0)
		return; /* full */
}

static void
say_word(struct job *job, const char *word)
{
	char line[WORD * 2];

	snprintf(line, sizeof line, "%s %s\n", word, job->who);
	say(job, line, strlen(line));
}

static void
arrive(struct job *job)
{
	char name[NAME];

	if (job->ask >= 0)
		return;
	snprintf(name, sizeof name, "%d.ask", (int)((job - jobs) % k.count) + 1);
	job->ask = openat(k.dir, name, O_WRONLY | O_NONBLOCK);
	if (job->ask < 0 && k.inlet >= 0)
		wrong("job %d would wait in open", (int)(job - jobs));
}

static void
die(struct job *job)
{
	ground_shut(&job->ask);
	ground_shut(&job->in);
	ground_shut(&job->out);
}

/* Neither open may block. */
static void
take_up(struct job *job)
{
	const struct book *book = books + (job - jobs) % k.count;
	char name[NAME];

	if (job->ask >= 0 && job->in < 0 && book->lent > 0 && strcmp(book->who, job->who) == 0) {
		snprintf(name, sizeof name, "%ld.in", book->lent);
		job->in = openat(k.dir, name, O_WRONLY | O_NONBLOCK);
		snprintf(name, sizeof name, "%ld.out", book->lent);
		job->out = openat(k.dir, name, O_RDONLY | O_NONBLOCK);
		if (!book->taken && (job->in < 0 || job->out < 0))
			wrong("connection %ld cannot be opened", book->lent);
		if (job->in < 0)
			ground_shut(&job->out);
	}
	say_word(job, "+");
}

static void
read_answer(struct job *job)
{
	struct book *book = books + (job - jobs) % k.count;
	char block[512];
	ssize_t n;

	if (job->out < 0 || book->lent == 0 || strcmp(book->who, job->who) != 0)
		return;
	while ((n = read(job->out, block, sizeof block)) > 0)
		processes[book->lent].unread -= n;
}

static void
act_job(struct job *job, char *line, size_t length)
{
	switch (*line) {
	case 'o': arrive(job); break;
	case 'k': die(job); break;
	case 'g':
		ground_shut(&job->in);
		ground_shut(&job->out);
		snprintf(job->who, sizeof job->who, "%d.%d", (int)(job - jobs), ++job->turn);
		say_word(job, "get");
		break;
	case 'u': take_up(job); break;
	case 'y':
		ground_shut(&job->in);
		ground_shut(&job->out);
		say_word(job, "ok");
		break;
	case 'w': line[length++] = '\n'; /* FALLTHROUGH */
	case 'v': say(job, line + 2, length - 2); break;
	default: read_answer(job);
	}
}

static void
act_process(int digit, const char *line)
{
	struct member *process;
	long number = k.number;

	while (number > 0 && number % 10 != digit)
		number--;
	process = processes + number;
	if (number == 0 || !process->there || process->ended)
		return;
	switch (*line) {
	case 'p': process->unread += process->out >= 0 && write(process->out, "x", 1) == 1; break;
	case 'e': end_process(process, (atoi(line + 2) & 255) << 8); break;
	case 'z': process->stubborn = 1; break;
	default: ground_shut(&process->out);
	}
}

/* There is room for a newline. */
static void
act(char *line, size_t length)
{
	static const int errors[] = {EAGAIN, ENOENT, EACCES, ENOMEM};
	int digit = length > 1 && line[1] >= '0' && line[1] <= '9' ? line[1] - '0' : 0;
	size_t i;

	for (i = 0; i < length; i++)
		if (line[i] == '\1')
			line[i] = '\0';
	if (length > 1 && strchr("okguywvr", *line) != NULL) {
		act_job(jobs + digit, line, length);
	} else if (length > 1 && strchr("pezq", *line) != NULL) {
		act_process(digit, line);
	} else if (*line == 'b') {
		error = errors[digit % 4];
	} else if (*line == 'd') {
		ground_shut(&inlet);
	} else {
		if (*line == '+')
			ground_pass(line);
		step();
	}
}

static void
end_all(void)
{
	char name[NAME];
	long i;
	int rounds;

	step();
	for (rounds = 0; rounds < 20 && step(); rounds++)
		ground_clock(LONGEST);
	for (i = 0; i < k.count; i++)
		if (books[i].waits)
			wrong("%s waits for ever", books[i].who);
	ground_shut(&inlet);
	for (i = 0; i < JOBS; i++)
		die(jobs + i);
	for (rounds = 0; step(); rounds++) {
		if (rounds == ROUNDS)
			wrong("the keeper does not end");
		ground_clock(1000);
	}
	for (i = 1; i <= k.number + 1; i++) {
		snprintf(name, sizeof name, "%ld.in", i);
		if (processes[i].there || unlinkat(k.dir, name, 0) == 0)
			wrong("connection %ld is left", i);
		snprintf(name, sizeof name, "%ld.out", i);
		if (unlinkat(k.dir, name, 0) == 0)
			wrong("connection %ld is left", i);
	}
}

/* Closes and frees what the keeper keeps until its process ends. */
static void
close_keeper(void)
{
	long i;

	for (i = 0; i < k.count; i++) {
		close(k.desks[i].say);
		close(k.desks[i].say_read);
		ground_shut(&k.desks[i].ask);
	}
	free(k.desks);
	close(k.dir);
	news_close(&k.news);
}

static void
open_keeper(unsigned char options)
{
	static const struct keeper empty;
	static const struct book blank;
	static char *command[] = {"program", NULL};
	int ends[2], i;

	k = empty;
	memset(processes, 0, sizeof processes);
	for (i = 0; i < JOBS; i++)
		jobs[i].ask = jobs[i].in = jobs[i].out = -1;
	for (i = 0; i < SLOTS; i++)
		books[i] = blank;
	error = 0;
	k.count = options % 3 + 1;
	k.idle = options & 4 ? 1000 : -1;
	k.uses = options & 8 ? 2 : 0;
	k.grace = 3000;
	k.command = command;
	k.dir = open(".", O_RDONLY | O_DIRECTORY);
	if (pipe(ends) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0)
		wrong("no pipe");
	inlet = ends[0];
	k.inlet = ends[1];
	keeper_open(&k);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *script, *rest, *line;
	size_t length;
	int before;

	if (size < 1)
		return 0;
	ground_anew();
	before = ground_descriptors();
	open_keeper(data[0]);
	rest = script = ground_text(data + 1, size - 1);
	while ((line = line_next(&rest)) != NULL) {
		length = strlen(line);
		act(line, length);
		line[length] = '\0';
	}
	free(script);
	end_all();
	close_keeper();
	if (ground_descriptors() != before)
		wrong("descriptors are left open");
	return 0;
}
