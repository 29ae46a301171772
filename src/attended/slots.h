/*
 * The slots of a dispenser and their leases.
 *
 * leases[0..count-1] are the current leases of the slots 1..count; behind them,
 * up to total, stand the retired ones: their token is home already (returned
 * early), or they were found on a slot that no longer is, but a job has them
 * open still.
 *
 * slots_open() finds the leases in the directory that are still held, removes
 * the rest (unless unheld ones are wanted, too), and opens a lease for each slot
 * that has none. After it, a current lease with adopted set is out. Returns 0,
 * or -1 after a message.
 * slots_renew() makes the slot's lease, which was closed, ready for the next
 * holder; slots_retire() puts a new lease in place of one that is still held.
 * Both: 0, or -1 with errno, and nothing is changed but that a lease which could
 * not be renewed has fd -1.
 * slots_drop() forgets a retired lease; the last takes its place.
 * slots_find() is the index of the lease with that descriptor, or total.
 * slots_hear(): while deaf, messages stay in the leases and only closing is news.
 * Returns 0, or -1 with errno.
 * slots_held() counts the leases that somebody has open.
 * slots_close() closes all of them and takes their names out of the directory.
 */
#include <stddef.h>

struct lease;
struct news;

struct slots {
	struct news *news;    /* all leases are in it; neither this ... */
	int dir;              /* ... nor this is ours to close */
	int deaf;
	size_t count, total, room;
	struct lease *leases;
};

int slots_open(struct slots *slots, struct news *news, int dir, size_t count, int unheld);
int slots_renew(struct slots *slots, size_t i);
int slots_retire(struct slots *slots, size_t i);
void slots_drop(struct slots *slots, size_t i);
size_t slots_find(const struct slots *slots, int fd);
int slots_hear(struct slots *slots, int deaf);
size_t slots_held(const struct slots *slots);
void slots_close(struct slots *slots);
