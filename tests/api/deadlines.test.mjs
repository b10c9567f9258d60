// Slow clients are cut at the deadline, not at the next byte. The deadlines are those of
// src/http/limits.h; fault injection moves them forward instead of waiting.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { pause, until } from "../kit/until.mjs";
import { ROOT, world } from "../kit/world.mjs";

const limits = fs.readFileSync(path.join(ROOT, "src/http/limits.h"), "utf8");
const limit = (name) => Number(new RegExp(`#define ${name} (\\d+)`).exec(limits)[1]);
const HEAD = limit("HTTP_HEAD_MS");
const BODY = limit("HTTP_BODY_MS");
const ANSWER = limit("HTTP_RESPONSE_MS");
const IDLE = limit("HTTP_IDLE_MS");

const FORM = "Host: h\r\nContent-Type: application/x-www-form-urlencoded\r\n";

// Checks that the connection is open before its deadline and closed after it. The service may notice the
// connection's progress late, so the clock advances at most twice: in all less than any longer deadline.
async function cutBehind(w, connection, deadline) {
  w.deadlines.forward(deadline * 0.5);
  assert.equal((await w.get("/healthz")).status, 200);
  assert.equal(connection.closed, false, "cut before its time");
  for (let turn = 0; turn < 2; turn++) {
    w.deadlines.forward(deadline * 0.6);
    try {
      await connection.untilClosed(3000);
      return;
    } catch {
      // once more
    }
  }
  assert.fail("a slow client was not cut");
}

test("an incomplete request head is cut off at the deadline", async (t) => {
  const w = await world(t);
  const connection = await w.connect();
  connection.send("GET /healthz HTTP/1.1\r\nHost: h\r\nX-Slow: ");
  await w.get("/healthz");
  await cutBehind(w, connection, HEAD);
});

// Sends a byte every few milliseconds until the connection is cut; tells how to stop.
function drip(connection, byte) {
  const timer = setInterval(() => (connection.closed ? clearInterval(timer) : connection.send(byte)), 5);
  return () => clearInterval(timer);
}

test("a request head that arrives slowly is cut off at the same deadline", async (t) => {
  const w = await world(t);
  const connection = await w.connect();
  connection.socket.setNoDelay(true);
  connection.send("GET /healthz HTTP/1.1\r\nHost: h\r\nX-Slow: ");
  const stop = drip(connection, "a");
  t.after(stop);
  await until("some drops", async () => (await pause(1), connection.socket.bytesWritten > 60));
  await cutBehind(w, connection, HEAD);
});

test("an incomplete or slow body is cut off at the deadline", async (t) => {
  const w = await world(t);
  const still = await w.connect();
  still.send(`POST /signup HTTP/1.1\r\n${FORM}Content-Length: 5000\r\n\r\nusername=ada&name=`);
  const dripping = await w.connect();
  dripping.socket.setNoDelay(true);
  dripping.send(`POST /signup HTTP/1.1\r\n${FORM}Content-Length: 5000\r\n\r\nusername=ada&name=`);
  t.after(drip(dripping, "a"));
  await until("some drops", () => dripping.socket.bytesWritten > 200);
  await cutBehind(w, dripping, BODY);
  await still.untilClosed();
  assert.deepEqual(await w.users(), []);
});

test("chunks that arrive slowly are cut off at the deadline", async (t) => {
  const w = await world(t);
  const connection = await w.connect();
  connection.socket.setNoDelay(true);
  connection.send(`POST /signup HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n`);
  t.after(drip(connection, "1\r\na\r\n"));
  await until("some drops", () => connection.socket.bytesWritten > 200);
  await cutBehind(w, connection, BODY);
});

test("an idle connection is closed after its timeout", async (t) => {
  const w = await world(t);
  const silent = await w.connect();
  const kept = await w.connect();
  kept.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  assert.equal((await kept.answer()).status, 200);
  w.deadlines.forward(IDLE * 0.5);
  assert.equal((await w.get("/healthz")).status, 200);
  assert.deepEqual([silent.closed, kept.closed], [false, false]);
  w.deadlines.forward(IDLE * 1.1); // a busy service may have taken the silent connection only after the first half
  await silent.untilClosed();
  await kept.untilClosed();
});

test("a client that does not read its response is disconnected, and others are served meanwhile", async (t) => {
  const w = await world(t);
  const asset = /(?:href|src)="(\/assets\/[^"]+)"/.exec((await w.get("/")).text)[1];
  const size = Buffer.byteLength((await w.get(asset)).text);
  const count = Math.ceil((24 * 1024 * 1024) / size); // far more than the kernel keeps for both sides
  const connection = await w.connect({ reading: false });
  connection.send(`GET ${asset} HTTP/1.1\r\nHost: h\r\n\r\n`.repeat(count));
  // Until the answers stop flowing the deadline may begin anew with each; so it passes again and again.
  await until("the slow reader to be cut", async () => {
    assert.equal((await w.get("/healthz")).status, 200);
    w.deadlines.forward(ANSWER * 1.1);
    return connection.reset || (await cut(connection));
  }, 30_000);
});

// Whether the other side has closed a connection that is not read: a write to it fails.
async function cut(connection) {
  connection.send("\r\n");
  await pause(20);
  return connection.reset || connection.socket.destroyed;
}
