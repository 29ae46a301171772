/*
 * jobat -- runs a command at a place: another machine, or wherever a program such as ssh can run
 * sh. The job there has ended when this has, whoever is killed and whatever breaks.
 *
 * This process has the output and the status of the job. A child of it keeps the session with the
 * place. jobctl lets the child stay for the other jobs of its slot: --slot.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobat.h"

#define USAGE "usage: jobat [option...] PLACE command [arg...]"

enum { SLOT = 256, MASTER, BEAT, WORKDIR, ENVIRONMENT }; /* options without a letter */

static const struct option table[] = {
	{'c', "script", NULL, "COMMAND is one word, a script for the sh there"},
	{ENVIRONMENT, "env", "NAME", "pass this variable to the command; may be repeated"},
	{WORKDIR, "workdir", "DIR", "where it runs there (default: as here)"},
	{BEAT, "beat", "SECONDS", "after three of these without a word a host is lost (2)"},
	{SLOT, "slot", "PATH", "for jobctl: a session that stays"},
	{MASTER, "master", "PATH", "for jobctl: a connection that sessions share"},
	OPTIONS_END
};

struct plan {
	char **words;          /* PLACE, and the command */
	char *slot, *master;   /* paths, or NULL */
	char den[PATH_MAX];    /* the directory of the slot */
	char **transport;      /* what runs sh at the place */
	char *directory;
	long beat_ms;
	int script;
	long long grace;
	struct outbox exports;
};

static void
check_words(struct plan *plan, const struct options *o)
{
	plan->words = o->argv;
	if (plan->master != NULL && plan->slot == NULL)
		return; /* they are those of ssh */
	if (o->argv[0] == NULL)
		options_misused(o, "needs a place and a command");
	if (*o->argv[0] == '\0')
		options_misused(o, "the place is empty; is a variable empty?");
	if (*o->argv[0] == '-')
		options_misused(o, "a place does not begin with -");
	if (plan->slot != NULL) {
		snprintf(plan->den, sizeof plan->den, "%.*s",
		    (int)(strrchr(plan->slot, '/') - plan->slot), plan->slot);
		return; /* it was checked */
	}
	if (plan->words[1] == NULL)
		options_misused(o, "needs a command");
	if (*plan->words[1] == '\0')
		options_misused(o, "the command is empty; is a variable empty?");
	if (plan->script && plan->words[2] != NULL)
		options_misused(o, "-c: needs one word, a script, such as: "
		    "jobat -c host 'cd /x && make'");
	if (!plan->script && plan->words[2] == NULL && strpbrk(plan->words[1], " \t\n;|&<>$"))
		options_misused(o, "the command has blanks or shell syntax; for a script write: "
		    "jobat -c host 'cd /x && make'");
}

static void
read_plan(struct plan *plan, char **argv)
{
	struct options o;
	int code;

	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1)
		switch (code) {
		case 'c': plan->script = 1; break;
		case BEAT: plan->beat_ms = beat_option(&o); break;
		case ENVIRONMENT:
			if (!shell_is_name(o.argument))
				options_wrong(&o, "not the name of a variable");
			if (getenv(o.argument) != NULL)
				shell_export(&plan->exports, o.argument, getenv(o.argument));
			break;
		case MASTER: plan->master = o.argument; break;
		case SLOT: plan->slot = o.argument; break;
		case WORKDIR: plan->directory = (char *)options_path(&o); break;
		}
	plan->grace = number_grace();
	check_words(plan, &o);
}

/* The program that runs sh at the place. */
static void
choose_transport(struct plan *plan, char *self)
{
	enum { OURS = 4 };
	char **words = transport_words(plan->words[0], OURS), *slash;

	if (words == NULL && errno == EINVAL)
		fail(STATUS_TROUBLE, "JOBCTL_RSH is empty; unset it to use ssh");
	if (words == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	plan->transport = words + OURS;
	slash = strrchr(words[OURS], '/');
	if (plan->master == NULL || strcmp(slash == NULL ? words[OURS] : slash + 1, "ssh") != 0)
		return;
	plan->transport = words;
	words[0] = self;
	words[1] = "--master";
	words[2] = plan->master;
	words[3] = "--";
	while (*++words != NULL)
		;
	words[-1] = NULL; /* sh: login_run() adds it */
}

/* Becomes the server. The owner of the job must not wait for it, nor have it in its group. A TERM
   for all processes, as Slurm sends, is for the client, which ends the job in order. */
static void
become_server(const struct plan *plan, struct server_terms *terms)
{
	const int ours[] = {terms->listener, terms->client, terms->alive, terms->here};

	terms->path = plan->slot;
	terms->session = (struct session_terms){.transport = plan->transport,
	    .directory = plan->directory, .beat_ms = plan->beat_ms,
	    .grace_ms = (long)plan->grace};
	if (setsid() < 0)
		_exit(STATUS_TROUBLE);
	background_leave(STDERR_FILENO);
	background_close_others(ours, sizeof ours / sizeof *ours);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	server_run(terms);
	if (plan->slot != NULL) {
		close(terms->here);
		den_sweep(plan->den);
	}
	_exit(STATUS_DONE);
}

/* Its pid. One that stays is no child of ours: tokstop -p ends all that descends from a job. */
static pid_t
fork_server(const struct plan *plan, struct server_terms *terms)
{
	pid_t pid = fork();

	if (pid == 0 && plan->slot != NULL && (pid = fork()) > 0)
		_exit(STATUS_DONE);
	if (pid < 0)
		fail(STATUS_TROUBLE, "fork:");
	if (pid == 0)
		become_server(plan, terms);
	return pid;
}

/* A socket to the server of the slot, which is started where there is none. One that was killed has
   left its file: its last job may not have ended yet. */
static int
reach_slot(const struct plan *plan, long long patience)
{
	struct server_terms ends = {.client = -1};
	int fd = local_connect(plan->slot);

	if (fd >= 0)
		return fd;
	if (errno == ECONNREFUSED) {
		clock_pause(patience);
		unlink(plan->slot);
	} else if (errno != ENOENT)
		fail(STATUS_TROUBLE, "%s:", plan->slot);
	/* Where whoever has the slots has gone, nothing is made that nobody would remove. */
	if (den_enter(plan->den, &ends.alive, &ends.here) != 0)
		fail(STATUS_TROUBLE, "%s: the process that had this slot has gone", plan->slot);
	if ((ends.listener = local_listen(plan->slot)) < 0)
		fail(STATUS_TROUBLE, "%s:", plan->slot);
	child_outcome(fork_server(plan, &ends));
	close(ends.listener);
	close(ends.alive);
	close(ends.here);
	if ((fd = local_connect(plan->slot)) < 0)
		fail(STATUS_TROUBLE, "%s:", plan->slot);
	return fd;
}

/* The server of the slot; or one for us alone, a child: its pid. */
static pid_t
reach_server(const struct plan *plan, struct client *client)
{
	static char fate[PATH_MAX];
	int ends[2];
	pid_t pid;

	if (plan->slot != NULL) {
		client->server = reach_slot(plan, client->patience);
		snprintf(fate, sizeof fate, "%s.fate", plan->slot);
		client->fate = fate;
		return 0;
	}
	if (local_pair(ends) != 0)
		fail(STATUS_TROUBLE, "socketpair:");
	pid = fork_server(plan, &(struct server_terms){.listener = -1, .client = ends[1],
	    .alive = -1, .here = -1});
	close(ends[1]);
	client->server = ends[0];
	return pid;
}

/* The variables that jobctl has set for the job, and the words of the command. */
static void
compose_job(struct plan *plan, struct outbox *words)
{
	static const char *const names[] = {"JOBCTL_ID", "JOBCTL_SLOT", "JOBCTL_TRY",
	    "JOBCTL_LABEL"};
	const char *value;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if ((value = getenv(names[i])) != NULL)
			shell_export(&plan->exports, names[i], value);
	if (plan->script)
		outbox_say(words, "sh -c ");
	for (char **word = plan->words + 1; *word != NULL; word++) {
		shell_word(words, *word);
		outbox_add(words, " ", 1);
	}
	outbox_add(words, "", 1);
	outbox_add(&plan->exports, "", 1);
	if (words->lost || plan->exports.lost)
		fail(STATUS_TROUBLE, "no memory:");
}

int
main(int argc, char **argv)
{
	static struct plan plan = {.beat_ms = BEAT_MS};
	struct client client = {0};
	struct outbox words = {0};
	char here[PATH_MAX];
	pid_t server;
	int status;

	(void)argc;
	program = "jobat";
	read_plan(&plan, argv);
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	if (plan.master != NULL && plan.slot == NULL)
		return login_run(plan.master, plan.words);
	if (plan.directory == NULL && (plan.directory = getcwd(here, sizeof here)) == NULL)
		fail(STATUS_TROUBLE, "the working directory:");
	compose_job(&plan, &words);
	choose_transport(&plan, argv[0]);
	client.place = plan.words[0];
	client.directory = plan.directory;
	client.patience = beat_patience(plan.beat_ms, plan.grace);
	server = reach_server(&plan, &client);
	status = client_run(&client, outbox_bytes(&plan.exports), outbox_bytes(&words));
	outbox_drop(&words);
	close(client.server);
	if (server > 0)
		child_outcome(server);
	orders_die();
	return status;
}
