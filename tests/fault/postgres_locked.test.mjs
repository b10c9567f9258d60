// Another program has locked a row of one user for a long time. Only writes of this user fail, and only while the row is
// locked.

import assert from "node:assert/strict";
import { assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { RATES, timed } from "../kit/pg_load.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const DEADLINE_MS = 8000;
const LOCK_MS = 0.9 * DEADLINE_MS; // how long PostgreSQL lets a statement wait for the lock
const SLACK_MS = 3000; // of a busy machine
const OTHERS = 20;
const WAITING = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

// The user "locked" and others, each with a preference, and a function that locks the row that every write of that user
// changes, and returns what releases it.
async function usersOf(t, settings = {}) {
  const w = await world(t, { databases: 1, settings: { ...RATES, "store-deadline": DEADLINE_MS, ...settings } });
  const people = [await addPerson(w, "locked")];
  for (let i = 0; i < OTHERS; i++) people.push(await addPerson(w, `other${i}`));
  const app = await addApp(w, { owner: "locked" });
  const [api, ...others] = await Promise.all(people.map((person) => Client.connect(person, app, { scope: EVERYTHING })));
  for (const one of [api, ...others]) await one.write(MUSIC, { genres: ["before"] });
  const lock = async () => {
    const holder = new Program("psql", ["-qAtX", w.address], { stdio: ["pipe", "pipe", "pipe"] }).unref(); // also if the test fails
    const row = "SELECT 'locked' FROM user_record JOIN username_lookup USING (user_id) WHERE username = 'locked' AND domain = '' FOR UPDATE OF user_record";
    holder.child.stdin.write(`BEGIN; ${row};\n`);
    await until("the lock", () => holder.out.includes("locked"));
    return async () => {
      holder.child.stdin.end("ROLLBACK;\n");
      await holder.exit();
    };
  };
  return { w, api, others, lock };
}

const genres = async (api) => (await api.record(MUSIC)).genres.toSorted();

// The answers of requests that are made one after the other, and how long each took.
async function inTurn(count, ask) {
  const answers = [];
  for (let i = 0; i < count; i++) answers.push(await timed(ask(i)));
  return answers;
}

function assertQuick(name, answers) {
  const longest = Math.max(...answers.map(({ ms }) => ms));
  for (const { answer } of answers) assert.equal(answer.status, 200, answer.text);
  assert.ok(longest < LOCK_MS / 2, `${name} took up to ${Math.round(longest)} ms`);
  return `${name}: ${answers.length}, slowest ${Math.round(longest)} ms`;
}

onPostgres("a locked row delays only writes of its user, which fail in time, until it is released", async (t) => {
  const { w, api, others, lock } = await usersOf(t);
  const release = await lock();
  const began = performance.now();
  // Two of these follow each other, so that the second one finds the row locked as well.
  const blocked = Promise.all(Array.from({ length: 40 }, (_, i) => inTurn(2, (j) => api.send(MUSIC, { genres: [`blocked ${i} ${j}`] }))));
  const written = Promise.all(others.map((other) => inTurn(8, (i) => other.send(MUSIC, { genres: [`genre ${i}`] }))));
  const read = Promise.all([api, ...others].map((one) => inTurn(8, (i) => one.get(`agent-hints?domains=${MUSIC}&max_tokens=${500 + i}`))));
  let most = 0;
  let ended = false;
  const done = Promise.all([written, read]).then(() => (ended = true));
  await until("requests of others", async () => {
    most = Math.max(most, Number(await w.sql(`SELECT count(*) ${WAITING}`)));
    return ended;
  });
  await done;
  t.diagnostic(assertQuick("writes of others", (await written).flat()));
  t.diagnostic(assertQuick("reads", (await read).flat()));
  const refused = (await blocked).flat();
  const longest = Math.max(...refused.map(({ ms }) => ms));
  t.diagnostic(`writes of the locked user: 503 after up to ${Math.round(longest)} ms, at most ${most} waited in the database`);
  for (const { answer } of refused) assertUnavailable(answer);
  assert.ok(longest < DEADLINE_MS + SLACK_MS, `503 after ${longest} ms`);
  assert.ok(performance.now() - began < 2 * (DEADLINE_MS + SLACK_MS));
  assert.ok(most <= 2, `${most} connections waited for the lock`); // a group may wait for a short time

  // Those that wait when the row is released succeed.
  const waiting = Promise.all(Array.from({ length: 5 }, (_, i) => timed(api.send(MUSIC, { genres: [`waited ${i}`] }))));
  await until("a write that waits", async () => (await w.sql(`SELECT count(*) ${WAITING}`)) === "1");
  await release();
  assertQuick("writes that waited", await waiting);
  const after = await Promise.all([api, ...others].map((one, i) => timed(one.send(MUSIC, { genres: [`after ${i}`] }))));
  t.diagnostic(assertQuick("writes after the release", after));
  assert.deepEqual(await genres(api), ["after 0", "before", ...[0, 1, 2, 3, 4].map((i) => `waited ${i}`)]);
  for (const [i, other] of others.entries()) assert.deepEqual(await genres(other), [`after ${i + 1}`, "before", ...[0, 1, 2, 3, 4, 5, 6, 7].map((j) => `genre ${j}`)].toSorted());
});

onPostgres("other changes of a user whose row is locked leave connections to reads and writes of others", async (t) => {
  const { w, api, others, lock } = await usersOf(t, { pool: 4, cache: 0 });
  const { atom_id } = await api.atom("before");
  const release = await lock();
  const blocked = Promise.all(Array.from({ length: 8 }, () => timed(api.suppressing(atom_id))));
  await until("changes that wait", async () => Number(await w.sql(`SELECT count(*) ${WAITING}`)) >= 3);
  const written = Promise.all(others.map((other) => inTurn(3, (i) => other.send(MUSIC, { genres: [`genre ${i}`] }))));
  const read = Promise.all([api, ...others].map((one) => inTurn(3, () => one.get(`preferences/${MUSIC}`))));
  t.diagnostic(assertQuick("writes of others", (await written).flat()));
  t.diagnostic(assertQuick("reads", (await read).flat()));
  await release();
  for (const { answer } of await blocked) assert.ok([200, 503].includes(answer.status), answer.text);
  await api.suppressing(atom_id);
  assert.deepEqual((await api.record(MUSIC)).genres ?? [], []);
});
