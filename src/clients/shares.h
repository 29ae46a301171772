/*
 * How many tokens each build (builds.h) is offered.
 *
 * Who waits for a token of its own comes first. A build alone is offered all that is free. Of
 * several, who has read all that it was offered is hungry: what others leave unread for TICK ms
 * goes to it, most of it first; and of two that are hungry the one that has more than its share
 * gives one when it returns it. Shares are in proportion to priority + 1; the first token of a
 * build is never taken. Who leaves unread what it was given is asked again later and later.
 */
struct build;
struct builds;

/* Does that; due once a turn of the loop. waiting: somebody waits for a token of its own. */
void shares_balance(struct builds *builds, int waiting);
/* What that one is to have, its first token too, when all want more than there is. */
long shares_of(const struct builds *builds, const struct build *build);
/* How long until then, or -1. */
long long shares_wait_ms(const struct builds *builds, int waiting);
