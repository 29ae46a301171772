/*
 * How many tokens each build (builds.h) is offered.
 *
 * Who waits in the queue comes first. A build alone is offered all that is free. Of
 * several, who has read all that it was offered is hungry: what others leave unread
 * for TICK ms goes to it, most of it first; and of two who are hungry the one who has
 * two more gives one when it returns it. Who leaves unread what it was given is asked
 * again later and later.
 *
 * Who gives back into the FIFO that it reads takes its token again within microseconds.
 * To be there first we would have to look all the time; where such a token is wanted
 * we do so for CATCH ms of each CATCH_EACH, which catches one in ten.
 *
 * shares_balance() does that, and is due whenever a token has come home or went out,
 * a build has news, or the time has come: in shares_patience() ms, or -1. Before that,
 * shares_catch() is due.
 */
struct clients;

void shares_catch(struct clients *c);
void shares_balance(struct clients *c);
long long shares_patience(const struct clients *c);
