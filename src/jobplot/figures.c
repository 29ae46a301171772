#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../display/human.h"
#include "figures.h"
#include "logged.h"
#include "rows.h"

#define MOST_MS 9e15

void
time_text(char text[HUMAN], double us)
{
	double ms = us / 1000;

	human_time(text, (long long)(ms < MOST_MS ? ms : MOST_MS));
}

void
count_text(char text[HUMAN], size_t count)
{
	char digits[HUMAN];
	int length = snprintf(digits, sizeof digits, "%zu", count), n = 0;

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text[n++] = ',';
		text[n++] = digits[i];
	}
	text[n] = '\0';
}

int
percent(double part, double whole)
{
	double share = whole > 0 ? part * 100 / whole : 0;

	if (share >= 100)
		return 100;
	return share <= 0 ? 0 : share < 1 ? 1 : share > 99 ? 99 : (int)(share + 0.5);
}

void
begin_text(char text[HUMAN], const struct logged *jobs)
{
	time_t seconds = (time_t)(jobs->epoch / 1000000);
	struct tm *tm = localtime(&seconds);

	if (tm == NULL || strftime(text, HUMAN, "%Y-%m-%d %H:%M:%S %z", tm) == 0)
		snprintf(text, HUMAN, "@%lld", jobs->epoch / 1000000);
}

void
results_text(char text[FIGURE], const struct logged *jobs, const struct rows *rows)
{
	char count[HUMAN];
	int n;

	count_text(count, jobs->count);
	n = snprintf(text, FIGURE, "%s job%s", count, jobs->count == 1 ? "" : "s");
	for (int i = 0, said = 0; i < RESULTS; i++) {
		if (rows->results[i] == 0)
			continue;
		count_text(count, rows->results[i]);
		n += snprintf(text + n, (size_t)(FIGURE - n), "%s %s %s", said++ == 0 ? ":" : ",",
		    count, result_word[i]);
	}
}

void
busy_text(char text[FIGURE], const struct rows *rows)
{
	double span = (double)rows->span, all = span * (double)rows->slots;
	double tail = (span - (double)rows->last_start) * (double)rows->slots - rows->tail_busy;
	char slots[HUMAN];
	int busy = percent(rows->busy, all), in_tail = percent(tail, all);

	if (rows->slots == 0) {
		*text = '\0';
		return;
	}
	count_text(slots, rows->slots);
	snprintf(text, FIGURE, "%.*f jobs at once on %s slot%s: %d %% busy, %d %% idle (%d %% in "
	    "the tail)", rows->busy / span < 100, rows->busy / span, slots,
	    rows->slots == 1 ? "" : "s", busy, 100 - busy,
	    in_tail < 100 - busy ? in_tail : 100 - busy);
}
