/*
 * The builds among the holders: those that may take further tokens by the
 * protocol of GNU make's jobserver. The lease of slot K holds the first token, and
 * these two FIFOs lie beside it:
 *
 *	K.jobserver	a byte for each token offered and not taken
 *	K.returned	where it gives them back, when it was told the two as
 *			descriptors R,W; by a path it gives them back into the first
 *
 * They all come home when the lease is closed, however it is closed. A token that is
 * offered has the name of its slot linked to K.jobserver: so a dispenser that takes
 * over finds them.
 * What lies unread can be taken back at any time. How many each gets: shares.h.
 *
 * One more may be for all who were not started by tokget, and who share the FIFO
 * "jobserver". Its tokens come home when nobody has it
 * open any more: to find that out, we have to look.
 *
 * builds_begin() makes a holder a build: fd is its lease, slot its first, reserved
 * the tokens beyond the first that it asked for and has. 0, or -1 with errno, and
 * nothing is changed.
 * builds_end() must come before the lease is closed and its slots come home.
 * builds_shared() makes the shared one, if it is not there: 0, or -1.
 * Of a dispenser that died: builds_remember() comes first; from then on builds_has()
 * is 1 for the name of a slot that is no lease, but the token of a build. When the
 * leases that are held were adopted, builds_adopt() makes those of them builds whose
 * FIFOs are there, with their tokens, and removes what is of others. Both 0, or -1
 * with errno.
 * builds_event() is 1 for a descriptor of theirs that has news.
 * builds_look() sees what lies unread, and what came home: 1 when that has changed.
 * builds_give() offers so many tokens that are free, as far as they are.
 * builds_take() takes so many back that are unread, and returns how many were.
 * builds_recall() takes back what is unread until so many tokens may be given out.
 * builds_count() counts the tokens that lie unread, in all. After it, builds_offer()
 * is 1 for a slot whose token is one of these.
 * builds_idle() is how many tokens the shared one has while nobody has it open.
 * builds_close() forgets them all; their names are the caller's to remove.
 */
struct build {
	struct build *next;
	long slot;            /* the first of its holder: K; 0 for the shared one */
	int lease;            /* the holder's number, or -1 */
	int offers, into;     /* the two ends of K.jobserver */
	int returns;          /* read end of K.returned */
	long given;           /* tokens besides the first */
	long reserved;        /* of them, its own: not taken back */
	long unread;          /* of them, when we last looked; or, where that cannot be told, 1 */
	long due;             /* to be given now */
	long long lying;      /* since when some have been unread at each look, or -1 */
	int idle;             /* it has not read all since some was taken back */
	long long sated;      /* until then it is not hungry, whatever it reads */
	long pause;           /* ms for which it is sated the next time */
	int absent;           /* the shared one, and nobody has it open */
	int by_descriptor;    /* it has given something back so */
	int wanted;           /* what it returns is for somebody else */
	int watched;          /* a return into K.jobserver is news */
};

struct known {
	long slot;
	dev_t dev;
	ino_t ino;
};

struct clients;

int builds_begin(struct clients *c, int fd, long slot, long reserved);
void builds_end(struct clients *c, int fd);
int builds_shared(struct clients *c);
int builds_remember(struct clients *c);
int builds_has(const struct clients *c, const char *name);
int builds_adopt(struct clients *c);
int builds_event(struct clients *c, int fd);
int builds_look(struct clients *c);
void builds_give(struct clients *c, struct build *build, long count);
long builds_take(struct clients *c, struct build *build, long count);
void builds_recall(struct clients *c, long wanted);
long builds_count(struct clients *c);
int builds_offer(const struct clients *c, long slot);
long builds_idle(const struct clients *c);
void builds_close(struct clients *c);
