/* Numbers that nobody can guess. */

/* 64 random bits of the system. 0 and *number, or -1 with errno. */
int secret_make(unsigned long long *number);
