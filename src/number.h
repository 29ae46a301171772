/*
 * number_scan(): a decimal number of digits only, from least to most.
 * Returns 0 and sets *value, or -1 for anything else: empty, signs, blanks,
 * trailing text, out of range. Leading zeros are decimal all the same.
 */
int number_scan(const char *text, long least, long most, long *value);
