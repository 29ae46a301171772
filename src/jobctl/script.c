#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jobctl.h"

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

/* The number of the parameter for a place, from 1. */
static size_t
parameter_for(struct script *script, const struct place *place)
{
	size_t i;

	for (i = 0; i < script->count; i++)
		if (script->parameters[i].part == place->part &&
		    script->parameters[i].number == place->number)
			return i + 1;
	script->parameters = need_memory(room_for(script->parameters, &script->room,
	    script->count + 1, sizeof *place));
	script->parameters[script->count++] = *place;
	return script->count;
}

/* For script_copy(): a parameter, quoted as its surroundings need. */
static int
say_parameter(void *context, struct outbox *out, const struct place *place, char quote)
{
	struct script *script = context;
	const char *before = quote == 0 ? "\"" : quote == '"' ? "" : "'\"";
	const char *after = quote == 0 ? "\"" : quote == '"' ? "" : "\"'";

	if (place->part == PLACE_ID || place->part == PLACE_SLOT)
		return outbox_say(out, "%s${JOBCTL_%s}%s", before,
		    place->part == PLACE_ID ? "ID" : "SLOT", after);
	script->appended = 0;
	if (script->several && place_is_each(place)) {
		errno = EINVAL;
		return place->part != PLACE_WHOLE ? -1 : outbox_say(out, "%s$@%s", before, after);
	}
	return outbox_say(out, script->several ? "%s${_jobctl_%zu}%s" : "%s${%zu}%s", before,
	    parameter_for(script, place), after);
}

int
script_copy(struct outbox *out, const char *text, const char *replace, int flat,
    int (*fill)(void *, struct outbox *, const struct place *, char quote), void *context)
{
	struct reading r = {0};
	struct place place;

	for (const char *at = text; *at != '\0'; at++) {
		char quote = r.nest[r.depth].quote;
		int escapes = quote != '\'' && !r.comment && *at == '\\' && at[1] != '\0';

		if (fill != NULL && place_at(at, replace, &place)) {
			if (fill(context, out, &place, quote) != 0)
				return -1;
			at += place.length - 1;
		} else if (escapes && flat && at[1] == '\n') {
			at++; /* the line goes on */
		} else if (escapes) {
			outbox_add(out, at++, 2);
		} else {
			if (flat && *at == '\n') /* outside of quotes no text stands for it */
				outbox_say(out, quote == 0 ? "\\n" : "%c" QUOTE_NEWLINE "%c",
				    quote, quote);
			else
				outbox_add(out, at, 1);
			follow(&r, text, at);
		}
	}
	return r.comment;
}

/* A line behind such a text would be a command itself. */
static int
ends_command(const char *text)
{
	size_t n = strlen(text);

	while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	return n == 0 || (strchr("\n;&|(", text[n - 1]) != NULL && (n == 1 || text[n - 2] != '\\'));
}

/* Even where we misread the quotes, nothing is executed: a shell does not parse the value of a
   parameter. */
int
script_open(struct script *script, const char *text, const char *replace, int several,
    int appends)
{
	struct outbox body = {0}, out = {0};
	int comment;

	*script = (struct script){.several = several, .appended = appends};
	if (!several)
		parameter_for(script, &(struct place){.part = PLACE_WHOLE});
	comment = script_copy(&body, text, replace, 0, say_parameter, script);
	if (comment >= 0 && script->appended && (comment || ends_command(text))) {
		errno = ENOEXEC;
		comment = -1;
	}
	if (comment < 0) {
		outbox_drop(&body);
		return -1;
	}
	for (size_t i = 1; several && i <= script->count; i++) /* they precede the arguments */
		outbox_say(&out, "_jobctl_%zu=${%zu} ", i, i);
	if (several && script->count > 0)
		outbox_say(&out, "&& shift %zu; ", script->count);
	outbox_say(&out, "%s%s", outbox_text(&body), !script->appended ? ""
	    : several ? " \"$@\"" : " \"${1}\"");
	outbox_add(&out, "", 1);
	outbox_drop(&body);
	script->text = need_memory(outbox_whole(&out));
	return 0;
}
