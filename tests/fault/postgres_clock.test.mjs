// A node whose clock is wrong: it logs it, turns not ready, and neither deletes nor refuses anything because of it. The
// nodes with the right clock go on.

import assert from "node:assert/strict";
import path from "node:path";
import { FaultInjection } from "../kit/fault_injection.mjs";
import { at, RATES, via } from "../kit/nodes.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { behindProxy } from "../kit/pg_proxy.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const DAYS_40 = 40 * 86400;
const LIVE = ["session", "token_family", "refresh_token", "access_token", "app_grant"];

// Two nodes, of which `faults` controls the second one's clock, and a user with an app.
async function twoNodes(t, settings = {}) {
  const w = await world(t, { settings: { ...RATES, ...settings } });
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
  return { w, right, wrong, faults, person, app, api };
}

const isReady = async (node) => (await node.get("/readyz")).status === 200;

async function turnsNotReady(node, seconds) {
  const shown = Math.sign(seconds) * Math.round(Math.abs(seconds)); // a second more or less while the clocks are read
  const said = new RegExp(`differs by (${shown - 1}|${shown}|${shown + 1}) seconds`);
  const line = await node.service.logged(`${seconds} seconds`, ({ event, problem }) => event === "store_not_ready" && said.test(problem));
  assert.equal(line.level, "warn");
  assert.match((await until("503", async () => [await node.get("/readyz")].find(({ text }) => text.includes("clock")))).text, said);
}

onPostgres("a clock that is wrong by half a second is no reason to refuse, by more than one it is", async (t) => {
  const { wrong, faults } = await twoNodes(t);
  for (const sign of [1, -1]) {
    faults.skewClock(sign * 0.5);
    // Each query for readiness compares the clocks.
    for (let i = 0; i < 5; i++) assert.doesNotMatch((await wrong.get("/readyz")).text, /clock/);
    await until("readiness", () => isReady(wrong));
    faults.skewClock(sign * 1.6);
    await turnsNotReady(wrong, sign * 1.6);
    faults.skewClock(0);
    await until("readiness", () => isReady(wrong));
  }
});

onPostgres("five minutes end no authorization that two nodes share, and no family", async (t) => {
  const { right, wrong, faults, person, app, api } = await twoNodes(t);
  for (const seconds of [300, -300]) {
    faults.skewClock(seconds);
    await turnsNotReady(wrong, seconds);
    assert.equal((await right.get("/readyz")).status, 200);
    // It uses the database's clock: what it is asked all the same, it answers correctly.
    assert.equal((await via(api, wrong).get(`preferences/${MUSIC}`)).status, 200);
    for (const [pages, token] of [[right, wrong], [wrong, right]]) {
      const connected = await Client.connect(via(person, pages), via(app, token), { scope: EVERYTHING });
      for (const node of [wrong, right, wrong]) {
        Object.assign(connected, { app: via(app, node) });
        await connected.renew();
        for (const reader of [right, wrong]) assert.deepEqual((await via(connected, reader).record(MUSIC)).genres, ["jazz"]);
      }
    }
    faults.skewClock(0);
    await until("readiness", () => isReady(wrong));
  }
});

// Meanwhile the readiness thread gets no answer, because its query waits for a lock.
onPostgres("the answer to each change query sets the clock, so that the next request is handled at the database's time", async (t) => {
  const { cluster, w, between } = await behindProxy(t, RATES);
  const api = await Client.connect(await addPerson(w, "ada"), await addApp(w, { owner: "first" }), { scope: EVERYTHING });
  await api.write(MUSIC, { genres: ["jazz"] });
  const holder = new Program("psql", ["-qAtX", cluster.address(w.database)], { stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => holder.signal("SIGKILL"));
  holder.child.stdin.write("BEGIN; LOCK TABLE schema_step IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n");
  await until("the lock", () => holder.out.includes("locked"));
  await until("readiness to end", async () => !(await isReady(w)));
  const minutes = (count) => 60 * count;
  // An access token is valid for an hour.
  for (const [seconds, status] of [[minutes(58), 200], [minutes(62), 401]]) {
    between.clockAhead = seconds;
    for (let i = 0; i < 2; i++) {
      const answer = await api.get(`preferences/${MUSIC}`);
      if (i > 0) assert.equal(answer.status, status, `${seconds} s ahead: ${answer.text}`); // the first one may have begun with the old time
    }
  }
  assert.ok(!(await isReady(w)), "the readiness thread still gets no answer");
});

onPostgres("a command on a machine whose clock is wrong uses the clock of the database, and warns", async (t) => {
  const w = await world(t, { start: false });
  const faults = new FaultInjection(path.join(w.dir, "wrong_clock"));
  t.after(() => faults.close());
  faults.hashCheaply();
  const env = { PENCHANT_FAULT_INJECTION: faults.path };
  const isNow = (seconds) => assert.ok(Math.abs(seconds - Date.now() / 1000) < 100, `${seconds}`);
  for (const seconds of [0, 0.5, 300, DAYS_40, -DAYS_40]) {
    faults.skewClock(seconds);
    const name = `user${Math.abs(seconds) * 10}${seconds < 0 ? "before" : ""}`;
    const added = await w.command("user", "add", name, "--no-password", "--json", { env });
    assert.equal(added.status, 0, added.err);
    isNow(Date.parse(added.data.created_at) / 1000);
    const { status, data, err } = await w.command("user", "recover", name, "--json", { env });
    assert.equal(status, 0, err);
    isNow(Date.parse(data.expires_at) / 1000 - 86400);
    isNow(Number(await w.sql(`SELECT expires_at FROM one_time_link WHERE user_id = '${added.data.sub}'`)) - 86400);
    if (Math.abs(seconds) < 1) assert.equal(err, "");
    else assert.match(err, new RegExp(`^\\S+ warn machine_clock_differs problem="The clock of this machine differs by ${seconds} seconds from the database's. Correct it."\n$`));
  }
});

onPostgres("housekeeping of a node that is 40 days ahead deletes nothing of the cluster", async (t) => {
  const { w, wrong, faults, api } = await twoNodes(t, { "log-level": "debug" });
  const count = async () => {
    const rows = [];
    for (const table of LIVE) rows.push(`${table} ${await w.sql(`SELECT count(*) FROM ${table}`)}`);
    return rows;
  };
  const before = await count();
  assert.deepEqual(before.filter((row) => row.endsWith(" 0")), [], "there is something to delete");
  faults.skewClock(DAYS_40);
  await turnsNotReady(wrong, DAYS_40);
  const rounds = () => wrong.service.log.filter(({ event }) => event === "housekeeping_done").length;
  for (let round = 1; round <= 2; round++) {
    const earlier = rounds();
    faults.forwardDeadlines(61_000);
    await until("a round of housekeeping", () => rounds() > earlier);
  }
  assert.deepEqual(await count(), before);
  await api.renew();
});
