/*
 * Options in the style of getopt_long(3): -k, -j 4, -j4, -kj4, --jobs 4, --jobs=4, and --jo if no
 * other option begins so. Parsing and --help use the same table; completions (share/completions)
 * read --help.
 */
struct option {
	int code;             /* its letter, or above 255 if it has none; 0: a heading */
	const char *name;     /* after "--"; NULL: there is only the letter */
	const char *argument; /* the name of its argument, in capitals; NULL: it takes none */
	const char *help;     /* a line; NULL: another name of the option with that code;
	                         "!...": is refused, and this tells what to do instead */
};

/* The end of each program's table. */
#define OPTIONS_END \
	{'h', "help", NULL, "print this and exit"}, \
	{'V', "version", NULL, "print the version and exit"}, \
	{0, NULL, NULL, NULL}

struct options {
	const char *usage;          /* its first lines, such as "usage: tokput [FIFO]" */
	const struct option *table;
	char **argv;                /* the next word; after the options, the first operand */
	const char *letters;        /* further letters of a word such as -kj4 */
	char *argument;             /* of the last option, or NULL */
	char said[64];              /* "--jobs" or "-j", for messages: the last option */
	const char *others;         /* ends the message for an unknown option; or NULL */
};

/* Begins. argv is main's; its first word, the program's name, may be missing. */
void options_open(struct options *options, const char *usage, const struct option *table,
    char **argv);
/* The code of the next option; -1: there is none, and options->argv is the first operand. Exits
   after --help, --version, and a message for an unknown option. */
int options_next(struct options *options);
/* Prints the usage and the table, and exits with that status. */
void options_help(const struct options *options, int status);
/* Exits with STATUS_TROUBLE after a message why the last option's argument is wrong. */
void options_wrong(const struct options *options, const char *format, ...);
/* The last option's argument, a path; exits by options_wrong() if it is empty. */
const char *options_path(const struct options *options);
/* Exits by options_misused() unless there is one operand, or, if least is 0, none. */
void options_single(const struct options *options, int least, const char *why);
/* Exits with STATUS_TROUBLE: wrong operands, such as "a FIFO is missing". */
void options_misused(const struct options *options, const char *why);
