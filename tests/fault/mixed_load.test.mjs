// For LOAD_SECONDS (3), users sign up, an operator runs commands, clients misbehave, and the service is
// stopped at times by SIGTERM or kill -9. The test records what was acknowledged.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { pause } from "../kit/until.mjs";
import { STORE, world } from "../kit/world.mjs";

const SECONDS = Number(process.env.LOAD_SECONDS ?? 3);

const pick = (list) => list[Math.floor(Math.random() * list.length)];

test(`${SECONDS} s of mixed load with random stops lose no acknowledged write`, async (t) => {
  const w = await world(t, { settings: { "access-log": "off" } });
  const present = new Map(); // username → expected status
  const unsure = new Set(); // users whose last request got no response
  const end = Date.now() + SECONDS * 1000;
  let restarting = false;
  let number = 0;
  let acts = 0;

  const command = (...args) => (STORE === "sqlite" ? w.control(args) : w.command(...args));

  const actions = {
    async signUp() {
      const name = `sign${number++}`;
      unsure.add(name);
      const { status } = await w.signUp({ username: name });
      assert.ok([303, 503].includes(status), `${status}`);
      if (status === 303) present.set(name, "active");
      if (status === 303 || status === 503) unsure.delete(name);
    },
    async add() {
      const name = `add${number++}`;
      unsure.add(name);
      const { status } = await command("user", "add", name, "--no-password");
      if (status === 0) present.set(name, "active");
      if (status !== null) unsure.delete(name);
    },
    async change() {
      const name = pick([...present.keys()]);
      if (name === undefined || unsure.has(name)) return;
      const [verb, state] = pick([["disable", "disabled"], ["enable", "active"], ["delete", undefined]]);
      unsure.add(name);
      const { status } = await command("user", verb, name);
      if (status === 0) state === undefined ? present.delete(name) : present.set(name, state);
      if (status !== null) unsure.delete(name);
      if (status === 0 && state === undefined) deleted.add(name);
    },
    async read() {
      assert.equal((await w.get(pick(["/", "/signup", "/healthz"]))).status, 200);
    },
    async misbehave() {
      const connection = await w.connect();
      connection.send(pick(["GET / HT", "POST /signup HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nuser", "\0\0\0", "GET / HTTP/1.1\r\nHost: h\r\n\r\n"]));
      pick([() => connection.destroy(), () => connection.abort(), () => connection.end()])();
    },
  };
  const deleted = new Set();

  const worker = async () => {
    while (Date.now() < end) {
      if (restarting) {
        await pause(5);
        continue;
      }
      try {
        await actions[pick(["signUp", "add", "add", "change", "read", "misbehave"])]();
        acts++;
      } catch (error) {
        if (error.code === "ERR_ASSERTION") throw error; // otherwise the service was stopped during the request
        await pause(5);
      }
    }
  };

  const stopper = async () => {
    const turns = Math.max(2, Math.floor(SECONDS / 3));
    for (let turn = 0; turn < turns; turn++) {
      const at = Date.now() + (end - Date.now()) / (turns - turn + 1);
      while (Date.now() < at) await pause(20);
      restarting = true;
      if (turn % 2) await w.stop();
      else await w.kill();
      await w.start();
      restarting = false;
    }
  };

  await Promise.all([...Array.from({ length: STORE === "sqlite" ? 12 : 4 }, worker), stopper()]);
  assert.ok(acts > 10, `${acts}`);
  const stored = new Map((await w.users()).map((user) => [user.username, user.status]));
  for (const [name, status] of present) if (!unsure.has(name)) assert.equal(stored.get(name), status, name);
  for (const name of deleted) if (!unsure.has(name)) assert.ok(!stored.has(name), `${name} was deleted and came back`);
  for (const name of stored.keys()) assert.ok(present.has(name) || unsure.has(name), `${name} came from nowhere`);
  await w.assertSound();
  const descriptors = fs.readdirSync(`/proc/${w.service.pid}/fd`).length;
  assert.ok(descriptors < 120, `${descriptors} descriptors are open`);
});
