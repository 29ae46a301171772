/* Numbers as people write them. */

/* Digits only, from least to most, leading zeros allowed. 0 and *value, or -1 for anything else. */
int number_scan(const char *text, long least, long most, long *value);
/* The argument of -n: what is added to the nice value. Exits with a message when it is none. */
long number_nice(const char *text);
/* Seconds, "2" or "0.25", in milliseconds, up to ten years. 0 and *ms, or -1 for anything else. */
int number_ms(const char *text, long long *ms);
/* The argument of that option, from least to most; exits with a message when it is none. */
long number_option(int option, const char *text, long least, long most);
/* The same for seconds, in milliseconds. */
long long number_option_ms(int option, const char *text);
/* $JOBCTL_GRACE in milliseconds, or 5000; exits with a message when it is no time. */
long long number_grace(void);
