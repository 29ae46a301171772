/*
 * Our parents in a recipe of make. By SIGTERM make ends the shell of a recipe, and nothing else: a
 * part of a pipeline there would go on, with tokens of a make that has gone. So once our parent and
 * its parent have ended, which are that shell and make, we end as by SIGTERM.
 *
 * Not where somebody meant us to go on: in a process group of our own; and with "&", unless the
 * tokens are make's.
 */
struct batch;

/* Sees who it is; after orders_open(). */
void starter_open(struct batch *batch);
/* How long until the next look, or -1. */
long long starter_wait_ms(const struct batch *batch);
/* Looks whether both have ended. */
void starter_follow(struct batch *batch);
