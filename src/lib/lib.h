/* What any program could use. */
#ifndef LIB_H
#define LIB_H
#include <sys/select.h>
#include <sys/types.h>

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

/*
 * background.c: a program that goes into the background once it is ready: a child goes on, and the
 * parent exits, with 0 once the child is ready, or with the child's status if the child ends
 * before. If the parent cannot hear the child, it sends TERM, which the child blocks until it is
 * ready.
 */

/* Forks; returns in the child, with the descriptor for background_ready(). Exits on an error. */
int background_begin(void);
/* Moves descriptors 0 to last to /dev/null, lets the parent exit, closes fd. 0; -1: it has gone. */
int background_ready(int fd, int last);
/* Moves descriptors 0 to last to /dev/null, if that can be opened. */
void background_leave(int last);
/* Closes all descriptors above 2 but these. */
void background_close_others(const int *ours, int count);

/*
 * child.c: a child process: how it begins, and its end in stages. One that leads a process group is
 * signalled with all its group: the group's number stays its own until the child was waited for.
 */

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
	long long due;            /* when the next stage comes (clock.c) */
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

/* clock.c: milliseconds, on a clock that nobody can set: only differences mean anything. */

/* The time now. */
long long clock_now(void);
/* The time of day, which can be set: ms since 1970. */
long long clock_epoch(void);
/* How long until that time; 0 if it has passed. */
long long clock_wait_ms(long long time);
/* The shorter of two waits; -1 is for ever. */
long long clock_sooner(long long a, long long b);
/* Sleeps that long, even if signals come. */
void clock_pause(long long ms);
/* Milliseconds, as pselect(2) takes them. */
struct timespec clock_span(long long ms);

/* command.c: running a command and staying beside it, as flock(1) does. */

/* Becomes the command, or returns 126 or 127 after a message. */
int command_exec(char **argv);
/* Starts it, without the descriptor lease (-1: none): 0, or 126 or 127 after a message. */
int command_start(char **argv, int lease);
/* Waits for that command: its status, or 128+n if signal n killed it. */
int command_wait(void);
/* Runs it without input or messages; text gets the first bytes of its output. 0; -1: not run. */
int command_answer(char **argv, char *text, size_t size);
/* 1 if a program of that name, along PATH, may be executed. */
int command_there(const char *name);

/*
 * Exit statuses, the same in every program and every manual. A command that was run gives its own,
 * or 128+n when signal n killed it.
 */
enum status {
	STATUS_DONE = 0,
	STATUS_LOST = 122,       /* the place was lost: nobody knows how the job ended */
	STATUS_GONE = 123,       /* no dispenser or place there, or it went away */
	STATUS_NO_TOKEN = 124,   /* no token in time */
	STATUS_TROUBLE = 125,    /* anything else that went wrong here */
	STATUS_CANNOT_RUN = 126, /* the command is there and cannot be executed */
	STATUS_NOT_FOUND = 127
};

/* complain.c: messages: one line on standard error, "program: what: reason". */
/* Set once, at the start of main. */
extern const char *program;
/* If set, is called before each message, to erase what is drawn on standard error: 1 when the line
   is going to be shown there; NULL for the last one, which cannot wait. */
extern int (*complain_first)(const char *line);

/* Prints the text; if it ends in ':', the reason in errno follows. Keeps errno. */
void complain(const char *format, ...);
/* Prints a line, which has its newline, as complain() does. */
void complain_line(const char *line);
enum { COMPLAIN_ROOM = 1224 /* bytes of a line, at most */ };
/* Complains and exits with that status. */
void fail(int status, const char *format, ...);
/* Returns that memory, just allocated; exits with a message if it is NULL. */
void *need_memory(void *memory);
/* Raises the limit of open files to need, or exits with a message: count of what need so many. */
void need_descriptors(long need, long count, const char *what);

/* descriptors.c: the descriptors of this process. */

struct stat;

enum { DESCRIPTORS_TELL = 48 };

/* Opens /dev/null as each of 0 to 2 that is closed, such that reading 0 and writing 1 still fail.
   0, or -1 with errno. */
int descriptors_fill(void);
/* Raises the limit of open files to need, or as far as it goes; returns how far it got. */
long descriptors_allow(long need);
/* Moves a descriptor below least to least or above, closed on exec. The one to use, or -1. */
int descriptors_lift(int fd, int least);
/* Closes *fd unless it is -1, and sets it to -1; keeps errno. */
void descriptors_close(int *fd);
/* 1 if both are of one file, else 0. */
int descriptors_same(const struct stat *one, const struct stat *other);
/* A descriptor above 2 of that file, for writing only; or -1. */
int descriptors_find(const struct stat *file);
/* Writes what tells its open file from all others. */
void descriptors_tell(int fd, char text[DESCRIPTORS_TELL]);
/* 1 if name is the open file, and no symbolic link; 0 if not; -1 with errno: not known. */
int descriptors_named(int fd, int dir, const char *name);
/* Writes all, and waits for the reader, also if whoever shares the descriptor has made it
   non-blocking. 0, or -1 with errno. */
int descriptors_write(int fd, const char *text, size_t length);
/* The events, of these and POLLHUP, POLLERR, that poll(2) reports within ms; 0: none. */
short descriptors_poll(int fd, short events, int ms);
/* Opens a pipe or terminal anew, to write without blocking; other users of fd do not notice. The
   descriptor, for the caller to close, or -1. */
int descriptors_unblocked(int fd);
/* Waits until the data is on disk. 0, also for a pipe or a terminal; or -1 with errno. */
int descriptors_sync(int fd);
/* A pipe, closed on exec; ends[ours] does not block, unless ours is -1. 0, or -1 with errno. */
int descriptors_pipe(int ends[2], int ours);

/* family.c: processes and their parents: from /proc on Linux, from ps(1) elsewhere. A zombie has
   ended, though kill(2) still finds it and its group. */

struct process {
	pid_t pid, parent, group;
	unsigned long long start; /* tells processes with the same pid apart; 0: not known */
	int sent;                 /* the last signal of family_signal(), or 0 */
};

struct family {
	struct process *list;     /* by pid; the caller frees it */
	size_t count, room;
};

/* Replaces the list by all processes that live. 0, or -1 with errno and an empty list. */
int family_read(struct family *family);
/* Adds a process: 0, or -1 with errno. */
int family_add(struct family *family, const struct process *process);
/* The process with that pid, or NULL. */
const struct process *family_find(const struct family *family, pid_t pid);
/* Removes processes that are not in all any more: their pids may be reused. */
void family_forget_ended(struct family *family, const struct family *all);
/* Adds those of all that also() (or NULL) accepts, or that descend from a member. 0, or -1 with
   errno. */
int family_spread(struct family *family, const struct family *all,
    int (*also)(void *context, const struct process *process), void *context);
/* Sends the signal to all that were not sent it last, and SIGCONT, so that stopped ones get it. */
void family_signal(struct family *family, int sig);
/* When a process began, as in process.start; 0: not known. */
unsigned long long family_start(pid_t pid);
/* The parent of a process; -1: not known. */
pid_t family_parent(pid_t pid);
/* The name of its program, cut to 15 bytes: 0; -1: not known. */
int family_name(pid_t pid, char *name, size_t size);
/* The start of its command line, each word with a NUL: how many bytes; -1: not known. */
ssize_t family_words(pid_t pid, char *words, size_t size);
/* 1 if the process began with that text in that variable; 0: it did not, or that is not known. */
int family_got(pid_t pid, const char *variable, const char *text);
/* A descriptor, to close, readable once the process has ended; -1: only family_ended() tells. */
int family_watch(pid_t pid);
/* 1 if the process has ended; a zombie has only on Linux. */
int family_ended(pid_t pid);

/* outbox.c: bytes that wait until a descriptor has room for them. Zeroed, it is empty. */

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif
enum {
	OUTBOX_ALL = INT_MAX,
	OUTBOX_PIPE = PIPE_BUF /* to write without blocking after poll or select */
};

struct outbox {
	char *bytes;
	size_t start, end, room;
	int lost; /* outbox_add() has failed: some bytes are missing */
};

/* Appends a copy of these bytes: 0, or -1 with errno ENOMEM. */
int outbox_add(struct outbox *box, const char *text, size_t length);
/* Appends as many whole characters as fit into that many columns, as printable.c shows them. How
   many columns they take. */
size_t outbox_printable(struct outbox *box, const char *text, size_t length, size_t columns);
/* Appends the formatted line: 0, or -1 with errno ENOMEM. */
int outbox_say(struct outbox *box, const char *format, ...);
/* The same with a list of arguments. */
int outbox_list(struct outbox *box, const char *format, va_list args);
/* Reads once, and appends the bytes: how many, 0 at the end, or -1 with errno. */
ssize_t outbox_read(struct outbox *box, int fd, size_t most);
/* The bytes that wait; good until the next call. */
const char *outbox_bytes(const struct outbox *box);
/* The same as a string: adds a NUL. Exits with a message if some are lost. */
const char *outbox_text(struct outbox *box);
/* How many bytes wait. */
size_t outbox_waits(const struct outbox *box);
/* Writes once, at most that many. 0, also without room, or -1 with errno. */
int outbox_write(struct outbox *box, int fd, size_t most);
/* Writes all, as descriptors_write(), and drops it. 0, or -1 with errno, also if some are lost. */
int outbox_flush(struct outbox *box, int fd);
/* Drops the first length bytes. */
void outbox_take(struct outbox *box, size_t length);
/* Drops and frees all. */
void outbox_drop(struct outbox *box);
/* The bytes, for the caller to free, if none was written; NULL if some are lost. */
char *outbox_whole(struct outbox *box);

/* feed.c: input, a line at a time, as it arrives: from a file, a terminal, a pipe that is still
   written. */

enum { FEED_LONGEST = 16 * 1024 * 1024 }; /* bytes of a line */

struct feed {
	int fd;
	int own;          /* we opened it */
	char separator;   /* ends each line */
	struct outbox in;
	size_t seen;      /* no separator in so many bytes of it */
	int ended;
};

/* Reads that file, or standard input if path is NULL. 0, or -1 with errno. Exits with a message if
   it is a pool's. */
int feed_open(struct feed *feed, const char *path, char separator);
/* Closes the file that feed_open() opened, and frees what was read. */
void feed_close(struct feed *feed);
/* 1 and the next line, '\0' for its separator, good until the next call; 0: fill first; -1: end. */
int feed_line(struct feed *feed, char **line, size_t *length);
/* Reads once, and blocks until there is input. 0, or -1 with errno (EFBIG: too long a line). */
int feed_fill(struct feed *feed);
/* Drops the input that was read and not given, such as an unfinished line. */
void feed_drop(struct feed *feed);
/* 1 while it is worth reading ahead: the input has not ended, and little of it waits. */
int feed_ahead(const struct feed *feed);
/* How many lines are still to come, if all are here or in a regular file; -1: not known. */
long feed_count(const struct feed *feed);

/*
 * fifo.c: FIFOs, in a directory or AT_FDCWD. No open here blocks or makes a plain file. Descriptors
 * are closed on exec, and are above 2, even if our caller has closed a standard one. The caller
 * closes them.
 */

/* Makes one with that mode, whatever the umask: 0, or -1 with errno. */
int fifo_make(const char *path, mode_t mode);
/* Opens one with O_RDONLY or O_WRONLY. The descriptor, or -1 with errno (EEXIST: it is no FIFO). */
int fifo_open(int dir, const char *name, int flags);
/* Makes it if need be, and opens the ends that are -1. 0; or -1, and one may be open. */
int fifo_open_both(int dir, const char *name, int *reader, int *writer);
/* 1 for the FIFO of a pool, which has a directory beside it: what reads there robs the pool. */
int fifo_of_pool(const char *path);
/* The colon of HOST:FIFO, as in scp(1): no "/" comes before it, unless HOST is in [brackets]. NULL:
   the path of a FIFO of this machine. */
const char *fifo_colon(const char *operand);

/*
 * guard.c: a guard stays beside a program of the library until that has ended. It makes a directory
 * with FIFOs, has both ends of each open, so that nobody else's open waits, and removes the
 * directory, even if the script or the program is killed. Ctrl-C does not end it. It is no child of
 * the script, which would wait for it in "wait".
 */

enum { GUARD_FIFOS = 3 };

struct guard {
	pid_t script;     /* or 0: not known */
	const char *path; /* of the directory */
	int ready;        /* for background_ready() */
	struct guard_fifo { /* the rest is zeroed */
		const char *name;
		int reader, writer; /* closed on exec */
	} fifos[GUARD_FIFOS];
};

/* script: a pid. Exits with a message unless that is our parent, and lives. */
void guard_of(struct guard *g, const char *script, const char *path);
/* Goes into the background and makes it all; the parent exits with 125 after a message, or with 0
   at guard_ready(). */
void guard_begin(struct guard *g);
/* Lets the parent exit with 0: the script may open the FIFOs now. If we are killed, pid has their
   other ends. 0; or -1 if the parent has gone: pid was killed, and the directory removed. */
int guard_ready(const struct guard *g, pid_t pid);
/* Reads /dev/null, and ignores HUP, INT, QUIT, TERM, PIPE and XFSZ; programs that we start ignore
   HUP, INT and TERM. */
void guard_ignore(void);
/* Starts a program with these descriptors as 1, or -1 for our own, and 3, or 0 for none. Its pid,
   or -1 after a message. */
pid_t guard_start(char **argv, int out, int third);
/* Its status, or 128+n, as of a shell; 125 of -1. */
int guard_wait(pid_t pid);
/* Pauses between two looks, longer after the first hundred. */
void guard_pause(int tries);
/* Waits until the script has opened its FIFOs, or has died. */
void guard_await(const struct guard *g);
/* Writes a line as soon as there is room; gives up if the script dies. */
void guard_say(const struct guard *g, int fd, const char *format, ...);
/* Removes the directory. */
void guard_remove(const struct guard *g);

/*
 * limits.c: limits for starting more: nothing is started while less than floor bytes of memory are
 * available or the load average is at the ceiling or above. Zeroed, there is no limit.
 */
struct limits {
	long long floor;   /* bytes, or 0 for none */
	double ceiling;
	int capped;        /* there is a ceiling */
	long least;        /* tokens that are given in spite of the limits; the caller's */
	long long looked;  /* when we asked the system (clock.c), or 0 */
	int reached;       /* at that time */
};

#define LIMITS_LOAD "a load such as 4, 2.5, or 100% of the processors"
#define LIMITS_SIZE "a size such as 500M or 2G"

/* "4", "2.5", or "80%" of the processors: 0, or -1 for anything else. */
int limits_scan_load(struct limits *limits, const char *text);
/* Bytes, or "2G", with K, M, G, T of 1024 or k, m, g, t of 1000: 0, or -1 for anything else. */
int limits_scan_size(struct limits *limits, const char *text);
/* Drops, with a message, limits on figures that this system does not tell. */
void limits_open(struct limits *limits);
/* 1 if there is any limit. */
int limits_set(const struct limits *limits);
/* 1 while one is reached; asks the system, but not too often. */
int limits_reached(struct limits *limits);
/* How many ms until limits_reached() asks the system again. */
long long limits_wait_ms(const struct limits *limits);

/* local.c: sockets with a path, between processes of one machine. All are closed on exec, do not
   block, are above 2, and are the caller's to close. */

/* Connects to the listener at that path. The descriptor, or -1 with errno: ENOENT, or ECONNREFUSED
   if the listener has gone. */
int local_connect(const char *path);
/* Listens there. The descriptor, or -1 with errno (EADDRINUSE: the path exists). */
int local_listen(const char *path);
/* Accepts a connection. The descriptor, or -1 with errno. */
int local_accept(int listener);
/* Two ends of one connection: 0, or -1 with errno. */
int local_pair(int ends[2]);

/*
 * news.c: the descriptors that a server waits on, and their events: epoll(7) on Linux, whose cost
 * does not grow with their number, and poll(2) elsewhere. Events are those of poll(2), and callers
 * ask for each that matters: POLLHUP means that the last writer of a FIFO has gone, POLLERR that
 * the last reader has. POLLHUP, POLLERR and POLLNVAL may come unasked. Functions that return int
 * return 0, or -1 with errno.
 */

#if defined __APPLE__
#error poll(2) of macOS does not report that a FIFO has lost its last writer, which we need
#endif

struct pollfd;

struct news {
	struct pollfd *items; /* the set; with epoll, events that have come */
	size_t count, room;
	size_t next;          /* item that news_next looks at */
	int epoll;            /* -1: not used */
};

/* Begins with an empty set. */
int news_open(struct news *news);
/* Ends it; the descriptors stay open. */
void news_close(struct news *news);
/* Adds a descriptor to the set. A regular file may be added, too, and never has news. */
int news_add(struct news *news, int fd, short events);
/* Asks for other events of a descriptor in the set. */
int news_change(struct news *news, int fd, short events);
/* Takes *fd out of the set, closes it, and sets it to -1; does nothing for -1. */
void news_drop(struct news *news, int *fd);
/* Takes out a descriptor that stays open: here, or in a process that inherited it. */
void news_forget(struct news *news, int fd);
/* Adds the descriptors to wait for by pselect(2), before news_wait(). Returns the highest, or -1.
   All must be below FD_SETSIZE if epoll is -1. */
int news_fds(const struct news *news, fd_set *set);
/* Waits for news, at most ms, or for ever with -1; a signal ends the wait. */
int news_wait(struct news *news, int ms);
/* 1 and the next descriptor with its events, each once after a wait; 0: there are no more. */
int news_next(struct news *news, int *fd, short *events);

/* number.c: numbers as people write them. */
struct options;

/* Digits only, from least to most, leading zeros allowed. 0 and *value, or -1 for anything else. */
int number_scan(const char *text, long least, long most, long *value);
/* The argument of that option, to be added to the nice value; exits with a message if it cannot. */
long number_nice(const struct options *option);
/* Seconds, "2" or "0.25", in milliseconds, up to ten years. 0 and *ms, or -1 for anything else. */
int number_ms(const char *text, long long *ms);
/* The argument of that option, from least to most; exits with a message for anything else. */
long number_option(const struct options *option, long least, long most);
/* The same for a time, "0.25" (seconds) or "1.5m" (with s, m, h or d), in milliseconds. */
long long number_option_ms(const struct options *option);
/* The variable's seconds as milliseconds, or ms if unset; exits with a message if it is bad. */
long long number_variable(const char *name, long long ms);
/* $JOBCTL_GRACE in milliseconds, or 5000. */
long long number_grace(void);

/*
 * options.c: options in the style of getopt_long(3): -k, -j 4, -j4, -kj4, --jobs 4, --jobs=4, and
 * --jo if no other option begins so. Parsing and --help use the same table; completions
 * (share/completions) read --help.
 */
struct option {
	int code;             /* its letter, or above 255 if it has none; 0: a heading */
	const char *name;     /* after "--"; NULL: there is only the letter */
	const char *argument; /* the name of its argument, in capitals; NULL: it takes none */
	const char *help;     /* a line; NULL: another name of the option with that code;
	                         "!...": is refused, and this tells what to do instead */
};

/* The end of each program's table. */
#define OPTIONS_END \
	{'h', "help", NULL, "print this and exit"}, \
	{'V', "version", NULL, "print the version and exit"}, \
	{0, NULL, NULL, NULL}

struct options {
	const char *usage;          /* its first lines, such as "usage: tokput [FIFO]" */
	const struct option *table;
	char **argv;                /* the next word; after the options, the first operand */
	const char *letters;        /* further letters of a word such as -kj4 */
	char *argument;             /* of the last option, or NULL */
	char said[64];              /* "--jobs" or "-j", for messages: the last option */
	const char *others;         /* ends the message for an unknown option; or NULL */
};

/* Begins. argv is main's; its first word, the program's name, may be missing. */
void options_open(struct options *options, const char *usage, const struct option *table,
    char **argv);
/* The code of the next option; -1: there is none, and options->argv is the first operand. Exits
   after --help, --version, and a message for an unknown option. */
int options_next(struct options *options);
/* Prints the usage and the table, and exits with that status. */
void options_help(const struct options *options, int status);
/* Exits with STATUS_TROUBLE after a message why the last option's argument is wrong. */
void options_wrong(const struct options *options, const char *format, ...);
/* The last option's argument, a path; exits by options_wrong() if it is empty. */
const char *options_path(const struct options *options);
/* Exits by options_misused() unless there is one operand, or, if least is 0, none. */
void options_single(const struct options *options, int least, const char *why);
/* Exits with STATUS_TROUBLE: wrong operands, such as "a FIFO is missing". */
void options_misused(const struct options *options, const char *why);

/* orders.c: orders of the user, by signals, while we wait for something else. */

/* How many SIGINT came, at most 3; the signal that is to end us, or 0; whether SIGTSTP came, which
   the caller resets. */
extern volatile sig_atomic_t orders_interrupts, orders_end, orders_suspend;
/* How many SIGUSR1 came, less how many SIGUSR2; the caller resets it. */
extern volatile sig_atomic_t orders_more;
/* Whether the terminal's window has another size; whether we had been stopped; the caller resets
   both. */
extern volatile sig_atomic_t orders_resized, orders_continued;

/* Sets the handler of that signal; exits with a message if it cannot. */
void orders_catch(int sig, void (*handler)(int));
/* Catches and blocks signals that are orders, and SIGCHLD; *before is the mask for pselect(2).
   Ignores SIGXFSZ and SIGPIPE: 1, or 0 if SIGPIPE was ignored already. */
int orders_open(sigset_t *before);
/* Catches and blocks SIGUSR1 and SIGUSR2, too; after orders_open(). */
void orders_hear_more(void);
/* Catches and blocks SIGCONT and, where it exists, SIGWINCH; after orders_open(). */
void orders_hear_terminal(void);
/* Dies by the signal that came, if one did, so that our parent knows. */
void orders_die(void);

/*
 * pace.c: the least time between two starts: in the same slot, and in any two slots. A job starts
 * when it says that it begins, or at the latest when its slot is free again. The clock counts whole
 * milliseconds, so a pause is always one longer: never too short.
 */
struct pace {
	long long each, any; /* ms, or 0: in a slot, in any */
	long long due;       /* no start before this (clock.c) */
	long pending;        /* slots that were given out and have not begun */
};

/* The starts of a slot. Zeroed, there was none. */
struct turn {
	int pending;         /* given out, and not begun */
	long long due;       /* no start here before this */
};

/* 1 if there is a least time; else the clock is never read. */
int pace_on(const struct pace *pace);
/* The slot was given out. */
void pace_out(struct pace *pace, struct turn *turn);
/* The job in the slot begins now, or began before at an unknown time. */
void pace_begin(struct pace *pace, struct turn *turn);
/* The slot is free again. */
void pace_home(struct pace *pace, struct turn *turn);
/* The slot was given out, and is back unused. */
void pace_unused(struct pace *pace, struct turn *turn);
/* Nothing starts for that many ms. Returns until when (clock.c). */
long long pace_hold(struct pace *pace, long long ms);
/* How long until the slot may be given out, at most a day; -1 while another has yet to begin. */
long long pace_wait_ms(const struct pace *pace, const struct turn *turn);

/* peek.c: the first bytes of a file. */

/* Reads less than size bytes, and adds a NUL; does not wait for the writer of a FIFO. How many, or
   -1 with errno, and "". */
ssize_t peek(const char *path, char *text, size_t size);

/* printable.c: text that is safe for a terminal: UTF-8, and nothing that moves the cursor or sets
   a colour. */

enum { PRINTABLE_ONE = 17 };

/* What the first character of the text is shown as, \xNN for bytes that are none: how long that is.
   *n is how many bytes it has now. */
size_t printable_one(char shown[PRINTABLE_ONE], const char *text, size_t length, size_t *n,
    size_t *columns);
/* Writes as many whole characters of a string as fit into that many bytes, without NUL: how many
   bytes they take. */
size_t printable_cut(char *to, size_t room, const char *text);

/* processors.c: how many processors this process may use. root is "" for the running system; a
   test gives a directory that stands for /. */

/* Those online or, if fewer, those that Linux's affinity and control groups (rounded up) allow. */
long processors_usable(const char *root);
/* tokend -n: "8", or "50%", "+2", "-1" of that many processors. 0 and *count, or -1. */
int processors_count(const char *text, long processors, long most, long *count);

/* room.c: lists that grow, and errors that may pass. */

/* The list with room for need items, new room zeroed; NULL with errno, and the list stays. */
void *room_for(void *list, size_t *room, size_t need, size_t size);
/* 1 for an error that may pass: the system is short of memory, descriptors or processes. */
int room_short(int error);

/* secret.c: numbers that nobody can guess. */

/* 64 random bits of the system. 0 and *number, or -1 with errno. */
int secret_make(unsigned long long *number);

/* table.c: a table of texts, each with a number, and two counts for each of these. Only hashes
   are kept. Zeroed, it is empty. */

struct table_entry {
	unsigned long long hash; /* 0: nothing is here */
	int count[2];            /* the caller's; 0 at first */
};

struct table {
	struct table_entry *list;
	size_t count, room;
	unsigned long long seed; /* nobody can choose texts that have the same hash */
};

/* The entry of that text and number, until the next is added; NULL: there is none. */
struct table_entry *table_find(const struct table *table, const char *text, size_t length,
    long number);
/* The same; a new one where there is none. NULL: no memory. */
struct table_entry *table_add(struct table *table, const char *text, size_t length, long number);
/* Frees it. */
void table_close(struct table *table);

/* utf8.c: text, as shells and terminals take it. */

/* 1 if there are only printable characters of UTF-8 and tabs. */
int utf8_is_text(const char *text, size_t length);
/* The length of the first character; 0: the bytes begin with none. */
size_t utf8_character(const char *text, size_t length);
/* How many bytes of a string to take, at most that many, so that the last character is whole. */
size_t utf8_cut(const char *text, size_t most);
#endif
