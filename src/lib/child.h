/*
 * A child process: how it begins, and its end in stages. One that leads a process group is
 * signalled with all its group: the group's number stays its own until the child was waited for.
 */
#include <sys/types.h>

#include <signal.h>
#include <stddef.h>

/* How the child differs from us. The caller closes these descriptors. */
struct child_setup {
	int in, out, err;         /* become its standard descriptors; -1: ours */
	int third;                /* becomes descriptor 3; 0: none */
	int leads;                /* leads a process group of its own */
	const sigset_t *mask;     /* its signal mask, or NULL for ours */
	const int *defaults;      /* signals that it does not ignore, up to a 0; or NULL */
	char **environment;       /* or NULL for ours */
};

enum child_stage { CHILD_LIVES, CHILD_LEAVES, CHILD_TOLD, CHILD_KILLED };

/* One that lives has a pid, and else zeros. */
struct child {
	pid_t pid;                /* 0: none */
	int waited;               /* it was waited for, but its group may live on */
	int status;               /* as of wait(2), once it was waited for */
	enum child_stage stage;
	long long due;            /* when the next stage comes (clock.h) */
};

/* "sh FILE ARG...", for a script without "#!". The caller frees it; NULL for no memory. */
char **child_script(char **argv);
/* Runs argv, found along PATH, also a script without "#!". 0 and *pid; or an error number, and *pid
   is 0. */
int child_spawn(pid_t *pid, char **argv, const struct child_setup *setup);
/* A status of wait(2) as a shell has it in $?: 128+n when signal n killed it. */
int child_code(int status);
/* Waits for that child: its child_code(). Exits with a message if there is no such child. */
int child_outcome(pid_t pid);
/* Our environment without these names ("X="), and room for them at *own; to be freed; or NULL. */
char **child_environment(const char *const *names, size_t count, size_t *own);

/* Sends the signal to the child's group, or to the child alone if it leads none yet. */
void child_signal(const struct child *c, int sig);
/* The child is to end by itself now; it is sent TERM if it has not after grace ms. */
void child_leave(struct child *c, long long grace);
/* Sends TERM, and KILL after grace ms; with grace 0, KILL at once. */
void child_end(struct child *c, long long grace);
/* Enters the next stage if it is due; returns the ms until there is one, or -1. */
long long child_wait_ms(struct child *c, long long grace);
/* The pid of a child of ours that has ended and was not waited for; 0 for none. */
pid_t child_ended(void);
/* Kills the rest of the group of an ended child, and waits for it: sets pid to 0, and status. */
void child_reap(struct child *c);
