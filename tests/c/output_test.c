/* output_test group|order|plain STEP... -- uses src/book/output.c as a program with a loop of its
   own does. We read its standard output; its standard error goes to "errors".
	ID	job ID has ended, and has written d/ID.out and d/ID.err
	ID=TAG	the same, with a tag
	+ID	the same, with a line of a log, printed when it is due to be written
	-ID	job ID has no output
	pump	shows as much as possible: prints the returned value
	read=N	reads up to N bytes that were shown: prints the text, or its length if long
	end	nobody reads any more
	finish	no more will follow
   Each step prints a line. */
#include <sys/types.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/book/book.h"
#include "../../src/lib/lib.h"

enum { LONG = 60 };

static struct outputs outputs;
static struct joblog joblog = {.fd = STDOUT_FILENO};
static int ends[2];

static void
print_read(size_t most)
{
	char *text = malloc(most + 1);
	ssize_t n = read(ends[0], text, most);
	int one = n > 0 && n <= LONG;

	for (ssize_t i = 0; one && i < n; i++)
		putchar(text[i] == '\n' ? ';' : text[i]);
	if (!one)
		printf("%ld bytes", n < 0 ? 0L : (long)n);
	putchar('\n');
	free(text);
}

static void
pump(void)
{
	if (lines_pump() != 0)
		printf("%s\n", strerror(errno));
	else if (lines_blocked() >= 0)
		printf("blocked\n");
	else
		printf("%d waiting\n", (int)outputs.waiting);
}

static char *
make_line(const char *id)
{
	char *line = malloc(strlen(id) + 2);

	sprintf(line, "%s\n", id);
	return line;
}

static void
show(int dir, const char *id, const char *tag)
{
	struct output output;
	char *line = *id == '+' ? make_line(id++) : NULL;
	int bad = output_adopt(&outputs, &output, atol(id), dir, id) != 0;

	if (!bad)
		printf("%lld bytes, ", output_ended(&outputs, &output));
	if (bad || output_show(&outputs, &output, atol(id), tag, line) != 0)
		printf("refused\n");
	else
		printf("%s\n", lines_due() ? "its turn" : "later");
}

static void
step(int dir, char *word)
{
	char *value = strchr(word, '=');

	if (value != NULL)
		*value++ = '\0';
	if (strcmp(word, "pump") == 0)
		pump();
	else if (strcmp(word, "read") == 0)
		print_read((size_t)atol(value));
	else if (strcmp(word, "end") == 0)
		printf("%d\n", close(ends[0]));
	else if (strcmp(word, "finish") == 0)
		lines_all();
	else if (*word == '-') {
		output_skip(&outputs, atol(word + 1));
		puts("0");
	} else
		show(dir, word, value);
}

int
main(int argc, char **argv)
{
	int dir = open("d", O_RDONLY | O_DIRECTORY);
	struct terms terms = {.mode = argc < 2 ? OUTPUT_FILES : *argv[1] == 'g' ? OUTPUT_GROUP
	    : *argv[1] == 'o' ? OUTPUT_ORDER : OUTPUT_PLAIN};

	program = "output_test";
	if (argc < 2 || dir < 0 || descriptors_pipe(ends, 0) != 0 ||
	    dup2(open("errors", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO) < 0 ||
	    outputs_open(&outputs, &terms, &joblog, ends[1], 1) != 0)
		return 125;
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IONBF, 0);
	for (char **word = argv + 2; *word != NULL; word++)
		step(dir, *word);
	return 0;
}
