# Penchant: `make run` builds and serves a demo, `make check` runs every test. `make help` lists the rest.
#
# Four kinds of build, each in a folder of its own below build/:
#   release   what people run: optimised, hardened        build/penchant
#   check     what the tests run: ASan, UBSan, rehearsal  build/check/penchant
#   tsan      the same under ThreadSanitizer              build/tsan/penchant
#   fuzz      libFuzzer targets, made by clang            build/fuzz/<target>

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build/penchant

VERSION := 0.1.0
ARCH    := $(shell uname -m)
CC      := gcc
HOST_CC := gcc
PREFIX  ?= /usr/local

# ---- what there is ----

SOURCES  := $(sort $(wildcard src/*/*.c))
EMBED    := $(sort $(wildcard schema/*.sql pages/* api/*.json) $(filter-out %.schema.json,$(wildcard domains/*.json)) demo/ada.json docs/first-call.sh)
UNITS    := $(sort $(wildcard tests/unit/*/*_test.c))
FUZZERS  := $(patsubst tests/fuzz/%_fuzz.c,%,$(sort $(wildcard tests/fuzz/*_fuzz.c)))
LIBS     := -lmicrohttpd -lgnutls -lsqlite3 -lpq -lsodium -ljansson -lutf8proc -lzxcvbn -lpthread -lm

# ---- flags ----

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wvla -Wstrict-prototypes \
            -Wswitch-enum -Wformat=2 -Wimplicit-fallthrough -Wmissing-prototypes -Werror
COMMON   := -std=c17 -D_GNU_SOURCE -Isrc -isystem /usr/include/postgresql -include src/base/banned.h \
            -DPENCHANT_VERSION='"$(VERSION)"' -g $(WARNINGS)

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
              -DPENCHANT_REHEARSAL -DPENCHANT_ASAN
CHECK_LD   := -fsanitize=address,undefined
TSAN_C     := -O1 -fno-omit-frame-pointer -fsanitize=thread -DPENCHANT_REHEARSAL
TSAN_LD    := -fsanitize=thread
FUZZ_C     := -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
              -fno-sanitize-recover=all -DPENCHANT_REHEARSAL -DPENCHANT_ASAN -Wno-unknown-warning-option
FUZZ_LD    := -fsanitize=address,undefined

# ---- the program, once for each kind ----

# $(call kind,NAME,COMPILER,CFLAGS,LDFLAGS,STEP): objects of every source, and of the embedded files. STEP is what of
# tools/packages installs the compiler.
define kind
OBJECTS_$(1) := $$(SOURCES:src/%.c=build/$(1)/%.o) build/$(1)/embedded.o

build/$(1)/%.o: src/%.c | $(5)
	@mkdir -p $$(@D)
	@echo "  $(1)  $$<"
	@$(2) $$(COMMON) $(3) -MMD -MP -c $$< -o $$@

build/$(1)/embedded.o: build/embedded.c $$(EMBED) | $(5)
	@mkdir -p $$(@D)
	@$(2) $$(COMMON) $(3) -c $$< -o $$@

build/$(1)/model/tokenizer_table.o: build/tokenizer.table

# Everything but main(), for tests and fuzz targets to link with.
build/$(1)/penchant.a: $$(filter-out build/$(1)/app/main.o,$$(OBJECTS_$(1)))
	@rm -f $$@ && ar rcs $$@ $$^

build/$(1)/penchant: $$(OBJECTS_$(1))
	@$(2) $(4) -o $$@ $$^ $$(LIBS)
endef

$(eval $(call kind,release,$(CC),$(RELEASE_C),$(RELEASE_LD),tools-build))
$(eval $(call kind,check,$(CC),$(CHECK_C),$(CHECK_LD),tools-build))
$(eval $(call kind,tsan,$(CC),$(TSAN_C),$(TSAN_LD),tools-build))
$(eval $(call kind,fuzz,clang,$(FUZZ_C),$(FUZZ_LD),tools-check))

build/penchant: build/release/penchant
	@cp --remove-destination $< $@ && strip --strip-debug $@
	@echo "built $@"

# Rewritten only when the list of files changes; a change inside a file goes through the objects.
build/embedded.c: tools/embed FORCE
	@mkdir -p build
	@tools/embed $(EMBED) > $@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }

# What the token counter looks tokens up in. Made by a program that runs here, so no other than the compiler is needed.
build/tokenizer.table: build/tools/tokenizer_table data/o200k_base.tokens data/unicode_classes.txt data/SHA256SUMS
	@cd data && sha256sum -c --quiet SHA256SUMS
	@$< data/o200k_base.tokens data/unicode_classes.txt > $@

build/tools/%: tools/%.c | tools-build
	@mkdir -p $(@D)
	@$(HOST_CC) $(COMMON) -O2 -MMD -MP $< -o $@

# ---- tests ----

# What a test defines itself (a store that is away, say) stands in for the program's own.
STAND_IN := -Wl,-z,muldefs

UNIT_BINARIES := $(UNITS:tests/unit/%.c=build/check/unit/%)

build/check/unit/%: tests/unit/%.c build/check/penchant.a | tools-check
	@mkdir -p $(@D)
	@echo "  check  $<"
	@$(CC) $(COMMON) $(CHECK_C) -Itests -MMD -MP $< build/check/penchant.a $(STAND_IN) $(CHECK_LD) -o $@ -lcmocka $(LIBS)

# Programs through which a test asks one function of ours, to compare it with somebody else's.
build/check/oracle/%: tests/oracle/%.c build/check/penchant.a | tools-check
	@mkdir -p $(@D)
	@echo "  check  $<"
	@$(CC) $(COMMON) $(CHECK_C) -MMD -MP $< build/check/penchant.a $(CHECK_LD) -o $@ $(LIBS)

PROBES := $(patsubst tests/%.c,build/check/%,$(wildcard tests/oracle/*_probe.c))

build/tsan/unit/%: tests/unit/%.c build/tsan/penchant.a | tools-check
	@mkdir -p $(@D)
	@$(CC) $(COMMON) $(TSAN_C) -Itests -MMD -MP $< build/tsan/penchant.a $(STAND_IN) $(TSAN_LD) -o $@ -lcmocka $(LIBS)

build/fuzz/%: tests/fuzz/%_fuzz.c build/fuzz/penchant.a | tools-check
	@echo "  fuzz  $<"
	@clang $(COMMON) $(FUZZ_C) -fsanitize=fuzzer -MMD -MP $< build/fuzz/penchant.a $(STAND_IN) -o $@ $(LIBS)

# Libraries put below the program by LD_PRELOAD: a slow or failing disk.
build/preload/%.so: tests/fault/%.c | tools-build
	@mkdir -p $(@D)
	@$(CC) -std=c17 -D_GNU_SOURCE -O2 -fPIC -shared $(WARNINGS) $< -o $@ -ldl -lpthread

PRELOADS := $(patsubst tests/fault/%.c,build/preload/%.so,$(wildcard tests/fault/*.c))

-include $(shell find build -name '*.d' 2>/dev/null)

# ---- what people type ----

.PHONY: run check soak lint bench fuzz install help clean FORCE tools-build tools-check tools-lint tools-bench docs
FORCE:

run: build/penchant ## build and serve a demo with a sample user on 127.0.0.1:8080
	@exec build/penchant demo

check: tools-check build/check/penchant build/penchant $(UNIT_BINARIES) $(PROBES) $(PRELOADS) $(FUZZERS:%=build/fuzz/%) ## install what the tests need and run all of them, on both stores
	@tests/run

soak: tools-check build/check/penchant build/penchant build/tsan/penchant $(UNIT_BINARIES:build/check/%=build/tsan/%) $(PROBES) $(PRELOADS) ## the long rehearsals: kill -9 a hundred times, ThreadSanitizer
	@tests/soak

lint: tools-lint build/penchant ## floors, banned words, formatting, static checks, generated documents
	@tools/lint

bench: tools-bench build/penchant build/check/penchant $(PRELOADS) build/bench/commit build/bench/compose build/bench/load build/bench/people ## measure: ratios to nginx in one run, instructions per request
	@node bench/run.mjs

build/bench/%: bench/%.c build/release/penchant.a
	@mkdir -p $(@D)
	@$(CC) $(COMMON) $(RELEASE_C) -MMD -MP $< build/release/penchant.a $(STAND_IN) $(RELEASE_LD) -o $@ $(LIBS)

fuzz: tools-check $(FUZZERS:%=build/fuzz/%) ## run every fuzz target for FUZZ_SECONDS each (60)
	@tests/fuzz/run

docs: build/penchant ## write the documents that are made from the program again
	@tools/generated-docs write

install: build/penchant ## install to PREFIX (/usr/local)
	install -D -m 0755 build/penchant $(DESTDIR)$(PREFIX)/bin/penchant

clean: ## remove everything that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16
	@echo '  make          build build/penchant'

tools-build tools-check tools-lint tools-bench:
	@tools/packages $(@:tools-%=%)
