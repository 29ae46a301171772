/*
 * How many tokens each build (builds.h) is offered.
 *
 * Clients that wait for a token of their own come first. A build alone is offered all free tokens.
 * Of several, a build that has read all its offers is hungry: it gets the tokens that others leave
 * unread for TICK ms, most of them first; and of two hungry builds the one with more than its share
 * gives up a token when it returns one. Shares are in proportion to priority + 1; the first token
 * of a build is never taken. A build that leaves its tokens unread is asked again later and later.
 */
struct build;
struct builds;

/* Balances offers; due once a turn of the loop. waiting: a client waits for a token of its own. */
void shares_balance(struct builds *builds, int waiting);
/* How many tokens that build, its first included, is to have if all want more than there are. */
long shares_of(const struct builds *builds, const struct build *build);
/* How long until shares_balance() is due, or -1. */
long long shares_wait_ms(const struct builds *builds, int waiting);
