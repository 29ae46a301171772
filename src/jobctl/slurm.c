#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobctl.h"

enum { MOST_CPUS = 1000000, MOST_NODES = 100000, NAME = 256, COMMAND = 128 };

/* Adds the names, one on each line. cpus is such as "2(x3),4": of three nodes, and of one. 0, or -1
   where they do not go together. */
static int
add_nodes(struct sites *sites, const char *name, char *cpus, long task, long most)
{
	char text[NAME + 32], *end;
	long count = 0, left = 0, slots;

	for (size_t n; *name != '\0'; name += n + (name[n] == '\n')) {
		if ((n = strcspn(name, "\n")) == 0)
			continue;
		if (left == 0) {
			count = strtol(cpus, &end, 10);
			left = 1;
			if (strncmp(end, "(x", 2) == 0) {
				left = strtol(end + 2, &end, 10);
				if (*end++ != ')')
					return -1;
			}
			cpus = end + (*end == ',');
			if (count < 1 || count > MOST_CPUS || left < 1 ||
			    (*end != '\0' && *end != ','))
				return -1;
		}
		left--;
		slots = count < task ? 1 : count / task;
		slots = most > 0 && slots > most ? most : slots;
		snprintf(text, sizeof text, "%ld/%.*s", slots, (int)n, name);
		if (n >= NAME || sites_add(sites, text) != 0)
			return -1;
	}
	return left == 0 && *cpus == '\0' ? 0 : -1;
}

/* --overlap: it is jobctl that counts the slots. Without it, steps wait for each other where one
   of them has all memory or all GPUs of the job, or a whole core for one of its threads. */
void
slurm_places(struct sites *sites, long most)
{
	char *nodes = getenv("SLURM_JOB_NODELIST"), *cpus = getenv("SLURM_JOB_CPUS_PER_NODE"),
	    *each = getenv("SLURM_CPUS_PER_TASK"), transport[COMMAND];
	char *argv[] = {"scontrol", "show", "hostnames", nodes, NULL};
	size_t size = (size_t)MOST_NODES * NAME;
	char *names = need_memory(malloc(size));
	long task = 1; /* processors of each of the tasks */

	if (getenv("SLURM_JOB_ID") == NULL)
		fail(STATUS_TROUBLE, "--slurm: not within an allocation, for SLURM_JOB_ID "
		    "is not set; write: salloc -N3 jobctl --slurm ..., or sbatch a script "
		    "with it");
	if (each != NULL && number_scan(each, 1, MOST_CPUS, &task) != 0)
		fail(STATUS_TROUBLE, "--slurm: SLURM_CPUS_PER_TASK: not a number of processors");
	if (nodes == NULL || cpus == NULL)
		fail(STATUS_TROUBLE, "--slurm: SLURM_JOB_NODELIST and SLURM_JOB_CPUS_PER_NODE are "
		    "not set");
	if (command_answer(argv, names, size) != 0 || *names == '\0')
		fail(STATUS_TROUBLE, "--slurm: scontrol(1) does not name the nodes; try: scontrol "
		    "show hostnames");
	if (add_nodes(sites, names, cpus, task, most) != 0)
		fail(STATUS_TROUBLE, "--slurm: SLURM_JOB_CPUS_PER_NODE: not the processors of "
		    "these nodes");
	free(names);
	snprintf(transport, sizeof transport, "srun -Q -N1 -n1 -c%ld --overlap --cpu-bind=none "
	    "--export=ALL -w", task);
	if (setenv("JOBCTL_RSH", transport, 0) != 0)
		fail(STATUS_TROUBLE, "--slurm:");
}
