/* Sockets with a path, between processes of one machine. All are closed on exec, do not block, and
   have no number of a standard descriptor. */

/* Connects to whoever listens there. The descriptor, or -1 with errno: ENOENT, or ECONNREFUSED
   where nobody does any more. */
int local_connect(const char *path);
/* Listens there. The descriptor, or -1 with errno: EADDRINUSE where there is a file. */
int local_listen(const char *path);
/* Takes who has connected. The descriptor, or -1 with errno. */
int local_accept(int listener);
/* Two ends of one connection: 0, or -1 with errno. */
int local_pair(int ends[2]);
