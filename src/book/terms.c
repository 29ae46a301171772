#include <fnmatch.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "book.h"

enum { MOST = 1000000000 };

/* Sets the mode; --keep-order and --line-buffer exclude each other. */
static void
take_mode(struct terms *t, const struct options *o, enum output_mode mode)
{
	if ((t->mode == OUTPUT_ORDER && mode == OUTPUT_LINES) ||
	    (t->mode == OUTPUT_LINES && mode == OUTPUT_ORDER))
		fail(STATUS_TROUBLE, "%s: --keep-order shows a job after the one before it, and "
		    "--line-buffer all at once; leave out one of them", o->said);
	t->mode = mode;
}

static void
show_at_least(struct terms *t, enum progress_kind kind)
{
	if (t->progress < kind)
		t->progress = kind;
}

static int
take_output(struct terms *t, const struct options *o, int code)
{
	switch (code) {
	case 'k': take_mode(t, o, OUTPUT_ORDER); break;
	case 'u': t->mode = t->directory == NULL ? OUTPUT_PLAIN : OUTPUT_FILES; break;
	case TERMS_LINE_BUFFER: take_mode(t, o, OUTPUT_LINES); break;
	case TERMS_TAGSTRING: t->tag_text = o->argument; /* FALLTHROUGH */
	case TERMS_TAG:
		t->tag = 1;
		if (t->mode == OUTPUT_LINES)
			break;
		/* FALLTHROUGH */
	case TERMS_GROUP: t->mode = t->mode == OUTPUT_ORDER ? OUTPUT_ORDER : OUTPUT_GROUP; break;
	case TERMS_COLOUR: t->colour = 1; break;
	case TERMS_RESULTS:
		t->mode = t->mode == OUTPUT_PLAIN ? OUTPUT_FILES : t->mode;
		t->directory = options_path(o);
		if (fnmatch("*.[ct]sv", o->argument, 0) == 0 || strchr(o->argument, '{') != NULL ||
		    fnmatch("*.json", o->argument, 0) == 0)
			options_wrong(o, "one directory for the files of all jobs; write "
			    "--results DIR, or for a table --joblog FILE");
		break;
	case TERMS_BAR: show_at_least(t, PROGRESS_BAR); break;
	case TERMS_STATUS: show_at_least(t, PROGRESS_STATUS); break;
	case TERMS_TOTAL:
		show_at_least(t, PROGRESS_BAR);
		t->total = number_option(o, 0, MOST);
		break;
	case TERMS_QUIET: t->quiet = 1; break;
	case TERMS_DRY: t->dry = 1; break;
	default: return 0;
	}
	return 1;
}

int
terms_take(struct terms *t, const struct options *o, int code)
{
	switch (code) {
	case TERMS_HALT:
		if (halt_scan(&t->halt, o->argument) != 0)
			options_wrong(o, "%s", "not " HALT_SUCH);
		break;
	case TERMS_RETRIES:
		if (retry_scan(&t->retry, o->argument) != 0)
			options_wrong(o, "%s", "not " RETRY_SUCH);
		break;
	case TERMS_TIMEOUT: t->limit = number_option_ms(o); break;
	case TERMS_DEADLINE: t->deadline = number_option_ms(o); break;
	case TERMS_DELAY: t->between = number_option_ms(o); break;
	case TERMS_SLOT_DELAY: t->each = number_option_ms(o); break;
	case TERMS_LOAD:
		if (limits_scan_load(&t->limits, o->argument) != 0)
			options_wrong(o, "%s", "not " LIMITS_LOAD);
		if (t->limits.ceiling <= 0)
			options_wrong(o, "nothing would ever start");
		break;
	case TERMS_MEMFREE:
		if (limits_scan_size(&t->limits, o->argument) != 0)
			options_wrong(o, "%s", "not " LIMITS_SIZE);
		break;
	case TERMS_NICE: t->nice = number_nice(o); break;
	case TERMS_LOG: t->log_path = options_path(o); break;
	case TERMS_RESUME:
	case TERMS_RESUME_FAILED:
		t->resume = 1;
		t->resume_all = code == TERMS_RESUME;
		break;
	case TERMS_SYNC: t->sync = 1; break;
	default: return take_output(t, o, code);
	}
	return 1;
}

int
terms_settle(struct terms *t, enum output_mode mode)
{
	if (t->progress == PROGRESS_NONE || t->mode != OUTPUT_PLAIN || !isatty(STDERR_FILENO))
		return 0;
	t->mode = mode;
	return 1;
}

void
terms_check(const struct terms *t)
{
	if (t->resume && t->log_path == NULL)
		fail(STATUS_TROUBLE, "--resume%s: needs --joblog FILE",
		    t->resume_all ? "" : "-failed");
	if (t->mode == OUTPUT_LINES && t->directory != NULL)
		fail(STATUS_TROUBLE, "--line-buffer: not with --results; "
		    "write --group --results %s", t->directory);
	if (t->tag && (t->mode == OUTPUT_PLAIN || t->mode == OUTPUT_FILES))
		fail(STATUS_TROUBLE, "--ungroup: shows no tags; write --line-buffer");
	if (t->sync && t->log_path == NULL)
		fail(STATUS_TROUBLE, "--sync: needs --joblog FILE");
}
