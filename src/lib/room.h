/* Lists that grow. */
#include <stddef.h>

/* The list with room for need items, new room zeroed; NULL with errno, and the list stays. */
void *room_for(void *list, size_t *room, size_t need, size_t size);
