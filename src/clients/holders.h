/*
 * Who holds which tokens: leases given out, kept for a moment for a shell, taken
 * over from a dispenser that died, and come home. The state is in struct clients.
 *
 * holders_grant() gives the request its tokens and tells it so; fd and answer are
 * the read and the write end of its FIFO, which are ours from then on. 0; or -1,
 * and it has none, was told nothing, and they are the caller's.
 * holders_know_slot() makes room for a slot in the chains: 0, or -1 with errno.
 * holders_know() is 1 for the descriptor of a lease that is out.
 * holders_closed() is 1 when nobody has it open any more: the news may be of one that
 * had the same number a moment ago. What a shell said there may have been heard then.
 * holders_home() takes such a lease back when nobody has it open any more.
 * holders_let_go() closes our own write end of a lease that was kept: its shell has opened
 * it by then. holders_opened(): it says so itself, or that it starts again.
 * holders_begun(): whoever has that chain of slots says that it starts, see pool_begun().
 * holders_patience() is how many ms from now that is due for one of them, or -1;
 * holders_tick() does it.
 * holders_return() takes a plain token back; -1 when none is out.
 * holders_adopt() looks at the FIFO of that slot: held, it is out; else it goes.
 * 0, or -1 with errno. holders_close() closes and frees all.
 */
struct clients;
struct waiter;

int holders_grant(struct clients *c, const struct waiter *waiter, int fd, int answer);
int holders_know_slot(struct clients *c, long slot);
int holders_know(const struct clients *c, int fd);
int holders_closed(struct clients *c, int fd);
void holders_home(struct clients *c, int fd);
void holders_begun(struct clients *c, long slot);
void holders_let_go(struct clients *c, int fd);
void holders_opened(struct clients *c, int fd);
long long holders_patience(const struct clients *c);
void holders_tick(struct clients *c);
int holders_return(struct clients *c);
int holders_adopt(struct clients *c, const char *name, long slot);
void holders_close(struct clients *c);
