// kill -9 during a thousand concurrent writes: after the restart every acknowledged write is stored,
// none is partial, and the store is intact. KILL_ROUNDS (3) rounds on the same store.

import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../kit/until.mjs";
import { STORE, world } from "../kit/world.mjs";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3);
const WRITES = 1000;

// Adds users from many connections until end() is called, and records the acknowledged ones.
class Writers {
  constructor(w, round) {
    Object.assign(this, { w, round, made: new Map(), started: 0, stopped: false });
    const commands = STORE === "sqlite" ? 32 : 0; // on PostgreSQL commands do not pass through the service
    this.loops = [
      ...Array.from({ length: commands }, () => this.loop((name) => this.byCommand(name))),
      ...Array.from({ length: STORE === "sqlite" ? 4 : 16 }, () => this.loop((name) => this.bySignUp(name))),
    ];
  }

  async loop(add) {
    while (!this.stopped && this.started < WRITES) {
      const name = `r${this.round}-${this.started++}`;
      try {
        const sub = await add(name);
        if (sub !== undefined) this.made.set(name, sub);
      } catch {
        return; // the service was killed; the outcome of this write is unknown
      }
    }
  }

  async byCommand(name) {
    const args = ["user", "add", name, "--no-password", "--json", "--email", `${name}@example.org`, "--name", `Name of ${name}`];
    const { status, data } = await this.w.control(args);
    return status === 0 ? data.sub : undefined;
  }

  async bySignUp(name) {
    const { status } = await this.w.signUp({ username: name, email: `${name}@example.org`, name: `Name of ${name}` });
    return status === 303 ? null : undefined;
  }

  async end() {
    this.stopped = true;
    await Promise.all(this.loops);
  }
}

test(`${ROUNDS} rounds of kill -9 during writes lose no acknowledged write and leave none partial`, async (t) => {
  const w = await world(t, { start: false });
  const everything = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    await w.start({ "access-log": "off" });
    const writers = new Writers(w, round);
    const enough = STORE === "sqlite" ? 1 + Math.floor(Math.random() * 600) : 1 + Math.floor(Math.random() * 40);
    await until(`${enough} acknowledged writes`, () => writers.made.size >= enough, 120_000);
    await w.kill();
    await writers.end();
    for (const [name, sub] of writers.made) everything.set(name, sub);

    const began = Date.now();
    await w.start({ "access-log": "off" });
    const back = Date.now() - began;
    assert.ok(back < 10_000, `the restart took ${back} ms`);
    const users = new Map((await w.users()).map((user) => [user.username, user]));
    for (const [name, sub] of everything) {
      const user = users.get(name);
      assert.ok(user, `round ${round}: ${name} was acknowledged and is lost`);
      if (sub !== null) assert.equal(user.sub, sub);
    }
    for (const [name, user] of users) {
      assert.deepEqual([user.email ?? user.unconfirmed_email, user.name, user.status], [`${name}@example.org`, `Name of ${name}`, "active"], `${name} is partial`);
      everything.set(name, user.sub); // a stored user must stay stored
    }
    await w.assertSound();
    await w.stop();
    await w.assertSound();
  }
});

test("kill -9 while the schema is created leaves a store that the next start completes", async (t) => {
  for (let round = 0; round < 6; round++) {
    const w = await world(t, { start: false });
    const service = w.launch();
    const delay = round * 8;
    const began = process.hrtime.bigint();
    while (process.hrtime.bigint() - began < BigInt(delay) * 1_000_000n) await new Promise(setImmediate);
    service.signal("SIGKILL");
    await service.exited();
    await w.start();
    assert.equal((await w.signUp({ username: "ada" })).status, 303);
    await w.stop();
    await w.assertSound();
  }
});
