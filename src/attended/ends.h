/* How jobs ended: their last words say so, or else their shell is asked. */
struct job;
struct jobs;
struct lease;

/* Enters the end of a job, on the lease of that name, into the books; or it waits for another
   try. */
void ends_enter(struct jobs *jobs, struct job *job, const char *lease);
/* The shell has told the status of the job, or a negative number if nobody knows, and the command
   or NULL. */
void ends_learn(struct job *job, long status, const char *text);
/* The job of that lease has ended: enters it into the books, or asks the shell how it ended. */
void ends_take(struct jobs *jobs, struct lease *lease);
/* A job that waited for another try gets none: it has failed. */
void ends_give_up(struct jobs *jobs, struct job *job);
/* 1 while the shell is asked how a job ended. */
int ends_asked(const struct jobs *jobs);
/* Asks again the questions that a copy of the shell could not answer. */
void ends_ask_again(struct jobs *jobs);
/* The answer: attendant.h. text: the command, or empty or NULL. */
void ends_know(struct jobs *jobs, long id, long status, const char *text);
/* Nobody can answer any more: unknown ends stay unknown. */
void ends_nobody_knows(struct jobs *jobs);
/* Frees the jobs whose ends were not answered. */
void ends_close(struct jobs *jobs);
