#include <stdlib.h>

#include "lib.h"

#define GOLDEN 0x9E3779B97F4A7C15ULL

enum { FEWEST = 64 /* places, a power of 2 */ };

/* FNV-1a, 64 bits. */
static unsigned long long
hash_of(const struct table *table, const char *text, size_t length, long number)
{
	unsigned long long hash = table->seed ^ 14695981039346656037ULL;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 1099511628211ULL;
	hash ^= (unsigned long long)number * GOLDEN;
	return hash == 0 ? 1 : hash;
}

/* The place where that is, or would be: the first free one from where the hash points to. */
static struct table_entry *
table_place(const struct table *table, unsigned long long hash)
{
	size_t mask = table->room - 1, i = (size_t)(hash * GOLDEN >> 32) & mask;

	while (table->list[i].hash != 0 && table->list[i].hash != hash)
		i = (i + 1) & mask;
	return table->list + i;
}

struct table_entry *
table_find(const struct table *table, const char *text, size_t length, long number)
{
	struct table_entry *entry;

	if (table->count == 0)
		return NULL;
	entry = table_place(table, hash_of(table, text, length, number));
	return entry->hash == 0 ? NULL : entry;
}

/* A quarter of all places stays free. */
static int
table_grow(struct table *table)
{
	struct table bigger = *table;

	if (table->room == 0 && secret_make(&bigger.seed) != 0)
		bigger.seed = 0;
	bigger.room = table->room == 0 ? FEWEST : table->room * 2;
	if ((bigger.list = calloc(bigger.room, sizeof *bigger.list)) == NULL)
		return -1;
	for (size_t i = 0; i < table->room; i++)
		if (table->list[i].hash != 0)
			*table_place(&bigger, table->list[i].hash) = table->list[i];
	free(table->list);
	*table = bigger;
	return 0;
}

struct table_entry *
table_add(struct table *table, const char *text, size_t length, long number)
{
	unsigned long long hash;
	struct table_entry *entry;

	if (table->count >= table->room / 4 * 3 && table_grow(table) != 0)
		return NULL;
	hash = hash_of(table, text, length, number);
	entry = table_place(table, hash);
	table->count += entry->hash == 0;
	entry->hash = hash;
	return entry;
}

void
table_close(struct table *table)
{
	free(table->list);
	*table = (struct table){0};
}
