#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/outbox.h"
#include "../lib/room.h"
#include "place.h"
#include "script.h"

enum { DEEPEST = 64 /* quotes within quotes */ };

/* quote: 0, or the quote that we are in; opened: '(' or '`' where a command within the quotes
   began. */
struct nest {
	char quote, opened;
};

/* Where in a shell's text we are. */
struct reading {
	struct nest nest[DEEPEST];
	int depth, comment;
};

/* Past the next character of the script. */
static void
follow(struct reading *r, const char *script, const char *at)
{
	struct nest *nest = r->nest + r->depth;
	char c = *at, before = at > script ? at[-1] : '\n';
	int command = c == '`' || (c == '(' && (nest->quote == 0 || before == '$'));

	if (r->comment || (c == '#' && nest->quote == 0 && strchr(" \t\n;&|()`", before) != NULL))
		r->comment = c != '\n';
	else if ((c == '\'' && nest->quote != '"') || (c == '"' && nest->quote != '\''))
		nest->quote = nest->quote == 0 ? c : 0;
	else if (nest->quote == '\'')
		return;
	else if (r->depth > 0 && nest->quote == 0 &&
	    nest->opened == (c == ')' ? '(' : c == '`' ? c : 'x'))
		r->depth--;
	else if (command && r->depth < DEEPEST - 1)
		r->nest[++r->depth] = (struct nest){0, c};
}

/* The number of the parameter for a place, from 1; 0 for no memory. */
static size_t
parameter_for(struct script *script, const struct place *place)
{
	struct place *more;
	size_t i;

	for (i = 0; i < script->count; i++)
		if (script->parameters[i].part == place->part &&
		    script->parameters[i].number == place->number)
			return i + 1;
	more = room_for(script->parameters, &script->room, script->count + 1, sizeof *more);
	if (more == NULL)
		return 0;
	script->parameters = more;
	more[script->count++] = *place;
	return script->count;
}

/* What a place becomes, in that quote. */
static int
say_parameter(struct script *script, struct outbox *out, const struct place *place, char quote,
    int several)
{
	const char *before = quote == 0 ? "\"" : quote == '"' ? "" : "'\"";
	const char *after = quote == 0 ? "\"" : quote == '"' ? "" : "\"'";
	size_t n;

	if (place->part == PLACE_ID || place->part == PLACE_SLOT)
		return outbox_say(out, "%s${JOBCTL_%s}%s", before,
		    place->part == PLACE_ID ? "ID" : "SLOT", after);
	if (several && place_is_each(place)) {
		errno = EINVAL;
		return place->part != PLACE_WHOLE ? -1 : outbox_say(out, "%s$@%s", before, after);
	}
	if ((n = parameter_for(script, place)) == 0)
		return -1;
	return outbox_say(out, several ? "%s${_jobctl_%lu}%s" : "%s${%lu}%s", before,
	    (unsigned long)n, after);
}

/* What is appended would be a command itself. */
static int
ends_command(const char *text)
{
	size_t n = strlen(text);

	while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	return n == 0 || (strchr("\n;&|(", text[n - 1]) != NULL && (n == 1 || text[n - 2] != '\\'));
}

/* Even where we misread the quotes, nothing is executed: a shell does not parse the value of a
   parameter. 1: no argument has a place; -1 as script_open(). */
static int
parametrize(struct script *script, struct outbox *out, const char *text, const char *replace,
    int several, int appends)
{
	struct reading r = {0};
	int none = 1;
	struct place place;

	for (const char *at = text; *at != '\0'; at++) {
		char quote = r.nest[r.depth].quote;

		if (place_at(at, replace, &place)) {
			if (say_parameter(script, out, &place, quote, several) != 0)
				return -1;
			none &= place.part >= PLACE_ID;
			at += place.length - 1;
			continue;
		}
		outbox_add(out, at, 1);
		if (quote != '\'' && !r.comment && *at == '\\' && at[1] != '\0')
			outbox_add(out, ++at, 1);
		else
			follow(&r, text, at);
	}
	if (!none || !appends || (!r.comment && !ends_command(text)))
		return none;
	errno = ENOEXEC;
	return -1;
}

/* Takes the parameters that precede the arguments. */
static void
say_shift(const struct script *script, struct outbox *out)
{
	unsigned long n = (unsigned long)script->count;

	for (unsigned long i = 1; i <= n; i++)
		outbox_say(out, "_jobctl_%lu=${%lu} ", i, i);
	if (n > 0)
		outbox_say(out, "&& shift %lu; ", n);
}

int
script_open(struct script *script, const char *text, const char *replace, int several,
    int appends)
{
	static const struct place whole = {.part = PLACE_WHOLE};
	struct outbox body = {0}, out = {0};
	int none = -1;

	*script = (struct script){0};
	if (several || parameter_for(script, &whole) != 0)
		none = parametrize(script, &body, text, replace, several, appends);
	if (several)
		say_shift(script, &out);
	outbox_add(&out, body.bytes, body.end);
	if (none == 1 && appends)
		outbox_say(&out, several ? " \"$@\"" : " \"${1}\"");
	outbox_add(&out, "", 1);
	out.lost |= body.lost;
	outbox_drop(&body);
	script->text = none < 0 ? NULL : outbox_whole(&out);
	if (script->text != NULL)
		return 0;
	if (none < 0)
		outbox_drop(&out);
	script_close(script);
	return -1;
}

void
script_close(struct script *script)
{
	free(script->text);
	free(script->parameters);
	*script = (struct script){0};
}
