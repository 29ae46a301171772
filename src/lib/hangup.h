/*
 * poll(2) is to tell of a FIFO's last close, at either end. Where it does not, such as on macOS,
 * POLL_NO_HANGUP is defined, and four places do without: news-select.c, inlet_watch(), and where
 * holders.c and builds.c ask about one FIFO. They rely on this: select(2) tells of the last close
 * for writing, but not before there was a writer; read(2) returns 0 after it; and write(2) fails
 * with EPIPE without a reader. make CPPFLAGS=-DPOLL_NO_HANGUP builds that anywhere.
 */
#if defined __APPLE__ && !defined POLL_NO_HANGUP
#define POLL_NO_HANGUP 1
#endif
