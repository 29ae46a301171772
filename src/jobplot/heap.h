/* A heap: what has the least key comes first; of equal keys, the least what. */
#include <stddef.h>

struct heap {
	struct heap_entry {
		long long key;
		size_t what;
	} *entry;
	size_t count, room;
};

/* 0, or -1 with errno ENOMEM. */
int heap_add(struct heap *heap, long long key, size_t what);
/* Takes the first: there must be one. */
struct heap_entry heap_take(struct heap *heap);
void heap_free(struct heap *heap);
