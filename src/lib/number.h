/* Numbers as people write them. */
struct options;

/* Digits only, from least to most, leading zeros allowed. 0 and *value, or -1 for anything else. */
int number_scan(const char *text, long least, long most, long *value);
/* The argument of that option, to be added to the nice value; exits with a message if it cannot. */
long number_nice(const struct options *option);
/* Seconds, "2" or "0.25", in milliseconds, up to ten years. 0 and *ms, or -1 for anything else. */
int number_ms(const char *text, long long *ms);
/* The argument of that option, from least to most; exits with a message for anything else. */
long number_option(const struct options *option, long least, long most);
/* The same for a time, "0.25" (seconds) or "1.5m" (with s, m, h or d), in milliseconds. */
long long number_option_ms(const struct options *option);
/* The variable's seconds as milliseconds, or ms if unset; exits with a message if it is bad. */
long long number_variable(const char *name, long long ms);
/* $JOBCTL_GRACE in milliseconds, or 5000. */
long long number_grace(void);
