// One of two databases hangs (SIGSTOP): its connections stay open, and nothing answers. Users of the other one are served
// while requests for the hanging one fill every worker.

import assert from "node:assert/strict";
import { assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson } from "../kit/oauth.mjs";
import { Client, FOOD } from "../kit/preferences.mjs";
import { behindProxies, connectedUsers, nameIn, onTwo, record, twoServers } from "../kit/spread.mjs";
import { until } from "../kit/until.mjs";

const WORKERS = 4;
const DEADLINE_MS = 30_000; // a request that waits for the database that hangs takes this long
const NO_DELAY_MS = 15_000; // on a busy machine

async function timed(what, request) {
  const began = performance.now();
  const answer = await request;
  const ms = performance.now() - began;
  assert.ok(ms < NO_DELAY_MS, `${what} took ${Math.round(ms)} ms`);
  return answer;
}

async function start(t) {
  const { w, clusters } = await twoServers(t);
  await w.start({ workers: WORKERS, "store-deadline": DEADLINE_MS, "rate-api": 0, "metrics-listen": "127.0.0.1:0" });
  await addPerson(w, nameIn(0, "owner"));
  const app = await addApp(w, { owner: nameIn(0, "owner") });
  const users = await connectedUsers(w, app);
  return { w, app, hanging: clusters[1], served: users.filter(({ half }) => half === 0), refused: users.filter(({ half }) => half === 1) };
}

const hangs = (w) =>
  until("readiness to notice", async () => {
    const answer = await timed("readiness", w.get("/readyz"));
    assert.equal(answer.status, 200);
    return /^Database 2 of 2: .*does not respond/.test(answer.data.problem ?? "");
  });

onTwo("users of a database are served while another one hangs", async (t) => {
  const { w, app, hanging, served, refused } = await start(t);
  hanging.freeze();
  await hangs(w);
  // A request that begins before the database is known to hang keeps its worker for the deadline, so the requests are sent after that.
  await until("a refusal at once", async () => {
    const began = performance.now();
    assertUnavailable(await record(w, refused[0]));
    return performance.now() - began < NO_DELAY_MS;
  }, 300_000);
  for (let round = 0; round < 3; round++) {
    const flood = Array.from({ length: 5 * WORKERS }, (_, i) => {
      const user = refused[i % refused.length];
      return timed("a refusal", i % 2 ? new Client(w, user).send(FOOD, { favorite_foods: ["Cake"] }) : record(w, user));
    });
    for (const user of served) {
      const answer = await timed("a record", record(w, user));
      assert.equal(answer.status, 200);
      assert.match(answer.text, new RegExp(user.name));
      await timed("a write", new Client(w, user).write(FOOD, { favorite_foods: [user.name, `Bread ${round}`] }));
      const { status, data } = await timed("a refresh", app.refresh(user.refresh_token));
      assert.equal(status, 200);
      Object.assign(user, { access_token: data.access_token, refresh_token: data.refresh_token });
      assert.equal((await timed("a page", user.person.get("/account", { "sec-fetch-site": "none" }))).status, 200);
      if (user.lookup === 0) assert.equal((await timed("a sign-in", user.person.signIn())).status, 303);
    }
    for (const answer of await Promise.all(flood)) assertUnavailable(answer);
  }
  hanging.thaw();
  await until("the database to serve again", async () => !(await w.get("/readyz")).data.problem);
  for (const user of [...served, ...refused]) await until("a record", async () => (await record(w, user)).status === 200);
  for (const user of refused) await new Client(w, user).write(FOOD, { favorite_foods: ["Bread"] });
  await w.assertSound();
});

onTwo("SIGTERM ends a node while one of its databases hangs in the middle of requests", async (t) => {
  const { w, hanging, refused } = await start(t);
  hanging.freeze();
  const write = () => new Client(w, refused[0]).send(FOOD, { favorite_foods: ["Cake"] });
  const asked = Array.from({ length: 3 * WORKERS }, () => write().catch(() => null));
  await until("requests that wait", async () => (await w.metrics())["penchant_workers_busy"] > 0);
  await w.stop(25_000); // ten seconds to drain, on a busy machine; the deadline is longer
  await Promise.all(asked);
  hanging.thaw();
});

onTwo("readiness answers within a second while four of five databases hang, and names each", async (t) => {
  const { w, proxies, start: run } = await behindProxies(t, { databases: 5 });
  await run();
  for (const between of proxies.slice(1)) between.swallows = true;
  const names = (text) => [...text.matchAll(/Database (\d) of 5: The database does not respond/g)].map(([, number]) => Number(number));
  await until("readiness to name them", async () => names((await w.get("/readyz")).data.problem ?? "").length === 4);
  const took = [];
  for (let i = 0; i < 15; i++) {
    const began = performance.now();
    const { status, data } = await w.get("/readyz");
    took.push(performance.now() - began);
    assert.equal(status, 200);
    assert.deepEqual(names(data.problem), [2, 3, 4, 5]);
  }
  took.sort((a, b) => a - b);
  assert.ok(took[7] < 1000, `half of the answers took longer than ${Math.round(took[7])} ms`);
  for (const between of proxies) between.swallows = false;
  await until("readiness", async () => (await w.get("/readyz")).data.problem === undefined, 60_000);
});
