// How many connections there may be, in all and from one address.

import assert from "node:assert/strict";
import test from "node:test";
import { assertError } from "../kit/expect.mjs";
import { until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

const REQUEST = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";

// A connection that has been answered, and so counts.
async function held(w, options) {
  const connection = await w.connect(options);
  connection.send(REQUEST);
  assert.equal((await connection.answer()).status, 200);
  return connection;
}

// A connection above the limit gets 503 in the usual form, or is closed without a response.
async function isTurnedAway(w, options) {
  const connection = await w.connect(options);
  connection.send(REQUEST);
  try {
    const answer = await connection.answer();
    if (answer.status === 200) return false;
    assertError(answer, 503);
  } catch (error) {
    if (!connection.closed) throw error;
  }
  await connection.untilClosed();
  return true;
}

test("the number of connections per address is limited, and other addresses are still served", async (t) => {
  const w = await world(t, { settings: { "connections-per-address": 5 } });
  const mine = [];
  for (let i = 0; i < 5; i++) mine.push(await held(w));
  assert.equal(await isTurnedAway(w), true);
  assert.equal(await isTurnedAway(w), true);
  const other = await held(w, { localAddress: "127.0.0.2" });
  assert.ok(!other.closed);
  mine.pop().destroy();
  await until("room for one more", async () => !(await isTurnedAway(w)));
  for (const connection of mine) {
    connection.send(REQUEST);
    assert.equal((await connection.answer()).status, 200);
  }
});

test("the number of connections is limited over all addresses", async (t) => {
  const w = await world(t, { settings: { connections: 8 } });
  const all = [];
  for (let i = 0; i < 8; i++) all.push(await held(w, { localAddress: `127.0.0.${i + 2}` }));
  assert.equal(await isTurnedAway(w, { localAddress: "127.0.0.77" }), true);
  all.pop().destroy();
  await until("room for one more", async () => !(await isTurnedAway(w, { localAddress: "127.0.0.78" })));
});

test("a trusted proxy is not held to the cap of one address", async (t) => {
  const w = await world(t, { settings: { "connections-per-address": 3, "trusted-proxies": "127.0.0.1" } });
  for (let i = 0; i < 12; i++) await held(w);
  for (let i = 0; i < 3; i++) await held(w, { localAddress: "127.0.0.2" });
  assert.equal(await isTurnedAway(w, { localAddress: "127.0.0.2" }), true);
});

test("after a thousand connections none is left open", async (t) => {
  const w = await world(t, { settings: { "connections-per-address": 50, "metrics-listen": "127.0.0.1:0" } });
  for (let round = 0; round < 40; round++) {
    const many = await Promise.all(Array.from({ length: 25 }, () => w.connect()));
    many.forEach((connection, i) => (i % 3 ? connection.destroy() : connection.abort()));
    w.connections.length = 0;
  }
  await until("all to be forgotten", async () => !(await isTurnedAway(w)));
  for (let i = 0; i < 45; i++) await held(w);
});
