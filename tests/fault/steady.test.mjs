// Refreshes all the time, and time that passes quickly: housekeeping deletes what has expired while more is made, and the
// tables stop growing. A refresh makes an access token, kept for two hours, and leaves a used refresh token, kept for a minute.

import assert from "node:assert/strict";
import test from "node:test";
import { RATES } from "../kit/nodes.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { Client } from "../kit/preferences.mjs";
import { often } from "../kit/thorough.mjs";
import { pause, until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

const FAMILIES = often(3, 8);
const REFRESHES = Number(process.env.STEADY_REFRESHES ?? 15); // at least, in each step
const PACE_MS = Number(process.env.STEADY_PACE ?? 50); // between two refreshes of a family
const STEPS = 9;
const STEP_SECONDS = 1800;
const KEPT_STEPS = 5; // two hours, and what is made during the round that follows the step and before it

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
  const count = async (table) => Number(await w.sql(`SELECT count(*) FROM ${table}`));
  const rounds = () => w.service.log.filter(({ event }) => event === "housekeeping_done").length;
  const began = performance.now();
  const madeBefore = []; // each step
  const rows = [];
  for (let step = 0; step < STEPS; step++) {
    madeBefore.push(made);
    await until("refreshes", () => made >= madeBefore.at(-1) + REFRESHES, 600_000);
    // The deadlines first: a clock that is ahead of them is not trusted.
    jumping = true;
    await until("no request", () => asking === 0);
    const earlier = rounds();
    w.deadlines.forward(STEP_SECONDS * 1000);
    w.clock.forward(STEP_SECONDS);
    jumping = false;
    await until("a round of housekeeping", () => rounds() > earlier, 120_000);
    rows.push({ access: await count("access_token"), refresh: await count("refresh_token") });
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
