/*
 * Options, as getopt(3) and getopt_long(3) have them: -k, -j 4, -j4, -kj4, --jobs 4, --jobs=4, and
 * --jo where nothing else begins so. One table is what is parsed, and what --help prints; shells
 * complete by reading that: share/completions.
 */
struct option {
	int code;             /* its letter, or above 255 where it has none; 0: a heading */
	const char *name;     /* after "--", or NULL: there is only the letter */
	const char *argument; /* what its argument is, in capitals, or NULL: it takes none */
	const char *help;     /* a line; NULL: another name of the option with that code;
	                         "!": it is refused, and this tells what to do instead */
};

/* What the table of each program ends with. */
#define OPTIONS_END \
	{'h', "help", NULL, "print this and exit"}, \
	{'V', "version", NULL, "print the version and exit"}, \
	{0, NULL, NULL, NULL}

struct options {
	const char *usage;          /* its first lines, such as "usage: tokput [FIFO]" */
	const struct option *table;
	char **argv;                /* what is next, after the options the first operand */
	const char *letters;        /* further letters of a word such as -kj4 */
	char *argument;             /* of the last option, or NULL */
	char said[64];              /* "--jobs" or "-j", for messages: the last option */
	const char *others;         /* where to read more of one that is none; or NULL */
};

/* argv is that of main, with the name of the program, which a batch may not have set. */
void options_open(struct options *options, const char *usage, const struct option *table,
    char **argv);
/* The code of the next option; -1 when there is none: options->argv is the first operand. Exits,
   with a message for what is none, and after --help and --version. */
int options_next(struct options *options);
/* Prints the usage and the table, and exits with that status. */
void options_help(const struct options *options, int status);
/* Exits with STATUS_TROUBLE after a message: the last option's argument is wrong, and why. */
void options_wrong(const struct options *options, const char *format, ...);
/* The last option's argument, a path; exits like that when it is empty. */
const char *options_path(const struct options *options);
/* Exits with STATUS_TROUBLE: wrong operands, such as "a FIFO is missing". */
void options_misused(const struct options *options, const char *why);
