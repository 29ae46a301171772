/* Files that killed clients, and clients of an earlier dispenser, have left in the directory. */
struct clients;

/* Removes the FIFOs of clients that were killed before they asked: a look at each name. */
void remains_sweep(struct clients *c);
/* Adopts leases that are held, and builds, and tells waiters to ask again. 0, or -1 with errno. */
int remains_adopt(struct clients *c);
