// /healthz: the process runs. /readyz: it can handle requests.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { assertCommon, assertError } from "../kit/expect.mjs";
import { onSqlite, world } from "../kit/world.mjs";

test("/healthz and /readyz return 200 when the service is ready, and are never cached", async (t) => {
  const w = await world(t);
  for (const path of ["/healthz", "/readyz"]) {
    const answer = await w.get(path);
    assert.equal(answer.status, 200);
    assertCommon(answer);
    assert.match(answer.headers["cache-control"], /no-store/);
  }
});

test("if the store does not answer, /healthz is 200 and /readyz is 503", async (t) => {
  const w = await world(t, { failing: true });
  w.failNthStoreCall(1);
  assertError(await w.get("/readyz"), 503);
  assert.equal((await w.get("/readyz")).status, 200);
  w.failNthStoreCall(1);
  assert.equal((await w.get("/healthz")).status, 200);
});

onSqlite("a store whose file was deleted, replaced, or overwritten is not ready", async (t) => {
  const w = await world(t);
  const kept = `${w.file}.kept`;
  const assertLost = async () => {
    const answer = await w.get("/readyz");
    assertError(answer, 503);
    assert.match(answer.text, /database file/);
  };
  fs.renameSync(w.file, kept);
  await assertLost();
  fs.copyFileSync(kept, w.file);
  await assertLost();
  fs.renameSync(kept, w.file);
  assert.equal((await w.get("/readyz")).status, 200);
  const fd = fs.openSync(w.file, "r+");
  const head = Buffer.alloc(16);
  fs.readSync(fd, head, 0, 16, 0);
  fs.writeSync(fd, Buffer.alloc(16), 0, 16, 0);
  await assertLost();
  fs.writeSync(fd, head, 0, 16, 0);
  fs.closeSync(fd);
  assert.equal((await w.get("/readyz")).status, 200);
});

onSqlite("a second service on the same file under another name is refused", async (t) => {
  const w = await world(t);
  fs.linkSync(w.file, `${w.file}.hard`);
  fs.symlinkSync(w.file, `${w.file}.soft`);
  for (const name of [`${w.file}.hard`, `${w.file}.soft`]) {
    const second = await w.penchant(["serve", "--listen", "127.0.0.1:0", "--store", `sqlite:${name}`]);
    assert.equal(second.status, 1);
    assert.match(second.err, /in use by another penchant process/);
  }
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
});
