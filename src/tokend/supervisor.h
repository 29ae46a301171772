/*
 * A process that stays beside the dispenser in the background, and starts another one when that was
 * killed: at once, or after a second when it had lived for less. Ten that live for less, one after
 * another, are enough. It passes TERM, INT and HUP on.
 */

/* Forks, and returns in each dispenser, where TERM is blocked until background_ready(ready). The
   supervisor itself exits with the status of the last one. */
void supervisor_run(int ready);
