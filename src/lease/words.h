/*
 * The words that others write into the inlet of a dispenser and into leases, as in tokend(5). Each
 * write is at most PIPE_BUF bytes, and so arrives whole. What is unknown is junk: it is reported
 * once, then ignored. Letters in the same block as junk are not trusted.
 */
#include <stddef.h>

enum {
	MOST_TOKENS = 1000000, /* of a dispenser */
	MOST_AT_ONCE = 500,    /* of one request: the answer is one write */
	LONGEST_LABEL = 1000   /* bytes */
};

#define WORDS_AT '\001' /* stands for @ in a command: @ begins another request */

enum word {
	WORD_RETURN, /* a letter but S */
	WORD_STOP,   /* S */
	WORD_BEGUN,  /* + */
	WORD_LINE,   /* '@' or ':', the first mark, to a newline; the text is in between */
	WORD_STATUS, /* '=', the second mark, likewise */
	WORD_AFTER,  /* '>', the third mark, likewise */
	WORD_FATE,   /* '~', the fourth mark, likewise */
	WORD_PID,    /* '#', the fifth mark, likewise */
	WORD_JUNK,   /* anything else, or a line that nobody finished */
	WORD_END
};

/* clean is 0 if there was junk in the same block. text, up to a NUL, is good for the call. */
typedef void word_taker(void *context, enum word word, const char *text, size_t length, int clean);

/* Reads some blocks of fd and hands them to take word by word; marks are "@" of an inlet,
   ":=>~#" of a lease. 0 when no writer is left, else 1. */
int words_read(int fd, const char *marks, word_taker *take, void *context);
