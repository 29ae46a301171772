/* Watching at a terminal, as top(1) does. */
struct subject;

/* Shows it each second until the user quits (0), a batch ends (0), or the dispenser does: then it
   exits with a message. A signal that ends us does so when the terminal is as it was. */
int top_run(struct subject *subject);
