/*
 * The slots of a batch that are at places: the file DIRECTORY/places assigns to
 * _jobctl_place_NAME_3 the words that run a command at the place of slot 3, jobat(1), or nothing
 * if that is here.
 */
struct opening;

/* Makes the directory of the sessions, and the file. 0, or -1 after a message. */
int slots_open(struct opening *opening, const char *directory);
