/* How many records make a job: a number of them, or as many as fit into a command. Include recipe.h
   before. */
#include "../lib/outbox.h"
#include "source.h"

enum { GROUP_ALL = 131072 /* bytes of a command that is to have as many as fit */ };

struct group {
	struct source *source;
	const struct recipe *recipe;
	size_t most;           /* records of a job */
	size_t asked;          /* -s: most bytes of its command, or 0 */
	size_t bytes;          /* most bytes of its command: asked, or GROUP_ALL, or 0 for any */
	size_t room;           /* most bytes with pointers, as exec(2) takes them; 0: for any */
	size_t jobs;           /* over these the last records are spread, once; 0: they are not */
	int ended;             /* the source has */
	struct outbox held;    /* arguments of records that are in no job */
	struct record *records;
	size_t first, last, space; /* of these */
	long count;            /* of their arguments */
	size_t longest;        /* bytes of the longest record that is held */
};

/* source is open, recipe, too; most records of a job; asked: bytes, or 0. */
void group_open(struct group *group, struct source *source, const struct recipe *recipe, long most,
    long asked);
/* As many as fit, too; what is left at the end of the input is spread over that many jobs; 0: it
   is not. */
void group_fit(struct group *group, long jobs);
/* Frees what it holds. */
void group_close(struct group *group);
/* The arguments of the next job, until the next call: 1; 0: fill the source's feed first; -1 at the
   end; -2 for no memory. *why is NULL, or why they cannot be a job. */
int group_next(struct group *group, struct arguments *given, const char **why);
/* How many jobs there will be at most; -1 where that is not known. */
long group_total(const struct group *group);
