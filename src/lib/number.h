/*
 * number_scan(): a decimal number of digits only, from least to most.
 * Returns 0 and sets *value, or -1 for anything else: empty, signs, blanks,
 * trailing text, out of range. Leading zeros are decimal all the same.
 *
 * number_ms(): seconds, with a fraction or without, in milliseconds. Returns 0
 * and sets *ms, or -1 for anything else or more than ten years.
 */
int number_scan(const char *text, long least, long most, long *value);
int number_ms(const char *text, long long *ms);
