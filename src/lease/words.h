/*
 * The language of what is written into the inlet and into leases.
 *
 *	WORD_RETURN	a letter other than 'S': a token comes back
 *	WORD_STOP	the letter 'S'
 *	WORD_BEGUN	'+': the job begins now
 *	WORD_LINE	the mark ('@' or ':') up to a newline; text is what is between
 *	WORD_JUNK	anything else, or a line that nobody finished
 *
 * Blanks and newlines are nothing. Writes of up to PIPE_BUF bytes arrive whole,
 * so whoever keeps to that never has a line cut; a mark within a line begins a
 * new one, so that what somebody left unfinished costs nobody else a request.
 *
 * words_read() reads what is in the non-blocking descriptor fd, some blocks of
 * it at most, and hands it to take() word by word. clean is 0 when there was
 * junk in the same block: then single letters mean nothing for certain.
 * text is not terminated and good only for the call.
 * Returns 0 at the end of file (nobody has it open for writing), else 1.
 */
#include <stddef.h>

enum word { WORD_RETURN, WORD_STOP, WORD_BEGUN, WORD_LINE, WORD_JUNK, WORD_END };

typedef void word_taker(void *context, enum word word, const char *text, size_t length, int clean);

int words_read(int fd, char mark, word_taker *take, void *context);
