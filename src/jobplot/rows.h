/* The rows of a picture: a slot each; and of a host whose jobs overlap, as many as it needs. All
   times are microseconds. */
#include <stddef.h>

struct logged;

enum { ROW_NAME = 48 };

struct row {
	const char *host;
	size_t lane;            /* of that host, from 1 on */
	int alone;              /* the host has only this one */
	size_t first, count;    /* its jobs */
	size_t failed;          /* of these, or killed */
	double busy;            /* microseconds, which may be more than a long long holds */
};

struct rows {
	struct row *row;
	size_t count, room;
	/* Of all jobs: */
	size_t results[3];      /* by enum result */
	size_t unbegun;         /* that have no slot */
	size_t slots;           /* rows but the one of these */
	long long span;         /* from the first start to the last end, at least 1 */
	long long last_start;   /* from there on no job waited: the tail */
	long long longest;
	double busy, tail_busy;
};

/* Gives each job its row, in the order of hosts, and sorts jobs by rows and their starts. A job has
   the first row of its host that is free. 0, or -1 without memory. */
int rows_make(struct rows *rows, struct logged *jobs);
void rows_free(struct rows *rows);
/* "3", "gpu0", "gpu0 2" or "local 7": a machine itself is ":" for GNU parallel. */
void row_name(char text[ROW_NAME], const struct row *row);
