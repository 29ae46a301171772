/*
 * The output of jobs as it comes, and the part that is held: the reading half of lines.c, whose
 * state this is. writer.h is the writing half.
 */
#include <sys/select.h>

#include <stddef.h>

#include "../lib/news.h"
#include "writer.h"

/* The output of a job, to 1 or to 2. */
struct stream {
	struct stream *next; /* whose job has ended, in the queue of the same sink */
	struct live *live;
	struct sink *sink;
	int fd;              /* -1: nothing more comes */
	char *tag;           /* or NULL */
	struct outbox held;  /* read, and not written */
	size_t seen;         /* no newline is in as much of it */
	int stored;          /* read while somebody else wrote there */
};

struct live {
	struct lines *lines;
	struct stream streams[2];
	char *line;          /* for shown() */
	int unsaid;          /* a message of ours: shown() is not told */
	int lost;            /* not all was written */
	int left;            /* streams that have still to be shown, once the job has ended */
	long long bytes;     /* to 1 */
};

/* Where both, or one of them, goes. */
struct sink {
	struct writer to;
	int blocked;          /* its reader takes no more for now */
	int broken;           /* it takes no more at all */
	struct stream *owner; /* has begun what is not finished: nobody else writes */
	int watched;          /* the owner is in "line" ... */
	int beside;           /* ... and so is this, of the other stream of its job; or -1 */
	int stored;           /* there may be streams with lines that were held back */
	struct stream *first; /* of jobs that have ended */
	struct news in, line; /* all that are read; the owner's job alone */
};

struct lines {
	struct sink sinks[2], *of[2]; /* both are the first where 1 and 2 are one file */
	int count;
	struct stream **streams;      /* by descriptor */
	size_t room;
	long open;                    /* streams */
	struct outbox spare;          /* a large buffer that nobody has now */
	int (*shown)(void *, const char *);
	void *context;
};

/* Those of a job, which have no pipe yet; NULL for no memory. */
struct live *live_make(struct lines *lines);
/* Closes and frees all of it. */
void live_free(struct live *live);
/* Makes its pipe, whose *end is the job's, and the caller's to close: 0, or -1 with errno. */
int stream_open(struct stream *s, int *end);
/* Nothing more is read of it. Keeps errno. */
void stream_close(struct stream *s);
/* The other one of its job. */
struct stream *stream_other(const struct stream *s);
/* Reads once: 1; or 0 for nothing, now or for ever; or -1 with errno. */
int stream_read(struct stream *s);
/* Adds the newline that the last line of one that has ended lacks: 0, or -1 with errno. */
int stream_end_line(struct stream *s);
/* How many bytes of it can be written: the lines that have an end. */
size_t stream_length(struct stream *s);
/* Gives a large buffer back in which little is held. */
void stream_give_back(struct stream *s);
/* The job of the owner writes elsewhere undisturbed: that is not watched any more. */
void sink_leave_aside(struct sink *sink);
