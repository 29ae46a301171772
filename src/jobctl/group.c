#include <string.h>
#include <unistd.h>

#include "jobctl.h"

enum {
	MOST = 2097152, /* Linux takes no more, though the stack be unlimited */
	SPARE = 2048, /* bytes that xargs(1) leaves to the command */
	OURS = 2048   /* for the variables that we set */
};

extern char **environ;

void
group_open(struct group *g, struct source *source, const struct recipe *recipe, long most,
    long asked, long fit)
{
	long room = sysconf(_SC_ARG_MAX);
	size_t used = SPARE + OURS;

	*g = (struct group){.source = source, .recipe = recipe, .most = (size_t)most,
	    .asked = (size_t)asked, .bytes = (size_t)asked};
	if (fit < 0)
		return;
	if (g->bytes == 0)
		g->bytes = GROUP_ALL;
	g->jobs = (size_t)fit;
	g->room = room <= 0 ? GROUP_ALL : room < MOST ? (size_t)room : MOST;
	for (char **variable = environ; *variable != NULL; variable++)
		used += strlen(*variable) + 1 + sizeof *variable;
	g->room = g->room > used ? g->room - used : 1;
}

/* 1 when a command with all that is held would be too long. */
static int
is_over(const struct group *g)
{
	const struct arguments all = {.length = outbox_waits(&g->held), .count = g->count};

	if (g->bytes == 0 || g->first == g->last)
		return 0;
	return recipe_size(g->recipe, &all, g->longest, 0) > g->bytes || (g->room > 0 &&
	    recipe_size(g->recipe, &all, g->longest, sizeof(char *)) > g->room);
}

/* Takes the first records. over: one of them alone is too long. */
static int
take_records(struct group *g, size_t records, int over, struct arguments *given, const char **why)
{
	*given = (struct arguments){.text = outbox_bytes(&g->held)};
	*why = over && g->asked > 0 ? "its command is longer than -s allows" : NULL;
	g->longest = 0;
	for (; records > 0; records--) {
		const struct record *record = &g->records[g->first++];

		given->length += record->length;
		given->count += record->count;
		if (record->bad)
			*why = "its line has a NUL, and no argument can; write -0 if NUL ends "
			    "lines";
	}
	outbox_take(&g->held, given->length);
	g->count -= given->count;
	for (size_t i = g->first; i < g->last; i++)
		if (g->records[i].length > g->longest)
			g->longest = g->records[i].length;
	return 1;
}

/* One more record is held. As source_next(). If there is no room behind them they are moved down;
   half of it is free then, so that this is seldom. */
static int
hold_record(struct group *g)
{
	struct record *record;
	int got;

	if (g->last == g->space && g->first >= g->last - g->first) {
		g->last -= g->first;
		if (g->last > 0)
			memmove(g->records, g->records + g->first, g->last * sizeof *g->records);
		g->first = 0;
	}
	g->records = need_memory(room_for(g->records, &g->space, g->last + 1, sizeof *record));
	record = g->records + g->last;
	if ((got = source_next(g->source, &g->held, record)) != 1)
		return got;
	g->last++;
	g->longest = record->length > g->longest ? record->length : g->longest;
	g->count += record->count;
	return 1;
}

int
group_next(struct group *g, struct arguments *given, const char **why)
{
	size_t held;
	int got;

	for (;;) {
		held = g->last - g->first;
		if (is_over(g))
			return take_records(g, held > 1 ? held - 1 : 1, held == 1, given, why);
		if (held >= g->most)
			return take_records(g, g->most, 0, given, why);
		if (!g->ended && (got = hold_record(g)) == 1)
			continue;
		if (!g->ended && got != -1)
			return got;
		g->ended = 1;
		if (held == 0)
			return -1;
		if (g->jobs > 0 && (held - 1) / g->jobs + 1 < g->most)
			g->most = (held - 1) / g->jobs + 1;
		g->jobs = 0;
		return take_records(g, held < g->most ? held : g->most, 0, given, why);
	}
}

long
group_total(const struct group *g)
{
	long records = source_total(g->source);

	if (records < 0 || (g->bytes > 0 && g->most > 1))
		return -1;
	return records == 0 ? 0 : (records - 1) / (long)g->most + 1;
}
