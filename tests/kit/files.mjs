// Runs test files one after the other in this process: node tests/kit/files.mjs FILE… A test named END_OF_FILE follows the
// tests of each file, so that the reporter's output can be divided.

import test from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

export const END_OF_FILE = "end of file";

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const file of process.argv.slice(2)) {
    await import(pathToFileURL(file)).catch((error) => {
      console.error(error); // the test runner would not print it
      process.exit(1);
    });
    await test(END_OF_FILE, () => {});
  }
