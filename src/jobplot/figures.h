/* Numbers and sentences that every kind of report has. */
#include <stddef.h>

struct logged;
struct rows;

enum { FIGURE = 512 };

/* A time as human_time() has it, of microseconds. */
void time_text(char text[HUMAN], double us);
/* "50,000". */
void count_text(char text[HUMAN], size_t count);
/* Of that many of a whole: a percentage, rounded; 0 and 100 only where that is exact. */
int percent(double part, double whole);
/* When the first job began: "2026-11-27 09:01:03 +0000", in local time. */
void begin_text(char text[HUMAN], const struct logged *jobs);
/* "200 jobs: 195 ok, 3 failed, 2 killed". */
void results_text(char text[FIGURE], const struct logged *jobs, const struct rows *rows);
/* "6.9 jobs at once on 8 slots: 86 % busy, 14 % idle (10 % in the tail)"; "" without a slot. */
void busy_text(char text[FIGURE], const struct rows *rows);
