// `penchant backup --follow`, and the records that it writes, read as src/sqlite/shipped.h describes them.

import fs from "node:fs";
import path from "node:path";
import { Program } from "./process.mjs";
import { until } from "./until.mjs";

const HEADER = 80;

// The records of one log; an incomplete one at the end is left out.
export function recordsOf(file) {
  const bytes = fs.readFileSync(file);
  const records = [];
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const count = bytes.readUInt32BE(at + 36);
    const end = at + HEADER + count * (24 + bytes.readUInt32BE(at + 20));
    if (end > bytes.length) break;
    records.push({ at, end, count, time: Number(bytes.readBigUInt64BE(at + 8)), complete: (bytes.readUInt32BE(at + 16) & 1) === 1 });
    at = end;
  }
  return records;
}

export const logsOf = (folder) =>
  fs
    .readdirSync(folder)
    .filter((name) => /^follow-.*\.log$/.test(name))
    .sort()
    .map((name) => path.join(folder, name));

const framesIn = (folder) => logsOf(folder).flatMap(recordsOf).reduce((sum, { count }) => sum + count, 0);

export class Follower {
  constructor(w, folder, ...more) {
    this.folder = folder;
    fs.mkdirSync(folder, { recursive: true });
    this.program = new Program(w.program, ["backup", "--follow", folder, "--store", w.address, "--json", ...more], { env: w.env(), cwd: w.dir });
  }

  // Waits until the store is protected: { file, continued }.
  async ready() {
    const { program } = this;
    await until("the follower", () => program.out.includes("\n") || program.end !== undefined, 60_000);
    if (!program.out.includes("\n")) throw new Error(`the follower ended: ${program.err}`);
    return JSON.parse(program.out.split("\n")[0]);
  }

  // Runs `write` and waits until its frames are in the folder.
  async shipped(write) {
    const before = framesIn(this.folder);
    const result = await write();
    await until("the copied frames", () => framesIn(this.folder) > before, 20_000);
    return result;
  }

  async kill() {
    this.program.signal("SIGKILL");
    await this.program.exit();
  }

  async stop() {
    this.program.signal("SIGTERM");
    return this.program.exit();
  }
}
