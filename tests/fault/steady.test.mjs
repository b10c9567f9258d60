// Refreshes all the time, and time that passes quickly: housekeeping deletes what has expired while more is made, and the
// tables stop growing. A refresh makes an access token, kept for two hours, and leaves a used refresh token, kept for a minute.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { RATES } from "../kit/nodes.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { Client } from "../kit/preferences.mjs";
import { often } from "../kit/thorough.mjs";
import { pause, until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

const FAMILIES = often(3, 8);
const REFRESHES = Number(process.env.STEADY_REFRESHES ?? 15); // at least, in each step
const PACE_MS = Number(process.env.STEADY_PACE ?? 50); // between two refreshes of a family
// bench/load.c, for as many refreshes as the machine gives; see `make soak`
const LOAD = process.env.STEADY_LOAD;
const LOAD_FAMILIES = 32;
const LOAD_SECONDS = Number(process.env.STEADY_SECONDS ?? 5); // of each step
const STEPS = 9;
const STEP_SECONDS = 1800;
const KEPT_STEPS = 5; // two hours, and what is made during the round that follows the step and before it

const count = async (w, table) => Number(await w.sql(`SELECT count(*) FROM ${table}`));
const rounds = (w) => w.service.log.filter(({ event }) => event === "housekeeping_done").length;

// The deadlines first: a clock that is ahead of them is not trusted.
async function passStep(w, resume = () => {}) {
  const earlier = rounds(w);
  w.deadlines.forward(STEP_SECONDS * 1000);
  w.clock.forward(STEP_SECONDS);
  resume();
  await until("a round of housekeeping", () => rounds(w) > earlier, 120_000);
  return { access: await count(w, "access_token"), refresh: await count(w, "refresh_token") };
}

test("the tables of tokens stop growing while refreshes go on", async (t) => {
  const w = await world(t, { settings: { ...RATES, "log-level": "debug" } });
  const person = await addPerson(w, "ada");
  const app = await addApp(w, {});
  const clients = [];
  for (let i = 0; i < FAMILIES; i++) clients.push(await Client.connect(person, app, { scope: EVERYTHING }));
  let made = 0, ending = false;
  w.clock.stop();
  // No request is under way while time jumps: its deadline would pass.
  let asking = 0, jumping = false;
  const running = Promise.all(clients.map(async (client) => {
    while (!ending) {
      await pause(PACE_MS);
      if (jumping) continue;
      asking++;
      await client.renew();
      asking--;
      made++;
    }
  }));
  t.after(() => ((ending = true), running.catch(() => {})));
  const began = performance.now();
  const madeBefore = []; // each step
  const rows = [];
  for (let step = 0; step < STEPS; step++) {
    madeBefore.push(made);
    await until("refreshes", () => made >= madeBefore.at(-1) + REFRESHES, 600_000);
    jumping = true;
    await until("no request", () => asking === 0);
    rows.push(await passStep(w, () => (jumping = false)));
  }
  const rate = made / ((performance.now() - began) / 1000);
  ending = true;
  await running;
  t.diagnostic(`${made} refreshes, ${Math.round(rate)} per second; rows after each step ${JSON.stringify(rows)}`);
  const inFlight = 2 * FAMILIES;
  for (let step = KEPT_STEPS; step < STEPS; step++) {
    const kept = made - madeBefore[step - KEPT_STEPS] + inFlight;
    assert.ok(rows[step].access <= kept, `step ${step}: ${rows[step].access} access tokens, ${kept} made in the last steps`);
  }
  // At the end all that was made earlier is gone, and of refresh tokens all but those of the last steps.
  assert.ok(rows.at(-1).access < made - madeBefore[2], `${rows.at(-1).access} access tokens of ${made}`);
  assert.ok(rows.at(-1).refresh <= made - madeBefore[STEPS - 2] + inFlight, `${rows.at(-1).refresh} refresh tokens of ${made}`);
});

// A file for bench/load.c: each request as its length and its bytes. The program replaces the refresh token in each.
function writeRequests(w, app, clients) {
  const file = path.join(fs.mkdtempSync(path.join(w.dir, "load-")), "requests");
  const requests = clients.map(({ refresh_token }) => {
    const { client_id, client_secret } = app;
    const body = String(new URLSearchParams({ grant_type: "refresh_token", client_id, client_secret, refresh_token }));
    const head = `POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1:${w.port}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`;
    return `${head.length + body.length}\n${head}${body}`;
  });
  fs.writeFileSync(file, requests.join(""));
  return file;
}

// While half an hour passes, only some seconds of refreshes are made, so that each step makes as many as the last ones.
test("the tables of tokens stop growing at the highest rate of refreshes", { skip: !LOAD && "only in make soak, with bench/load.c" }, async (t) => {
  const w = await world(t, { settings: { ...RATES, "rate-refresh": 0, "log-level": "debug", "access-log": "off" } });
  const person = await addPerson(w, "ada");
  const app = await addApp(w, {});
  const clients = [];
  for (let i = 0; i < LOAD_FAMILIES; i++) clients.push(await Client.connect(person, app, { scope: EVERYTHING }));
  const file = writeRequests(w, app, clients);
  w.clock.stop();
  const made = [], rates = [], rows = [];
  for (let step = 0; step < STEPS; step++) {
    const { stdout } = await promisify(execFile)(path.resolve(LOAD), [w.port, LOAD_FAMILIES, 200, file, LOAD_SECONDS, "refresh_token"].map(String));
    const [requests, microseconds, , , wrong] = /^NUMBERS (.*)$/m.exec(stdout)[1].split(" ").map(Number);
    assert.equal(wrong, 0, stdout);
    made.push(requests);
    rates.push(Math.round(requests / (microseconds / 1e6)));
    rows.push(await passStep(w));
  }
  t.diagnostic(`refreshes per second ${rates}; made in each step ${made}; rows after each step ${JSON.stringify(rows)}`);
  const sum = (from, to) => made.slice(Math.max(0, from), to).reduce((all, each) => all + each, 0);
  for (const [step, { access, refresh }] of rows.entries()) {
    const kept = sum(step + 1 - KEPT_STEPS, step + 1) + 2 * LOAD_FAMILIES;
    assert.ok(access <= kept, `step ${step}: ${access} access tokens, ${kept} made in the last steps`);
    assert.ok(refresh <= sum(step, step + 1) + 2 * LOAD_FAMILIES, `step ${step}: ${refresh} refresh tokens, ${made[step]} made in it`);
  }
  assert.ok(rows.at(-1).access < sum(0, STEPS) * 0.7, "most of what was made is deleted");
});
