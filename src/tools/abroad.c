#if defined __linux__ && !defined PORTABLE
#include <sys/prctl.h>
#endif
#include <sys/select.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

enum {
	OPENING = 180000,      /* ms in which HOST says its first word */
	GRACE = 2000           /* ms between TERM and KILL of the command; or less, if it is late */
};

static const long long NEVER = LLONG_MAX;
static const char beat = NEAR_BEAT, done = NEAR_DONE, answered = FAR_ANSWER;

struct borrower {
	const struct wish *wish;
	const char *place;     /* HOST:FIFO */
	long beat_ms;
	int in, ticks;         /* to the transport; to the guard */
	int input;             /* ours: what the transport says is in its place, for pselect(2) */
	pid_t transport, guard, command;
	struct outbox said;    /* by HOST, and not yet understood */
	int hello;             /* it has begun to speak */
	int needs;             /* so many answers, until the token is ours; -1: not granted */
	int status;            /* of tokget there, or -1 */
	long long wrote, due;  /* the last beat, and the next one */
	long long limit, until; /* when HOST is lost; -t */
	const char *loss;      /* why it is, or NULL */
	int interrupts, pipe_default; /* SIGINT that were passed on; SIGPIPE was not ignored */
	sigset_t mask;
};

const char *
abroad_split(const char *operand, char **host)
{
	const char *colon = fifo_colon(operand), *name = operand;
	size_t length;

	*host = NULL;
	if (colon == NULL)
		return operand;
	length = (size_t)(colon - name);
	if (*name == '[' && length > 1 && colon[-1] == ']') {
		name++;
		length -= 2;
	}
	if (length == 0 || *operand == '-' || colon[1] == '\0')
		fail(STATUS_TROUBLE, "%s: not HOST:FIFO; a file of that name is ./%s", operand,
		    operand);
	*host = need_memory(strdup(name));
	(*host)[length] = '\0';
	colon++;
	colon += strncmp(colon, "~/", 2) == 0 && colon[2] != '\0' ? 2 : 0;
	if (fifo_colon(colon) != NULL)
		fail(STATUS_TROUBLE, "%s: not HOST:FIFO: a file %s there is %s:./%s, and an "
		    "address with colons has brackets: [::1]:FIFO", operand, colon, *host, colon);
	return colon;
}

/* Under that name JOBCTL_HELD lists it. */
static const char *
place_of(const char *host, const char *fifo)
{
	static struct outbox place; /* to the end */

	outbox_say(&place, "%s:%s", host, fifo);
	return outbox_text(&place);
}

void
abroad_become(char **argv, const char *operand, const char *held)
{
	char *host, **words, **arguments = argv + (argv[0] != NULL);
	const char *fifo = abroad_split(operand, &host);
	char *const ours[] = {"jobat", "--workdir", ".", "--", host, "sh", "-c", ABROAD_RUN,
	    (char *)program, host};
	size_t own = sizeof ours / sizeof *ours, n = 0;

	if (host == NULL)
		return;
	if (held != NULL && held_abroad(place_of(host, fifo)))
		fail(STATUS_TROUBLE, held, operand);
	if (*fifo == '-')
		fail(STATUS_TROUBLE, "%s: write %s:./%s", operand, host, fifo);
	while (arguments[n] != NULL)
		n++;
	words = need_memory(calloc(own + n + 2, sizeof *words));
	memcpy(words, ours, sizeof ours);
	memcpy(words + own, arguments, n * sizeof *words);
	words[own + n - (n > 0 && arguments[n - 1] == operand)] = (char *)fifo;
	exit(command_exec(words));
}

/* What the sh there reads. The words behind the FIFO are for tokstat to show. */
static void
write_script(struct borrower *b, const char *host, const char *fifo)
{
	const struct wish *wish = b->wish;
	struct outbox script = {0};
	char name[65] = "";

	gethostname(name, sizeof name - 1);
	outbox_say(&script, "{ printf '\\%03o'; sh -c ", FAR_HELLO);
	shell_word(&script, ABROAD_RUN);
	outbox_say(&script, " tokget ");
	shell_word(&script, host);
	outbox_say(&script, " --far " BEAT_FORMAT " -x -j none -p %s -k %s%s%s%s -- ",
	    (double)b->beat_ms / 1000, wish->priority, wish->count, wish->now ? " -n" : "",
	    wish->start != NULL ? " -N " : "", wish->start != NULL ? wish->start : "");
	shell_word(&script, fifo);
	outbox_say(&script, " held for ");
	shell_word(&script, name);
	outbox_say(&script, " process %ld; echo \"%c$?\"; exit; }\n", (long)getpid(), FAR_STATUS);
	outbox_flush(&script, b->in); /* if nobody reads this, nobody answers */
}

/* Only the answer to a beat that is written after this counts. */
static void
take_grant(struct borrower *b, char *count)
{
	char *slots = strchr(count, ' '), *labels = strchr(count, '\n');

	if (slots == NULL || labels == NULL)
		return;
	*slots++ = *labels++ = '\0';
	if (setenv("JOBCTL_COUNT", count, 1) != 0 || setenv("JOBCTL_SLOT", slots, 1) != 0 ||
	    setenv("JOBCTL_LABEL", labels, 1) != 0)
		b->loss = "no memory";
	b->needs = b->due == NEVER ? 2 : 1;
	b->due = b->due == NEVER ? NEVER : 0;
}

/* 1 when a word was taken; 0: all of the next one must come first. */
static int
take_far_word(struct borrower *b)
{
	size_t length = outbox_waits(&b->said);
	char *text = (char *)outbox_bytes(&b->said), *end = text;
	long long kill_at = b->wrote + (BEAT_MISSED + 1) * b->beat_ms;

	if (length == 0)
		return 0;
	if (!b->hello) { /* or what a login prints */
		b->hello = *text == FAR_HELLO;
		b->due = b->hello ? 0 : NEVER;
		b->limit = b->hello ? clock_now() + BEAT_MISSED * b->beat_ms : b->limit;
	} else if (*text == FAR_ANSWER) {
		b->needs -= b->needs > 0;
		b->due = b->needs > 0 ? 0 : b->wrote + b->beat_ms;
		b->limit = b->wrote + BEAT_MISSED * b->beat_ms;
		if (b->guard > 0 && write(b->ticks, &kill_at, sizeof kill_at) < 0)
			b->loss = "the process that guards the command hangs";
	} else if (*text == FAR_GRANT || *text == FAR_STATUS) {
		if ((end = memchr(text, *text == FAR_GRANT ? '\0' : '\n', length)) == NULL)
			return 0;
		if (*text == FAR_GRANT)
			take_grant(b, text + 1);
		else
			b->status = atoi(text + 1);
	}
	outbox_take(&b->said, (size_t)(end + 1 - text));
	return 1;
}

/* Waits once: for words of HOST, for a signal, or until something is due. */
static void
wait_for_host(struct borrower *b)
{
	struct timespec time;
	fd_set set;

	if (clock_wait_ms(b->due) == 0) {
		b->wrote = clock_now();
		b->due = NEVER;
		if (write(b->in, &beat, 1) < 0)
			return; /* its last words are still to be read, in the next turn */
	}
	time = clock_span(clock_sooner(clock_wait_ms(b->until),
	    clock_sooner(clock_wait_ms(b->limit), clock_wait_ms(b->due))));
	FD_ZERO(&set);
	FD_SET(STDIN_FILENO, &set);
	if (pselect(STDIN_FILENO + 1, &set, NULL, NULL, &time, &b->mask) > 0 &&
	    outbox_read(&b->said, STDIN_FILENO, OUTBOX_PIPE) <= 0)
		b->loss = b->hello ? "the connection was lost" : "it cannot be reached";
	while (take_far_word(b))
		;
	if (b->status >= 0 && b->needs == 0)
		b->loss = "the process that holds the token there was killed";
	else if (b->loss == NULL && clock_wait_ms(b->limit) == 0)
		b->loss = "no answer came in time";
}

/* -1 when the token is ours; else the status. */
static int
wait_for_token(struct borrower *b)
{
	while (b->needs != 0 && b->loss == NULL && b->status < 0 && clock_wait_ms(b->until) > 0) {
		wait_for_host(b);
		if (orders_end != 0 || orders_interrupts != 0)
			kill(-b->transport, SIGKILL);
		orders_die();
	}
	if (b->needs == 0 && b->loss == NULL && b->status < 0)
		return -1;
	if (b->status == STATUS_NO_TOKEN || clock_wait_ms(b->until) == 0)
		return b->wish->no_token;
	if (b->status > 0 && b->status < 128)
		return b->status; /* and there was a message */
	complain("%s: no token: %s", b->place, b->status < 0 ? b->loss : "tokget there was killed");
	return STATUS_GONE;
}

/* Sends KILL when that time comes, unless it hears of another one; or at our end. The command says
   which group is its own, as a number below 0. */
static void
guard_command(int ticks, long long end, pid_t transport)
{
	long long tick, group = 0;

	setsid();
	background_leave(STDERR_FILENO);
	background_close_others(&ticks, 1);
	while (descriptors_poll(ticks, POLLIN, (int)clock_wait_ms(end)) != 0 &&
	    read(ticks, &tick, sizeof tick) == (ssize_t)sizeof tick)
		*(tick < 0 ? &group : &end) = tick;
	if (group != 0)
		kill((pid_t)group, SIGKILL);
	kill(-transport, SIGKILL);
	_exit(STATUS_LOST);
}

/* In a group of its own, which cannot read from the terminal: that is an error to it. */
static void
start_command(struct borrower *b, char **argv)
{
	long long group;
	pid_t self = getpid();
	int ends[2];

	if (descriptors_pipe(ends, 1) != 0)
		fail(STATUS_TROUBLE, "pipe:");
	b->ticks = ends[1];
	if ((b->guard = fork()) == 0)
		guard_command(ends[0], b->limit + b->beat_ms, b->transport);
	close(ends[0]);
	if (b->guard < 0 || (b->command = fork()) < 0)
		fail(STATUS_TROUBLE, "fork:");
	setpgid(b->command, b->command); /* whoever is first */
	if (b->command != 0)
		return;
#if defined __linux__ && !defined PORTABLE
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* the guard may be killed, too */
#endif
	group = -(long long)getpid();
	if (getppid() != self || write(b->ticks, &group, sizeof group) < 0)
		_exit(STATUS_LOST);
	if (dup2(b->input, STDIN_FILENO) < 0)
		close(STDIN_FILENO);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	signal(SIGXFSZ, SIG_DFL);
	if (b->pipe_default)
		signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &b->mask, NULL);
	exit(command_exec(argv));
}

/* The token is lost. The command is waited for only when all of its group were killed: so that
   number is no other group's. */
static int
end_command(const struct borrower *b)
{
	kill(-b->command, SIGTERM);
	kill(-b->command, SIGCONT);
	clock_pause(clock_sooner(GRACE, clock_wait_ms(b->limit + b->beat_ms)));
	kill(-b->command, SIGKILL);
	while (waitpid(b->command, NULL, 0) < 0)
		;
	complain("%s: lost: %s; the command was ended", b->place, b->loss);
	return STATUS_LOST;
}

/* Signals to us are for the command. */
static int
run_with_token(struct borrower *b, char **argv)
{
	int status = wait_for_token(b);

	if (status >= 0)
		return status;
	b->until = NEVER;
	start_command(b, argv);
	while (waitpid(b->command, &status, WNOHANG) <= 0) {
		wait_for_host(b);
		if (waitpid(b->guard, NULL, WNOHANG) == b->guard && b->loss == NULL)
			b->loss = "the process that guards the command was killed";
		if (b->loss != NULL)
			return end_command(b);
		for (; b->interrupts < orders_interrupts; b->interrupts++)
			kill(-b->command, SIGINT);
		for (; orders_more != 0; orders_more += orders_more < 0 ? 1 : -1)
			kill(-b->command, orders_more > 0 ? SIGUSR1 : SIGUSR2);
		if (orders_end != 0)
			kill(-b->command, orders_end);
		orders_end = 0;
	}
	kill(b->guard, SIGKILL);
	b->needs = -1;
	b->due = NEVER;
	b->limit = clock_now() + BEAT_MISSED * b->beat_ms;
	if (write(b->in, &done, 1) < 0)
		b->limit = 0;
	while (b->status < 0 && b->loss == NULL && orders_end == 0 &&
	    b->interrupts == orders_interrupts)
		wait_for_host(b);
	if (b->status != STATUS_DONE)
		complain("%s: the token has not come back yet", b->place);
	return child_code(status);
}

void
abroad_run(const struct wish *wish, const char *host, const char *fifo, long beat_ms, char **argv)
{
	struct borrower b = {.wish = wish, .beat_ms = beat_ms, .needs = -1, .status = -1,
	    .due = NEVER, .limit = clock_now() + OPENING,
	    .until = wish->until < 0 ? NEVER : wish->until};
	static char **words; /* to the end */
	int out, error;

	b.place = place_of(host, fifo);
	if (held_abroad(b.place) && !wish->now && wish->until < 0)
		fail(STATUS_TROUBLE, "%s: this command runs with a token of that pool, and could "
		    "wait for itself: leave tokget out here", b.place);
	if (held_say_abroad(b.place) != 0)
		fail(STATUS_TROUBLE, "environment:");
	b.pipe_default = orders_open(&b.mask);
	orders_hear_more();
	words = transport_words(host, 0);
	error = transport_start(words, &b.transport, &b.in, &out, NULL);
	b.input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (error == 0 && dup2(out, STDIN_FILENO) < 0)
		error = errno;
	if (error != 0)
		fail(STATUS_GONE, "%s: no token: %s: %s", b.place, words == NULL ? "JOBCTL_RSH"
		    : words[0], error == EINVAL ? "is empty" : strerror(error));
	write_script(&b, host, fifo);
	error = run_with_token(&b, argv);
	kill(-b.transport, SIGKILL);
	exit(error);
}

/* At HOST. */

static pid_t beater;
static int up[2]; /* a pipe to it: the path of the lease, a NUL, the grant */
static long long held_ms;

/* 1 once we have the lease and have passed on the grant, two writes; 0: not yet; -1: never. */
static int
pass_grant(void)
{
	static int lease = -1;
	char text[2 * OUTBOX_PIPE];
	ssize_t n = read(up[0], text, sizeof text), length = 0;

	if (n <= 0)
		return -1;
	if (lease < 0) {
		if ((lease = fifo_open(AT_FDCWD, text, O_WRONLY)) < 0)
			return -1;
		length = (ssize_t)strlen(text) + 1;
	}
	return n > length && write(STDOUT_FILENO, text + length, (size_t)(n - length)) > 0;
}

/* The beater, to its end: 1 if the command may run on for a while. */
static int
answer_beats(pid_t asker)
{
	char word = ' '; /* NEAR_DONE: also when no beat comes; '\0': when none ever will */
	long long until = clock_now() + held_ms;
	int granted = 0, used = 0;

	while (word != NEAR_DONE && word != '\0') {
		struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
		    {.fd = up[0], .events = POLLIN}};

		if (word == NEAR_BEAT) {
			until = clock_now() + held_ms;
			used = granted;
			word = write(STDOUT_FILENO, &answered, 1) == 1 ? ' ' : '\0';
		}
		if (poll(fds, 2, (int)clock_wait_ms(until)) <= 0)
			word = NEAR_DONE;
		else if (fds[1].revents != 0 && (granted = pass_grant()) < 0) {
			clock_pause(used ? held_ms : 0);
			return 0;
		} else if (fds[0].revents != 0 && read(STDIN_FILENO, &word, 1) != 1)
			word = '\0';
	}
	if (!granted)
		kill(asker, SIGTERM);
	return word == '\0' && used;
}

void
far_begin(long beat_ms)
{
	pid_t asker = getpid();

	held_ms = beat_held(beat_ms);
	signal(SIGTERM, SIG_DFL);
	if (descriptors_pipe(up, -1) != 0 || (beater = fork()) < 0)
		fail(STATUS_TROUBLE, "pipe and fork:");
	if (beater == 0) {
		close(up[1]);
		close(STDERR_FILENO);
		signal(SIGPIPE, SIG_IGN);
		signal(SIGTERM, SIG_IGN); /* or it could end both of us */
		_exit(answer_beats(asker));
	}
	background_leave(STDOUT_FILENO);
}

void
far_hold(const struct grant *grant)
{
	char text[OUTBOX_PIPE];
	const struct tokens *tokens = &grant->tokens;
	int length = snprintf(text, sizeof text, "%c%ld %s\n%s", FAR_GRANT, tokens->count,
	    tokens->slots, tokens_labels(tokens));

	background_leave(STDERR_FILENO);
	if (length < (int)sizeof text && write(up[1], grant->path, strlen(grant->path) + 1) > 0 &&
	    write(up[1], text, (size_t)length + 1) > 0 && child_outcome(beater) != 0)
		clock_pause(held_ms);
	exit(STATUS_DONE);
}
