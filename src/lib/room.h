/* Lists that grow, and errors that may pass. */
#include <stddef.h>

/* The list with room for need items, new room zeroed; NULL with errno, and the list stays. */
void *room_for(void *list, size_t *room, size_t need, size_t size);
/* 1 for an error that may pass: the system is short of memory, descriptors or processes. */
int room_short(int error);
