#include <stdlib.h>
#include <string.h>

#include "book.h"

enum { LEAST_FOR_PERCENT = 3, MOST = 100000000 };

/* After "fail=": 3 or 10%. */
static int
scan_count(struct halt *halt, const char *text)
{
	char digits[16];
	size_t length = strlen(text);

	if (length == 0 || length >= sizeof digits)
		return -1;
	memcpy(digits, text, length + 1);
	halt->percent = digits[length - 1] == '%';
	if (halt->percent)
		digits[length - 1] = '\0';
	return number_scan(digits, 1, halt->percent ? 100 : MOST, &halt->count);
}

int
halt_scan(struct halt *halt, const char *text)
{
	static const char *const names[] = {NULL, "fail=", "success=", "done="};

	*halt = (struct halt){.what = HALT_NEVER};
	if (strcmp(text, "never") == 0)
		return 0;
	halt->now = strncmp(text, "now", 3) == 0;
	if (!halt->now && strncmp(text, "soon", 4) != 0)
		return -1;
	text += halt->now ? 3 : 4;
	halt->what = HALT_FAIL;
	halt->count = 1;
	if (*text == '\0')
		return 0;
	if (*text++ != ',')
		return -1;
	for (int i = HALT_FAIL; i <= HALT_DONE; i++)
		if (strncmp(text, names[i], strlen(names[i])) == 0) {
			halt->what = i;
			return scan_count(halt, text + strlen(names[i]));
		}
	return -1;
}

int
halt_reached(const struct halt *halt, long succeeded, long failed)
{
	long ended = succeeded + failed;
	long n = halt->what == HALT_FAIL ? failed : halt->what == HALT_SUCCESS ? succeeded : ended;

	if (halt->what == HALT_NEVER)
		return 0;
	if (!halt->percent)
		return n >= halt->count;
	return n >= LEAST_FOR_PERCENT && n * 100 >= ended * halt->count;
}
