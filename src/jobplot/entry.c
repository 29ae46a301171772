#include "../book/logline.h"
#include "entry.h"
#include "logged.h"

const char *
entry_read(struct job *job, struct logline *line, char *text, size_t length)
{
	enum logline_kind kind = logline_read(line, text, length);

	*job = (struct job){.command = ""};
	if (kind != LOGLINE_JOB)
		return kind == LOGLINE_BAD ? line->why : NULL;
	for (size_t i = 0; i < line->length; i++)
		if (line->command[i] == '\0')
			line->command[i] = '\n';
	job->host = *line->host == '\0' ? "-" : line->host;
	job->command = line->command;
	job->length = line->length;
	job->is_slot = !line->padded;
	job->seq = line->seq;
	job->start = line->start;
	job->end = line->start + line->time;
	job->exit = line->status;
	job->signal = line->signal;
	return NULL;
}
