/* Numbers as people write them. */
struct options;

/* Digits only, from least to most, leading zeros allowed. 0 and *value, or -1 for anything else. */
int number_scan(const char *text, long least, long most, long *value);
/* The argument of that option, which is added to the nice value. Exits with a message when it is
   none. */
long number_nice(const struct options *option);
/* Seconds, "2" or "0.25", in milliseconds, up to ten years. 0 and *ms, or -1 for anything else. */
int number_ms(const char *text, long long *ms);
/* The argument of that option, from least to most; exits with a message when it is none. */
long number_option(const struct options *option, long least, long most);
/* The same for seconds, "2" or "0.25", or "1.5m" with s, m, h or d, in milliseconds. */
long long number_option_ms(const struct options *option);
/* The variable of that name in milliseconds, or ms without one; exits with a message when it is no
   time. */
long long number_variable(const char *name, long long ms);
/* $JOBCTL_GRACE, or 5000. */
long long number_grace(void);
