/* units_test NAME -- checks a part of src/ that needs no process around it. Prints a line for each
   failure, and then exits with 1. */
#include <sys/stat.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/clients/clients.h"
#include "../../src/display/display.h"
#include "../../src/jobat/jobat.h"
#include "../../src/jobctl/jobctl.h"
#include "../../src/lease/lease.h"
#include "../../src/lib/lib.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static int wrong;

static void
same(const char *what, long long seen, long long wanted)
{
	if (seen == wanted)
		return;
	printf("%s: %lld, not %lld\n", what, seen, wanted);
	wrong = 1;
}

static void
within(const char *what, long long seen, long long least, long long most)
{
	if (seen >= least && seen <= most)
		return;
	printf("%s: %lld, not %lld to %lld\n", what, seen, least, most);
	wrong = 1;
}

/* A stopped process gets TERM only when it goes on. */
static void
check_child(void)
{
	struct child child;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		raise(SIGSTOP);
		_exit(3);
	}
	alarm(60);
	same("stopped", waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status), 1);
	child = (struct child){.pid = pid};
	child_end(&child, 1000000);
	same("waited for", waitpid(pid, &status, 0), pid);
	same("killed by", WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGTERM);
}

/* The lowest descriptor that is free. */
static int
lowest(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

/* The errno of before does not matter, and a read does not fail for ever. */
static void
check_feed(void)
{
	struct feed feed;
	char *line;
	size_t length;
	int ends[2];

	same("/", feed_open(&feed, "/", '\n'), 0);
	same("read of /", feed_fill(&feed) == -1 ? errno : 0, EISDIR);
	feed_close(&feed);

	same("pipe", pipe(ends), 0);
	same("write", write(ends[1], "1\n2\n3", 5), 5);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	feed_open(&feed, NULL, '\n');
	same("before it is read", feed_line(&feed, &line, &length), 0);
	errno = EAGAIN;
	same("read", feed_fill(&feed), 0);
	for (char wanted = '1'; wanted <= '2'; wanted++) {
		same("line", feed_line(&feed, &line, &length), 1);
		same("its first byte", line[0], wanted);
		same("its length", (long long)length, 1);
	}
	same("one without an end", feed_line(&feed, &line, &length), 0);
	same("may be read", feed_ahead(&feed), 1);
	same("read the end", feed_fill(&feed), 0);
	same("nothing ahead", feed_ahead(&feed), 0);
	same("how many there are", feed_count(&feed), 1);
	same("the last one", feed_line(&feed, &line, &length), 1);
	same("its first byte", line[0], '3');
	same("the end", feed_line(&feed, &line, &length), -1);
	feed_close(&feed);
}

static void
check_fifo(void)
{
	static const char *const names[] = {"/dev/null", "/", "/nowhere"};
	static const int errors[] = {EEXIST, EEXIST, ENOENT};
	int before = lowest();

	for (size_t i = 0; i < COUNT(names); i++) {
		same(names[i], fifo_open(AT_FDCWD, names[i], O_RDONLY), -1);
		same(names[i], errno, errors[i]);
	}
	same("descriptor", lowest(), before);
}

/* The pipe needs other numbers, and one end or the other finds none. */
static void
check_pipe(void)
{
	int last = lowest(), ends[2];
	struct rlimit limit = {(rlim_t)last + 1, (rlim_t)last + 1};

	same("limit", setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd += 2) {
		close(fd);
		same("pipe", descriptors_pipe(ends, -1), -1);
		same("still open", fcntl(last, F_GETFD), -1);
	}
}

static void
check_lease(void)
{
	static const char *const bad[] = {"", "0", "01", "1_0", "1_01", "01_1", "1_", "_1", "-1", "+1",
	    " 1", "1 ", "1_2_3", "x", "1x", "2147483648", "1_2147483648", "111111111111111111111111"};
	static const char *const good[] = {"1", "10_3", "2147483647_2147483647"};
	long slot, generation;
	char name[LEASE_NAME];

	for (size_t i = 0; i < COUNT(bad); i++)
		same(bad[i], lease_parse(bad[i], &slot, &generation), -1);
	for (size_t i = 0; i < COUNT(good); i++) {
		same(good[i], lease_parse(good[i], &slot, &generation), 0);
		lease_name(name, slot, generation);
		same(name, strcmp(name, good[i]), 0);
	}
	lease_parse("10_3", &slot, &generation);
	same("slot", slot, 10);
	same("generation", generation, 3);
	lease_parse("10", &slot, &generation);
	same("generation", generation, 0);
}

#define LONG "1234567890123456789012345678901" /* the longest NAME */

/* The names of a directory, with their kinds. */
static const struct name names[] = {{NAME_LEASE, "3", "", 3, 0}, {NAME_LEASE, "3_12", "", 3, 12},
    {NAME_WAITER, "w/12", "12", 0, 0}, {NAME_WAITER, "w/12_34", "12_34", 0, 0},
    {NAME_WAITER, "w/" LONG, LONG, 0, 0}, {NAME_LEAVER, "x.12_34", "12_34", 0, 0},
    {NAME_HOLDER, "3.12_34", "12_34", 3, 0}, {NAME_HOLDER, "3." LONG, LONG, 3, 0},
    {NAME_BUILD, "3.12_34" NAMES_OFFERS, "12_34", 3, 0},
    {NAME_BUILD, "3.12_34" NAMES_RETURNS, "12_34", 3, 0},
    {NAME_TOKEN, "3.12_34" NAMES_TOKEN, "12_34", 3, 0},
    {NAME_HOLDER, "3.12_34" NAMES_GOING, "12_34", 3, 0}, {NAME_NOTE, NAMES_WITHIN, "", 0, 0},
    {NAME_LOAN, "w/12_34." NAMES_LOANS, "12_34", 0, 0}, {NAME_LOAN, "w/12_34.5.3", "12_34", 0, 0},
    {NAME_BATCH, "bell", "", 0, 0},
    {NAME_BATCH, "calls", "", 0, 0}, {NAME_BATCH, "calls.next", "", 0, 0},
    {NAME_BATCH, "answer", "", 0, 0}, {NAME_BATCH, "3.out", "", 0, 0},
    {NAME_BATCH, "3_4.err", "", 0, 0}, {NAME_BATCH, "3.result", "", 0, 0},
    {NAME_BATCH, "3.again", "", 0, 0}};

static int
find_name(void *context, const struct name *name)
{
	int *seen = context;
	size_t i = 0;

	while (i < COUNT(names) && strcmp(names[i].text, name->text) != 0)
		i++;
	same(name->text, i < COUNT(names), 1);
	if (i == COUNT(names))
		return 0;
	same(name->text, name->kind, names[i].kind);
	same(name->text, strcmp(name->client, names[i].client), 0);
	if (names[i].slot != 0)
		same(name->text, name->slot, names[i].slot);
	if (names[i].kind == NAME_LEASE)
		same(name->text, name->generation, names[i].generation);
	++*seen;
	return 0;
}

static int
no_more(void *context, const struct name *name)
{
	(void)name;
	return ++*(int *)context == 3 ? 7 : 0;
}

static void
make_name(const char *text)
{
	int fd = open(text, O_WRONLY | O_CREAT, 0600);

	same(text, fd >= 0, 1);
	close(fd);
}

static void
check_names(void)
{
	static const char *const others[] = {"lock", "0", "03", "x.", "x.12_", "x.1y", "3.", "3" NAMES_TOKEN,
	    "jobserver", "3.12_",
	    "3._34", "3.12.other", "3.12" NAMES_OFFERS "s", "3_1.12", "03.12", "3.0x", "1.out.out",
	    "03.out", "out", ".out", "3.output", "bells", "w/12_", "w/x", "w/12.out", "w/1" LONG,
	    "3.1" LONG, "x.1" LONG};
	int seen = 0, dir = open(".", O_RDONLY);
	char file[NAMES_FILE];

	same("no w", names_each(dir, find_name, &seen), 0);
	mkdir("w", 0700);
	for (size_t i = 0; i < COUNT(names); i++)
		make_name(names[i].text);
	for (size_t i = 0; i < COUNT(others); i++)
		make_name(others[i]);
	same("names", names_each(dir, find_name, &seen), 0);
	same("so many", seen, COUNT(names));
	seen = 0;
	same("stopped at the third", names_each(dir, no_more, &seen), 7);
	same("which was", seen, 3);

	same("a NAME", names_file(file, "12_34"), 0);
	same(file, strcmp(file, "w/12_34"), 0);
	same("no NAME", names_file(file, "12_34.out"), -1);
	names_holder(file, 3, "12_34");
	same(file, strcmp(file, "3.12_34"), 0);
	names_token(file, 3, "12_34");
	same(file, strcmp(file, "3.12_34" NAMES_TOKEN), 0);
	same("hidden", names_hide(dir, "w/12", file), 0);
	same(file, strcmp(file, "x.12"), 0);
	same(file, access("w/12", F_OK) != 0 && access(file, F_OK) == 0, 1);
	close(dir);
}

static void
check_human(void)
{
	static const struct {
		long long ms;
		const char *time, *seconds, *clock;
	} cases[] = {{-1, "0 s", "0 s", "0:00"}, {0, "0 ms", "0 s", "0:00"},
	    {999, "999 ms", "0 s", "0:00"}, {1000, "1 s", "1 s", "0:01"},
	    {1099, "1 s", "1 s", "0:01"}, {1100, "1.1 s", "1 s", "0:01"},
	    {9999, "9.9 s", "9 s", "0:09"}, {10900, "10 s", "10 s", "0:10"},
	    {59999, "59 s", "59 s", "0:59"}, {60000, "1 min", "1 min", "1:00"},
	    {61000, "1 min 01", "1 min 01", "1:01"}, {3599999, "59 min 59", "59 min 59", "59:59"},
	    {3600000, "1 h", "1 h", "1:00:00"}, {3725000, "1 h 02", "1 h 02", "1:02:05"},
	    {172799999, "47 h 59", "47 h 59", "47:59:59"}, {172800000, "2 d", "2 d", "48:00:00"},
	    {187200000, "2 d 04", "2 d 04", "52:00:00"}};
	static const struct {
		long long count, ms;
		const char *rate;
	} rates[] = {{5, 0, "-"}, {5, -1, "-"}, {0, 1, "0.0"}, {2, 10000, "0.2"}, {995, 100000, "10"},
	    {994, 100000, "9.9"}, {21, 10, "2100"}};
	char text[HUMAN];

	for (size_t i = 0; i < COUNT(cases); i++) {
		human_time(text, cases[i].ms);
		same(text, strcmp(text, cases[i].time), 0);
		human_seconds(text, cases[i].ms);
		same(text, strcmp(text, cases[i].seconds), 0);
		human_clock(text, cases[i].ms);
		same(text, strcmp(text, cases[i].clock), 0);
	}
	for (size_t i = 0; i < COUNT(rates); i++) {
		human_rate(text, rates[i].count, rates[i].ms);
		same(text, strcmp(text, rates[i].rate), 0);
	}
	same("1 of 4 took 6", human_left_ms(6, 1, 3), 18);
	same("none is done", human_left_ms(6, 0, 3), -1);
	same("none is left", human_left_ms(6, 1, 0), -1);
	same("more than there is room for", human_left_ms(1LL << 62, 1, 3), -1);
}

static void
check_halt(void)
{
	static const struct {
		const char *text;
		long succeeded, failed; /* enough to halt, but not with one fewer of either */
	} cases[] = {{"soon", 0, 1}, {"now", 0, 1}, {"now,fail=2", 0, 2}, {"soon,success=3", 3, 0},
	    {"soon,done=4", 0, 4}, {"soon,done=4", 4, 0}, {"soon,fail=100%", 0, 3},
	    {"soon,fail=50%", 0, 3}, {"soon,success=1%", 3, 0}};
	static const char *const bad[] = {"", "x", "now,", "soon,fail=", "soon,fail=0", "soon,fail=%",
	    "soon,fail=101%", "soon,fail=x", "soon,lost=1", "soonfail=1", "now,fail=-1"};
	struct halt halt;

	for (size_t i = 0; i < COUNT(cases); i++) {
		same(cases[i].text, halt_scan(&halt, cases[i].text), 0);
		same(cases[i].text, halt.now, cases[i].text[0] == 'n');
		same(cases[i].text, halt_reached(&halt, cases[i].succeeded, cases[i].failed), 1);
		same(cases[i].text, halt_reached(&halt, cases[i].succeeded - (cases[i].succeeded > 0),
		    cases[i].failed - (cases[i].failed > 0)), 0);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		same(bad[i], halt_scan(&halt, bad[i]), -1);
	halt_scan(&halt, "soon,fail=50%");
	same("2 of 3 failed", halt_reached(&halt, 1, 2), 0); /* two are too few for a part */
	same("3 of 7 failed", halt_reached(&halt, 4, 3), 0);
	same("3 of 6 failed", halt_reached(&halt, 3, 3), 1);
	halt_scan(&halt, "never");
	same("never", halt_reached(&halt, 0, 1000), 0);
}

/* The pause doubles up to an hour, the job's own wish replaces it, and chance adds up to half of
   either. */
static void
check_retry(void)
{
	static const struct {
		const char *retries;
		long tried, said;
		long long least, most;
	} cases[] = {{"5", 1, -1, 1000, 1500}, {"5", 3, -1, 4000, 6000}, {"5,0.25", 2, -1, 500, 750},
	    {"100,1", 99, -1, 4096000, 6144000}, {"5,0", 1, -1, 0, 0}, {"5", 1, 30000, 30000, 30500},
	    {"5", 3, 30000, 30000, 32000}, {"5,60", 2, 100, 100, 150}, {"5,0", 1, 30000, 30000, 30000},
	    {"5", 3, 0, 0, 0}};
	struct retry retry;

	for (size_t i = 0; i < COUNT(cases); i++) {
		long long wait, least, most;

		same(cases[i].retries, retry_scan(&retry, cases[i].retries), 0);
		least = most = retry_wait_ms(&retry, cases[i].tried, cases[i].said);
		for (int k = 0; k < 100; k++) {
			wait = retry_wait_ms(&retry, cases[i].tried, cases[i].said);
			least = wait < least ? wait : least;
			most = wait > most ? wait : most;
		}
		within(cases[i].retries, least, cases[i].least, cases[i].most);
		within(cases[i].retries, most, cases[i].least, cases[i].most);
		same(cases[i].retries, least < most, cases[i].least < cases[i].most);
	}
	retry_scan(&retry, "5");
	same("tries", retry.tries, 5);
}

/* The shares of builds with these priorities, each of which has only its first token. */
static void
check_shares(void)
{
	static const struct {
		long tokens, others; /* held by clients that are no builds */
		int priorities[3];   /* -1: no such build */
		long reserved, cap;  /* of the first one */
		long shares[3];
	} cases[] = {{10, 0, {5, -1, -1}, 0, 0, {10}}, {10, 3, {5, -1, -1}, 0, 0, {7}},
	    {10, 0, {5, 5, -1}, 0, 0, {5, 5}}, {7, 0, {5, 5, -1}, 0, 0, {4, 4}},
	    {7, 0, {5, 5, 5}, 0, 0, {2, 2, 2}}, {8, 0, {5, 5, 5}, 0, 0, {3, 3, 3}},
	    {10, 0, {9, 0, -1}, 0, 0, {9, 1}}, {20, 0, {9, 0, -1}, 0, 0, {18, 2}},
	    {10, 0, {0, 9, 9}, 0, 0, {1, 5, 5}}, {10, 0, {0, 9, 9}, 3, 0, {4, 5, 5}},
	    {10, 0, {5, 5, -1}, 0, 2, {2, 5}}};
	char text[40];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct store store = {0};
		struct builds builds = {.store = &store};
		struct build list[3] = {{0}};

		store.pool.wanted = cases[i].tokens;
		store.pool.out = cases[i].others;
		for (int k = 2; k >= 0; k--) {
			if (cases[i].priorities[k] < 0)
				continue;
			list[k].next = builds.list;
			list[k].slot = k + 1;
			list[k].who.priority = cases[i].priorities[k];
			builds.list = list + k;
			store.pool.out++;
		}
		list[0].reserved = cases[i].reserved;
		list[0].who.cap = cases[i].cap;
		for (struct build *b = builds.list; b != NULL; b = b->next) {
			snprintf(text, sizeof text, "case %zu, build %ld", i, b->slot);
			same(text, shares_of(&builds, b), cases[i].shares[b->slot - 1]);
		}
	}
}

static void
check_talk(void)
{
	static const char kinds[] = "DEJToesnlx"; /* x is none, nor is NUL */
	struct outbox box = {0};
	const char *bytes;
	size_t length;

	for (size_t i = 0; i < sizeof kinds; i++) {
		talk_add(&box, (enum talk)kinds[i], "text", 4);
		same("frame", talk_next(&box, &bytes, &length), i < sizeof kinds - 2 ? kinds[i] : -1);
	}
	outbox_drop(&box);
}

/* The shortest and the highest character of each length, and those just beyond. */
static void
check_utf8(void)
{
	static const struct {
		const char *text;
		size_t character; /* its length, or 0 for none */
	} cases[] = {{"a", 1}, {"\177", 1}, {"ab", 1}, {"\200", 0}, {"\277", 0}, {"\301\277", 0},
	    {"\302\200", 2}, {"\337\277", 2}, {"\302", 0}, {"\302a", 0}, {"\302\300", 0},
	    {"\302\177", 0}, {"\340\237\277", 0}, {"\340\240\200", 3}, {"\340\240", 0},
	    {"\355\237\277", 3}, {"\355\240\200", 0}, {"\357\277\277", 3}, {"\357\277a", 0},
	    {"\360\217\277\277", 0}, {"\360\220\200\200", 4}, {"\360\220\200", 0},
	    {"\364\217\277\277", 4}, {"\364\220\200\200", 0}, {"\365\200\200\200", 0}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = strlen(cases[i].text);

		same(cases[i].text, (long long)utf8_character(cases[i].text, length),
		    (long long)cases[i].character);
		if (cases[i].character > 1)
			same(cases[i].text, (long long)utf8_character(cases[i].text, length - 1), 0);
	}
	same("nothing", (long long)utf8_character("a", 0), 0);
	same("text", utf8_is_text("a\tb \303\244", 6), 1);
	same("no text", utf8_is_text("a\303\244", 2), 0);
	same("control", utf8_is_text("a\033", 2), 0);
	same("newline", utf8_is_text("a\n", 2), 0);
	same("empty", utf8_is_text("", 0), 1);
	same("all", (long long)utf8_cut("a\303\244", 3), 3);
	same("the last is whole", (long long)utf8_cut("a\303\244", 2), 1);
	same("no character is that short", (long long)utf8_cut("\303\244", 1), 0);
	same("cut behind it", (long long)utf8_cut("\303\244bc", 3), 3);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*check)(void);
	} checks[] = {{"child", check_child}, {"feed", check_feed}, {"fifo", check_fifo},
	    {"halt", check_halt}, {"human", check_human}, {"lease", check_lease},
	    {"names", check_names}, {"pipe", check_pipe}, {"retry", check_retry},
	    {"shares", check_shares}, {"talk", check_talk}, {"utf8", check_utf8}};
	size_t i = 0;

	while (argc == 2 && i < COUNT(checks) && strcmp(checks[i].name, argv[1]) != 0)
		i++;
	if (argc != 2 || i == COUNT(checks))
		return 125;
	checks[i].check();
	return wrong;
}
