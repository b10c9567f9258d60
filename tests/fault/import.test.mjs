// kill -9 during an import: afterwards the whole document is stored, or nothing of it.
// KILL_ROUNDS (6) times for the command alone, and for the service.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { onSqlite, world } from "../kit/world.mjs";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 6);
const FACTS = 1500;
const TIME = "2026-11-14T09:30:00Z";

function document() {
  const sources = [{ source: "user", created_at: TIME, updated_at: TIME }];
  const fact = (_, i) => ({ member: "statements", value: `statement ${i}`, status: "active", by_user: true, created_at: TIME, updated_at: TIME, sources });
  const atoms = Array.from({ length: FACTS }, fact);
  return JSON.stringify({ format: "penchant-export", version: 1, exported_at: TIME, user: {}, domains: { food_profile: { atoms }, music_preferences: { atoms } } });
}

async function counted(w, name) {
  const { status, out, err } = await w.command("export", name);
  assert.equal(status, 0, err);
  const { food_profile, music_preferences } = JSON.parse(out).domains;
  for (const { preferences, atoms } of [food_profile, music_preferences]) assert.equal(preferences.statements?.length ?? 0, atoms.length, "the record differs from the atoms");
  return food_profile.atoms.length + music_preferences.atoms.length;
}

// The duration of an undisturbed import.
async function measured(w, file) {
  await w.addUser("first");
  const began = Date.now();
  const { status, err } = await w.command("import", file, "--user", "first", { within: 120_000 });
  assert.equal(status, 0, err);
  assert.equal(await counted(w, "first"), 2 * FACTS);
  return Date.now() - began;
}

async function rounds(w, file, begin) {
  const duration = await measured(w, file);
  for (let round = 0; round < ROUNDS; round++) {
    const name = `user${round}`;
    await w.addUser(name);
    await begin(name, duration * (0.2 + (0.8 * (round + Math.random())) / ROUNDS));
    const count = await counted(w, name);
    assert.ok(count === 0 || count === 2 * FACTS, `${count} of ${2 * FACTS} facts`);
  }
  await w.assertSound();
}

test("an import whose command is killed leaves all or nothing", async (t) => {
  const w = await world(t, { start: false });
  const file = path.join(w.dir, "document.json");
  fs.writeFileSync(file, document());
  await rounds(w, file, async (name, after) => {
    const command = spawn(w.program, ["import", file, "--user", name, "--store", w.address], { env: w.env(), stdio: "ignore" });
    const timer = setTimeout(() => command.kill("SIGKILL"), after);
    await once(command, "exit");
    clearTimeout(timer);
  });
});

onSqlite("an import whose service is killed leaves all or nothing", async (t) => {
  const w = await world(t);
  const file = path.join(w.dir, "document.json");
  fs.writeFileSync(file, document());
  await rounds(w, file, async (name, after) => {
    const command = spawn(w.program, ["import", file, "--user", name, "--store", w.address], { env: w.env(), stdio: "ignore" });
    const ended = once(command, "exit");
    await new Promise((resolve) => setTimeout(resolve, after));
    await w.kill();
    await ended;
    await w.start();
  });
});
