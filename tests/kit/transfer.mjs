// Helpers of tests that export and import accounts.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { world } from "./world.mjs";

// On a stopped service, where commands open the store, and on a running one, which runs them.
export function testTwice(sentence, run) {
  test(`${sentence}, on a stopped service`, async (t) => run(await world(t, { start: false }), t));
  test(`${sentence}, on a running service`, async (t) => run(await world(t), t));
}

export const T = (second) => `2026-11-14T09:30:${String(second).padStart(2, "0")}Z`;
export const said = (source, created_at = T(0), updated_at = created_at) => ({ source, created_at, updated_at });
export const fact = (member, value, more = {}) => {
  const sources = more.sources ?? [said("app_AAAAAAAAAAAAAAAAAAAAAA")];
  const by_user = sources.some(({ source }) => source === "user");
  return { member, value, status: "active", by_user, created_at: T(0), updated_at: T(1), ...more, sources };
};
export const document = (domains, user = {}) => ({
  format: "penchant-export",
  version: 1,
  exported_at: T(0),
  user,
  domains: Object.fromEntries(Object.entries(domains).map(([name, atoms]) => [name, { preferences: {}, atoms }])),
});

// What two exports of the same must have in common.
export function essence({ format, version, domains }) {
  const bare = ({ atom_id, ...rest }) => rest;
  return { format, version, domains: Object.entries(domains).map(([name, { preferences, atoms }]) => [name, preferences, atoms.map(bare)]) };
}

export async function put(w, name, what) {
  const file = path.join(w.dir, name);
  fs.writeFileSync(file, typeof what === "string" || Buffer.isBuffer(what) ? what : JSON.stringify(what));
  return file;
}

export async function exported(w, who) {
  const result = await w.command("export", who);
  assert.deepEqual([result.status, result.err], [0, ""]);
  assert.equal(result.out.split("\n").length, 2, "a document is one line");
  return JSON.parse(result.out);
}

export async function imported(w, ...words) {
  const options = typeof words.at(-1) === "object" ? words.pop() : {};
  const result = await w.command("import", ...words, "--json", options);
  assert.deepEqual([result.status, result.err], [0, ""], result.err);
  return result.out.trim().split("\n").map((line) => JSON.parse(line));
}
