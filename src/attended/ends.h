/* How jobs ended: as their last words say, or else their shell, which is asked. */
struct jobs;
struct lease;

/* The job of that lease has ended: into the books, or the shell is asked how. */
void ends_take(struct jobs *jobs, struct lease *lease);
/* 1 while the shell is asked how a job ended. */
int ends_asked(const struct jobs *jobs);
/* Asks again what a copy of the shell could not answer. */
void ends_ask_again(struct jobs *jobs);
/* The answer: attendant.h. text: the command, or empty or NULL. */
void ends_know(struct jobs *jobs, long id, long status, const char *text);
/* Nobody can answer any more: what is unknown is so for good. */
void ends_nobody_knows(struct jobs *jobs);
/* Frees what is kept of those that were not answered. */
void ends_close(struct jobs *jobs);
