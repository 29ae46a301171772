/*
 * The builds among the holders: those that may take further tokens by the
 * protocol of GNU make's jobserver. The lease of slot K holds the first token, and
 * these two FIFOs lie beside it:
 *
 *	K.jobserver	a byte for each token offered and not taken
 *	K.returned	where it gives them back, when it was told the two as
 *			descriptors R,W; by a path it gives them back into the first
 *
 * A token is offered by linking its slot to the lease: so they all come home when
 * that is closed, however it is closed, and a dispenser that takes over finds them.
 * What lies unread can be taken back at any time. A build alone is offered all that
 * is free. Of several, who has read all that it was offered is hungry: what
 * others leave unread for TICK ms goes to it, most of it first; and of two who are hungry
 * the one who has two more gives one when it returns it. Who leaves unread what it
 * was given is asked again later and later. Who waits in the queue comes first.
 *
 * builds_begin() makes a holder a build: fd is its lease, slot its first, reserved
 * the tokens beyond the first that it asked for and has. 0, or -1 with errno, and
 * nothing is changed.
 * builds_end() must come before the lease is closed and its slots come home.
 * builds_adopt() makes those builds again, of all holders that were adopted, whose
 * FIFOs are there, and removes the FIFOs of others. 0, or -1 with errno.
 * builds_recall() takes back what is unread until so many tokens are free.
 * builds_share() offers what is free, and moves what is unread, as said above.
 * builds_event() takes the news of a descriptor: 0 when it is not one of theirs,
 * 1 when it is, and then builds_share() is due.
 * builds_patience() is how many ms from now builds_share() is due, or -1.
 * builds_count() counts the tokens that lie unread, in all. After it, builds_offer()
 * is 1 for a slot whose token is one of these.
 */
struct build {
	struct build *next;
	long slot;            /* the first of its holder: K */
	int lease;            /* the holder's number */
	int offers, into;     /* the two ends of K.jobserver */
	int returns;          /* read end of K.returned */
	long given;           /* tokens besides the first */
	long reserved;        /* of them, its own: not taken back */
	long unread;          /* of them, when we last looked; or, where that cannot be told, 1 */
	long due;             /* to be given now */
	long long lying;      /* since when some have been unread at each look, or -1 */
	long long sated;      /* until then it is not hungry, whatever it reads */
	long pause;           /* ms for which it is sated the next time */
	int watched;          /* a return into K.jobserver is news */
};

struct clients;

int builds_begin(struct clients *c, int fd, long slot, long reserved);
void builds_end(struct clients *c, int fd);
int builds_adopt(struct clients *c);
void builds_recall(struct clients *c, long wanted);
void builds_share(struct clients *c);
int builds_event(struct clients *c, int fd);
long long builds_patience(const struct clients *c);
long builds_count(struct clients *c);
int builds_offer(const struct clients *c, long slot);
