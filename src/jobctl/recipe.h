/*
 * What is run for a line of the input, and how that is shown.
 *
 * recipe_open() takes the command of the command line: its words, NULL at the
 * end, or none, and then each line of the input is a command for sh(1). With
 * shell, the one word is a command for sh(1) as well. Places for the line are
 *
 *	{}	the line		{/}	what follows its last slash
 *	{.}	without its extension	{//}	what precedes that, or .
 *	{#}	the sequence number	{/.}	{/} without its extension
 *	{%}	the slot
 *
 * and without one of the first five, the line is appended. Nothing of a line is
 * ever parsed by a shell, but where the line itself is the command: to a shell it
 * goes as a parameter. Returns 0, or -1 for no memory.
 *
 * recipe_argv() is the argument list, in one block that the caller frees; NULL
 * for no memory. recipe_text() is the same as one would type it, newlines
 * written as \n; the caller frees it; never NULL but for no memory.
 * With slot 0, {%} stays as it is.
 * recipe_varies() says whether each job has a program of its own.
 * recipe_is_job() is 0 for a line that is no command: blank, or a comment.
 */
struct recipe {
	char **words;  /* NULL: each line is a command */
	char *script;  /* with shell: the word with parameters in its places */
	int appended;
};

int recipe_open(struct recipe *recipe, char **words, int shell);
void recipe_close(struct recipe *recipe);
int recipe_varies(const struct recipe *recipe);
int recipe_is_job(const struct recipe *recipe, const char *line);
char **recipe_argv(const struct recipe *recipe, const char *line, long id, long slot);
char *recipe_text(const struct recipe *recipe, const char *line, long id, long slot);
