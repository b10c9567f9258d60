// Hints for the users of a test, from one run of hints_probe.c.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { sanitizers } from "../kit/process.mjs";
import { ROOT } from "../kit/runner.mjs";

const PROBE = path.join(ROOT, "build/check/oracle/hints_probe");

// [{ atoms, queries }, …] → [[the API's answer to each query], …]
export function askAll(people) {
  const input = people.map((person) => `${JSON.stringify(person)}\n`).join("");
  const { status, stdout, stderr } = spawnSync(PROBE, [], { input, maxBuffer: 2 ** 30, env: { ...process.env, ...sanitizers() } });
  assert.equal(status, 0, String(stderr));
  return String(stdout).trimEnd().split("\n").map((line) => JSON.parse(line));
}

// Facts stated by the user, best first: { food_profile: { allergies: ["peanuts"] } }
export function stated(record) {
  const facts = Object.entries(record).flatMap(([domain, members]) =>
    Object.entries(members).flatMap(([member, value]) => [value].flat().map((one) => ({ domain, member, value: one }))),
  );
  return facts.map((fact, i) => ({ ...fact, user: true, at: 1_700_000_000 - i, sequence: i + 1 }));
}

export const DOMAINS = ["coding_profile", "communication_profile", "food_profile", "lifestyle_profile", "media_profile", "music_preferences", "travel_profile"].map((name) =>
  JSON.parse(fs.readFileSync(path.join(ROOT, "domains", `${name}.json`), "utf8")),
);
