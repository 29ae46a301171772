/* The text in FIFOs, and its writers: the language of tokend, and make's. */
#ifndef LEASE_H
#define LEASE_H
#include <stddef.h>

#include "../lib/lib.h"

/*
 * names.c: the names in a dispenser's directory. NAME is that of a client: digits or digits_digits,
 * its pid and a number that nobody can guess. If a group shares the dispenser, its members make
 * their FIFOs in the directory "w", but cannot list it; they may only enter the dispenser's own
 * directory, and cannot read the inlet. So only the client and the dispenser know a NAME, and can
 * speak for it; and only the dispenser makes names outside "w": nobody else can have made a lease
 * of a slot.
 */
#define NAMES_AGAIN "again\n"  /* tells waiters at the end to ask anew */
#define NAMES_TOKEN ".token"
#define NAMES_WAITING "w"
#define NAMES_GOING ".home"
#define NAMES_LOANS "loan"
#define NAMES_OFFERS ".jobserver"
#define NAMES_RETURNS ".returned"
#define NAMES_WITHIN "within"

enum {
	NAMES_CLIENT = 32, /* bytes for the longest NAME */
	NAMES_FILE = 56    /* and for the longest name of all */
};

struct name {
	enum {
		NAME_LEASE,  /* K, K_1 ...: of a batch */
		NAME_WAITER, /* w/NAME: a client that waits */
		NAME_LEAVER, /* x.NAME: that FIFO, while it is being removed */
		NAME_HOLDER, /* K.NAME: the lease of slot K; K.NAME.home: while we look whether its
		                token is home */
		NAME_TOKEN,  /* K.NAME.token: of a build */
		NAME_BUILD,  /* K.NAME.jobserver, K.NAME.returned: builds.c */
		NAME_LOAN,   /* w/NAME.loan, w/NAME.3 ...: of those that borrow from NAME */
		NAME_NOTE,   /* within: a link whose target is a text (held.c) */
		NAME_BATCH   /* bell, calls, answer, heard, K.out ...: of jobctl.sh */
	} kind;
	const char *text;
	char client[NAMES_CLIENT]; /* NAME, or "" */
	long slot, generation;
};

/* "w/NAME": 0; -1: name is no NAME. */
int names_file(char file[NAMES_FILE], const char *name);
/* "K.NAME". */
void names_holder(char file[NAMES_FILE], long slot, const char *client);
/* "K.NAME.token". */
void names_token(char file[NAMES_FILE], long slot, const char *client);
/* Renames w/NAME to x.NAME, where nobody finds it: 0, or -1 with errno. */
int names_hide(int dir, const char *file, char hidden[NAMES_FILE]);
/* fifo_open(), but tries again: a client that was taken for dead would wait for ever. */
int names_open(int dir, const char *file, int flags);
/* Writes all of the text, or nothing, into a FIFO that does not block. 0, or -1. */
int names_say(int fd, const char *text);
/* names_say() into that file; *spare (or NULL) is a descriptor that gives way if none is left. */
int names_answer(int dir, const char *file, const char *text, int *spare);
/* Calls back for each name of ours until a call does not return 0: that value, or -1 with errno. */
int names_each(int dir, int (*call)(void *, const struct name *), void *context);
/* Removes the names of loans of that client. */
void names_forget_loans(int dir, const char *client);
/* Removes all names but the lock, of any kind of dispenser; tells waiters NAMES_AGAIN. */
void names_remove(int dir);

/*
 * held.c: JOBCTL_HELD lists the leases this process runs under, so that a program that asks such a
 * pool for a token can borrow one of those: tools/borrow.c. Each is the path in a line; before it
 * are lines that begin with a blank, and are missing if a shell that has opened a lease writes its
 * path:
 *
 *	 BASE SIZE<tab>DIRECTORY/<tab>...
 *	 SLOT LABEL		for each token of the lease
 *
 * The pool has SIZE tokens; 0 is not known. BASE is NAME, that of the lease, or "NAME.3.7" for a
 * command with loan 7 of loan 3. With each token comes one of the pools in those directories, from
 * which this pool has its own. For a pool of another machine the line is HOST:FIFO.
 */

enum { HELD_PATH = 4096, HELD_JOB = 16 };
enum { HELD_BASE = 2048, HELD_NUMBER = 24 /* of it, for one loan more */ };

struct held {
	char lease[HELD_PATH];
	char name[NAMES_CLIENT]; /* of the holder */
	char base[HELD_BASE];
	long within;             /* the last number of BASE, or 0 */
	char job[HELD_JOB];      /* the pid of the job of a build in which this process is, or "" */
	long size, count;        /* tokens of the pool, and of the lease */
	const char *slots;       /* that many lines, as above */
};

/* 1 and the lease, if this process runs under one that has tokens of the pool at that path. */
int held_find(const char *fifo, struct held *held);
/* 1 if that HOST:FIFO is held. */
int held_abroad(const char *place);
/* Sets JOBCTL_HELD for the command that is to run with these slots and labels of that lease; size
   is that of its pool. 0, or -1 with errno. */
int held_say(const char *lease, const char *base, long size, const char *slots,
    const char *labels);
/* The same for HOST:FIFO. */
int held_say_abroad(const char *place);
/* Notes in the directory of a dispenser the pools that its own tokens are from. 0, or -1. */
int held_note(int dir);

/*
 * jobserver.c: a client of GNU make's jobserver: this process has one at most.
 *
 * Every job needs a token. The first has the one that make started us with; each further job needs
 * a byte from make's pipe or FIFO. When no job needs the byte any more, the same byte is put back,
 * at the latest by exit(3). Only SIGKILL, or a signal that is not caught, loses it.
 *
 * In a recipe, a program that is alone (below) has make's write end open only while it holds a
 * token: so make can end though we are there.
 *
 * Call jobserver_open() before any other open, lest a closed descriptor that MAKEFLAGS names
 * becomes ours, and ignore SIGPIPE from then on. alone: we start no make, so the descriptors that
 * we inherited are closed.
 */

/* Opens the jobserver in MAKEFLAGS. 0, or -1 with *why; NULL: there is none. */
int jobserver_open(int alone, const char **why);
/* 1 in a recipe of a make that was told to run one job at a time, and so has no jobserver. */
int jobserver_single(void);
/* How many jobs make was told to run at once (-j in MAKEFLAGS). */
long jobserver_jobs(void);
/* 1 if a job may start beside that many; 0: try again when the fd is readable or a job ended. */
int jobserver_take(long running);
/* Our descriptor that tokens come from; -1: none can come, as none is open or make is gone. */
int jobserver_fd(void);
/* 1 if the make whose recipe started us has ended, as far as that can be told. */
int jobserver_ended(void);
/* Puts back the tokens that this many jobs do not need. */
void jobserver_settle(long running);
/* Puts back all, and closes our descriptors. */
void jobserver_close(void);

/*
 * lease.c: a lease: the FIFO of a slot, whose read end the dispenser has. Its token is out as long
 * as any process has the write end. A read end that was opened when there was no writer shows no
 * POLLHUP until a writer has come and gone.
 *
 * The leases of slot K are named K, K_1, K_2 ...: there is more than one only while a job runs that
 * returned its token early, so that what it writes late cannot reach the lease of the next job.
 */
enum { LEASE_NAME = 24 }; /* bytes for the longest name */

/* The name of that lease of the slot; generation 0 is the first. */
void lease_name(char name[LEASE_NAME], long slot, long generation);
/* The inverse: 0, or -1 for any other name. */
int lease_parse(const char *name, long *slot, long *generation);
/* Makes the FIFO if need be. Returns the read end, which the caller closes, or -1 with errno. */
int lease_open(int dir, const char *name);
/* 1 if a lease that cannot be opened, by that error, may still be held. */
int lease_unknown(int error);
/* 1 while any process has the write end. Bytes that it reads to find out are lost. */
int lease_held(int fd);

/* Bytes in a FIFO that does not block, each a token, whatever its value. */

/* Writes that many, or as many as there is room for; returns how many. */
long bytes_put(int fd, long count);
/* Reads that many, or as many as are there; returns how many. */
long bytes_draw(int fd, long count);
/* How many are there; if the system cannot count, 1 for any. */
long bytes_unread(int fd);
/* Counts them on any system, if need be by drawing them and putting them back by the other end. */
long bytes_counted(int fd, int other);

/*
 * makeflags.c: MAKEFLAGS tells a build of its jobserver, in the words and the order of GNU make.
 * Two ways to one jobserver are in
 *
 *	 -j5 --jobserver-fds=10,11 --jobserver-auth=10,11 -- --jobserver-auth=fifo:/path
 *
 * Every make takes the descriptors. The word after " -- " is a variable to make, which hands it on
 * to its commands, but without --jobserver-fds; ninja and cargo take the last jobserver they find.
 */

/* The length of the next word, backslashes included; *text moves behind it. 0 at the end. */
size_t makeflags_word(const char **text, const char **word);
/* The rest of a word that begins so (backslashes do not count), or NULL. */
const char *makeflags_after(const char *word, const char *with);
/* The absolute path with the suffix, to free; NULL after a message: MAKEFLAGS cannot carry it. */
char *makeflags_path(const char *path, const char *suffix);
/* 1 for an absolute path that MAKEFLAGS can carry; no shell needs quotes for it. */
int makeflags_carries(const char *path);
/* The old MAKEFLAGS with our size, path (or NULL), descriptors (or -1); to free. NULL: ENOMEM. */
char *makeflags_text(const char *old, long size, const char *path, int in, int out);

/*
 * words.c: the words that others write into the inlet of a dispenser and into leases, as in
 * tokend(5). Each write is at most PIPE_BUF bytes, and so arrives whole. What is unknown is junk:
 * it is reported once, then ignored. Letters in the same block as junk are not trusted.
 */

enum {
	MOST_TOKENS = 1000000, /* of a dispenser */
	MOST_AT_ONCE = 500,    /* of one request: the answer is one write */
	LONGEST_LABEL = 1000   /* bytes */
};

#define WORDS_AT '\001' /* stands for @ in a command: @ begins another request */

enum word {
	WORD_RETURN, /* a letter but S */
	WORD_STOP,   /* S */
	WORD_BEGUN,  /* + */
	WORD_LINE,   /* '@' or ':', the first mark, to a newline; the text is in between */
	WORD_STATUS, /* '=', the second mark, likewise */
	WORD_AFTER,  /* '>', the third mark, likewise */
	WORD_FATE,   /* '~', the fourth mark, likewise */
	WORD_PID,    /* '#', the fifth mark, likewise */
	WORD_JUNK,   /* anything else, or a line that nobody finished */
	WORD_END
};

/* clean is 0 if there was junk in the same block. text, up to a NUL, is good for the call. */
typedef void word_taker(void *context, enum word word, const char *text, size_t length, int clean);

/* Reads some blocks of fd and hands them to take word by word; marks are "@" of an inlet,
   ":=>~#" of a lease. 0 when no writer is left, else 1. */
int words_read(int fd, const char *marks, word_taker *take, void *context);
#endif
