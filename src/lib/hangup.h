/*
 * We need poll(2) to report a FIFO's last close, at either end. On a system that does not, such as
 * macOS, POLL_NO_HANGUP is defined, and four places do without: news-select.c, inlet_watch(),
 * is_closed() in holders.c and nobody_writes() in builds.c. They rely on this: select(2) reports
 * the last close for writing, but not before there was a writer; read(2) returns 0 after it; and
 * write(2) fails with EPIPE without a reader. make CPPFLAGS=-DPOLL_NO_HANGUP builds that anywhere.
 */
#if defined __APPLE__ && !defined POLL_NO_HANGUP
#define POLL_NO_HANGUP 1
#endif
