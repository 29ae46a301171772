/* A terminal that we write to. */

struct screen {
	int fd;
	int there;         /* it is a terminal, and the rest means something */
	int moves;         /* it knows the escape sequences of ECMA-48 */
	int coloured;      /* ... and the user wants colours */
	int rows, columns; /* as of the last look */
};

/* Looks whether that descriptor is a terminal, and at its size. */
void screen_open(struct screen *screen, int fd);
/* Looks at the terminal's size again. */
void screen_measure(struct screen *screen);
/* 1 if output there may have colours: it is a terminal that has them (TERM), without NO_COLOR. */
int screen_coloured(int fd);
/* 1 if we are in the foreground of that terminal; in the background, a shell has it. */
int screen_is_foreground(int fd);
