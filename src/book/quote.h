/* Text shown on one line, as one would type it. */
#include <stddef.h>

/* The bytes that need no quotes. */
#define QUOTE_PLAIN \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"
/* A newline in a word, as POSIX has it since 2024. */
#define QUOTE_NEWLINE "$'\\n'"

struct outbox;

/* Adds a word as a shell wants it: in single quotes where there is anything to quote. */
void quote_word(struct outbox *out, const char *text, size_t length);
/* Adds them likewise, up to a NULL, with blanks between. */
void quote_words(struct outbox *out, char **words);
/* Words in quotes of the shell library, quoted as here, or flat; for free(3). */
char *quote_again(const char *text);
