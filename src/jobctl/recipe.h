/*
 * What is run for a line of the input, and how that is shown. Places for the line are
 *
 *	{}	the line		{/}	what follows its last slash
 *	{.}	without its extension	{//}	what precedes that, or .
 *	{#}	the sequence number	{/.}	{/} without its extension
 *	{%}	the slot
 *
 * and without one of the first five, the line is appended. Nothing of a line is ever parsed by a
 * shell, but where the line itself is the command: to a shell it goes as a parameter.
 */
struct recipe {
	char **words;  /* NULL: each line is a command */
	char *script;  /* with shell: the word with parameters in its places */
	int appended;
};

/* Takes the words; none: each line is for sh(1); shell: the one word is. 0, or -1 for no memory. */
int recipe_open(struct recipe *recipe, char **words, int shell);
/* Frees it. */
void recipe_close(struct recipe *recipe);
/* 1 when each job has a program of its own. */
int recipe_varies(const struct recipe *recipe);
/* 0 for a line that is no command: blank, or a comment. */
int recipe_is_job(const struct recipe *recipe, const char *line);
/* The list of arguments, in one block that the caller frees; NULL for no memory. */
char **recipe_argv(const struct recipe *recipe, const char *line, long id, long slot);
/* The same as one would type it; {%} stays with slot 0. The caller frees it; NULL: no memory. */
char *recipe_text(const struct recipe *recipe, const char *line, long id, long slot);
