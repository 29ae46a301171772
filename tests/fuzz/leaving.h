/*
 * A source that is included after this may exit: that ends its run by leaves() (ground.h), and its
 * blocks and its file are given back. So the system's headers are included here before.
 */
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ground.h"

void *leaving_malloc(size_t size);
void *leaving_calloc(size_t count, size_t size);
void *leaving_realloc(void *block, size_t size);
void leaving_free(void *block);
FILE *leaving_fopen(const char *path, const char *mode);
int leaving_fclose(FILE *file);
ssize_t leaving_getline(char **line, size_t *room, FILE *file);
char *leaving_strdup(const char *text);

#ifndef LEAVING_GROUND
#define exit(status) leave(status)
#define malloc(size) leaving_malloc(size)
#define calloc(count, size) leaving_calloc(count, size)
#define realloc(block, size) leaving_realloc(block, size)
#define free(block) leaving_free(block)
#define fopen(path, mode) leaving_fopen(path, mode)
#define fclose(file) leaving_fclose(file)
#undef strdup
#define strdup(text) leaving_strdup(text)
#define getline(line, room, file) leaving_getline(line, room, file)
#endif
