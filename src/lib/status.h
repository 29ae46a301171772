/*
 * Exit statuses, the same in every program and every manual. A command that was run gives its
 * own, or 128+n when signal n killed it.
 */
enum status {
	STATUS_DONE = 0,
	STATUS_LOST = 122,       /* the place was lost: nobody knows how the job ended */
	STATUS_GONE = 123,       /* no dispenser or place there, or it went away */
	STATUS_NO_TOKEN = 124,   /* no token in time */
	STATUS_TROUBLE = 125,    /* anything else that went wrong here */
	STATUS_CANNOT_RUN = 126, /* the command is there and cannot be executed */
	STATUS_NOT_FOUND = 127
};
