/* The meaning of the words of the command: a program, a list of commands, a script; and arguments
   behind :::. */
#include <stddef.h>

struct origin;

/* Ends the words where the first list of arguments begins, ::: or ::::, and adds all lists to these
   origins; there is room for one more for each word. Exits after a message for a list of files
   without one. */
void operand_lists(char **words, struct origin *origins, size_t *count);
/* 1 when the only word is a list; 0 when the first is a program. Exits after a message where it is
   neither, or might be both. elsewhere: jobs run at places, which may have more programs. */
int operand_is_list(char **words, int elsewhere);
/* Exits after a message, or warns, if somebody took us for a shell or GNU parallel. literal: words
   such as '|' are text. */
void operand_check(char **words, int script, int literal, int quiet);
/* Why that program cannot be run: there is none. */
const char *operand_missing(const char *word);
/* Exits after a message if there are files among the words, and no list. */
void operand_no_list(char **words);
