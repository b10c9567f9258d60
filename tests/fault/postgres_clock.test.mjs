// A node whose clock is wrong: it logs it, turns not ready, and neither deletes nor refuses anything because of it. The
// nodes with the right clock go on.

import assert from "node:assert/strict";
import path from "node:path";
import { FaultInjection } from "../kit/fault_injection.mjs";
import { at, RATES, via } from "../kit/nodes.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

onPostgres("a node whose clock is wrong by minutes or seconds is not ready, and harms nobody", async (t) => {
  const w = await world(t, { settings: RATES });
  const right = at(w, w.service);
  const faults = new FaultInjection(path.join(w.dir, "wrong_clock"));
  t.after(() => faults.close());
  faults.hashCheaply();
  const wrong = at(w, await w.start({}, { env: { PENCHANT_FAULT_INJECTION: faults.path } }));
  w.service = right.service;
  const person = await addPerson(w, "ada");
  const app = await addApp(w, {});
  const api = await Client.connect(person, app, { scope: EVERYTHING });
  await api.write(MUSIC, { genres: ["jazz"] });
  const rows = () => w.sql("SELECT count(*) FROM (SELECT 1 FROM session UNION ALL SELECT 1 FROM token_family UNION ALL SELECT 1 FROM refresh_token) AS live");
  for (const seconds of [300, -300, 2, -2]) {
    const before = Number(await rows());
    faults.skewClock(seconds);
    const line = await wrong.service.logged(`${seconds} seconds`, ({ event, problem }) => event === "store_not_ready" && new RegExp(`differs by ${seconds} seconds`).test(problem));
    assert.equal(line.level, "warn");
    assert.equal((await wrong.get("/readyz")).status, 503);
    assert.equal((await right.get("/readyz")).status, 200);
    // It uses the database's clock: what it is asked all the same, it answers correctly.
    assert.equal((await via(api, wrong).get(`preferences/${MUSIC}`)).status, 200);
    const connected = await Client.connect(person, app, { scope: EVERYTHING }); // a code and its exchange
    assert.deepEqual((await connected.record(MUSIC)).genres, ["jazz"]);
    assert.equal((await via(app, wrong).refresh(connected.refresh_token)).status, 200);
    assert.ok(Number(await rows()) >= before, `${seconds} seconds: rows were deleted`);
    faults.skewClock(0);
    await until("readiness", async () => (await wrong.get("/readyz")).status === 200);
  }
});
