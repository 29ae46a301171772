/* Text for any shell to read: nothing that not all of them know, for we do not know which it is. */
struct outbox;

/* Adds the word in single quotes. */
void shell_word(struct outbox *out, const char *word);
/* 1 for the name of a variable. */
int shell_is_name(const char *text);
/* Adds "export NAME='VALUE'" and a newline. */
void shell_export(struct outbox *out, const char *name, const char *value);
