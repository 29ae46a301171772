#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/command.h"
#include "../lib/number.h"
#include "batch.h"

enum { MOST_CPUS = 1000000, MOST_NODES = 100000, NAME = 256, COMMAND = 128 };

/* "2(x3),4": of three nodes, and of one. */
struct counts {
	const char *text; /* what was not read yet */
	long cpus, left;  /* of so many further nodes */
};

/* Of the next node, or -1. */
static long
next_count(struct counts *c)
{
	char *end = (char *)c->text;

	if (c->left == 0) {
		c->cpus = strtol(c->text, &end, 10);
		c->left = 1;
		if (strncmp(end, "(x", 2) == 0) {
			c->left = strtol(end + 2, &end, 10);
			if (*end++ != ')')
				return -1;
		}
		if (c->cpus < 1 || c->cpus > MOST_CPUS || c->left < 1 ||
		    (*end != '\0' && *end != ','))
			return -1;
		c->text = end + (*end == ',');
	}
	c->left--;
	return c->cpus;
}

/* A name on each line. 0, or -1 with errno. */
static int
add_all(struct sites *sites, char *names, struct counts counts, long task, long most)
{
	char text[NAME + 32];
	long slots;

	for (char *name = strtok(names, "\n"); name != NULL; name = strtok(NULL, "\n")) {
		errno = EINVAL;
		if ((slots = next_count(&counts)) < 0 || strlen(name) >= NAME)
			return -1;
		slots = slots < task ? 1 : slots / task;
		slots = most > 0 && slots > most ? most : slots;
		snprintf(text, sizeof text, "%ld/%s", slots, name);
		if (sites_add(sites, text) != 0)
			return -1;
	}
	errno = EINVAL;
	return counts.left == 0 && *counts.text == '\0' ? 0 : -1;
}

/* The names of the nodes, a line for each, for free(3). NULL with errno EINVAL where there are
   none. */
static char *
names_of(char *nodes)
{
	char *argv[] = {"scontrol", "show", "hostnames", nodes, NULL};
	size_t size = (size_t)MOST_NODES * NAME;
	char *names = malloc(size);

	if (names == NULL || (command_answer(argv, names, size) == 0 && *names != '\0'))
		return names;
	free(names);
	errno = EINVAL;
	return NULL;
}

/* --overlap: it is jobctl that counts the slots. Without it, steps wait for each other where one
   of them has all memory or all GPUs of the job, or a whole core for one of its threads. */
int
slurm_places(struct sites *sites, long most, const char **why)
{
	char *nodes = getenv("SLURM_JOB_NODELIST"), *cpus = getenv("SLURM_JOB_CPUS_PER_NODE"),
	    *each = getenv("SLURM_CPUS_PER_TASK"), *names, transport[COMMAND];
	long task = 1; /* processors of each of the tasks */
	int result, bad = each != NULL && number_scan(each, 1, MOST_CPUS, &task) != 0;

	errno = getenv("SLURM_JOB_ID") == NULL ? ENOENT : EINVAL;
	*why = bad ? "SLURM_CPUS_PER_TASK: not a number of processors"
	    : "SLURM_JOB_NODELIST and SLURM_JOB_CPUS_PER_NODE are not set";
	if (errno == ENOENT || bad || nodes == NULL || cpus == NULL)
		return -1;
	*why = "scontrol(1) does not name the nodes; try: scontrol show hostnames";
	if ((names = names_of(nodes)) == NULL)
		return -1;
	*why = "SLURM_JOB_CPUS_PER_NODE: not the processors of these nodes";
	result = add_all(sites, names, (struct counts){.text = cpus}, task, most);
	free(names);
	snprintf(transport, sizeof transport, "srun -Q -N1 -n1 -c%ld --overlap --cpu-bind=none "
	    "--export=ALL -w", task);
	return result != 0 ? -1 : setenv("JOBCTL_RSH", transport, 0);
}
