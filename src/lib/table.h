/* A table of texts, each with a number, and two counts for each of these. Only hashes are kept.
   Zeroed, it is empty. */
#include <stddef.h>

struct table_entry {
	unsigned long long hash; /* 0: nothing is here */
	int count[2];            /* the caller's; 0 at first */
};

struct table {
	struct table_entry *list;
	size_t count, room;
	unsigned long long seed; /* nobody can choose texts that have the same hash */
};

/* The entry of that text and number, until the next is added; NULL: there is none. */
struct table_entry *table_find(const struct table *table, const char *text, size_t length,
    long number);
/* The same; a new one where there is none. NULL: no memory. */
struct table_entry *table_add(struct table *table, const char *text, size_t length, long number);
/* Frees it. */
void table_close(struct table *table);
