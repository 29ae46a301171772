/* Files that killed clients, and clients of an earlier dispenser, have left in the directory. */
struct clients;

/* From time to time, while few wait, removes FIFOs that nobody knows: their clients were killed
   before they asked. It costs a look at each name. */
void remains_sweep(struct clients *c);
/* Adopts leases that are held, and builds, and tells waiters to ask again. 0, or -1 with errno. */
int remains_adopt(struct clients *c);
