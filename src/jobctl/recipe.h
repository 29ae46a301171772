/*
 * The command that is run for the arguments of a job, as it is run and as it is shown: words with
 * places (place.c), which are filled. A word with a place for each argument is there once for each;
 * without any place for an argument, all are appended, or none. Nothing of an argument is parsed by
 * a shell, unless it is itself the command: to a shell it goes as a parameter (script.c).
 */
#include <stddef.h>

struct outbox;

/* place.c: places in the words of a command, as in jobctl(1): {} {.} {/} {//} {/.} for each
   argument; with a number, such as {2} {-1} {2/.}, for that one; {#} and {%}. All else in braces is
   text. */

/* The arguments of a job. */
struct arguments {
	const char *text; /* one after the other, a NUL after each */
	size_t length;    /* of all that */
	long count;
};

enum place_part {
	PLACE_WHOLE, PLACE_STEM, PLACE_BASE, PLACE_DIRECTORY, PLACE_BASE_STEM, PLACE_ID, PLACE_SLOT
};

struct place {
	enum place_part part;
	long number;      /* of the argument; 0: each of them, or this is no place for one */
	size_t length;    /* of what is written in this place */
};

enum { PLACE_ROOM = 24 /* of a number, as text */ };

/* The place that begins at text; replace: what is written for {}, which then is text; or NULL.
   1, or 0 when none begins there. */
int place_at(const char *text, const char *replace, struct place *place);
/* The first place in text: how many bytes precede it; or all of them, and place->length is 0. */
size_t place_find(const char *text, const char *replace, struct place *place);
/* 1 when it is for each argument; 0 for a number of any kind. */
int place_is_each(const struct place *place);
/* The value of a place, where each is the current argument: *from, and its length. */
size_t place_value(const struct place *place, const struct arguments *given, const char *each,
    const char **from);

/*
 * A script for a shell, with a parameter in each place, quoted as its surroundings need: nothing of
 * an argument is ever parsed. $1 is the argument. Where there may be several, $@ is all of them,
 * and so is {}; what stands in other places goes before them, and is shifted away into variables.
 */
struct script {
	char *text;               /* NULL: there is none */
	int several, appended;    /* arguments; no argument has a place: they come behind it */
	struct place *parameters; /* that precede the arguments, or that there are at all */
	size_t count, room;
};

/* Makes it of what somebody wrote; replace: place.h; appends: an argument without a place is
   appended. 0; or -1 with errno EINVAL for a place that there is not for several arguments, such as
   {.}; or ENOEXEC where it has no place, and an argument at its end would be a command or a
   comment. */
int script_open(struct script *script, const char *text, const char *replace, int several,
    int appends);
/* Copies a script; fill() adds the values of its places, within that quote, or 0. flat: on one
   line, as far as that can be. -1 as fill() says, 1 when a comment ends it, or 0. */
int script_copy(struct outbox *out, const char *text, const char *replace, int flat,
    int (*fill)(void *context, struct outbox *out, const struct place *place, char quote),
    void *context);

/* The room that words need. */
struct recipe_need {
	size_t words, bytes;
	size_t each;         /* places for each argument ... */
	size_t numbered;     /* ... and for a certain one */
};

struct recipe {
	const char *replace; /* what is written for {}, or NULL */
	int several;         /* a job may have several arguments ... */
	int alone;           /* ... or none, without a place for one; the caller sets these three */
	char **words;        /* NULL: each argument is a command */
	struct script script; /* with -c */
	int appended;
	struct recipe_need once, each; /* of words that are there once, or for each argument */
};

/* Takes the words; none: each argument is for a shell; script: the one word is. 0, or
   -1 as script_open(). */
int recipe_open(struct recipe *recipe, char **words, int script);
/* The program of all jobs; NULL: each has its own. */
const char *recipe_program(const struct recipe *recipe);
/* A text with its places filled, several arguments with blanks between them; NULL: the arguments.
   For free(3), as all of these, which exit without memory. */
char *recipe_fill(const struct recipe *recipe, const char *text, const struct arguments *given,
    long id, long slot);
/* 0 for a line that is no command: blank, or a comment. */
int recipe_is_job(const struct recipe *recipe, const char *line);
/* How many bytes that is at most, with the NULs, and this many for each word: to exec(2) the
   pointer, too. longest: of the arguments, with its NUL. */
size_t recipe_size(const struct recipe *recipe, const struct arguments *given, size_t longest,
    size_t word);
/* The list of arguments, in one block. */
char **recipe_argv(const struct recipe *recipe, const struct arguments *given, long id, long slot);
/* The list of arguments as one would type it; {%} stays with slot 0. */
char *recipe_text(const struct recipe *recipe, const struct arguments *given, long id, long slot);
