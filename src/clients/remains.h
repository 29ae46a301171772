/* What clients that were killed, and those of an earlier dispenser, have left in the directory. */
struct clients;

/* Removes the FIFOs of clients that were killed before they asked: a look at each name. */
void remains_sweep(struct clients *c);
/* The lease of the holder of that name that has the slot, which is its first then; or -1. */
int remains_lead(void *context, long slot, const char *client, long *first);
/* Adopts what is held, and tells those who wait to ask again. 0, or -1 with errno. */
int remains_adopt(struct clients *c);
/* Then, once builds have theirs, who has ended since is no lender any more: 0, or -1. */
int remains_notes(struct clients *c);
