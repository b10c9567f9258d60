// K1: the hardening options of compiler and linker took effect in the release binary. (No store: run once.)

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { globalFunctions, unmarked } from "../kit/branch_marks.mjs";
import { CHECKED, onSqlite, RELEASE } from "../kit/world.mjs";

const readelf = (...flags) => execFileSync("readelf", ["-W", ...flags, RELEASE], { maxBuffer: 1 << 26 }).toString();

// The processor that the program was built for, which is another one after cross-compiling.
const arch = /Machine:.*X86-64/.test(readelf("-h")) ? "x64" : "arm64";
const OBJDUMP = arch === process.arch ? "objdump" : { x64: "x86_64-linux-gnu-objdump", arm64: "aarch64-linux-gnu-objdump" }[arch];

onSqlite("the program is position independent, with full RELRO", () => {
  assert.match(readelf("-h"), /Type:\s+DYN/);
  const dynamic = readelf("-d");
  assert.match(dynamic, /FLAGS_1.*\bPIE\b/);
  assert.match(dynamic, /BIND_NOW|FLAGS.*\bNOW\b/);
  assert.match(readelf("-l"), /GNU_RELRO/);
  assert.doesNotMatch(dynamic, /RPATH|RUNPATH|TEXTREL/);
});

onSqlite("the stack is not executable, and no segment is both writable and executable", () => {
  const segments = readelf("-l").split("\n");
  const stack = segments.find((line) => /GNU_STACK/.test(line));
  assert.match(stack, /\sRW\s/);
  for (const line of segments.filter((one) => /^\s+LOAD/.test(one))) assert.doesNotMatch(line, /RWE/);
});

onSqlite("stack protector and _FORTIFY_SOURCE are active", () => {
  const symbols = readelf("--dyn-syms");
  assert.match(symbols, /__stack_chk_fail/);
  const fortified = symbols.match(/__(\w+)_chk\b/g) ?? [];
  assert.ok(fortified.filter((name) => name !== "__stack_chk").length >= 2, fortified.join(" "));
  for (const banned of ["strcpy", "strcat", "sprintf", "vsprintf", "gets", "strtok", "system", "popen", "atoi"])
    assert.doesNotMatch(symbols, new RegExp(`UND ${banned}(@|$)`, "m"), banned);
});

// The ELF notes of the program do not prove this: the start files of some distributions lack them.
onSqlite("every function that can be called indirectly begins with a branch target instruction", () => {
  const symbols = readelf("-s");
  const code = execFileSync(OBJDUMP, ["-d", "--no-show-raw-insn", RELEASE], { maxBuffer: 1 << 28 }).toString();
  assert.ok(globalFunctions(symbols).length > 500, `${globalFunctions(symbols).length} functions`);
  assert.deepEqual(unmarked(arch, symbols, code), []);
  if (arch === "arm64") assert.ok((code.match(/\bpaciasp\b/g) ?? []).length > 100, "return addresses are not signed");
});

// As readelf and objdump print a program of two functions and the C library's _start.
const SYMBOLS = `
    18: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND __libc_start_main@GLIBC_2.34
    21: 0000000000001140     8 FUNC    GLOBAL DEFAULT   14 add
    24: 0000000000001150    23 FUNC    GLOBAL DEFAULT   14 twice
    30: 0000000000001050    34 FUNC    GLOBAL DEFAULT   14 _start
    31: 0000000000001160     9 FUNC    LOCAL  DEFAULT   14 direct
`;
const CODE = {
  x64: (mark) => `
0000000000001050 <_start>:
    1050:\txor    %ebp,%ebp
    1052:\tmov    %rdx,%r9

0000000000001140 <add>:
    1140:\tendbr64
    1144:\tlea    (%rdi,%rsi,1),%eax

0000000000001150 <twice>:
    1150:\t${mark ? "endbr64" : "push   %rbx"}
    1154:\tmov    %rdi,%rax
`,
  arm64: (mark) => `
0000000000000640 <_start>:
 640:\tmov\tx29, #0x0                   \t// #0

0000000000000760 <add>:
 760:\tbti\tc
 764:\tadd\tw0, w0, w1

0000000000000770 <twice>:
 770:\t${mark ? "paciasp" : "stp\tx29, x30, [sp, #-32]!"}
 774:\tmov\tx2, x0
`,
};

for (const [arch, code] of Object.entries(CODE))
  onSqlite(`a function without a branch target instruction is found: ${arch}`, () => {
    assert.deepEqual(unmarked(arch, SYMBOLS, code(true)), []);
    assert.deepEqual(unmarked(arch, SYMBOLS, code(false)), ["twice"]);
    assert.deepEqual(unmarked(arch, SYMBOLS, ""), ["add", "twice"]);
  });

onSqlite("the release contains no fault injection and no sanitizer", () => {
  const bytes = fs.readFileSync(RELEASE);
  for (const word of ["PENCHANT_FAULT_INJECTION", "failing:", "__asan_init", "__ubsan_handle", "__tsan_init"]) {
    assert.ok(!bytes.includes(word), `${word} is in the release`);
  }
  assert.ok(fs.readFileSync(CHECKED).includes("failing:"), "the search uses the wrong words");
});

onSqlite("the program needs only the documented libraries", () => {
  const needed = [...readelf("-d").matchAll(/NEEDED.*\[(.+)\]/g)].map(([, name]) => name.replace(/\.so.*/, ""));
  const known = ["libmicrohttpd", "libcurl-gnutls", "libgnutls", "libsqlite3", "libpq", "libsodium", "libfido2", "libutf8proc", "libzxcvbn", "libpthread", "libm", "libc", "ld-linux-aarch64", "ld-linux-x86-64"];
  for (const name of needed) assert.ok(known.includes(name), `${name} is new`);
});
