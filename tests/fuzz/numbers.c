/*
 * The numbers of options, compared with strtoll(3): the input is the word.
 * The first byte is the limit of processors_count().
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/book/book.h"
#include "../../src/lib/lib.h"
#include "ground.h"

static int
only(const char *text, const char *these)
{
	return text[0] != '\0' && text[strspn(text, these)] == '\0';
}

static void
check_number(const char *text, long least, long most)
{
	long value = -7;
	long long expected;
	int result = number_scan(text, least, most, &value);

	errno = 0;
	expected = strtoll(text, NULL, 10);
	if ((result == 0) != (only(text, "0123456789") && errno == 0 && expected >= least && expected <= most))
		wrong("'%s' from %ld to %ld: %d", text, least, most, result);
	if (result == 0 ? value != expected : value != -7)
		wrong("'%s': %ld", text, value);
}

static void
check_ms(const char *text)
{
	long long ms = -7;
	double expected = strtod(text, NULL) * 1000;

	if (number_ms(text, &ms) != 0)
		return;
	if (!only(text, "0123456789.") || ms < 0 || (double)ms > expected + 0.001 || (double)ms < expected - 1.001)
		wrong("'%s': %lld ms", text, ms);
}

static void
check_count(const char *text, long processors)
{
	long count = 0;

	if (processors_count(text, processors, 1000000, &count) != 0)
		return;
	if (count < 1 || count > 1000000 || !only(text, "0123456789%+-"))
		wrong("'%s': %ld", text, count);
	if (only(text, "0123456789") && count != strtol(text, NULL, 10))
		wrong("'%s': %ld", text, count);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct halt halt;
	struct limits limits = {0};
	char *text;

	if (size < 1)
		return 0;
	text = ground_text(data + 1, size - 1);
	check_number(text, 0, LONG_MAX);
	check_number(text, 1, 1000000);
	check_number(text, 5, 5);
	check_ms(text);
	check_count(text, data[0] + 1);
	if (limits_scan_size(&limits, text) == 0 &&
	    (limits.floor <= 0 || !only(text, "0123456789kmgtKMGT")))
		wrong("'%s': %lld bytes", text, limits.floor);
	if (limits_scan_load(&limits, text) == 0 &&
	    !(limits.ceiling >= 0 && limits.ceiling < 1e300))
		wrong("'%s': a load of %g", text, limits.ceiling);
	if (halt_scan(&halt, text) == 0 && strcmp(text, "never") != 0 &&
	    (halt.count < 1 || halt.what == HALT_NEVER))
		wrong("'%s': %ld", text, halt.count);
	free(text);
	return 0;
}
