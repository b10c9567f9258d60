// lint_modules.mjs - prints the JavaScript modules that cannot be parsed. One process for all of them, because
// starting one for each takes longer than all other rules for text together.
//
// Called by tools/lint with --experimental-vm-modules and the paths on standard input.

import fs from "node:fs";
import vm from "node:vm";

for (const file of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    new vm.SourceTextModule(fs.readFileSync(file, "utf8").replace(/^#!/, "//"));
  } catch {
    console.log(file);
  }
}
