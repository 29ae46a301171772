/*
 * A pool of another machine, HOST:FIFO (lib/fifo.h). FIFO begins where one logs in there, which ~/
 * says, too. For a command here with a token from there:
 *
 *	tokget ----- transport ----- sh --- tokget --far --- beater
 *	   |     \
 *	guard   command
 *
 * tokget writes a beat, and waits for its answer before the next one. It sends TERM to the command
 * BEAT_MISSED beats after it wrote the last answered one, and KILL before one more has passed. The
 * guard hears of each answer. It sends KILL then, too, for tokget may be stopped; and at once when
 * tokget is killed. When the guard is killed tokget ends the command.
 *
 * There two processes have the lease: tokget --far asks for the token, and the beater answers. They
 * give it back when the command has ended, or beat_held() after the last beat came; if one of them
 * is killed, the other one waits that long. So no clocks of two machines are compared, and the
 * command is dead before the token is home.
 *
 * HOST says, behind what a login prints: FAR_HELLO, by the sh; FAR_ANSWER to each beat; FAR_GRANT,
 * the count, slots, a newline, labels, a NUL; FAR_STATUS, that of tokget --far, a newline. The
 * command starts when a beat was answered that followed the grant.
 */
struct wish;
struct grant;

enum { FAR_HELLO = 036, FAR_ANSWER = 'a', FAR_GRANT = 'g', FAR_STATUS = 's' };
enum { NEAR_BEAT = 'b', NEAR_DONE = 'd' };

/* sh -c ABROAD_RUN PROGRAM HOST ARGUMENT... there: becomes the program, or says what to do. */
#define ABROAD_RUN \
	"command -v \"$0\" >/dev/null || { echo \"$0: $1: no $0 on PATH there: install it in " \
	"/usr/local/bin, or set PATH in ~/.zshenv or at the top of ~/.bashrc\" >&2; exit 127; }; " \
	"shift; exec \"$0\" \"$@\""

/* FIFO, and in *host, for free(3), the other part; the whole and NULL where it is a path here.
   Exits with a message without memory, or where one of them is empty. */
const char *abroad_split(const char *operand, char **host);
/* Where operand is HOST:FIFO: becomes the program of these words there, with FIFO in place of that
   operand, which is the last one where argv has none. Exits with the message held, if there is
   one, where this command holds a token there. */
void abroad_become(char **argv, const char *operand, const char *held);
/* Runs a command here with a token of that pool, and exits with its status, or that for no token;
   STATUS_LOST, after a message, if the token was lost and the command ended for that. */
void abroad_run(const struct wish *wish, const char *host, const char *fifo, long beat_ms,
    char **argv);
/* At HOST, for a token that is not asked for yet: starts the beater. */
void far_begin(long beat_ms);
/* Holds the token, to the end of this process. */
void far_hold(const struct grant *grant);
