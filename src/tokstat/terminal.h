/*
 * A terminal that is drawn upon, as top(1) does: on its other screen, without a cursor, and each
 * key is heard at once. It is touched only while we are in the foreground there: who sets or reads
 * a terminal from the background is stopped. Nobody waits for one that takes no more.
 */
#include <termios.h>

#include "../display/screen.h"

enum key { KEY_NONE, KEY_QUIT, KEY_UP, KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_TOP, KEY_END };

struct terminal {
	struct screen screen;
	int own;               /* opened anew, it does not block; or -1 */
	int keys;              /* descriptor to read them from, or -1 */
	int ours;              /* it is set as we want it */
	int saved;             /* before is how it was set, if keys can be read */
	struct termios before;
	char read[64];         /* keys, of which these are next */
	int used, next;
};

/* Standard output is that terminal; keys come from standard input, if that is one. Before the first
   message it is put back as it was. */
void terminal_open(struct terminal *terminal);
/* Sets it, if that has not been done, we are in the foreground and it takes output: 1 when it can
   be drawn on. */
int terminal_take(struct terminal *terminal);
/* Puts it back as it was. */
void terminal_leave(struct terminal *terminal);
/* Somebody else may have set it meanwhile: terminal_take() does so again. */
void terminal_lost(struct terminal *terminal);
/* Reads what was typed, when there is something to read. */
void terminal_read(struct terminal *terminal);
/* The next key, or KEY_NONE when no more were read. Others are passed over. */
enum key terminal_key(struct terminal *terminal);
