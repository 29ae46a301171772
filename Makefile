.POSIX:
.SUFFIXES:
.SUFFIXES: .c .o

# The user may set these, and CC, CPPFLAGS, CFLAGS, LDFLAGS and LDLIBS, also in the environment:
# src/cc has their defaults.
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
SHAREDIR = $(PREFIX)/share/jobctl
MANDIR = $(PREFIX)/share/man
DOCDIR = $(PREFIX)/share/doc/jobctl
BASHCOMPDIR = $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR = $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR = $(PREFIX)/share/fish/vendor_completions.d
UNITDIR = $(PREFIX)/lib/systemd/system
USERUNITDIR = $(PREFIX)/share/systemd/user
SYSUSERSDIR = $(PREFIX)/lib/sysusers.d
TMPFILESDIR = $(PREFIX)/lib/tmpfiles.d

VERSION = 0.1
# Inodes and sizes of 64 bits, also where that is not the default.
STANDARD = -std=c99 -pedantic -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 \
	-DVERSION='"$(VERSION)"'
WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes

# Each program has a file of its name in src/, with its main; all else is in build/lib.a.
PROGRAMS = bin/jobat bin/jobctl bin/jobend bin/jobkeep bin/jobplot bin/jobpool \
	bin/tokend bin/tokget bin/tokput bin/tokstat bin/tokstop
MAINS = src/attended/jobend.o src/jobat/jobat.o src/jobctl/jobctl.o \
	src/jobkeep/jobkeep.o src/jobplot/jobplot.o src/jobpool/jobpool.o src/tokend/tokend.o \
	src/tools/tokget.o src/tools/tokput.o src/tokstat/tokstat.o src/tools/tokstop.o
OBJECTS = \
	src/lib/background.o src/lib/child.o src/lib/clock.o src/lib/command.o src/lib/complain.o \
	src/lib/descriptors.o src/lib/family.o src/lib/feed.o src/lib/fifo.o src/lib/guard.o \
	src/lib/limits.o src/lib/local.o src/lib/news.o src/lib/number.o src/lib/options.o \
	src/lib/orders.o src/lib/outbox.o src/lib/pace.o src/lib/peek.o src/lib/printable.o \
	src/lib/processors.o src/lib/room.o src/lib/secret.o src/lib/table.o src/lib/utf8.o \
	src/display/board.o src/display/human.o src/display/json.o src/display/screen.o \
	src/lease/held.o src/lease/jobserver.o src/lease/lease.o src/lease/makeflags.o \
	src/lease/names.o src/lease/words.o \
	src/places/beat.o src/places/den.o src/places/session.o src/places/shell.o \
	src/places/sites.o src/places/transport.o src/places/wire.o \
	src/book/file.o src/book/halt.o src/book/joblog.o src/book/lines.o src/book/logline.o \
	src/book/output.o src/book/progress.o src/book/quote.o src/book/retry.o src/book/terms.o \
	src/book/verdict.o \
	src/clients/asked.o src/clients/builds.o src/clients/clients.o src/clients/first.o \
	src/clients/holders.o src/clients/pool.o src/clients/remains.o src/clients/report.o \
	src/clients/shares.o src/clients/store.o src/clients/waiters.o \
	src/attended/again.o src/attended/attendant.o src/attended/books.o src/attended/calls.o \
	src/attended/ender.o src/attended/ends.o src/attended/heard.o src/attended/jobs.o \
	src/attended/kills.o src/attended/leases.o src/attended/shell.o src/attended/starts.o \
	src/tokend/claim.o src/tokend/dispenser.o src/tokend/labels.o src/tokend/opening.o \
	src/tokend/parent.o \
	src/tools/abroad.o src/tools/announce.o src/tools/asking.o src/tools/borrow.o \
	src/tools/victims.o src/tools/wish.o \
	src/tokstat/behind.o src/tokstat/sheet.o src/tokstat/subject.o src/tokstat/view.o \
	src/tokstat/watch.o \
	src/jobctl/batch.o src/jobctl/begin.o src/jobctl/crew.o src/jobctl/group.o \
	src/jobctl/loop.o src/jobctl/operand.o src/jobctl/place.o src/jobctl/recipe.o \
	src/jobctl/script.o src/jobctl/slurm.o src/jobctl/source.o \
	src/jobat/client.o src/jobat/login.o src/jobat/server.o src/jobat/talk.o \
	src/jobpool/dispatch.o src/jobpool/requests.o src/jobpool/script.o src/jobpool/staff.o \
	src/jobpool/workers.o \
	src/jobkeep/keeper.o src/jobkeep/restart.o \
	src/jobplot/events.o src/jobplot/logged.o src/jobplot/rows.o src/jobplot/svg.o \
	src/jobplot/text.o
# Each room has one.
HEADERS = src/jobctl/habits.h src/lib/lib.h src/display/display.h src/lease/lease.h \
	src/places/places.h src/book/book.h src/clients/clients.h src/attended/attended.h \
	src/tokend/tokend.h src/tools/tools.h src/tokstat/tokstat.h src/jobctl/jobctl.h \
	src/jobat/jobat.h src/jobpool/jobpool.h src/jobkeep/jobkeep.h src/jobplot/jobplot.h

HELPERS = build/careless build/cost build/crowd build/fresh build/greedy \
	build/now build/output_test build/processors_test build/quote_test \
	build/seat build/units_test build/witness build/words_test
FUZZED = tests/fuzz/arguments.c tests/fuzz/asking-pieces.c \
	tests/fuzz/asking.c tests/fuzz/clients.c \
	tests/fuzz/connections-processes.c tests/fuzz/connections.c tests/fuzz/feed.c \
	tests/fuzz/ground.c tests/fuzz/jobs.c tests/fuzz/joblog.c tests/fuzz/jobplot.c \
	tests/fuzz/jobserver.c \
	tests/fuzz/labels-exit.c tests/fuzz/labels.c tests/fuzz/leftovers.c tests/fuzz/makeflags.c \
	tests/fuzz/numbers.c tests/fuzz/options-labels.c tests/fuzz/options-table.c \
	tests/fuzz/options.c tests/fuzz/places.c \
	tests/fuzz/processors.c tests/fuzz/recipe.c tests/fuzz/replay.c tests/fuzz/report.c \
	tests/fuzz/report-subject.c \
	tests/fuzz/words.c tests/fuzz/workers-lines.c tests/fuzz/workers.c

all: $(PROGRAMS) bin/jobctl.sh

.c.o:
	./src/cc -c $(STANDARD) $(WARNINGS) -o $@ $<

$(OBJECTS) $(MAINS): $(HEADERS) build/compiler

# The script for the sh at a place, as strings of C.
src/places/far-text.h: src/places/far.sh
	sed -e "/^ *#/d" -e 's/[\\"]/\\&/g; s/.*/"&\\n",/' src/places/far.sh >$@

src/places/session.o: src/places/far-text.h

build/compiler: always
	@mkdir -p build
	@./src/cc remember $(STANDARD) $(WARNINGS)
always:

build/lib.a: $(OBJECTS)
	rm -f $@
	$(AR) -rc $@ $(OBJECTS)

$(PROGRAMS): build/lib.a $(MAINS)
	@mkdir -p bin
	./src/cc -o $@ src/*/$(@F).o build/lib.a

# Beside the programs: one directory in PATH is enough. It finds the rest in share/jobctl.
bin/jobctl.sh: share/jobctl.sh
	@mkdir -p bin
	cp share/jobctl.sh $@

build/careless: tests/c/careless.c
build/cost: tests/c/cost.c
build/crowd: tests/c/crowd.c
build/fresh: tests/c/fresh.c
build/greedy: tests/c/greedy.c
build/now: tests/c/now.c
build/output_test: tests/c/output_test.c
build/processors_test: tests/c/processors_test.c
build/quote_test: tests/c/quote_test.c
build/seat: tests/c/seat.c
build/units_test: tests/c/units_test.c
build/witness: tests/c/witness.c
build/words_test: tests/c/words_test.c
$(HELPERS): build/lib.a
	./src/cc $(STANDARD) -o $@ tests/c/$(@F).c build/lib.a

build/replay/done: $(PROGRAMS) $(FUZZED)
	./src/cc with ./tests/fuzz/build.sh replay build/replay
	@: >$@

helpers: $(HELPERS)

# TESTS: files. SHELLS: three, all, or names, in which shell code is tried.
test: all helpers build/replay/done
	@./tests/run.sh $(TESTS)

demo: all build/seat
	./tests/demo.sh

# That of README.md, drawn anew.
pictures: all
	./tests/pictures.sh

lint:
	./tests/lint.sh

# BENCH=quick: all of it, with small counts.
bench: all build/cost build/crowd build/now build/seat
	./tests/bench/all.sh $(BENCH)

# Long or random work: TRUST='fuzz soak' for some of it, TIME=6 for a tenth.
trust:
	@./tests/trust.sh $(TRUST)

# PORTABILITY=quick takes some of it.
portability: all
	./tests/portability.sh $(PORTABILITY)

# COVERAGE='tests/lib/x.bats ...' for those tests alone.
coverage:
	./tests/coverage.sh $(COVERAGE)

# FUZZ=seconds for each target
fuzz: all
	./tests/fuzz/run.sh

# FAULTS=quick, or the subjects to fail: see tests/faults/run.sh
faults: all build/greedy
	./tests/faults/run.sh $(FAULTS)

# SOAK=seconds
soak: all build/greedy build/seat build/witness
	./tests/soak.sh

# MUTANTS=how many faults SEED=which ones: do the tests find them?
mutants: all helpers
	@./tests/mutants.sh

# MODEL=-d: larger cases, too
model:
	./tests/model/run.sh $(MODEL)

# Programs that people type. Bash and fish look for a file named after each; jobctl is the first.
COMPLETED = jobat jobplot jobpool tokend tokget tokput tokstat tokstop

# Links to share/jobctl/shim: what takes part in a pool without a word in front.
SHIMS = bmake cargo gmake make ninja

# For the start-up file of a shell: the directory of the shims, installed or here, and a pool.
shims:
	@dir='$(SHAREDIR)/shims'; [ -d "$$dir" ] || dir=$$PWD/share/jobctl/shims; \
	printf '%s\n' "export PATH=\"$$dir:\$$PATH\"" \
	    'export JOBCTL_POOL="$$HOME/cpu.fifo"' \
	    'tokstat "$$JOBCTL_POOL" >/dev/null 2>&1 || tokend -b -j "$$JOBCTL_POOL"'

# Builds what is missing or old with the compiler and flags of the last make. Remembers which
# directories it made, so that uninstall takes no others away. A file is replaced by another one,
# for a tokend runs all the time, and cannot be written to.
install:
	@AS_BUILT=yes $(MAKE) all
	@rm -f build/made; \
	need () { [ -d "$$1" ] || { need "$$(dirname "$$1")" && mkdir "$$1" && chmod 755 "$$1" && \
	    printf '%s\n' "$${1#"$(DESTDIR)"}" >>build/made; }; }; \
	put () { mode=$$1 to=$$2; need "$$to" || exit; shift 2; \
	    for file; do \
	        new=$$to/$${file##*/}; \
	        cp "$$file" "$$new.new" && chmod "$$mode" "$$new.new" && \
	            mv -f "$$new.new" "$$new" || exit; done; }; \
	bin=$$(printf '%s\n' "$(BINDIR)" | sed 's/[&|\\]/\\&/g'); \
	unit () { need "$$2" && sed "s|@BINDIR@|$$bin|" "$$1" >"$$2/tokend@.service" && \
	    chmod 644 "$$2/tokend@.service"; }; \
	put 755 "$(DESTDIR)$(BINDIR)" $(PROGRAMS) && \
	put 644 "$(DESTDIR)$(BINDIR)" share/jobctl.sh && \
	put 644 "$(DESTDIR)$(SHAREDIR)" share/jobctl/*.sh && \
	put 755 "$(DESTDIR)$(SHAREDIR)" share/jobctl/shim && \
	need "$(DESTDIR)$(SHAREDIR)/shims" && \
	for name in $(SHIMS); do \
	    ln -sf ../shim "$(DESTDIR)$(SHAREDIR)/shims/$$name" || exit; done && \
	put 644 "$(DESTDIR)$(MANDIR)/man1" share/man/*.1 && \
	put 644 "$(DESTDIR)$(MANDIR)/man5" share/man/*.5 && \
	put 644 "$(DESTDIR)$(MANDIR)/man7" share/man/*.7 && \
	put 755 "$(DESTDIR)$(DOCDIR)/examples" share/examples/* && \
	put 644 "$(DESTDIR)$(BASHCOMPDIR)" share/completions/jobctl.bash && \
	put 644 "$(DESTDIR)$(ZSHCOMPDIR)" share/completions/_jobctl && \
	put 644 "$(DESTDIR)$(FISHCOMPDIR)" share/completions/jobctl.fish && \
	unit share/systemd/system/tokend@.service "$(DESTDIR)$(UNITDIR)" && \
	unit share/systemd/user/tokend@.service "$(DESTDIR)$(USERUNITDIR)" && \
	put 644 "$(DESTDIR)$(SYSUSERSDIR)" share/systemd/sysusers.d/jobctl.conf && \
	put 644 "$(DESTDIR)$(TMPFILESDIR)" share/systemd/tmpfiles.d/jobctl.conf && \
	ln -sf jobctl.bash "$(DESTDIR)$(BASHCOMPDIR)/jobctl" && \
	for name in $(COMPLETED); do \
	    ln -sf jobctl.bash "$(DESTDIR)$(BASHCOMPDIR)/$$name" && \
	    ln -sf jobctl.fish "$(DESTDIR)$(FISHCOMPDIR)/$$name.fish" || exit; done && \
	if [ -e build/made ]; then cat build/made >>"$(DESTDIR)$(SHAREDIR)/directories"; fi

uninstall:
	@drop () { from=$$1; shift; for file; do rm -f "$$from/$${file##*/}" || exit; done; }; \
	drop "$(DESTDIR)$(BINDIR)" $(PROGRAMS) share/jobctl.sh && \
	drop "$(DESTDIR)$(SHAREDIR)" share/jobctl/*.sh shim && \
	drop "$(DESTDIR)$(SHAREDIR)/shims" $(SHIMS) && \
	drop "$(DESTDIR)$(MANDIR)/man1" share/man/*.1 && \
	drop "$(DESTDIR)$(MANDIR)/man5" share/man/*.5 && \
	drop "$(DESTDIR)$(MANDIR)/man7" share/man/*.7 && \
	drop "$(DESTDIR)$(DOCDIR)/examples" share/examples/* && \
	drop "$(DESTDIR)$(BASHCOMPDIR)" jobctl.bash jobctl $(COMPLETED) && \
	drop "$(DESTDIR)$(ZSHCOMPDIR)" _jobctl && \
	drop "$(DESTDIR)$(FISHCOMPDIR)" jobctl.fish && \
	drop "$(DESTDIR)$(UNITDIR)" tokend@.service && \
	drop "$(DESTDIR)$(USERUNITDIR)" tokend@.service && \
	drop "$(DESTDIR)$(SYSUSERSDIR)" jobctl.conf && \
	drop "$(DESTDIR)$(TMPFILESDIR)" jobctl.conf && \
	for name in $(COMPLETED); do rm -f "$(DESTDIR)$(FISHCOMPDIR)/$$name.fish" || exit; done && \
	list="$(DESTDIR)$(SHAREDIR)/directories" && if [ -e "$$list" ]; then \
	    { rm -f "$$list"; sort -r; } <"$$list" | while IFS= read -r directory; do \
	    rmdir "$(DESTDIR)$$directory" 2>/dev/null || :; done; fi

clean:
	rm -rf bin build src/*/*.o src/places/far-text.h
