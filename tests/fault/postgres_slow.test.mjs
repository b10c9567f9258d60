// A database that needs half a second more for every statement.

import assert from "node:assert/strict";
import { assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { behindProxy } from "../kit/pg_proxy.mjs";
import { timed as took } from "../kit/pg_load.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres } from "../kit/world.mjs";

const DELAY_MS = 500;
const USERS = 6;

onPostgres("with statements that take 500 ms more, writes are acknowledged or 503, and none is lost", async (t) => {
  const { w, between } = await behindProxy(t, { "rate-auth": 0, "rate-api": 0 });
  const people = [];
  for (let i = 0; i < USERS; i++) people.push(await addPerson(w, `user${i}`));
  const app = await addApp(w, { owner: "user0" });
  const clients = [];
  for (const person of people) clients.push(await Client.connect(person, app, { scope: EVERYTHING }));
  const statuses = new Set();
  const acknowledged = [];
  let longest = 0;
  const timed = async (request) => {
    const began = performance.now();
    const answer = await request();
    longest = Math.max(longest, performance.now() - began);
    statuses.add(answer.status);
    if (answer.status === 503) assertUnavailable(answer);
    return answer;
  };
  between.delayMs = DELAY_MS;
  for (let round = 0; round < 2; round++) {
    const writes = clients.map(async (api, n) => {
      const artist = `Band ${round} of ${n}`;
      const { status } = await timed(() => api.send(MUSIC, { favorite_artists: [artist] }));
      if (status === 200) acknowledged.push([n, artist]);
    });
    const signUps = [0, 1].map(async (n) => {
      const username = `slow${round}${n}`;
      const { status } = await timed(() => w.signUp({ username }));
      if (status === 303) acknowledged.push([null, username]);
    });
    // How long the machine needs for any answer shows in /healthz.
    const [ready, health] = ["/readyz", "/healthz"].map((path) => took(w.get(path)));
    await Promise.all([...writes, ...signUps, ready, health]);
    assert.ok((await ready).ms < 1000 + (await health).ms, `/readyz took ${(await ready).ms} ms`);
  }
  between.delayMs = 0;
  await until("readiness", async () => (await w.get("/readyz")).status === 200);
  t.diagnostic(`longest response ${Math.round(longest)} ms, ${acknowledged.length} writes acknowledged, statuses ${[...statuses]}`);
  assert.deepEqual([...statuses].filter((status) => ![200, 303, 503].includes(status)), []);
  assert.ok(acknowledged.length > 0, "no write succeeded");
  const names = new Set((await w.sql("SELECT username FROM user_account")).split("\n"));
  for (const [n, what] of acknowledged)
    if (n === null) assert.ok(names.has(what), `${what} was acknowledged and is lost`);
    else assert.ok((await clients[n].record(MUSIC)).favorite_artists.includes(what), `${what} was acknowledged and is lost`);
});
