/*
 * How many processors the control groups leave us: the lines of the input are
 * /proc/self/cgroup, "cpu.max", "cpu.cfs_quota_us" and "cpu.cfs_period_us" of the root, and
 * the same three of the group /g; the first ends at an empty line.
 */
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/lib/lib.h"
#include "ground.h"

static const char *const files[] = {
	"sys/fs/cgroup/cpu.max", "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "sys/fs/cgroup/cpu/cpu.cfs_period_us",
	"sys/fs/cgroup/g/cpu.max", "sys/fs/cgroup/cpu/g/cpu.cfs_quota_us", "sys/fs/cgroup/cpu/g/cpu.cfs_period_us"};

static void
make_directories(void)
{
	mkdir("proc", 0700);
	mkdir("proc/self", 0700);
	mkdir("sys", 0700);
	mkdir("sys/fs", 0700);
	mkdir("sys/fs/cgroup", 0700);
	mkdir("sys/fs/cgroup/g", 0700);
	mkdir("sys/fs/cgroup/cpu", 0700);
	mkdir("sys/fs/cgroup/cpu/g", 0700);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	long here = sysconf(_SC_NPROCESSORS_CONF), usable;
	char *text, *rest, *line, *end;
	size_t i, groups;

	ground_enter();
	make_directories();
	rest = text = ground_text(data, size);
	if ((end = strstr(text, "/..")) != NULL)
		*end = '\0';
	end = strstr(text, "\n\n");
	groups = end == NULL ? strlen(text) : (size_t)(end - text) + 1;
	ground_write("proc/self/cgroup", text, groups);
	rest = end == NULL ? text + groups : end + 2;
	for (i = 0; i < sizeof files / sizeof *files; i++) {
		line = line_next(&rest);
		ground_write(files[i], line == NULL ? "" : line, line == NULL ? 0 : strlen(line));
	}
	usable = processors_usable(".");
	if (usable < 1 || usable > here)
		wrong("%ld processors of %ld", usable, here);
	free(text);
	return 0;
}
