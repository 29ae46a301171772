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
	src/jobpool/answers.h \
	src/lib/argument.h \
	src/tools/asking.h \
	src/attended/attendant.h \
	src/tokend/background.h \
	src/clients/builds.h \
	src/lease/bytes.h \
	src/jobctl/batch.h \
	src/attended/borrow.h \
	src/tokend/claim.h \
	src/clients/clients.h \
	src/lib/clock.h \
	src/lib/command.h \
	src/lib/complain.h \
	src/jobkeep/connection.h \
	src/jobctl/crew.h \
	src/lib/descriptors.h \
	src/jobpool/dispatch.h \
	src/tokend/dispenser.h \
	src/lib/family.h \
	src/lib/feed.h \
	src/book/halt.h \
	src/lib/hangup.h \
	src/clients/holders.h \
	src/tools/inlet.h \
	src/book/joblog.h \
	src/attended/jobs.h \
	src/lease/jobserver.h \
	src/jobkeep/keeper.h \
	src/tokend/labels.h \
	src/jobctl/later.h \
	src/lease/lease.h \
	src/jobkeep/leftovers.h \
	src/clients/limits.h \
	src/lease/makeflags.h \
	src/lease/names.h \
	src/lib/news.h \
	src/lib/number.h \
	src/jobpool/nursery.h \
	src/lib/orders.h \
	src/lib/outbox.h \
	src/book/output.h \
	src/lib/pace.h \
	src/clients/pool.h \
	src/lib/processors.h \
	src/book/progress.h \
	src/clients/waiters.h \
	src/jobctl/recipe.h \
	src/clients/report.h \
	src/jobpool/requests.h \
	src/clients/shares.h \
	src/attended/slots.h \
	src/jobpool/staff.h \
	src/lib/status.h \
	src/attended/turns.h \
	src/lease/words.h \
	src/jobpool/workers.h
JOBCTL = \
	src/jobctl/jobctl.o \
	src/lib/argument.o \
	src/jobctl/batch.o \
	src/lib/clock.o \
	src/lib/command.o \
	src/lib/complain.o \
	src/jobctl/crew.o \
	src/lib/descriptors.o \
	src/lib/feed.o \
	src/book/halt.o \
	src/book/joblog.o \
	src/lease/jobserver.o \
	src/jobctl/later.o \
	src/lib/number.o \
	src/lib/orders.o \
	src/book/output.o \
	src/lib/pace.o \
	src/lib/processors.o \
	src/book/progress.o \
	src/jobctl/recipe.o
JOBKEEP = \
	src/jobkeep/jobkeep.o \
	src/lib/argument.o \
	src/lib/clock.o \
	src/lib/command.o \
	src/lib/complain.o \
	src/jobkeep/connection.o \
	src/lib/descriptors.o \
	src/lib/family.o \
	src/jobkeep/keeper.o \
	src/jobkeep/leftovers.o \
	src/lib/news.o \
	src/lib/news-select.o \
	src/lib/number.o
JOBPOOL = \
	src/jobpool/jobpool.o \
	src/lib/argument.o \
	src/jobpool/answers.o \
	src/lib/clock.o \
	src/lib/command.o \
	src/lib/complain.o \
	src/lib/descriptors.o \
	src/jobpool/dispatch.o \
	src/lib/family.o \
	src/lib/feed.o \
	src/lib/number.o \
	src/jobpool/nursery.o \
	src/lib/orders.o \
	src/lib/outbox.o \
	src/lib/processors.o \
	src/jobpool/requests.o \
	src/jobpool/staff.o \
	src/jobpool/workers.o
TOKEND = \
	src/tokend/tokend.o \
	src/lib/argument.o \
	src/attended/attendant.o \
	src/tokend/background.o \
	src/attended/borrow.o \
	src/clients/builds.o \
	src/lease/bytes.o \
	src/tokend/claim.o \
	src/clients/clients.o \
	src/lib/clock.o \
	src/lib/complain.o \
	src/lib/descriptors.o \
	src/tokend/dispenser.o \
	src/lib/family.o \
	src/clients/holders.o \
	src/attended/jobs.o \
	src/lease/jobserver.o \
	src/tokend/labels.o \
	src/lease/lease.o \
	src/clients/limits.o \
	src/lease/makeflags.o \
	src/lease/names.o \
	src/lib/news.o \
	src/lib/news-select.o \
	src/lib/number.o \
	src/lib/pace.o \
	src/clients/pool.o \
	src/lib/processors.o \
	src/clients/waiters.o \
	src/clients/report.o \
	src/clients/shares.o \
	src/attended/slots.o \
	src/attended/turns.o \
	src/lease/words.o
TOKGET = src/tools/tokget.o src/lib/argument.o src/tools/asking.o src/lib/clock.o src/lib/command.o src/lib/complain.o src/tools/inlet.o src/lease/makeflags.o src/lib/number.o
TOKPUT = src/tools/tokput.o src/lib/argument.o src/lib/complain.o src/tools/inlet.o src/lib/number.o
TOKSTAT = src/tools/tokstat.o src/tools/asking.o src/lib/clock.o src/lib/complain.o src/tools/inlet.o src/lease/makeflags.o
TOKSTOP = src/tools/tokstop.o src/lib/argument.o src/lib/clock.o src/lib/complain.o src/lib/family.o src/tools/inlet.o src/lib/number.o
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
	tests/fuzz/workers.c
TESTED = src/lib/processors.o src/lib/number.o src/lease/words.o

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

build/processors_test: tests/c/processors_test.c src/lib/processors.o src/lib/number.o
	@mkdir -p build
	$(CC) $(STANDARD) $(CFLAGS) $(LDFLAGS) -o $@ tests/c/processors_test.c src/lib/processors.o src/lib/number.o $(LDLIBS)

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
	rm -rf bin build src/*/*.o
