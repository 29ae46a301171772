#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../lease/names.h"
#include "holders.h"
#include "lending.h"

static long
next_of(const struct holders *holders, long slot)
{
	return *pool_next(&holders->store->pool, slot);
}

static int
is_loan_of(const struct holder *loan, const char *lender)
{
	return loan->slot != 0 && strcmp(loan->lender, lender) == 0;
}

/* 1 if the holder has that slot, or another loan of it. */
static int
has_slot(const struct holders *holders, const struct holder *holder, long slot)
{
	const struct pool *pool = &holders->store->pool;
	long one = holder->slot;

	while (one != 0 && pool_number(pool, one) != pool_number(pool, slot))
		one = next_of(holders, one);
	return one != 0;
}

static int
is_lent(const struct holders *holders, const struct holder *lender, long slot)
{
	const struct pool *pool = &holders->store->pool;

	if (pool->slots[pool_number(pool, slot)].holders < 2)
		return 0;
	for (size_t fd = 0; fd < holders->room; fd++)
		if (is_loan_of(holders->list + fd, lender->name) &&
		    has_slot(holders, holders->list + fd, slot))
			return 1;
	return 0;
}

/* How many of the lender's present tokens are lent: a build may have given back others that are. */
static long
lent_of(const struct holders *holders, const struct holder *lender)
{
	long count = 0;

	for (long slot = lender->slot; slot != 0; slot = next_of(holders, slot))
		count += is_lent(holders, lender, slot);
	return count;
}

/* 1 if the build has lent its token for that job; "" is its own command. */
static int
has_lent_for(const struct holders *holders, const struct holder *lender, const char *job)
{
	const struct holder *loan;

	for (size_t fd = 0; fd < holders->room; fd++) {
		loan = holders->list + fd;
		if (is_loan_of(loan, lender->name) && strcmp(loan->job, job) == 0 &&
		    (*job != '\0' || loan->count > loan->drawn))
			return 1;
	}
	return 0;
}

long
lending_most(const struct holders *holders, const struct waiter *waiter)
{
	const struct holder *lender = holders_find(holders, waiter->lender);
	const struct build *b = lender == NULL ? NULL : builds_find(holders->builds, lender->name);

	if (lender == NULL)
		return -1;
	if (b == NULL)
		return lender->count;
	return waiter->job[0] != '\0' ? 1 : 1 + b->reserved;
}

/* 1 if the lender can spare that many now. Of a build's tokens the first is out already, and the
   others are drawn from its FIFO, so that it does not take them meanwhile. */
static int
spares(struct holders *holders, const struct holder *lender, struct waiter *waiter)
{
	struct build *b = builds_find(holders->builds, lender->name);
	int lent;

	waiter->drawn = waiter->count - 1;
	if (b == NULL)
		return lender->count - lent_of(holders, lender) >= waiter->count;
	lent = has_lent_for(holders, lender, waiter->job);
	if (lent && waiter->job[0] != '\0')
		return 0;
	waiter->drawn += lent;
	return builds_out(holders->builds, b) + waiter->drawn >=
	    lent_of(holders, lender) + waiter->count && builds_draw(b, waiter->drawn) == 0;
}

/* Lends count slots that are not lent yet, of the lender's from that one on: the chain; 0: too few,
   or no memory. */
static long
borrow(struct holders *holders, const struct holder *lender, long slot, int count)
{
	struct pool *pool = &holders->store->pool;
	long chain = 0, loan;

	for (; slot != 0 && count > 0; slot = next_of(holders, slot)) {
		if (is_lent(holders, lender, slot))
			continue;
		if ((loan = pool_lend(pool, slot)) == 0)
			break;
		*pool_next(pool, loan) = chain;
		chain = loan;
		count--;
	}
	if (count == 0)
		return chain;
	pool_all_home(pool, chain);
	return 0;
}

long
lending_take(struct holders *holders, struct waiter *waiter)
{
	const struct holder *lender = holders_find(holders, waiter->lender);
	long slot = 0;

	if (lender == NULL || lending_most(holders, waiter) < waiter->count ||
	    !spares(holders, lender, waiter))
		return 0;
	if (waiter->outlives) /* for lending_part */
		slot = borrow(holders, lender, next_of(holders, lender->slot), waiter->count);
	if (slot == 0)
		slot = borrow(holders, lender, lender->slot, waiter->count);
	if (slot == 0)
		builds_repay(holders->builds, waiter->lender, waiter->drawn);
	return slot;
}

/* The first token of a build stays with it, and can only be lent. */
int
lending_part(const struct holders *holders, const struct waiter *waiter)
{
	const struct holder *lender = holders_find(holders, waiter->lender),
	    *loan = holders_find(holders, waiter->name);
	struct build *b = lender == NULL ? NULL : builds_find(holders->builds, lender->name);

	if (b == NULL || loan == NULL || !waiter->outlives || waiter->job[0] == '\0' ||
	    builds_part(holders->builds, b,
	        pool_number(&holders->store->pool, loan->slot)) != 0)
		return 0;
	lending_forget(holders, loan->slot, loan->name);
	return 1;
}

int
lending_note(const struct holders *holders, long chain, const char *client, const char *lender,
    const char *job)
{
	char file[NAMES_FILE], text[NAMES_CLIENT + NAMES_JOB];

	names_lender(file, pool_number(&holders->store->pool, chain), client);
	snprintf(text, sizeof text, "%s %s", lender, job);
	unlinkat(holders->store->dir, file, 0); /* there may be an earlier lender's */
	return symlinkat(text, holders->store->dir, file);
}

void
lending_forget(const struct holders *holders, long chain, const char *client)
{
	char file[NAMES_FILE];

	names_lender(file, pool_number(&holders->store->pool, chain), client);
	unlinkat(holders->store->dir, file, 0);
}

long
lending_inherit(struct holders *holders, const char *client, const char *lender, const char *job,
    long own)
{
	const struct holder *of = holders_find(holders, lender);
	long kept = -own;

	for (size_t fd = 0; fd < holders->room; fd++) {
		struct holder *loan = holders->list + fd;

		if (!is_loan_of(loan, client) || (of != NULL && !has_slot(holders, of, loan->slot)))
			continue;
		snprintf(loan->lender, sizeof loan->lender, "%s", lender);
		snprintf(loan->job, sizeof loan->job, "%s", job);
		lending_note(holders, loan->slot, loan->name, lender, job);
		kept += loan->count;
		loan->drawn = kept < 0 ? 0 : kept < loan->count ? (int)kept : loan->count;
	}
	return kept + own;
}

/* Tokens drawn from a build's FIFO that others still have go back when these end. */
void
lending_end(struct holders *holders, const struct holder *loan)
{
	long own = loan->count - loan->drawn, all, kept;

	all = lending_inherit(holders, loan->name, loan->lender, loan->job, own);
	kept = all > own ? all - own : 0;
	builds_repay(holders->builds, loan->lender, loan->drawn - kept);
	lending_forget(holders, loan->slot, loan->name);
}
