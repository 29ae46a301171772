#include <string.h>

#include "book.h"

/* A newline becomes that text, and so does a quote, where there is one for it. */
static void
add_escaped(struct outbox *out, const char *text, size_t length, const char *newline,
    const char *quote)
{
	size_t n;

	for (; length > 0; text += n, length -= n) {
		for (n = 0; n < length && text[n] != '\n' &&
		    (text[n] != '\'' || quote == NULL); n++)
			;
		outbox_add(out, text, n);
		if (n < length)
			outbox_say(out, "%s", text[n++] == '\n' ? newline : quote);
	}
}

void
quote_word(struct outbox *out, const char *text, size_t length)
{
	if (length > 0 && strspn(text, QUOTE_PLAIN) >= length) {
		outbox_add(out, text, length);
		return;
	}
	outbox_add(out, "'", 1);
	add_escaped(out, text, length, "'" QUOTE_NEWLINE "'", "'\\''");
	outbox_add(out, "'", 1);
}

void
quote_words(struct outbox *out, char **words)
{
	for (char **word = words; *word != NULL; word++) {
		outbox_add(out, " ", word > words);
		quote_word(out, *word, strlen(*word));
	}
}

/* Puts a word into the box, without its quotes. Returns the text behind it, or NULL
   where it is not in the quotes of the shell library, whose newlines are in a variable. */
static const char *
read_word(struct outbox *word, const char *text)
{
	static const char quote[] = "'\\''", newline[] = "'\"$_jobctl_newline\"'";
	size_t n;

	if (*text++ != '\'')
		return NULL;
	for (;; text += n) {
		n = strcspn(text, "'");
		outbox_add(word, text, n);
		text += n;
		if (strncmp(text, quote, n = sizeof quote - 1) == 0)
			outbox_add(word, "'", 1);
		else if (strncmp(text, newline, n = sizeof newline - 1) == 0)
			outbox_add(word, "\n", 1);
		else
			break;
	}
	return *text == '\'' ? text + 1 : NULL;
}

char *
quote_again(const char *text)
{
	struct outbox out = {0}, word = {0};
	const char *rest = text, *plain;

	while ((rest = read_word(&word, rest)) != NULL) {
		plain = outbox_text(&word);
		quote_word(&out, plain, strlen(plain));
		outbox_drop(&word);
		if (*rest != ' ')
			break;
		outbox_add(&out, rest++, 1);
	}
	outbox_drop(&word);
	if (rest == NULL || *rest != '\0') {
		outbox_drop(&out);
		add_escaped(&out, text, strlen(text), "\\n", NULL); /* flat */
	}
	outbox_add(&out, "", 1);
	return need_memory(outbox_whole(&out));
}
