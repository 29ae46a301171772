#include <stdlib.h>

#include "../lib/room.h"
#include "heap.h"

static int
is_before(const struct heap_entry *a, const struct heap_entry *b)
{
	return a->key < b->key || (a->key == b->key && a->what < b->what);
}

int
heap_add(struct heap *heap, long long key, size_t what)
{
	struct heap_entry *bigger = room_for(heap->entry, &heap->room, heap->count + 1,
	    sizeof *bigger), new = {key, what};
	size_t at = heap->count, parent;

	if (bigger == NULL)
		return -1;
	heap->entry = bigger;
	for (; at > 0 && is_before(&new, &bigger[parent = (at - 1) / 2]); at = parent)
		bigger[at] = bigger[parent];
	bigger[at] = new;
	heap->count++;
	return 0;
}

struct heap_entry
heap_take(struct heap *heap)
{
	struct heap_entry *entry = heap->entry, first = entry[0], last = entry[--heap->count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && is_before(&entry[child + 1], &entry[child]))
			child++;
		if (!is_before(&entry[child], &last))
			break;
		entry[at] = entry[child];
		at = child;
	}
	entry[at] = last;
	return first;
}

void
heap_free(struct heap *heap)
{
	free(heap->entry);
}
