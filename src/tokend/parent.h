/*
 * The parent of the dispenser of a script stays beside it, and ends all in order: of jobctl_open,
 * which has a directory and gets its lines by the FIFO "news" there, and of jobctrl, which writes
 * into a pipe. If the dispenser was killed, the parent tells the script to start no more jobs, and
 * waits until it has heard that and no lease is open: so no open of the shell waits for ever.
 *
 * The parent of a pool (-k) starts another dispenser, which takes over, if one was killed or, once
 * one was ready, could not begin or go on. It ends with one that ends by itself; or after several
 * that were killed as soon as they had begun. It ignores signals: they are for the dispenser.
 */
struct dispenser;
struct opening;

/* The words of jobctl_open: PID DIRECTORY KEY GRACE, options, a number. Goes into the background,
   and returns in the dispenser: its path. */
const char *parent_of_batch(struct dispenser *d, struct opening *opening, char **words);
/* The same for jobctrl, in the foreground: "process" reads our standard output. */
void parent_of_process(struct dispenser *d, const char *fifo);
/* -k: ready is of background_begin(). Returns in each dispenser. */
void parent_of_pool(int ready);
/* In the dispenser, at its end: does what is left to do if its parent was killed. */
void parent_end(int status);
