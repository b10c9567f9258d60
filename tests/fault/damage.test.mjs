// Flipped bits in the files of the SQLite store: a damaged store reports the damage and never loses
// or changes an acknowledged write silently.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { addPerson } from "../kit/oauth.mjs";
import { Client, connected, MUSIC } from "../kit/preferences.mjs";
import { onSqlite, RELEASE, world } from "../kit/world.mjs";

const add = (w, name) => w.control(["user", "add", name, "--no-password", "--json"]);

function flipBit(file, at) {
  const bytes = fs.readFileSync(file);
  bytes[at] ^= 0x10;
  fs.writeFileSync(file, bytes);
}

// A killed service with 40 acknowledged writes in its log.
async function killedWorld(t) {
  const w = await world(t, { program: RELEASE });
  const names = Array.from({ length: 40 }, (_, i) => `user${i}`);
  for (const name of names) assert.equal((await add(w, name)).status, 0);
  await w.kill();
  return { w, names, log: `${w.file}-wal` };
}

async function assertRefused(w) {
  const service = w.launch({ "log-format": "text" });
  assert.equal((await service.exited()).status, 1);
  assert.equal(service.lines.length, 1, service.err);
  assert.match(service.err, /penchant\.db-wal is damaged and acknowledged writes are lost.*frame \d+, but \d+ frames.*remove .*penchant\.db\.lock/);
  const check = await w.penchant(["check", "--store", `sqlite:${w.file}`]);
  assert.equal(check.status, 1);
  assert.match(check.out + check.err, /penchant\.db-wal: intact up to frame \d+ of \d+ committed frames/);
}

onSqlite("a flipped bit in the middle of the log stops the start, and the intact log starts again", async (t) => {
  const { w, names, log } = await killedWorld(t);
  const middle = Math.floor(fs.statSync(log).size / 2);
  flipBit(log, middle);
  await assertRefused(w);
  await assertRefused(w); // refusing changes nothing
  flipBit(log, middle);
  await w.start();
  assert.deepEqual((await w.usernames()).sort(), [...names].sort());
});

for (const [what, harm] of [
  ["a flipped bit in its header", (log) => flipBit(log, 17)],
  ["a flipped bit in its last frame", (log) => flipBit(log, fs.statSync(log).size - 100)],
  ["a lost tail", (log) => fs.truncateSync(log, Math.floor(fs.statSync(log).size / 2))],
  ["no byte left", (log) => fs.truncateSync(log, 0)],
])
  onSqlite(`a log with ${what} stops the start`, async (t) => {
    const { w, log } = await killedWorld(t);
    harm(log);
    await assertRefused(w);
  });

onSqlite("removing the lock file continues without the lost writes", async (t) => {
  const { w, names, log } = await killedWorld(t);
  flipBit(log, Math.floor(fs.statSync(log).size / 2));
  await assertRefused(w);
  fs.rmSync(`${w.file}.lock`);
  await w.start();
  const left = await w.usernames();
  assert.ok(left.length > 0 && left.length < names.length, `${left.length} of ${names.length}`);
});

onSqlite("an unfinished frame at the end of the log was never acknowledged and is no damage", async (t) => {
  const { w, names, log } = await killedWorld(t);
  fs.appendFileSync(log, Buffer.alloc(5000, 7));
  await w.start();
  assert.deepEqual((await w.usernames()).sort(), [...names].sort());
});

onSqlite("a log that was truncated or restarted is no damage after kill -9", async (t) => {
  const w = await world(t, { program: RELEASE });
  await add(w, "ada");
  assert.equal((await w.control(["check", "--compact"])).status, 0);
  await w.kill();
  await w.start();
  await add(w, "grace");
  await w.kill();
  await w.start();
  assert.deepEqual((await w.usernames()).sort(), ["ada", "grace"]);
});

const ARTIST = "Zanzibarbarians of Quux";
const EVERY = "preferences:read preferences:write agent_hints";

// Every place of the file where the fact is stored: the atoms, the record, and the hint set.
function places(file) {
  const bytes = fs.readFileSync(file, "latin1");
  const found = [];
  for (let at = bytes.indexOf(ARTIST); at >= 0; at = bytes.indexOf(ARTIST, at + 1)) found.push(at);
  return found;
}

onSqlite("a flipped bit in a stored fact is 503, a log line, and a finding of check, never a wrong fact", async (t) => {
  const { w, api } = await connected(t, { scope: EVERY });
  const grace = await addPerson(w, "grace");
  const other = await Client.connect(grace, api.app, { scope: EVERY });
  await api.write(MUSIC, { favorite_artists: [ARTIST] });
  await other.write(MUSIC, { favorite_artists: ["Blondie"] });
  await w.stop();

  const routes = [`preferences/${MUSIC}`, "preferences", "preferences/atoms?limit=100", "agent-hints?context=music&max_tokens=200"];
  const found = places(w.file);
  assert.ok(found.length >= 3, `${found.length} places`);
  const refused = new Set();
  for (const at of found) {
    flipBit(w.file, at + 3);
    await w.start();
    let damaged = 0;
    for (const route of routes) {
      const { status, text, data } = await api.get(route);
      assert.ok(status === 200 || status === 503, `${route}: ${status} ${text}`);
      if (status === 200) assert.ok(text.includes(ARTIST), `${route}: a wrong fact: ${text}`);
      else assert.equal(data.error, "temporarily_unavailable");
      if (status === 503) refused.add(route);
      damaged += status === 503;
      assert.equal((await other.get(route)).status, 200, "another user is hit");
    }
    assert.ok(damaged > 0, `nothing noticed at ${at}`);
    await w.service.logged("the damaged row", ({ event, level }) => event === "store_row_damaged" && level === "error");
    const check = await w.command("check");
    assert.equal(check.status, 1, check.out);
    assert.match(check.out + check.err, /damaged (facts|record|hint sets) of user usr_/);
    await w.stop();
    flipBit(w.file, at + 3);
  }
  assert.deepEqual([...refused].sort(), [...routes].sort());
  await w.start();
  for (const route of routes) assert.equal((await api.get(route)).status, 200);
  assert.equal((await w.command("check")).status, 0);
});

test("check finds a damaged row on both stores", async (t) => {
  const { w, api } = await connected(t);
  await api.write(MUSIC, { favorite_artists: [ARTIST] });
  assert.equal((await w.command("check")).status, 0);
  await w.sql("UPDATE user_record SET record = replace(record, 'Zanzi', 'Zenzi') WHERE domain <> ''");
  const { status, out, err } = await w.command("check");
  assert.equal(status, 1);
  assert.match(out + err, /damaged record of user usr_\S+, domain music_preferences/);
  assert.equal((await api.get(`preferences/${MUSIC}`)).status, 503);
});
