/*
 * The nodes of the Slurm allocation that we run in, as places. Only variables of the environment
 * are read, and scontrol(1) expands a list: its controller is asked nothing.
 */

/* Adds them, each with the slots that its processors make, or at most that many, unless that is 0;
   and has JOBCTL_RSH, where it is not set, begin steps of the allocation. 0, or -1 with errno:
   ENOENT outside an allocation; EINVAL for one that cannot be read: why says what. */
int slurm_places(struct sites *sites, long most, const char **why);
