#include "../lib/complain.h"
#include "../lib/status.h"
#include "attendant.h"
#include "jobs.h"
#include "stops.h"

void
stops_say(struct jobs *jobs, const char *reason)
{
	attendant_tell("stop %d %s\n", jobs->books.result, reason);
	jobs->asked = 0;
	jobs->told = 1;
}

void
stops_now(struct jobs *jobs, int result, const char *reason)
{
	int before = jobs->books.result;

	books_stop(&jobs->books, result);
	if (before != jobs->books.result)
		stops_say(jobs, reason);
}

void
stops_no_memory(struct jobs *jobs)
{
	complain("no memory:");
	stops_now(jobs, STATUS_TROUBLE, "trouble");
}
