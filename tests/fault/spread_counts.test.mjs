// What is counted in memory and done in the background, while one of two databases cannot be used: it is done for the
// users of the other one in time, and what was counted for the one that is down is written once, when it is back.

import assert from "node:assert/strict";
import { addApp, addPerson } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { FROM, mailServer } from "../kit/smtp.mjs";
import { behindProxies, connectedUsers, nameIn, onTwo, record } from "../kit/spread.mjs";
import { until } from "../kit/until.mjs";

const WRITE_MS = 11_000;
const ROUND_MS = 61_000;

// Calls per user and app, calls of the app, and what the users' activity has, in one database.
const counts = async (part) => {
  const row = await psql(part, `SELECT (SELECT COALESCE(sum(calls), 0) FROM user_usage), (SELECT COALESCE(sum(calls), 0) FROM app_usage),
    (SELECT COALESCE(sum(times), 0) FROM activity WHERE app_id <> '')`);
  const [users, app, activity] = row.split("|").map(Number);
  return { users, app, activity };
};

async function start(t, settings) {
  const { w, proxies, start: run } = await behindProxies(t, { settings: { "rate-api": 0, ...settings } });
  await run();
  await addPerson(w, nameIn(0, "owner"));
  const app = await addApp(w, { owner: nameIn(0, "owner") });
  const users = await connectedUsers(w, app);
  await w.stop(); // writes all counts
  const before = await Promise.all(w.parts.map(counts));
  await run();
  const of = (half) => users.filter((user) => user.half === half);
  const read = async (half, times, wanted = 200) => {
    for (const user of of(half)) for (let i = 0; i < times; i++) assert.equal((await record(w, user)).status, wanted);
    return of(half).length * times;
  };
  const added = async (half) => {
    const now = await counts(w.parts[half]);
    return Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count - before[half][name]]));
  };
  // The counters are due, as often as it takes.
  const written = (what, half, wanted) =>
    until(what, async () => {
      w.deadlines.forward(WRITE_MS);
      const { users: calls, activity } = await added(half);
      assert.ok(calls <= wanted && activity <= wanted, `${what}: ${calls} calls and ${activity} reads, not ${wanted}`);
      return calls === wanted && activity === wanted;
    }, 60_000);
  return { w, proxies, users, read, added, written };
}

for (const [outage, set] of [["is down", (proxy, on) => (proxy.isCut = on)], ["hangs", (proxy, on) => (proxy.swallows = on)]])
  for (const down of [0, 1])
    onTwo(`counts for the users of one database are written while the ${["first", "second"][down]} ${outage}`, async (t) => {
      const { w, proxies, read, added, written } = await start(t);
      const up = 1 - down;
      let ofUp = await read(up, 3);
      const ofDown = await read(down, 3);
      set(proxies[down], true);
      await until("readiness to notice", async () => (await w.get("/readyz")).data.problem);
      await read(down, 1, 503);
      for (let round = 1; round <= 3; round++) {
        ofUp += await read(up, round);
        await written(`counts of round ${round}`, up, ofUp);
      }
      assert.deepEqual(await added(down), { users: 0, app: 0, activity: 0 });
      set(proxies[down], false);
      await until("the database to serve again", async () => !(await w.get("/readyz")).data.problem, 60_000);
      await written("the counts of the database that was down", down, ofDown);
      await written("nothing twice", up, ofUp);
      await w.stop();
      const ends = await Promise.all([0, 1].map(added));
      assert.deepEqual(ends.map(({ users, activity }) => [users, activity]), down === 0 ? [[ofDown, ofDown], [ofUp, ofUp]] : [[ofUp, ofUp], [ofDown, ofDown]]);
      assert.equal(ends[0].app + ends[1].app, ofUp + ofDown, "the calls of the app, of both databases");
    });

// The server answers, so that the database is not down; statements on the table wait until their deadline.
async function locked(part, table, use) {
  const waiting = psql(part, `BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)`).catch(() => {});
  const pids = `FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
  await until("the lock", async () => (await psql(part, `SELECT count(*) ${pids}`)) === "1");
  await use();
  await psql(part, `SELECT pg_terminate_backend(pid) ${pids}`);
  await waiting;
}

onTwo("counts are written while a table of another database is locked", async (t) => {
  const { w, read, written } = await start(t);
  let [first, second] = [await read(0, 2), await read(1, 2)];
  await locked(w.parts[0], "user_usage, activity", async () => {
    second += await read(1, 1);
    await written("counts of the second", 1, second);
  });
  await written("counts of the first", 0, first);
});

onTwo("expired rows are deleted, and email is sent, while tables of another database are locked", async (t) => {
  const server = await mailServer(t);
  const { w, users } = await start(t, { "smtp-url": server.url, "smtp-from": FROM });
  for (const other of [0, 1]) {
    const part = w.parts[1 - other];
    const rows = (table) => psql(part, `SELECT count(*) FROM ${table}`);
    const { sub } = users.find(({ half }) => half === 1 - other);
    await locked(w.parts[other], "used_challenge, outbox", async () => {
      await psql(part, `INSERT INTO used_challenge (challenge_hash, expires_at) VALUES ('old', 1)`);
      await psql(part, `INSERT INTO outbox (mail_id, kind, user_id, address, detail, tries, next_try_at, created_at)
        VALUES ('mail${sub.slice(3)}', 'password', '${sub}', 'user${other}@example.org', '', 0, 1, ${Math.floor(Date.now() / 1000)})`);
      await server.mail(({ to }) => to[0] === `user${other}@example.org`);
      await until("the row of the email to be deleted", async () => (await rows("outbox")) === "0", 60_000);
      await until("expired rows to be deleted", async () => {
        w.deadlines.forward(ROUND_MS);
        return (await rows("used_challenge")) === "0";
      }, 120_000);
    });
  }
});
