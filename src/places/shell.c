#include <string.h>

#include "places.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

void
shell_word(struct outbox *out, const char *word)
{
	outbox_add(out, "'", 1);
	for (size_t n; *word != '\0'; word += n) {
		n = strcspn(word, "'");
		outbox_add(out, word, n);
		if (word[n] == '\'') {
			outbox_add(out, "'\\''", 4);
			n++;
		}
	}
	outbox_add(out, "'", 1);
}

int
shell_is_name(const char *text)
{
	return *text != '\0' && (*text < '0' || *text > '9') &&
	    text[strspn(text, LETTERS "_0123456789")] == '\0';
}

void
shell_export(struct outbox *out, const char *name, const char *value)
{
	outbox_say(out, "export %s=", name);
	shell_word(out, value);
	outbox_add(out, "\n", 1);
}
