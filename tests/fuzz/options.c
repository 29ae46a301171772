/* The options of tokend: the input is its arguments, each on a line of its own. */
#include "leaving.h"

static int
not_run(const char *name, char **argv)
{
	int i;

	for (i = 0; argv[i] != NULL; i++)
		if (strlen(argv[i]) > 1 << 20)
			wrong("%s with a long word", name);
	return -1;
}

#define execvp not_run
#define background_close_others not_closed
int tokend_main(int argc, char **argv);
#define main tokend_main
#include "../../src/tokend/tokend.c"
#undef main

void
not_closed(const int *ours, int count)
{
	(void)ours;
	(void)count;
}

enum { WORDS = 64 };

static struct dispenser d;
static char *argv[WORDS + 1];
static int argc;
static const char *path;

static void
run(void *context)
{
	(void)context;
	path = NULL;
	path = read_words(&d, argc, argv);
}

static void
check(void)
{
	if (d.count < 1 || d.count > MOST_TOKENS || (long)d.labels.count > d.count)
		wrong("%ld tokens, %ld labels", d.count, (long)d.labels.count);
	if ((d.mode & ~0777) != 0 || (d.mode & 0600) != 0600)
		wrong("mode %o", (unsigned)d.mode);
	if (d.serving && (d.lines || d.recover))
		wrong("it serves several");
	if (d.jobs.books.terms.limit < 0 || d.idle < 0 || d.clients.builds.cap < 0 ||
	    d.clients.store.limits.least < 1 || d.clients.store.limits.floor < 0)
		wrong("a number below 0");
	if (path != argv[argc - 1])
		wrong("'%s' is the path", path);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = ground_text(data, size), *rest = text;

	ground_enter();
	unsetenv("MAKEFLAGS");
	argv[0] = "tokend";
	for (argc = 1; argc < WORDS && (argv[argc] = line_next(&rest)) != NULL; argc++)
		;
	argv[argc] = NULL;
	memset(&d, 0, sizeof d);
	d.mode = 0600;
	d.clients.store.limits.ceiling = -1;
	d.clients.store.limits.least = 1;
	if (leaves(run, NULL) == 0) {
		check();
		labels_clear(&d.labels);
	}
	(free)(text);
	return 0;
}
