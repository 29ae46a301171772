/*
 * What an attendant, one shell, is told on our standard output, by lines:
 *
 *	ready N		(with -w) the dispenser is there, and has N tokens
 *	slot K LABEL	slot K has a label
 *	free L		lease L may be opened: a token
 *	done L SECONDS	lease L was closed, SECONDS after it began; L is free
 *	L		the same, once the attendant has written "@brief"
 *	early L M	the holder of L gave its token back; M is free instead of L
 *	gone L SECONDS	lease L, early before, was closed; nothing is free by it
 *	late L		L has been held for longer than -l since its job wrote '+'
 *	said L TEXT	the holder of L wrote ":TEXT"
 *	stop REASON	start nothing more; answer "@end" when your jobs are done
 *	ready N pace	with -i or -d: each job writes '+' into its lease as it begins. A slot
 *			whose time has not come is announced later: its job's end is "gone", and
 *			"free L" follows; an early return says nothing else
 *	ready N want	with -u make: only one token is free by itself. "@want" asks for another,
 *			"free L" is the answer; a job's end is "gone", not "done"
 *
 * After "@times" the second at which the job began follows SECONDS. With -c it is single bytes:
 * 'C' for a token, '.' for the end.
 *
 * This is a queue in front of standard output, which is written only when that does not block.
 * What there is no memory for would lose a token: it is complained of, and the next flush fails.
 */
#include <stddef.h>

/* Queues the formatted line. */
void attendant_say(const char *format, ...);
/* Queues the byte count times. */
void attendant_fill(char byte, long count);
/* Writes what can be written now. 0, or -1 when the reader has gone or something was lost. */
int attendant_flush(void);
/* How many bytes wait. */
size_t attendant_waits(void);
