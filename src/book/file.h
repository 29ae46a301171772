/* A file with what a job wrote to one of its descriptors. All descriptors are closed on exec. */
/* Makes that directory where there is none, with those above it: 0, or -1 with errno. */
int file_directory(const char *path);
/* A file without a name in the directory, which ends with its last descriptor; or -1 with errno. */
int file_unnamed(const char *directory);
/* DIRECTORY/ID.WHAT, opened with these flags of open(2), or -1 with errno. */
int file_result(const char *directory, long id, const char *what, int flags);
/* The highest number of a job that has such files in the directory, 0 where none has; or -1 with
   errno. */
long file_highest(const char *directory);
/* Opens NAME.WHAT of the directory dir to read: the descriptor, or -1 with errno. */
int file_written(int dir, const char *name, const char *what);
/* Removes NAME.out and NAME.err from there. */
void file_forget(int dir, const char *name);
/* A file that is on disk has a name there when this was called for its directory: 0, or -1 with
   errno. */
int file_sync_directory(const char *path);
/* 1 where that file system has no room left, else 0. */
int file_disk_full(int fd);
