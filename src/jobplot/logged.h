/* The jobs of a log, as ../book/logline.h has it. Times here are microseconds. */
#include <sys/stat.h>

#include <stddef.h>

enum result { RESULT_OK, RESULT_FAILED, RESULT_KILLED, RESULTS };
/* "ok", "failed", "killed". */
extern const char *const result_word[];

struct job {
	long long seq;
	long long start, end;      /* since the first start of all */
	int exit, signal;
	int is_slot;               /* host is a slot of ours, and no machine with many jobs */
	const char *host, *command;
	size_t length;             /* of the command, which may hold any byte */
	size_t host_at, command_at; /* in text, while that grows */
	size_t line;               /* its number in the log */
	size_t row;                /* where it is drawn: see rows.h */
};

struct logged {
	struct job *job;
	size_t count, room;
	long long epoch;    /* the first start, since 1970 */
	size_t lines, bad;  /* all lines; those that are no jobs */
	char *text;         /* hosts and commands */
	size_t length, text_room;
	int no_memory;
	struct stat input;
};

/* Reads them all, in the order of the log; NULL is standard input. 0; or -1 after a message: there
   is no log, or no job in it. Of lines that are no jobs a warning tells, and the number is in
   jobs->bad. A last line without an end was being written, and is left out, after a warning. */
int logged_read(struct logged *jobs, const char *path);
void logged_free(struct logged *jobs);
/* For qsort(3): by their starts, and then by their lines in the log. */
int job_order(const struct job *a, const struct job *b);
/* How it ended; -1 of GNU parallel, for one that was out of time, is "killed". */
enum result job_result(const struct job *job);
/* "ok", "exit status 3" or "killed by signal 9". */
void job_ending(char *text, size_t size, const struct job *job);
/* Tries of one job have the same number: how many lines are further ones; -1 without memory. */
long long logged_again(const struct logged *jobs);
