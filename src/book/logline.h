/* A line of the log of jobs as text: columns with tabs between them, or an object of JSON. */
#include <stddef.h>

/* The first line of a file with columns. */
#define LOGLINE_HEADER \
	"Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"
/* The beginning of each object that we write. */
#define LOGLINE_OBJECT "{\"seq\":"

struct end;

/* A job that has ended, as a line tells it. */
struct logline {
	long id;
	int succeeded;
	const char *command; /* in the line that was read */
	size_t length;       /* of that, which may contain a NUL */
};

/* The columns, which are also members of an object. */
enum {
	LOGLINE_SEQ, LOGLINE_HOST, LOGLINE_START, LOGLINE_SECONDS, LOGLINE_SEND, LOGLINE_RECEIVE,
	LOGLINE_EXIT, LOGLINE_SIGNAL, LOGLINE_COMMAND, LOGLINE_FIELDS
};

/* A line as text, before anything is believed. */
struct logline_fields {
	char *text[LOGLINE_FIELDS]; /* NULL: it is not there */
	size_t length;              /* of the command, which may contain a NUL */
};

/* 1 where a log of that name has objects: it ends in .json, .jsonl or .ndjson. */
int logline_json(const char *path);
/* The text of a line and its newline, for free(3), or NULL without memory. */
char *logline_text(const struct end *end, const char *command, int json);
/* Cuts one without its newline, which is changed: 0, or -1 where it is none. */
int logline_cut(struct logline_fields *fields, char *line, size_t length, int json);
/* Reads one with columns, without its newline, which is changed: 0, or -1 where it is none. */
int logline_read(struct logline *found, char *line, size_t length);
