#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/command.h"
#include "../lib/number.h"
#include "../places/sites.h"
#include "slurm.h"

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
	char *end;

	if (c->left == 0) {
		c->cpus = strtol(c->text, &end, 10);
		c->left = strncmp(end, "(x", 2) == 0 ? strtol(end + 2, &end, 10) : 1;
		c->text = end + strspn(end, "),");
		if (c->cpus < 1 || c->cpus > MOST_CPUS || c->left < 1)
			return -1;
	}
	c->left--;
	return c->cpus;
}

/* With how many processors each of the tasks: 1 where nobody has said it. */
static long
cpus_of_task(void)
{
	const char *text = getenv("SLURM_CPUS_PER_TASK");
	long cpus;

	return text == NULL || number_scan(text, 1, MOST_CPUS, &cpus) != 0 ? 1 : cpus;
}

/* --overlap: it is jobctl that counts the slots. Without it, steps wait for each other where one
   of them has all memory or all GPUs of the job, or a whole core for one of its threads. */
static int
choose_transport(void)
{
	char text[COMMAND];

	snprintf(text, sizeof text, "srun -Q -N1 -n1 -c%ld --overlap --cpu-bind=none --export=ALL "
	    "-w", cpus_of_task());
	return setenv("JOBCTL_RSH", text, 0);
}

static int
add(struct sites *sites, const char *name, long cpus, long most)
{
	long slots = cpus / cpus_of_task();
	char text[NAME + 32];

	slots = slots < 1 ? 1 : most > 0 && slots > most ? most : slots;
	snprintf(text, sizeof text, "%ld/%s", slots, name);
	return sites_add(sites, text);
}

/* A name on each line. */
static int
add_all(struct sites *sites, char *names, struct counts counts, long most, const char **why)
{
	char *name, *rest = names;
	long cpus;

	*why = "scontrol show hostnames: no names of nodes";
	if (*names == '\0') {
		errno = EINVAL;
		return -1;
	}
	while ((name = strtok_r(rest, "\n", &rest)) != NULL) {
		if ((cpus = next_count(&counts)) < 0 || strlen(name) >= NAME) {
			*why = "SLURM_JOB_CPUS_PER_NODE: not the processors of these nodes";
			errno = EINVAL;
			return -1;
		}
		if (add(sites, name, cpus, most) != 0)
			return -1;
	}
	return 0;
}

int
slurm_places(struct sites *sites, long most, const char **why)
{
	char *nodes = getenv("SLURM_JOB_NODELIST"), *cpus = getenv("SLURM_JOB_CPUS_PER_NODE");
	char *argv[] = {"scontrol", "show", "hostnames", nodes, NULL}, *names;
	size_t size = (size_t)MOST_NODES * NAME;
	int result;

	*why = "SLURM_JOB_NODELIST and SLURM_JOB_CPUS_PER_NODE are not set";
	errno = getenv("SLURM_JOB_ID") == NULL ? ENOENT : EINVAL;
	if (errno == ENOENT || nodes == NULL || cpus == NULL)
		return -1;
	if ((names = malloc(size)) == NULL)
		return -1;
	if (command_answer(argv, names, size) != 0) {
		*why = "scontrol(1), which names the nodes, cannot be run";
		errno = EINVAL;
		result = -1;
	} else
		result = add_all(sites, names, (struct counts){.text = cpus}, most, why);
	free(names);
	return result != 0 ? -1 : choose_transport();
}
