# Penchant: `make run` builds and serves a demo, `make check` runs the tests. `make help` lists all targets.
#
# There are four kinds of build, each in its own directory under build/:
#   release   optimized and hardened, for production       build/penchant
#   check     ASan, UBSan, and fault injection, for tests  build/check/penchant
#   tsan      ThreadSanitizer and fault injection          build/tsan/penchant
#   fuzz      libFuzzer targets, compiled by clang         build/fuzz/target/<name>
#
# Building never installs packages: it stops and names the missing ones. `make deps` installs them; so do the
# targets run, check, clients, soak, cross-check, fuzz, lint, bench, and deb before they build.
#
# Builds are reproducible: the same commit and compiler give the same build/penchant in every directory.

# All processors, unless -j is given. A make that another make started shares the processors with it.
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build/penchant

# To cross-compile: make ARCH=x86_64 CROSS=x86_64-linux-gnu- (CPPFLAGS and LDFLAGS name the libraries' directories)
VERSION := 0.1.0
ARCH    := $(shell uname -m)
CC      := $(CROSS)gcc
AR      := $(CROSS)ar
STRIP   := $(CROSS)strip
HOST_CC := gcc
PREFIX  ?= /usr/local

# The settings file that is read if it exists and no other is named; empty: none. The Debian package sets it.
CONFIG_FILE ?=

# ---- inputs ----

SOURCES  := $(sort $(wildcard src/*/*.c))
EMBED    := $(sort $(wildcard schema/*.sql pages/* api/*.json) $(filter-out %.schema.json,$(wildcard domains/*.json)) demo/ada.json docs/first-call.sh)
MINIFY   := $(filter %.css %.js,$(EMBED))
UNITS    := $(sort $(wildcard tests/unit/*/*_test.c))
FUZZERS  := $(patsubst tests/fuzz/%_fuzz.c,%,$(sort $(wildcard tests/fuzz/*_fuzz.c)))
LIBS     := $(LDFLAGS) -lmicrohttpd -lcurl-gnutls -lgnutls -lsqlite3 -lpq -lsodium -lfido2 -lutf8proc -lzxcvbn -lpthread -lm

# ---- flags ----

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wvla -Wstrict-prototypes \
            -Wswitch-enum -Wformat=2 -Wimplicit-fallthrough -Wmissing-prototypes -Werror
COMMON    = -std=c17 -D_GNU_SOURCE -Isrc -isystem /usr/include/postgresql -include src/base/banned.h \
            -DPENCHANT_VERSION='"$(VERSION)"' -DPENCHANT_CONFIG_FILE='"$(CONFIG_FILE)"' -g '-ffile-prefix-map=$(CURDIR)=.' $(WARNINGS) $(CPPFLAGS)

HARDEN_x86_64  := -fcf-protection=full
HARDEN_aarch64 := -mbranch-protection=standard
RELEASE_C  := -O2 -Wtrampolines -Wbidi-chars=any -Werror=format-security -Werror=implicit \
              -Werror=incompatible-pointer-types -Werror=int-conversion \
              -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection \
              -fPIE -fno-delete-null-pointer-checks -fno-strict-overflow -fno-strict-aliasing \
              -ftrivial-auto-var-init=zero -fexceptions $(HARDEN_$(ARCH))
RELEASE_LD := -pie -Wl,-z,nodlopen -Wl,-z,noexecstack -Wl,-z,relro -Wl,-z,now -Wl,--as-needed \
              -Wl,--no-copy-dt-needed-entries
CHECK_C    := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
              -DPENCHANT_FAULT_INJECTION -DPENCHANT_ASAN
CHECK_LD   := -fsanitize=address,undefined
TSAN_C     := -O1 -fno-omit-frame-pointer -fsanitize=thread -DPENCHANT_FAULT_INJECTION
TSAN_LD    := -fsanitize=thread
FUZZ_C     := -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
              -fno-sanitize-recover=all -DPENCHANT_FAULT_INJECTION -DPENCHANT_ASAN -Wno-unknown-warning-option
FUZZ_LD    := -fsanitize=address,undefined

# ---- packages ----

# Steps of tools/packages that the goals of this run install. Everything compiled waits for them, also with -j.
INSTALLS_run   := build
INSTALLS_deps  := build
INSTALLS_check := check
INSTALLS_clients := check clients
INSTALLS_soak  := check soak cross deb
INSTALLS_cross-check := cross
INSTALLS_fuzz  := fuzz
INSTALLS_lint  := lint
INSTALLS_bench := bench
INSTALLS_deb   := deb
INSTALLS := $(sort $(foreach goal,$(MAKECMDGOALS),$(INSTALLS_$(goal)) $(patsubst deps-%,%,$(filter deps-%,$(goal)))))

STEPS := build unit fuzz check clients soak cross lint bench deb
.PHONY: deps $(STEPS:%=deps-%) $(STEPS:%=require-%)

deps: deps-build ## install the packages that the build needs (also: deps-check, deps-lint, deps-bench)

$(STEPS:%=deps-%):
	@tools/packages install $(@:deps-%=%)

$(STEPS:%=require-%): | $(INSTALLS:%=deps-%)
	@tools/packages require $(@:require-%=%)

# ---- the program, in each kind of build ----

# $(call kind,NAME,COMPILER,CFLAGS,LDFLAGS,STEP): the rules of one kind. STEP: the step of tools/packages that
# includes the compiler.
define kind
OBJECTS_$(1) := $$(SOURCES:src/%.c=build/$(1)/%.o) build/$(1)/embedded.o

build/$(1)/%.o: src/%.c | require-$(5)
	@mkdir -p $$(@D)
	@echo "  $(1)  $$<"
	@$(2) $$(COMMON) $(3) -MMD -MP -c $$< -o $$@

build/$(1)/embedded.o: build/embedded.c $$(filter-out $$(MINIFY),$$(EMBED)) $$(MINIFY:%=build/minified/%) build/strings.checked | require-$(5)
	@mkdir -p $$(@D)
	@$(2) $$(COMMON) $(3) -c $$< -o $$@

build/$(1)/tokenizer/tokenizer_table.o: build/tokenizer.table
build/$(1)/context/context_classifier.o: build/classifier.table
build/$(1)/reading/statement_class.o: build/statement.table

# Everything except main(), for tests and fuzz targets.
build/$(1)/penchant.a: $$(filter-out build/$(1)/app/main.o,$$(OBJECTS_$(1)))
	@rm -f $$@ && $$(AR) rcsD $$@ $$^

build/$(1)/penchant: $$(OBJECTS_$(1))
	@$(2) $(4) -o $$@ $$^ $$(LIBS)
endef

$(eval $(call kind,release,$(CC),$(RELEASE_C),$(RELEASE_LD),build))
$(eval $(call kind,check,$(CC),$(CHECK_C),$(CHECK_LD),build))
$(eval $(call kind,swift,$(CC),$(RELEASE_C) -DPENCHANT_FAULT_INJECTION,$(RELEASE_LD),build))
$(eval $(call kind,tsan,$(CC),$(TSAN_C),$(TSAN_LD),build))
$(eval $(call kind,fuzz,clang,$(FUZZ_C),$(FUZZ_LD),fuzz))

build/penchant: build/release/penchant
	@cp --remove-destination $< $@ && $(STRIP) --strip-debug $@
	@echo "built $@"

# Changes only when the list of files changes. The objects depend on the files themselves.
build/embedded.c: tools/embed FORCE
	@mkdir -p build
	@tools/embed $(EMBED) > $@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }

# Every language has the messages of English, with the same values.
build/strings.checked: tools/strings $(wildcard pages/*.strings)
	@mkdir -p build
	@tools/strings && touch $@

build/minified/%: % tools/minify.awk
	@mkdir -p $(@D)
	@awk -f tools/minify.awk $< > $@

# The lookup table of the token counter, made by a C program so that the build needs only a compiler.
build/tokenizer.table: build/tools/tokenizer_table data/o200k_base.tokens data/unicode_classes.txt data/SHA256SUMS
	@cd data && sha256sum -c --quiet SHA256SUMS
	@$< data/o200k_base.tokens data/unicode_classes.txt > $@

# What the classifiers have learned from the tasks of data/tasks and the statements of data/statements. The program that learns
# uses the program's own words and features.
CLASSIFIER_C := tools/classifier_table.c src/classifier/features.c src/context/context_label.c src/context/context_letters.c \
                src/reading/statement_key.c src/reading/spelling.c src/domain/value_text.c src/text/utf8.c \
                src/base/utf8_decode.c src/base/str.c src/base/buf.c src/base/arena.c
ALL_TASKS := $(sort $(wildcard data/tasks/*/*.txt))
FIRST_TASKS := data/tasks/none/none.txt data/tasks/unrelated/unrelated.txt
TASKS := $(FIRST_TASKS) $(filter-out $(FIRST_TASKS),$(ALL_TASKS))
STATEMENTS := $(patsubst %,data/statements/%.txt,none allergy faith health physical)
build/classifier.table: build/tools/classifier_table $(TASKS)
	@$< tasks $(TASKS) > $@.new && mv $@.new $@

build/statement.table: build/tools/classifier_table $(STATEMENTS)
	@$< statements $(STATEMENTS) > $@.new && mv $@.new $@

# -ffp-contract=off: each processor must get the same result. --gc-sections drops unused functions with the libraries that
# they need; statement_key() needs utf8proc.
build/tools/classifier_table: override CPPFLAGS := # they belong to the target's compiler
build/tools/classifier_table: $(CLASSIFIER_C) $(wildcard $(foreach module,classifier context reading domain text base,src/$(module)/*.h)) | require-build
	@mkdir -p $(@D)
	@$(HOST_CC) $(COMMON) -O3 -fno-math-errno -ffp-contract=off -ffunction-sections -Wl,--gc-sections $(CLASSIFIER_C) -o $@ -lutf8proc -lm

build/tools/%: override CPPFLAGS := # they belong to the target's compiler
build/tools/%: tools/%.c | require-build
	@mkdir -p $(@D)
	@$(HOST_CC) $(COMMON) -O2 -MMD -MP $< -o $@

# ---- tests ----

# Lets a test replace a function of the program (to simulate an unreachable store, for example).
STAND_IN := -Wl,-z,muldefs

# Compiling a test without optimization takes a fourth of the time, and linking it with lld or gold a third. The
# functions under test are those of the archive, which are optimized.
TEST_C  := $(CHECK_C:-O1=-O0)
TEST_LD := $(CHECK_LD) $(if $(shell command -v $(CROSS)ld.lld),-fuse-ld=lld,$(if $(shell command -v $(CROSS)ld.gold),-fuse-ld=gold))

UNIT_BINARIES := $(UNITS:tests/unit/%.c=build/check/unit/%)

build/check/unit/%: tests/unit/%.c build/check/penchant.a | require-unit
	@mkdir -p $(@D)
	@echo "  check  $<"
	@$(CC) $(COMMON) $(TEST_C) -Itests -MMD -MP $< build/check/penchant.a $(STAND_IN) $(TEST_LD) -o $@ -lcmocka $(LIBS)

# Probes: programs that expose one function to a test, which compares it with another implementation.
build/check/oracle/%: tests/oracle/%.c build/check/penchant.a | require-build
	@mkdir -p $(@D)
	@echo "  check  $<"
	@$(CC) $(COMMON) $(TEST_C) -MMD -MP $< build/check/penchant.a $(TEST_LD) -o $@ $(LIBS)

PROBES := $(patsubst tests/%.c,build/check/%,$(wildcard tests/oracle/*_probe.c))

# Starts the program for tests by fork(), with the built-in definitions and the pages already loaded.
PRELOADED := definitions_load languages_load languages_free calloc free

build/check/fork_server: tests/kit/fork_server.c build/check/penchant.a src/app/main.c | require-build
	@mkdir -p $(@D)
	@echo "  check  $<"
	@$(CC) $(COMMON) $(CHECK_C) -Dmain=penchant_main -Wno-missing-prototypes -c src/app/main.c -o $@.main.o
	@$(CC) $(COMMON) $(CHECK_C) -MMD -MP $< $@.main.o build/check/penchant.a $(PRELOADED:%=-Wl,--wrap=%) $(CHECK_LD) -o $@ $(LIBS)

build/check/launch: tests/kit/launch.c | require-build
	@mkdir -p $(@D)
	@$(CC) -std=c17 -D_GNU_SOURCE -O2 $(WARNINGS) $< -o $@

LAUNCHERS := build/check/fork_server build/check/launch

build/tsan/unit/%: tests/unit/%.c build/tsan/penchant.a | require-unit
	@mkdir -p $(@D)
	@$(CC) $(COMMON) $(TSAN_C:-O1=-O0) -Itests -MMD -MP $< build/tsan/penchant.a $(STAND_IN) $(TSAN_LD) -o $@ -lcmocka $(LIBS)

build/fuzz/target/%: tests/fuzz/%_fuzz.c build/fuzz/penchant.a | require-fuzz
	@mkdir -p $(@D)
	@echo "  fuzz  $<"
	@clang $(COMMON) $(FUZZ_C) -fsanitize=fuzzer -MMD -MP $< build/fuzz/penchant.a $(STAND_IN) -o $@ $(LIBS)

# The same targets for `make check`: on their seeds and fixed changes of them, without libFuzzer.
build/check/fuzz/%: tests/fuzz/%_fuzz.c build/check/replay.o build/check/penchant.a | require-unit
	@mkdir -p $(@D)
	@echo "  check  $<"
	@$(CC) $(COMMON) $(TEST_C) -MMD -MP $< build/check/replay.o build/check/penchant.a $(STAND_IN) $(TEST_LD) -o $@ $(LIBS)

build/check/replay.o: tests/fuzz/replay.c | require-unit
	@mkdir -p $(@D)
	@$(CC) $(COMMON) $(CHECK_C) -MMD -MP -c $< -o $@

# LD_PRELOAD libraries that simulate a slow or failing disk.
build/preload/%.so: tests/fault/%.c | require-build
	@mkdir -p $(@D)
	@$(CC) -std=c17 -D_GNU_SOURCE -O2 -fPIC -shared $(WARNINGS) $< -o $@ -ldl -lpthread

PRELOADS := $(patsubst tests/fault/%.c,build/preload/%.so,$(wildcard tests/fault/*.c))

-include $(shell find build -name '*.d' 2>/dev/null)

# ---- targets ----

.PHONY: run check check-quick clients test soak cross-check lint bench fuzz mutate install dist deb help clean FORCE docs
FORCE:

run: deps-build build/penchant ## install packages, build, and serve a demo with a sample user on 127.0.0.1:8080
	@exec build/penchant demo

check: deps-check build/check/penchant $(LAUNCHERS) build/penchant $(UNIT_BINARIES) $(PROBES) $(PRELOADS) $(FUZZERS:%=build/check/fuzz/%) ## install packages and run all tests except those of soak and clients, on SQLite and PostgreSQL
	@tests/run

check-quick: require-check build/check/penchant $(LAUNCHERS) build/penchant $(UNIT_BINARIES) ## run the text checks, the unit tests, and some API tests on SQLite
	@tests/run --quick

clients: deps-check deps-clients build/check/penchant $(LAUNCHERS) build/penchant ## connect Claude Code, Codex, Gemini CLI, opencode, and mcporter (1 GB of npm packages), which call every tool
	@tests/assistants/run

# T: the beginning of a file's name, with or without a store, or several of them.
test: require-check ## build and run the tests that T selects: make test T=api/sign_up, T="api/sign_up on PostgreSQL", T=unit/base
	@[ -n "$(T)" ] || { echo 'usage: make test T=api/sign_up (or T="api/sign_up on PostgreSQL", T=unit/base, T=fault)' >&2; exit 2; }
	@needs=$$(tests/run --needs "$(T)") && $(MAKE) --no-print-directory $$needs
	@tests/run "$(T)"

soak: deps-check deps-soak cross-check deb build/check/penchant $(LAUNCHERS) build/penchant build/tsan/penchant build/swift/penchant build/bench/load $(UNIT_BINARIES) $(UNIT_BINARIES:build/check/%=build/tsan/%) $(PROBES) $(PRELOADS) ## run the long tests: kill -9 a hundred times, ThreadSanitizer, libmicrohttpd 1.0
	@tests/soak

# Types, the sign of char, and hardening flags differ between the processors. Diagnosed without generating code, in under a minute; the
# headers of the libraries are the installed ones, those of the C library come with the compiler.
OTHER_x86_64  := aarch64
OTHER_aarch64 := x86_64
OTHER   := $(OTHER_$(ARCH))
OTHER_C  = $(OTHER)-linux-gnu-gcc -fsyntax-only $(COMMON) -idirafter /usr/include -idirafter /usr/include/$(ARCH)-linux-gnu

cross-check: deps-cross ## compile all C files for the other processor (x86-64 or arm64), without linking
	@printf '%s\n' $(SOURCES) | xargs -P2 -n16 $(OTHER_C) $(filter-out $(HARDEN_$(ARCH)),$(RELEASE_C)) $(HARDEN_$(OTHER))
	@printf '%s\n' $(UNITS) | xargs -P2 -n16 $(OTHER_C) $(TEST_C) -Itests
	@echo "compiled for $(OTHER)"

# The programs of the bench are only compiled here: nothing else notices when they no longer fit.
lint: deps-lint build/penchant build/bench ## check layers, names, formatting, static analysis, generated documents
	@tools/lint

BENCHES := $(patsubst bench/%.c,build/bench/%,$(wildcard bench/*.c))

bench: deps-bench build/penchant build/check/penchant $(PRELOADS) $(BENCHES) ## measure throughput relative to nginx, and instructions per request
	@node bench/run.mjs

.PHONY: build/bench
build/bench: $(BENCHES)

build/bench/%: bench/%.c build/release/penchant.a
	@mkdir -p $(@D)
	@$(CC) $(COMMON) $(RELEASE_C) -MMD -MP $< build/release/penchant.a $(STAND_IN) $(RELEASE_LD) -o $@ $(LIBS)

fuzz: deps-fuzz $(FUZZERS:%=build/fuzz/target/%) ## run every fuzz target for FUZZ_SECONDS seconds (60)
	@tests/fuzz/run

mutate: require-check build/check/penchant ## change the source in 100 places, one at a time, and list the changes that no test notices
	@node tools/mutate.mjs

docs: build/penchant ## update the parts of docs/ that the program generates
	@tools/generated-docs write

MAN_PAGES := build/man/penchant.1 build/man/penchant.conf.5

build/man/penchant.1: build/penchant
	@mkdir -p $(@D)
	@$< help man penchant > $@

build/man/penchant.conf.5: build/penchant
	@mkdir -p $(@D)
	@$< help man penchant.conf > $@

build/systemd/%: deploy/systemd/%
	@mkdir -p $(@D)
	@sed 's|@PREFIX@|$(PREFIX)|' $< > $@

UNITS_SYSTEMD := build/systemd/penchant.service build/systemd/penchant.socket

install: build/penchant $(MAN_PAGES) $(UNITS_SYSTEMD) ## install program, manual pages, and systemd units to DESTDIR and PREFIX (/usr/local)
	install -D -m 0755 build/penchant $(DESTDIR)$(PREFIX)/bin/penchant
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man1 build/man/penchant.1
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man5 build/man/penchant.conf.5
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system $(UNITS_SYSTEMD)

# The files of the last commit, with its time: the same commit always gives the same bytes.
DIST := penchant-$(VERSION)

dist: ## make build/penchant-VERSION.tar.gz from the last commit, with SHA256SUMS
	@mkdir -p build
	@git archive --format=tar --prefix=$(DIST)/ HEAD | gzip -9n > build/$(DIST).tar.gz
	@cd build && sha256sum $(DIST).tar.gz > SHA256SUMS && cat SHA256SUMS

deb: deps-deb ## build the Debian package into build/deb
	@tools/deb

clean: ## remove build/
	rm -rf build

help: ## print this list
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@echo '  make              build build/penchant'
