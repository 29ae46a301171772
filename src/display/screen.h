/* A terminal that we write to. */

struct screen {
	int fd;
	int there;         /* it is one, and the rest means something */
	int moves;         /* it knows the escape sequences of ECMA-48 */
	int coloured;      /* ... and nobody minds colours */
	int rows, columns; /* as of the last look */
};

/* Looks whether that descriptor is a terminal, and at its size. */
void screen_open(struct screen *screen, int fd);
/* Looks at its size again. */
void screen_measure(struct screen *screen);
/* Whether output there may have colours: it is a terminal that has them and nobody minds (NO_COLOR,
   TERM). */
int screen_coloured(int fd);
/* Whether we are in the foreground of that terminal; in the background a shell has it. */
int screen_is_foreground(int fd);
