#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/outbox.h"
#include "../places/shell.h"
#include "dispenser.h"
#include "opening.h"
#include "slots.h"

/* Adds the words up to the place, as one word of the shell, which evaluates it. */
static void
add_words(struct outbox *text, const struct sites *sites, long slot)
{
	char *none[] = {NULL}, **words = sites_argv(sites, slot, none);
	struct outbox inner = {0};

	for (char **word = words; word != NULL && *word != NULL; word++) {
		shell_word(&inner, *word);
		outbox_add(&inner, " ", 1);
	}
	outbox_add(&inner, "", 1);
	if (words == NULL || inner.lost)
		text->lost = 1;
	else
		shell_word(text, outbox_bytes(&inner));
	outbox_drop(&inner);
	free(words);
}

static void
compose(struct outbox *text, const struct opening *o)
{
	outbox_say(text, "_jobctl_b_grace=%lld.%03lld\n_jobctl_b_places=", o->patience / 1000,
	    o->patience % 1000);
	shell_word(text, o->sites.den.path);
	outbox_add(text, "\n", 1);
	for (long slot = 1; slot <= o->sites.slots; slot++) {
		outbox_say(text, "_jobctl_place_%s_%ld=", o->name, slot);
		if (sites_far(&o->sites, slot))
			add_words(text, &o->sites, slot);
		outbox_add(text, "\n", 1);
	}
}

/* The shell can read it under any umask of the caller. */
static int
open_file(const char *directory)
{
	char name[PATH_MAX];
	mode_t mask = umask(0);
	int fd;

	snprintf(name, sizeof name, "%s/places", directory);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	umask(mask);
	return fd;
}

int
slots_open(struct opening *o, const char *directory)
{
	struct outbox text = {0};
	int fd, bad;

	if (sites_open(&o->sites, o->grace) != 0) {
		complain("a directory for the sessions of places:");
		return -1;
	}
	compose(&text, o);
	fd = open_file(directory);
	bad = fd < 0 || text.lost || outbox_write(&text, fd, OUTBOX_ALL) != 0 ||
	    outbox_waits(&text) > 0;
	if (bad)
		complain("%s/places:", directory);
	if (fd >= 0)
		close(fd);
	outbox_drop(&text);
	if (bad)
		sites_close(&o->sites);
	return bad ? -1 : 0;
}
