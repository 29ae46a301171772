#include <string.h>

#include "holders.h"
#include "lending.h"

static long
next_of(const struct holders *holders, long slot)
{
	return *pool_next(&holders->store->pool, slot);
}

static struct build *
build_of(const struct holders *holders, const struct holder *lender)
{
	return builds_of(holders->builds, (int)(lender - holders->list));
}

static int
is_loan_of(const struct holder *loan, const struct holder *lender)
{
	return loan->slot != 0 && strcmp(loan->lender, lender->name) == 0;
}

/* How many tokens the holder has lent to that job of its, or to all: NULL. */
static long
lent_to(const struct holders *holders, const struct holder *lender, const char *job)
{
	const struct holder *loan;
	long count = 0;

	for (size_t fd = 0; holders->store->pool.lent > 0 && fd < holders->room; fd++) {
		loan = holders->list + fd;
		if (is_loan_of(loan, lender) && (job == NULL || strcmp(loan->job, job) == 0))
			count += loan->count;
	}
	return count;
}

static int
is_lent(const struct holders *holders, const struct holder *lender, long slot)
{
	const struct pool *pool = &holders->store->pool;
	const struct holder *loan;

	slot = pool_number(pool, slot);
	for (size_t fd = 0; pool->lent > 0 && fd < holders->room; fd++) {
		loan = holders->list + fd;
		for (long one = is_loan_of(loan, lender) ? loan->slot : 0; one != 0;
		    one = next_of(holders, one))
			if (pool_number(pool, one) == slot)
				return 1;
	}
	return 0;
}

long
lending_most(const struct holders *holders, const struct waiter *waiter)
{
	const struct holder *lender = holders_find(holders, waiter->lender);
	const struct build *b = lender == NULL ? NULL : build_of(holders, lender);

	if (lender == NULL)
		return -1;
	if (b == NULL)
		return lender->count;
	return waiter->job[0] != '\0' ? 1 : 1 + b->reserved;
}

/* Whether it can spare them now. Of a build the first is one that is out already, and the others
   are taken out of its FIFO, so that it does not take them meanwhile. */
static int
spares(struct holders *holders, const struct holder *lender, const struct waiter *waiter)
{
	struct build *b = build_of(holders, lender);
	long lent = lent_to(holders, lender, NULL);

	if (b == NULL)
		return lender->count - lent >= waiter->count;
	return lent_to(holders, lender, waiter->job) == 0 &&
	    builds_out(holders->builds, b) > lent &&
	    builds_draw(b, waiter->count - 1) == 0;
}

/* Of what the lender has, those that it has not lent yet; 0 when there is no memory. */
static long
borrow(struct holders *holders, const struct holder *lender, int count)
{
	struct pool *pool = &holders->store->pool;
	long chain = 0, loan;

	for (long slot = lender->slot; slot != 0 && count > 0; slot = next_of(holders, slot)) {
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
	for (; chain != 0; chain = loan) {
		loan = next_of(holders, chain);
		pool_home(pool, chain);
	}
	return 0;
}

/* What outlives a job of a build takes that job's token over: the build gets it back, and uses it
   again, when the job has ended. But the first token of a build stays with it, and can only be
   lent. */
long
lending_take(struct holders *holders, const struct waiter *waiter)
{
	const struct holder *lender = holders_find(holders, waiter->lender);
	struct build *b = lender == NULL ? NULL : build_of(holders, lender);
	long slot;

	if (lender == NULL || lending_most(holders, waiter) < waiter->count ||
	    !spares(holders, lender, waiter))
		return 0;
	if (b != NULL && waiter->outlives && waiter->job[0] != '\0' &&
	    (slot = builds_part(holders->builds, b)) != 0) {
		*pool_next(&holders->store->pool, slot) = 0;
		return slot;
	}
	slot = borrow(holders, lender, waiter->count);
	if (slot == 0)
		holders_repay(holders, waiter->lender, waiter->count - 1);
	return slot;
}
