// `make clients`: the assistants' own programs, on both stores.

import { conclude, fileTask, testFiles } from "./runner.mjs";
import { runShared } from "./shared.mjs";
import { choose } from "./words.mjs";

const stores = { sqlite: "SQLite", postgres: "PostgreSQL" };
const tasks = Object.entries(stores).flatMap(([STORE, title]) => testFiles("assistants").map((file) => fileTask(`assistants on ${title}`, file, { STORE }, 900_000)));
const words = process.argv.slice(2);
conclude(await runShared(choose(tasks, words), { partial: words.length > 0 }));
