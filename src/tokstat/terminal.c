#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "terminal.h"

#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"

enum { PATIENCE = 500 /* ms for one that is slow */ };

/* The one that is set; messages are read when it is as it was. */
static struct terminal *drawn;

static const struct {
	const char *bytes;
	enum key key;
} sequences[] = {
    {"q", KEY_QUIT}, {"Q", KEY_QUIT}, {"k", KEY_UP}, {"j", KEY_DOWN}, {" ", KEY_PAGE_DOWN},
    {"g", KEY_TOP}, {"G", KEY_END}, {"\033[A", KEY_UP}, {"\033OA", KEY_UP},
    {"\033[B", KEY_DOWN}, {"\033OB", KEY_DOWN}, {"\033[5~", KEY_PAGE_UP},
    {"\033[6~", KEY_PAGE_DOWN}, {"\033[H", KEY_TOP}, {"\033OH", KEY_TOP},
    {"\033[1~", KEY_TOP}, {"\033[F", KEY_END}, {"\033OF", KEY_END}, {"\033[4~", KEY_END},
};

static void
say(const struct terminal *t, const char *text)
{
	size_t length = strlen(text);
	int fd = t->screen.fd;
	ssize_t n;

	while (length > 0)
		if ((n = write(fd, text, length)) > 0) {
			text += n;
			length -= (size_t)n;
		} else if (errno != EINTR && (errno != EAGAIN ||
		    descriptors_poll(fd, POLLOUT, PATIENCE) == 0))
			return;
}

void
terminal_open(struct terminal *t)
{
	*t = (struct terminal){.keys = isatty(STDIN_FILENO) ? STDIN_FILENO : -1};
	t->own = descriptors_unblocked(STDOUT_FILENO);
	screen_open(&t->screen, t->own >= 0 ? t->own : STDOUT_FILENO);
}

static int
give_way(const char *line)
{
	(void)line;
	terminal_leave(drawn);
	return 0;
}

int
terminal_take(struct terminal *t)
{
	struct termios now;

	if (!screen_is_foreground(t->screen.fd) || (t->keys >= 0 && !screen_is_foreground(t->keys)))
		return 0;
	if (t->ours)
		return 1;
	if (descriptors_poll(t->screen.fd, POLLOUT, 0) == 0)
		return 0;
	if (t->keys >= 0 && !t->saved)
		t->saved = tcgetattr(t->keys, &t->before) == 0;
	if (t->keys >= 0 && t->saved) {
		now = t->before;
		now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		now.c_cc[VMIN] = 1;
		now.c_cc[VTIME] = 0;
		tcsetattr(t->keys, TCSANOW, &now);
	}
	say(t, ENTER);
	t->ours = 1;
	drawn = t;
	complain_first = give_way;
	return 1;
}

void
terminal_leave(struct terminal *t)
{
	if (!t->ours || !screen_is_foreground(t->screen.fd))
		return;
	say(t, LEAVE);
	if (t->saved)
		tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
	t->ours = t->saved = 0;
	complain_first = NULL;
}

void
terminal_lost(struct terminal *t)
{
	t->ours = 0;
}

void
terminal_read(struct terminal *t)
{
	ssize_t n = read(t->keys, t->read, sizeof t->read);

	t->used = n > 0 ? (int)n : 0;
	t->next = 0;
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		t->keys = -1;
}

/* How many bytes of them are a key that means nothing to us: a whole sequence, or one byte. */
static int
pass_over(const char *bytes, int count)
{
	int n = 2;

	if (count < 2 || bytes[0] != '\033' || (bytes[1] != '[' && bytes[1] != 'O'))
		return 1;
	while (n < count && (bytes[n] < '@' || bytes[n] > '~'))
		n++;
	return n < count ? n + 1 : count;
}

enum key
terminal_key(struct terminal *t)
{
	while (t->next < t->used) {
		const char *bytes = t->read + t->next;
		size_t count = (size_t)(t->used - t->next), length;

		for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
			length = strlen(sequences[i].bytes);
			if (length <= count && memcmp(bytes, sequences[i].bytes, length) == 0) {
				t->next += (int)length;
				return sequences[i].key;
			}
		}
		t->next += pass_over(bytes, (int)count);
	}
	return KEY_NONE;
}
