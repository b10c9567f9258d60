// K1: what the compiler and the linker were asked for is in the release binary. (No store: told once.)

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { CHECKED, onSqlite, RELEASE } from "../kit/world.mjs";

const readelf = (...flags) => execFileSync("readelf", ["-W", ...flags, RELEASE], { maxBuffer: 1 << 26 }).toString();

onSqlite("it is position independent, and bound read-only before it runs", () => {
  assert.match(readelf("-h"), /Type:\s+DYN/);
  const dynamic = readelf("-d");
  assert.match(dynamic, /FLAGS_1.*\bPIE\b/);
  assert.match(dynamic, /BIND_NOW|FLAGS.*\bNOW\b/);
  assert.match(readelf("-l"), /GNU_RELRO/);
  assert.doesNotMatch(dynamic, /RPATH|RUNPATH|TEXTREL/);
});

onSqlite("its stack cannot be run, and no segment is both written and run", () => {
  const segments = readelf("-l").split("\n");
  const stack = segments.find((line) => /GNU_STACK/.test(line));
  assert.match(stack, /\sRW\s/);
  for (const line of segments.filter((one) => /^\s+LOAD/.test(one))) assert.doesNotMatch(line, /RWE/);
});

onSqlite("stacks are guarded and the C library's calls are fortified", () => {
  const symbols = readelf("--dyn-syms");
  assert.match(symbols, /__stack_chk_fail/);
  const fortified = symbols.match(/__(\w+)_chk\b/g) ?? [];
  assert.ok(fortified.filter((name) => name !== "__stack_chk").length >= 2, fortified.join(" "));
  for (const banned of ["strcpy", "strcat", "sprintf", "vsprintf", "gets", "strtok", "system", "popen", "atoi"])
    assert.doesNotMatch(symbols, new RegExp(`UND ${banned}(@|$)`, "m"), banned);
});

onSqlite("jumps are marked for the processor that checks them", () => {
  const notes = readelf("-n");
  if (process.arch === "arm64") {
    // The linker only says so if every object does; the C library's start files of some distributions do not.
    const code = execFileSync("objdump", ["-d", "--no-show-raw-insn", RELEASE], { maxBuffer: 1 << 28 }).toString();
    assert.ok((code.match(/\bpaciasp\b/g) ?? []).length > 100, "return addresses are not signed");
    assert.ok((code.match(/\bbti\s+c\b|\bpaciasp\b/g) ?? []).length > 100, "calls do not land on marks");
    if (!/BTI, PAC|BTI/.test(notes)) assert.doesNotMatch(notes, /aarch64 feature:\s*$/m);
  } else if (process.arch === "x64") {
    assert.match(notes, /IBT/);
    assert.match(notes, /SHSTK/);
  }
});

onSqlite("nothing of the rehearsal is in it, and no sanitizer", () => {
  const bytes = fs.readFileSync(RELEASE);
  for (const word of ["PENCHANT_FAULT_INJECTION", "failing:", "__asan_init", "__ubsan_handle", "__tsan_init"]) {
    assert.ok(!bytes.includes(word), `${word} is in the release`);
  }
  assert.ok(fs.readFileSync(CHECKED).includes("failing:"), "the search looks for the wrong words");
});

onSqlite("it needs the libraries it says and no other", () => {
  const needed = [...readelf("-d").matchAll(/NEEDED.*\[(.+)\]/g)].map(([, name]) => name.replace(/\.so.*/, ""));
  const known = ["libmicrohttpd", "libgnutls", "libsqlite3", "libpq", "libsodium", "libjansson", "libutf8proc", "libzxcvbn", "libpthread", "libm", "libc", "ld-linux-aarch64", "ld-linux-x86-64"];
  for (const name of needed) assert.ok(known.includes(name), `${name} is new`);
});
