/*
 * The command that is run for the arguments of a job, as it is run and as it is shown: words with
 * places (place.h), which are filled. A word with a place for each argument is there once for each;
 * without any place for an argument, all are appended, or none. Nothing of an argument is parsed by
 * a shell, unless it is itself the command: to a shell it goes as a parameter (script.h).
 */
#include "place.h"
#include "script.h"

/* The room that words need. */
struct recipe_need {
	size_t words, bytes;
	size_t each;         /* places for each argument ... */
	size_t numbered;     /* ... and for a certain one */
};

struct recipe {
	const char *shell;   /* that runs it all, or NULL: sh, where there is a script */
	const char *replace; /* what is written for {}, or NULL */
	int several;         /* a job may have several arguments ... */
	int alone;           /* ... or none, without a place for one; the caller sets these four */
	char **words;        /* NULL: each argument is a command */
	struct script script; /* with -c */
	int appended;
	struct recipe_need once, each; /* of words that are there once, or for each argument */
};

/* Takes the words; none: each argument is for a shell; script: the one word is. A shell runs words,
   too, which may be a function of it. 0, or -1 as script_open(). */
int recipe_open(struct recipe *recipe, char **words, int script);
/* Frees it. */
void recipe_close(struct recipe *recipe);
/* 1 when each job has a program of its own. */
int recipe_varies(const struct recipe *recipe);
/* The program of all jobs, unless recipe_varies(). */
const char *recipe_program(const struct recipe *recipe);
/* A text with its places filled, several arguments with blanks between them; NULL: the arguments.
   For free(3), or NULL: no memory. */
char *recipe_fill(const struct recipe *recipe, const char *text, const struct arguments *given,
    long id, long slot);
/* 0 for a line that is no command: blank, or a comment. */
int recipe_is_job(const struct recipe *recipe, const char *line);
/* How many bytes that is at most, with the NULs, and this many for each word: to exec(2) the
   pointer, too. longest: of the arguments, with its NUL. */
size_t recipe_size(const struct recipe *recipe, const struct arguments *given, size_t longest,
    size_t word);
/* The list of arguments, in one block that the caller frees; NULL for no memory. */
char **recipe_argv(const struct recipe *recipe, const struct arguments *given, long id, long slot);
/* The list of arguments as one would type it; {%} stays with slot 0. The caller frees it; NULL: no
   memory. */
char *recipe_text(const struct recipe *recipe, const struct arguments *given, long id, long slot);
