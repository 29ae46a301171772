.POSIX:
.SUFFIXES:
.SUFFIXES: .c .o

# The user's to set. CC is by default a static musl build where musl-gcc is
# installed, the system's cc elsewhere; see src/cc.
CC = ./src/cc
CFLAGS = -O2
CPPFLAGS =
LDFLAGS =
LDLIBS =
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
DOCDIR = $(PREFIX)/share/doc/jobctl

VERSION = 0.1
# Inodes and sizes of 64 bits, where that is not so in any case.
STANDARD = -std=c99 -pedantic -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 \
	-DVERSION='"$(VERSION)"'
WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes

PROGRAMS = bin/jobctl bin/jobkeep bin/jobpool bin/tokend bin/tokget bin/tokput bin/tokstat bin/tokstop
SHELL_PARTS = bin/jobctl.sh bin/jobctl-process.sh bin/jobctl-batch.sh bin/jobctl-connections.sh \
	bin/jobctl-end.sh bin/jobctl-guard.sh bin/jobctl-keep.sh bin/jobctl-make.sh \
	bin/jobctl-open.sh bin/jobctl-options.sh bin/jobctl-tasks.sh bin/jobctl-workers.sh
MAN1 = jobctl.1 jobkeep.1 jobpool.1 tokend.1 tokget.1 tokput.1 tokstat.1 tokstop.1
MAN7 = jobctl-connections.7 jobctl-tasks.7 jobctl-tutorial.7 jobctl-workers.7 jobctl.sh.7
EXAMPLES = builds-before.sh builds.sh channels.sh compress.sh connections.sh cron-before.sh cron.sh \
	find-before.sh find.sh list-before.sh list.sh loop-before.sh loop.sh make-before.mk make.mk tasks.sh \
	workers.sh

HEADERS = \
	src/answers.h \
	src/argument.h \
	src/asking.h \
	src/attendant.h \
	src/background.h \
	src/builds.h \
	src/bytes.h \
	src/batch.h \
	src/borrow.h \
	src/claim.h \
	src/clients.h \
	src/clock.h \
	src/command.h \
	src/complain.h \
	src/connection.h \
	src/crew.h \
	src/descriptors.h \
	src/dispatch.h \
	src/dispenser.h \
	src/family.h \
	src/feed.h \
	src/halt.h \
	src/hangup.h \
	src/holders.h \
	src/inlet.h \
	src/joblog.h \
	src/jobs.h \
	src/jobserver.h \
	src/keeper.h \
	src/labels.h \
	src/later.h \
	src/lease.h \
	src/leftovers.h \
	src/limits.h \
	src/makeflags.h \
	src/names.h \
	src/news.h \
	src/number.h \
	src/nursery.h \
	src/orders.h \
	src/outbox.h \
	src/output.h \
	src/pace.h \
	src/pool.h \
	src/processors.h \
	src/progress.h \
	src/queue.h \
	src/recipe.h \
	src/report.h \
	src/requests.h \
	src/shares.h \
	src/slots.h \
	src/staff.h \
	src/status.h \
	src/turns.h \
	src/words.h \
	src/workers.h
JOBCTL = \
	src/jobctl.o \
	src/argument.o \
	src/batch.o \
	src/clock.o \
	src/command.o \
	src/complain.o \
	src/crew.o \
	src/descriptors.o \
	src/feed.o \
	src/halt.o \
	src/joblog.o \
	src/jobserver.o \
	src/later.o \
	src/number.o \
	src/orders.o \
	src/output.o \
	src/pace.o \
	src/processors.o \
	src/progress.o \
	src/recipe.o
JOBKEEP = \
	src/jobkeep.o \
	src/argument.o \
	src/clock.o \
	src/command.o \
	src/complain.o \
	src/connection.o \
	src/descriptors.o \
	src/family.o \
	src/keeper.o \
	src/leftovers.o \
	src/news.o \
	src/news-select.o \
	src/number.o
JOBPOOL = \
	src/jobpool.o \
	src/argument.o \
	src/answers.o \
	src/clock.o \
	src/command.o \
	src/complain.o \
	src/descriptors.o \
	src/dispatch.o \
	src/family.o \
	src/feed.o \
	src/number.o \
	src/nursery.o \
	src/orders.o \
	src/outbox.o \
	src/processors.o \
	src/requests.o \
	src/staff.o \
	src/workers.o
TOKEND = \
	src/tokend.o \
	src/argument.o \
	src/attendant.o \
	src/background.o \
	src/borrow.o \
	src/builds.o \
	src/bytes.o \
	src/claim.o \
	src/clients.o \
	src/clock.o \
	src/complain.o \
	src/descriptors.o \
	src/dispenser.o \
	src/family.o \
	src/holders.o \
	src/jobs.o \
	src/jobserver.o \
	src/labels.o \
	src/lease.o \
	src/limits.o \
	src/makeflags.o \
	src/names.o \
	src/news.o \
	src/news-select.o \
	src/number.o \
	src/pace.o \
	src/pool.o \
	src/processors.o \
	src/queue.o \
	src/report.o \
	src/shares.o \
	src/slots.o \
	src/turns.o \
	src/words.o
TOKGET = src/tokget.o src/argument.o src/asking.o src/clock.o src/command.o src/complain.o src/inlet.o src/makeflags.o src/number.o
TOKPUT = src/tokput.o src/argument.o src/complain.o src/inlet.o src/number.o
TOKSTAT = src/tokstat.o src/asking.o src/clock.o src/complain.o src/inlet.o src/makeflags.o
TOKSTOP = src/tokstop.o src/argument.o src/clock.o src/complain.o src/family.o src/inlet.o src/number.o
FUZZED = \
	tests/fuzz/asking-pieces.c \
	tests/fuzz/asking.c \
	tests/fuzz/clients.c \
	tests/fuzz/connections-processes.c \
	tests/fuzz/connections.c \
	tests/fuzz/feed.c \
	tests/fuzz/ground.c \
	tests/fuzz/jobs.c \
	tests/fuzz/joblog.c \
	tests/fuzz/jobserver.c \
	tests/fuzz/labels-exit.c \
	tests/fuzz/labels.c \
	tests/fuzz/leftovers.c \
	tests/fuzz/makeflags.c \
	tests/fuzz/numbers.c \
	tests/fuzz/options-labels.c \
	tests/fuzz/options.c \
	tests/fuzz/processors.c \
	tests/fuzz/recipe.c \
	tests/fuzz/replay.c \
	tests/fuzz/report.c \
	tests/fuzz/words.c \
	tests/fuzz/workers-lines.c \
	tests/fuzz/workers-requests.c \
	tests/fuzz/workers.c
TESTED = src/processors.o src/number.o src/words.o

all: $(PROGRAMS) $(SHELL_PARTS)

.c.o:
	$(CC) $(STANDARD) $(WARNINGS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(JOBCTL) $(JOBKEEP) $(JOBPOOL) $(TOKEND) $(TOKGET) $(TOKPUT) $(TOKSTAT) $(TOKSTOP): $(HEADERS)

bin/jobctl: $(JOBCTL)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(JOBCTL) $(LDLIBS)

bin/jobkeep: $(JOBKEEP)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(JOBKEEP) $(LDLIBS)

bin/jobpool: $(JOBPOOL)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(JOBPOOL) $(LDLIBS)

bin/tokend: $(TOKEND)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TOKEND) $(LDLIBS)

bin/tokget: $(TOKGET)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TOKGET) $(LDLIBS)

bin/tokput: $(TOKPUT)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TOKPUT) $(LDLIBS)

bin/tokstat: $(TOKSTAT)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TOKSTAT) $(LDLIBS)

bin/tokstop: $(TOKSTOP)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TOKSTOP) $(LDLIBS)

# Beside the programs, so that one directory in PATH is enough.
bin/jobctl.sh: share/jobctl.sh
	@mkdir -p bin
	cp share/jobctl.sh $@

bin/jobctl-process.sh: share/jobctl-process.sh
	@mkdir -p bin
	cp share/jobctl-process.sh $@

bin/jobctl-connections.sh: share/jobctl-connections.sh
	@mkdir -p bin
	cp share/jobctl-connections.sh $@

bin/jobctl-end.sh: share/jobctl-end.sh
	@mkdir -p bin
	cp share/jobctl-end.sh $@

bin/jobctl-guard.sh: share/jobctl-guard.sh
	@mkdir -p bin
	cp share/jobctl-guard.sh $@

bin/jobctl-keep.sh: share/jobctl-keep.sh
	@mkdir -p bin
	cp share/jobctl-keep.sh $@

bin/jobctl-make.sh: share/jobctl-make.sh
	@mkdir -p bin
	cp share/jobctl-make.sh $@

bin/jobctl-open.sh: share/jobctl-open.sh
	@mkdir -p bin
	cp share/jobctl-open.sh $@

bin/jobctl-options.sh: share/jobctl-options.sh
	@mkdir -p bin
	cp share/jobctl-options.sh $@

bin/jobctl-tasks.sh: share/jobctl-tasks.sh
	@mkdir -p bin
	cp share/jobctl-tasks.sh $@

bin/jobctl-batch.sh: share/jobctl-batch.sh
	@mkdir -p bin
	cp share/jobctl-batch.sh $@

bin/jobctl-workers.sh: share/jobctl-workers.sh
	@mkdir -p bin
	cp share/jobctl-workers.sh $@

build/fresh: tests/c/fresh.c
	@mkdir -p build
	$(CC) $(STANDARD) $(CFLAGS) $(LDFLAGS) -o $@ tests/c/fresh.c $(LDLIBS)

build/greedy: tests/c/greedy.c
	@mkdir -p build
	$(CC) $(STANDARD) $(CFLAGS) $(LDFLAGS) -o $@ tests/c/greedy.c $(LDLIBS)

build/seat: tests/c/seat.c
	@mkdir -p build
	$(CC) $(STANDARD) $(CFLAGS) $(LDFLAGS) -o $@ tests/c/seat.c $(LDLIBS)

build/processors_test: tests/c/processors_test.c src/processors.o src/number.o
	@mkdir -p build
	$(CC) $(STANDARD) $(CFLAGS) $(LDFLAGS) -o $@ tests/c/processors_test.c src/processors.o src/number.o $(LDLIBS)

build/now: tests/c/now.c
	@mkdir -p build
	$(CC) $(STANDARD) $(CFLAGS) $(LDFLAGS) -o $@ tests/c/now.c $(LDLIBS)

build/replay/done: $(PROGRAMS) $(FUZZED)
	CC="$(CC)" CPPFLAGS="$(CPPFLAGS)" CFLAGS="$(CFLAGS)" LDFLAGS="$(LDFLAGS)" LDLIBS="$(LDLIBS)" \
	    ./tests/fuzz/build.sh replay build/replay
	@: >$@

test: all build/fresh build/greedy build/now build/processors_test build/replay/done build/seat
	./tests/run.sh $(TESTS)

fuzz: all
	./tests/fuzz/run.sh

# PORTABILITY=quick takes some of it.
portability: all
	./tests/portability.sh $(PORTABILITY)

# COVERAGE='tests/x.bats ...' for those tests alone.
coverage:
	./tests/coverage.sh $(COVERAGE)

demo: all build/now
	./tests/demo.sh

bench: all build/now build/seat
	./tests/bench/run.sh
	./tests/bench/pool.sh
	./tests/bench/jobs.sh
	./tests/bench/connections.sh
	./tests/bench/builds.sh
	./tests/bench/tasks.sh
	./tests/bench/workers.sh

install: all
	mkdir -p $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man7 \
	    $(DESTDIR)$(DOCDIR)/examples
	cp $(PROGRAMS) $(SHELL_PARTS) $(DESTDIR)$(BINDIR)
	for program in $(PROGRAMS); do chmod 755 $(DESTDIR)$(BINDIR)/$${program#bin/} || exit; done
	for part in $(SHELL_PARTS); do chmod 644 $(DESTDIR)$(BINDIR)/$${part#bin/} || exit; done
	for page in $(MAN1); do \
	    cp share/man/$$page $(DESTDIR)$(MANDIR)/man1 && \
	    chmod 644 $(DESTDIR)$(MANDIR)/man1/$$page || exit; done
	for page in $(MAN7); do \
	    cp share/man/$$page $(DESTDIR)$(MANDIR)/man7 && \
	    chmod 644 $(DESTDIR)$(MANDIR)/man7/$$page || exit; done
	for example in $(EXAMPLES); do \
	    cp share/examples/$$example $(DESTDIR)$(DOCDIR)/examples && \
	    chmod 755 $(DESTDIR)$(DOCDIR)/examples/$$example || exit; done

uninstall:
	for program in $(PROGRAMS) $(SHELL_PARTS); do \
	    rm -f $(DESTDIR)$(BINDIR)/$${program#bin/} || exit; done
	for page in $(MAN1); do rm -f $(DESTDIR)$(MANDIR)/man1/$$page || exit; done
	for page in $(MAN7); do rm -f $(DESTDIR)$(MANDIR)/man7/$$page || exit; done
	for example in $(EXAMPLES); do rm -f $(DESTDIR)$(DOCDIR)/examples/$$example || exit; done
	-rmdir $(DESTDIR)$(DOCDIR)/examples $(DESTDIR)$(DOCDIR)

# FAULTS=quick, for a minute and a half; or what to fail: see tests/faults/run.sh
FAULTS =
faults: all build/greedy
	./tests/faults/run.sh $(FAULTS)

# SOAK=seconds
soak: all build/greedy build/seat
	./tests/soak.sh

model:
	./tests/model/run.sh

lint:
	./tests/lint.sh

clean:
	rm -rf bin build src/*.o
