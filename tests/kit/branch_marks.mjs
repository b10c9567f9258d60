// Finds functions that an indirect call can reach but that lack the landing pad instruction: endbr64 on
// x86-64 (-fcf-protection), `bti c` or `paciasp` on arm64 (-mbranch-protection). The compiler marks every
// function that other files can see; static functions may need no mark.

const MARKS = { x64: /^endbr64$/, arm64: /^(bti\s+j?c|paci[ab]sp)$/ };

// Names of the program's own functions in `readelf -W -s`. Names of the C library's start files begin with "_".
export const globalFunctions = (symbols) =>
  [...symbols.matchAll(/\bFUNC\s+GLOBAL\s+\w+\s+\d+\s+([A-Za-z]\S*)$/gm)].map(([, name]) => name);

// The first instruction of each function in `objdump -d --no-show-raw-insn`, by name.
export const firstInstructions = (disassembly) =>
  new Map([...disassembly.matchAll(/^[0-9a-f]+ <([^>]+)>:\n\s*[0-9a-f]+:\s+(.*)$/gm)].map(([, name, instruction]) => [name, instruction.trim()]));

// Which of the functions have no mark, for a processor as process.arch names it.
export function unmarked(arch, symbols, disassembly) {
  const first = firstInstructions(disassembly);
  return globalFunctions(symbols).filter((name) => !MARKS[arch].test(first.get(name) ?? ""));
}
