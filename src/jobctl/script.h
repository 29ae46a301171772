/*
 * A script for a shell, with a parameter in each place, quoted as its surroundings need: nothing of
 * an argument is ever parsed. $1 is the argument. Where there may be several, $@ is all of them,
 * and so is {}; what stands in other places goes before them, and is shifted away into variables.
 */
#include <stddef.h>

struct outbox;
struct place;

struct script {
	char *text;               /* NULL: there is none */
	struct place *parameters; /* that precede the arguments, or that there are at all */
	size_t count, room;
};

/* Makes it of what somebody wrote; replace: place.h; appends: an argument without a place is
   appended. 0; -1 for no memory, or with errno EINVAL for
   a place that there is not for several arguments, such as {.}; or ENOEXEC where it has no place,
   and an argument at its end would be a command or a comment. */
int script_open(struct script *script, const char *text, const char *replace, int several,
    int appends);
/* Frees it. */
void script_close(struct script *script);
/* Copies a script; fill() adds the values of its places, within that quote, or 0. flat: on one
   line, as far as that can be. -1 as fill() says, 1 when a comment ends it, or 0. */
int script_copy(struct outbox *out, const char *text, const char *replace, int flat,
    int (*fill)(void *context, struct outbox *out, const struct place *place, char quote),
    void *context);
/* 1 when such a line can be run: no newline in it was lost, nor a number of a slot. */
int script_is_whole(const char *text);
