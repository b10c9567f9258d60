// Runs test files one after the other in this process: node tests/kit/files.mjs END FILE… A test named END follows the
// tests of each file, so that the reporter's output can be divided. A test file may import any module but this one, which
// waits for it.

import test from "node:test";
import { pathToFileURL } from "node:url";

const [end, ...files] = process.argv.slice(2);
globalThis.closeAtEnd = []; // functions that close what the files share, such as a browser
for (const file of files) {
  await import(pathToFileURL(file)).catch((error) => {
    console.error(error); // the test runner would not print it
    process.exit(1);
  });
  await test(end, () => {});
}
for (const close of globalThis.closeAtEnd) await close();
