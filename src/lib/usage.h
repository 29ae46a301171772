/* What a program says of itself: its usage, or its version. */

/* Prints the text, or for 'V' the version; on stdout for 'h' and 'V'. The status to exit with. */
int usage(int option, const char *text);
