/*
 * Where the arguments of jobs come from: one or more lists, each a file, standard input or words
 * after :::. Of several lists all combinations are made, the last one varying fastest. The first is
 * read as it arrives; the others are held in memory. One line of each makes a record.
 */
#include <stddef.h>

#include "../lib/feed.h"
#include "../lib/outbox.h"
#include "recipe.h"

/* Of a list. */
struct origin {
	const char *path;   /* "-": standard input; NULL: words */
	char **words;
	long count;
};

/* The lines that are records, and their columns. */
struct source_terms {
	const struct origin *origins;
	size_t count;       /* 1 at least */
	char separator;     /* of lines */
	int skip_blank;
	const char *end;    /* a line that ends its list, or NULL */
	const char *columns; /* the regular expression between columns, each an argument; or NULL */
};

struct source_item {
	char *text;
	size_t length;
};

struct source_list {
	struct source_item *items;
	char *bytes;        /* of a file; those of words are not ours */
	long count, at;
	size_t room;
};

struct record {
	size_t length;      /* of its arguments, with their NULs */
	long count;
	int bad;            /* there is a NUL in one of them */
};

struct source {
	const struct source_terms *terms;
	struct feed feed;   /* the first list, where that is a file; or not open, fd -1 */
	struct source_item line; /* of the feed; a copy where there are more lists */
	size_t room;
	struct source_list *lists;
	size_t count;
	int begun;          /* not all combinations with the line of the first list were made */
	void *columns;      /* a regex_t, or NULL */
};

/* The separator that somebody writes as one byte, \n, \t, \0 or \\: 0, or -1. */
int source_separator(const char *text, char *separator);
/* Reads all lists but the first. Exits after a message when that fails. The terms must stay.
   Nothing is freed. */
void source_open(struct source *source, const struct source_terms *terms);
/* Adds the arguments of the next record to the box: 1; 0: fill the feed first; -1 at the end. */
int source_next(struct source *source, struct outbox *box, struct record *record);
/* How many records come, at most; -1 where that is not known. */
long source_total(const struct source *source);

/* group.c: how many records make a job: a number of them, or as many as fit into a command. */
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

/* source is open, recipe, too; most records of a job; asked: bytes, or 0. fit: as many as fit, and
   what is left at the end of the input is spread over that many jobs; 0: it is not; or -1. */
void group_open(struct group *group, struct source *source, const struct recipe *recipe, long most,
    long asked, long fit);
/* The arguments of the next job, until the next call: 1; 0: fill the source's feed first; -1 at the
   end. *why is NULL, or why they cannot be a job. */
int group_next(struct group *group, struct arguments *given, const char **why);
/* How many jobs there will be at most; -1 where that is not known. */
long group_total(const struct group *group);
