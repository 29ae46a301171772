/*
 * What becomes of the output of jobs.
 *
 * OUTPUT_PLAIN: it goes where ours goes, as it comes. OUTPUT_GROUP: a job's is
 * kept until it has ended, and then shown, standard output and standard error
 * each at its place. OUTPUT_ORDER: also in the order of the jobs' numbers.
 * OUTPUT_FILES: to DIRECTORY/ID.out and DIRECTORY/ID.err. What is kept is in
 * files without a name in $TMPDIR, so nothing is left whatever kills us.
 *
 * outputs_open() prepares that: 0, or -1 after a complaint. outputs_bound() sees to
 * the descriptors that so many jobs at once need; mask is the signal mask while we
 * wait for whoever reads our output (orders.h). outputs_room() is 0
 * while so much waits for its turn that no more jobs should be started.
 * output_open() makes the descriptors for a job, both closed on exec; -1 in both
 * means ours. Returns 0, or -1 with errno. output_drop() closes them, and what a
 * job wrote is forgotten (it is tried again, or was not started).
 * output_show() takes over the output of a job that has ended, and shows what may
 * be shown now; tag, or NULL, is put before each of its lines with a tab. It
 * returns -1 with errno when our own output cannot be written. output_bytes() is
 * how much of it there is. output_skip() says that the job of that number will
 * never be shown; outputs_close() shows and closes what is left.
 */
#include <signal.h>

enum output_mode { OUTPUT_PLAIN, OUTPUT_GROUP, OUTPUT_ORDER, OUTPUT_FILES };

struct output {
	int out, err;
};

struct outputs {
	enum output_mode mode;
	const char *directory;  /* of temporary files, or -o */
	struct kept *kept;      /* ended, in order, waiting for their turn */
	long waiting, most;     /* of them; no more jobs are started then */
	long next;              /* whose turn it is */
	const sigset_t *mask;
};

int outputs_open(struct outputs *outputs, enum output_mode mode, const char *directory);
void outputs_bound(struct outputs *outputs, long jobs, const sigset_t *mask);
int outputs_room(const struct outputs *outputs);
int outputs_close(struct outputs *outputs);
int output_open(const struct outputs *outputs, struct output *output, long id);
void output_drop(struct output *output);
int output_show(struct outputs *outputs, struct output *output, long id, const char *tag);
int output_skip(struct outputs *outputs, long id);
long long output_bytes(const struct outputs *outputs, const struct output *output);
