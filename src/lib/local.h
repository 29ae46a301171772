/* Sockets with a path, between processes of one machine. All are closed on exec, do not block, are
   above 2, and are the caller's to close. */

/* Connects to the listener at that path. The descriptor, or -1 with errno: ENOENT, or ECONNREFUSED
   if the listener has gone. */
int local_connect(const char *path);
/* Listens there. The descriptor, or -1 with errno (EADDRINUSE: the path exists). */
int local_listen(const char *path);
/* Accepts a connection. The descriptor, or -1 with errno. */
int local_accept(int listener);
/* Two ends of one connection: 0, or -1 with errno. */
int local_pair(int ends[2]);
