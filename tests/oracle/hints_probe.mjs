// Runs hints_probe.c, which computes hints for the users of a test.

import { spawn } from "node:child_process";
import path from "node:path";
import readline from "node:readline";
import { sanitizers } from "../kit/process.mjs";
import { ROOT } from "../kit/runner.mjs";

const PROBE = path.join(ROOT, "build/check/oracle/hints_probe");

export class Probe {
  constructor(folder) {
    this.child = spawn(PROBE, [folder], { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...sanitizers() } });
    this.waiting = [];
    this.child.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => this.child.on("close", resolve));
    this.ended.then((status) => this.waiting.forEach(({ reject }) => reject(new Error(`the probe ended with ${status}`))));
    readline.createInterface({ input: this.child.stdout }).on("line", (line) => this.waiting.shift().resolve(line));
  }

  // The answers as one line of JSON.
  ask(atoms, queries) {
    const answer = new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
    this.child.stdin.write(`${JSON.stringify({ atoms, queries })}\n`);
    return answer;
  }

  // The atoms as the store keeps them: cleaned, split, and one for equal values of a member.
  async stored(atoms) {
    const [lists] = JSON.parse(await this.ask(atoms, [{ stored: true }]));
    const taken = new Set();
    return atoms
      .flatMap((atom, i) => lists[i].map(({ value, key, concern }, part) => ({ ...atom, value, key, concern, sequence: 40 * atom.sequence + part })))
      .filter(({ domain, member, key }) => !taken.has(`${domain} ${member} ${key}`) && taken.add(`${domain} ${member} ${key}`));
  }

  end() {
    this.child.stdin.end();
    return this.ended;
  }
}

// Stops the probe after `use`, also if it fails.
export async function withProbe(folder, use) {
  const probe = new Probe(folder);
  try {
    return await use(probe);
  } finally {
    const status = await probe.end();
    if (status !== 0) throw new Error(`the probe ended with ${status}`);
  }
}
