/*
 * The tokens of an attendant's jobs, where they are make's (jobserver.h, which is
 * open, or else there is only the first token).
 *
 * A slot is announced only when there is a token for it and the attendant has asked
 * for one, but for the first slot. Nothing is free because a job has ended: its token
 * goes back, and its slot is announced again when the attendant asks again.
 *
 * borrow_begin() announces the first. borrow_want(): the attendant has asked; to ask
 * again before the answer, which is "free L", changes nothing.
 * borrow_look() is due when leases have come home or were retired, and when a slot's time
 * has come: borrow_left() is how many ms it is until then, or -1.
 * borrow_event() takes the news of a descriptor: 1, or 0 when that is not ours.
 * borrow_end(): nobody is there to ask any more. All goes back, whatever still runs.
 */
struct slots;
struct turns;

struct borrow {
	int on;      /* they are make's */
	int wanted;  /* the attendant has asked */
	int rests;   /* it did, and there are slots, but none whose time has come (turns.h) */
	struct turns *turns;
	int heard;   /* the descriptor that we wait on, in the slots' news, or -1 */
};

void borrow_begin(struct borrow *borrow, struct slots *slots, struct turns *turns);
void borrow_want(struct borrow *borrow, struct slots *slots);
void borrow_look(struct borrow *borrow, struct slots *slots);
int borrow_event(struct borrow *borrow, struct slots *slots, int fd);
long long borrow_left(const struct borrow *borrow, const struct slots *slots);
void borrow_end(struct borrow *borrow, struct slots *slots);
