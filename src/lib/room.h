/* Lists that grow. */
#include <stddef.h>

/* A list with room for need items of that size, new room zeroed and *room set; NULL with errno for
   no memory, and the old list stays. Frees the old list when it moves. */
void *room_for(void *list, size_t *room, size_t need, size_t size);
