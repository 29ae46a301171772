/* Numbers as a person reads them. */
enum { HUMAN = 32 };

/* How long what is left takes if it goes on like that, in ms; -1: nobody can tell. */
long long human_left_ms(long long spent, long long done, long long left);

/* A time: "320 ms", "3.2 s", "45 s", "2 min 05", "1 h 05", "3 d 04". */
void human_time(char text[HUMAN], long long ms);
/* The same by whole seconds, from "0 s" on. */
void human_seconds(char text[HUMAN], long long ms);
/* As a clock has it: "0:05", "12:05", "1:02:05". */
void human_clock(char text[HUMAN], long long ms);
/* How many in a second: "0.2", "14", "2100"; "-" before there was any time. */
void human_rate(char text[HUMAN], long long count, long long ms);
