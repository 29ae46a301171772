/* Numbers as a person reads them. */
enum { HUMAN = 32 };

/* How many ms the rest takes at the same rate; -1: not known. */
long long human_left_ms(long long spent, long long done, long long left);

/* A time: "320 ms", "3.2 s", "45 s", "2 min 05", "1 h 05", "3 d 04". */
void human_time(char text[HUMAN], long long ms);
/* The same by whole seconds, from "0 s" on. */
void human_seconds(char text[HUMAN], long long ms);
/* As on a clock: "0:05", "12:05", "1:02:05". */
void human_clock(char text[HUMAN], long long ms);
/* How many in a second: "0.2", "14", "2100"; "-" if no time has passed. */
void human_rate(char text[HUMAN], long long count, long long ms);
