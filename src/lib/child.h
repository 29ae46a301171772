/*
 * A child process: how it begins, and its end in stages. One that leads a process group is
 * signalled with all its group: the group's number stays its own until the child was waited for.
 */
#include <sys/types.h>

#include <signal.h>
#include <stddef.h>

/* What differs from us. Descriptors stay the caller's. */
struct child_setup {
	int in, out, err;         /* become its standard descriptors; -1: ours */
	int shut;                 /* is closed there; or -1 */
	int leads;                /* a process group of its own */
	const sigset_t *mask;     /* its signal mask, or NULL for ours */
	const sigset_t *defaults; /* signals that we may ignore and it shall not; or NULL */
	char **environment;       /* or NULL for ours */
};

enum child_stage { CHILD_LIVES, CHILD_LEAVES, CHILD_TOLD, CHILD_KILLED };

struct child {
	pid_t pid;                /* 0: none */
	int waited;               /* it was waited for, but its group may live on */
	int status;               /* as of wait(2), once it was waited for */
	enum child_stage stage;
	long long due;            /* when the next stage comes (clock.h) */
};

/* "sh FILE ARG...", for a script without "#!". The caller frees it; NULL for no memory. */
char **child_script(char **argv);
/* Runs argv, found along PATH, also a script without "#!". 0 and *pid, or an error number. */
int child_spawn(pid_t *pid, char **argv, const struct child_setup *setup);
/* A status of wait(2) as a shell has it in $?: 128+n when signal n killed it. */
int child_code(int status);
/* Waits for that child: the same. Exits with a message when there is none. */
int child_outcome(pid_t pid);
/* Our environment without these ("X="), room for them at *own. The caller frees it, or NULL. */
char **child_environment(const char *const *names, size_t count, size_t *own);

/* Makes *c a child that lives. */
void child_begin(struct child *c, pid_t pid);
/* Sends the signal to its group, or to it alone where it leads none yet. */
void child_signal(const struct child *c, int sig);
/* It is to end by itself now; is sent TERM when it has not after grace ms. */
void child_leave(struct child *c, long long grace);
/* Sends TERM, and KILL after grace ms; KILL at once without a grace. */
void child_end(struct child *c, long long grace);
/* Does what is due; the ms until something will be, or -1. */
long long child_wait_ms(struct child *c, long long grace);
/* The pid of a child of ours that has ended and was not waited for; 0 for none. */
pid_t child_ended(void);
/* Kills what such a child left in its group, and waits for it: sets pid to 0, and status. */
void child_reap(struct child *c);
