/* Telling a build, by its environment, where its jobserver is. */
enum announce_style {
	ANNOUNCE_FITTING, /* both, unless the command is a make that is not GNU make */
	ANNOUNCE_BOTH,
	ANNOUNCE_PATH,
	ANNOUNCE_DESCRIPTOR,
	ANNOUNCE_NOTHING
};

/* Of that path, as the dispenser gave it, with size tokens; for the command. becomes: we will be
   the command, which keeps the ends open itself. Exits with a message when it cannot. */
void announce_build(const char *build, long size, enum announce_style style, const char *command,
    int becomes);
/* Tells it to run that many jobs by itself: there is no jobserver. Exits when it cannot. */
void announce_jobs(long most);
