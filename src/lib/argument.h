/*
 * The argument of an option, or the end of the program with a message that names both.
 *
 * argument_number() returns a decimal number from least to most; argument_seconds() seconds,
 * with a fraction or without (number.h), in milliseconds. What is no such number: fail()
 * with STATUS_TROUBLE.
 */
long argument_number(int option, const char *text, long least, long most);
long long argument_seconds(int option, const char *text);
