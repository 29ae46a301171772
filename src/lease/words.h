/*
 * The language of a dispenser: the words that others write into its inlet and into leases, and its
 * answers. Each write is at most PIPE_BUF bytes, and so arrives whole.
 *
 * Blanks and newlines mean nothing anywhere. Anything else that is not on this page is junk: it is
 * reported once, then ignored. Letters in the same block as junk are not trusted.
 *
 * Into the inlet:
 *	a letter	a token without a lease is home; to an attendant of bytes, a token is free
 *	S		stop: end when all tokens are home
 *	@...		a request, up to a newline:
 *	@stop		asks a dispenser to end, or its attendant to stop; @stop now ends it at once
 *	@end		an attendant's last word: its jobs are done
 *	@get NAME COUNT PRIORITY FLAGS
 *			a client, whose FIFO is w/NAME, asks for tokens. FLAGS: n
 *			now or not at all; p plain: without a lease, held until a letter comes; l
 *			for a shell: the lease is kept open until it writes '+' there, or for some
 *			seconds; j a build (builds.h); s says nothing when it returns; - none; last
 *			a number, the most tokens of a build. (N, of older clients, means nothing)
 *			COUNT 0 asks for as many as there are to be; LOW-HIGH for all that are free
 *			once LOW are, HIGH at most
 *	@slots NAME HOLDER	which tokens has that client, with those that it took as a build?
 *			The answer is "ok COUNT" and such lines; or "no held"
 *	@pid NAME PID	from now on that process holds the lease: for people
 *	@heard NAME	of l: the answer was read, and from now on the shell may write
 *	@begun NAME SLOT	NAME, which holds that slot, begins now (pace.h), the first time or
 *			again; of anybody else it means nothing
 *	@size NAME N  @add NAME LABEL  @drop NAME LABEL	so many tokens, or 0: none is given out
 *			until the next @size; a slot more; one less.
 *			The answer is "ok", "no label", "no room", or "no such" number or label
 *	@stat NAME	a report into w/NAME (report.h)
 *	@stat NAME FROM COUNT	the same, but only that many of its rows. An older dispenser does
 *			not know this: so askers write "@stat NAME" behind it, in the same write; of
 *			two requests from one NAME the second is ignored
 *	@builds NAME  @builds NAME FROM COUNT	the same, with rows of builds
 *	@share NAME	asks for a jobserver for all builds: "ok SIZE PATH" is the answer, or
 *			"no builds" if this dispenser has none, or "no room"
 *
 * Into a client's FIFO w/NAME, the answer to get, which makes it the lease of the slots given:
 *	ok COUNT SIZE	from a pool of SIZE tokens; and COUNT lines "SLOT LABEL", or just "SLOT" if
 *			the labels are too long
 *	ok COUNT SIZE +	the same, and the dispenser wants to hear "begun"
 *	ok COUNT SIZE PATH	for a build: its FIFOs are PATH.jobserver and PATH.returned
 *			The lease is then K.NAME, where K is the first SLOT
 *	no REASON	busy, many, room, lease, attendant; stopped: to all that wait when the end
 *			is asked for; closing: to all that ask later
 *	no again	this dispenser has just taken over and does not know the request; but if the
 *			name is gone, the answer follows
 *	again		instead of an answer, which was lost with a dispenser that was killed; or
 *			this one ends
 *
 * Into a lease:
 *	a letter	the token is home, early; the close that follows changes nothing. Among
 *			clients, only those of l write one, a C
 *	+		the job begins now
 *	:TEXT		up to a newline: a message of the job to the attendant
 *	=STATUS TEXT	up to a newline: the job has ended with STATUS, and TEXT is its command
 *	=STATUS!c TEXT	the same, and why the command cannot be run, as in ../book/verdict.c
 *	>SECONDS	up to a newline: when this try fails, the next one is to come so much later
 *	#PID	up to a newline: the shell of this try, of a job that can be tried again
 *	~never WHY  ~lost WHY	up to a newline, for a job at a place (jobat): it was not begun, or
 *			nobody knows how it ended
 */
#include <stddef.h>

enum {
	MOST_TOKENS = 1000000, /* of a dispenser */
	MOST_AT_ONCE = 500,    /* of one request: the answer is one write */
	LONGEST_LABEL = 1000   /* bytes */
};

enum word {
	WORD_RETURN, /* a letter but S */
	WORD_STOP,   /* S */
	WORD_BEGUN,  /* + */
	WORD_LINE,   /* '@' or ':', the first mark, to a newline; the text is in between */
	WORD_STATUS, /* '=', the second mark, likewise */
	WORD_AFTER,  /* '>', the third mark, likewise */
	WORD_FATE,   /* '~', the fourth mark, likewise */
	WORD_PID,    /* '#', the fifth mark, likewise */
	WORD_JUNK,   /* anything else, or a line that nobody finished */
	WORD_END
};

/* clean is 0 if there was junk in the same block. text, up to a NUL, is good for the call. */
typedef void word_taker(void *context, enum word word, const char *text, size_t length, int clean);

/* Reads some blocks of fd and hands them to take word by word; marks are "@" of an inlet,
   ":=>~#" of a lease. 0 when no writer is left, else 1. */
int words_read(int fd, const char *marks, word_taker *take, void *context);
