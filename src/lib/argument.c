#include "argument.h"
#include "complain.h"
#include "number.h"
#include "status.h"

long
argument_number(int option, const char *text, long least, long most)
{
	long n;

	if (number_scan(text, least, most, &n) != 0)
		fail(STATUS_TROUBLE, "-%c %s: not a number from %ld to %ld", option, text, least, most);
	return n;
}

long long
argument_seconds(int option, const char *text)
{
	long long ms;

	if (number_ms(text, &ms) != 0)
		fail(STATUS_TROUBLE, "-%c %s: not a number of seconds", option, text);
	return ms;
}
