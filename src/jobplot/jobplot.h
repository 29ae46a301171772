/*
 * The jobs of a log, and their rows: a slot each; and of a host whose jobs overlap, as many as it
 * needs. Times are microseconds since the first start. Without memory all of this exits, after a
 * message.
 */
#ifndef JOBPLOT_H
#define JOBPLOT_H
#include <sys/stat.h>

#include <stddef.h>

#include "../book/book.h"
#include "../display/display.h"
#include "../lib/lib.h"

enum result { RESULT_OK, RESULT_FAILED, RESULT_KILLED, RESULTS };
/* "ok", "failed", "killed". */
extern const char *const result_word[];

struct job {
	long seq;
	long long start, end;
	long long sent, received;
	int exit, signal;
	enum result result;
	int is_slot;            /* host is a slot of ours, and no machine with many jobs */
	const char *host, *command; /* in text */
	size_t length;          /* of the command, which may hold any byte */
	size_t line;            /* its number in the log */
	size_t row;
	char text[];
};

struct row {
	const char *host;
	size_t lane;            /* of that host, from 1 on */
	int alone;              /* the host has only this one */
	long long free;         /* from then on another job has room */
};

struct plot {
	struct job **job;
	size_t count, room;
	size_t lines, bad;      /* of the log: all lines; those that are no jobs */
	size_t prefix, suffix;  /* so many bytes of all commands are the same, by whole words */
	struct stat input;
	long long epoch;        /* the first start, since 1970 */
	long long span;         /* until the last end, at least 1 */
	long long last_start;   /* from there on no job waited: the tail */
	long long longest;
	double busy;            /* all jobs: may be more than a long long holds */
	size_t results[RESULTS];
	struct row *row;
	size_t rows, rows_room;
	size_t slots;           /* rows but the one of jobs that could not be begun */
};

/* Reads the jobs, in the order of the log; NULL is standard input. 0; or -1 after a message: there
   is no log, or no job in it. Of lines that are no jobs a warning tells, and the number is in
   plot->bad. A last line without an end was being written, and is left out, after a warning. */
int plot_read(struct plot *plot, const char *path);
/* Gives each job its row, in the order of hosts, and sorts jobs by rows and their starts. A job has
   the first row of its host that is free. */
void plot_rows(struct plot *plot);
/* Orders of pointers to jobs, for qsort(3): by their starts, and then by their lines; by lines. */
int job_by_start(const void *left, const void *right);
int job_by_line(const void *left, const void *right);

#define ELLIPSIS "\xe2\x80\xa6"
enum { FIGURE = 512, ROW_NAME = 52 };

/* "3", "gpu0", "gpu0 2" or "local 7": a machine itself is ":" for GNU parallel. */
void row_name(char text[ROW_NAME], const struct row *row);
/* A time as human_time() has it, of microseconds. */
void time_text(char text[HUMAN], double us);
/* When the first job began: "2026-11-27 09:01:03 +0000", in local time. */
void begin_text(char text[HUMAN], const struct plot *plot);
/* "200 jobs: 195 ok, 3 failed, 2 killed". */
void results_text(char text[FIGURE], const struct plot *plot);
/* "6.9 jobs at once on 8 slots: 86 % busy"; "" without a slot. */
void busy_text(char text[FIGURE], const struct plot *plot);
/* "exit 3", "signal 9" or "ok". */
void ending_text(char text[HUMAN], const struct job *job);

/* Adds a picture of the jobs, an SVG that needs nothing else. */
void svg_write(struct outbox *out, const struct plot *plot);
/* Adds a report in words. A command is cut at that column; 0: none is. */
void text_write(struct outbox *out, const struct plot *plot, size_t columns);
/* Adds the jobs as trace events, which Perfetto and chrome://tracing show. Those of a row do not
   overlap. */
void events_trace(struct outbox *out, const struct plot *plot);
/* Adds an object of JSON on a line for each job, in the order they have. */
void events_json(struct outbox *out, const struct plot *plot);
#endif
