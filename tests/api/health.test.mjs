// /healthz: the process runs. /readyz: it can handle requests.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon, assertError } from "../kit/expect.mjs";
import { world } from "../kit/world.mjs";

test("both return 200 when the service is ready, and are never cached", async (t) => {
  const w = await world(t);
  for (const path of ["/healthz", "/readyz"]) {
    const answer = await w.get(path);
    assert.equal(answer.status, 200);
    assertCommon(answer);
    assert.match(answer.headers["cache-control"], /no-store/);
  }
});

test("when the store does not answer it is alive and not ready", async (t) => {
  const w = await world(t, { failing: true });
  w.failNthStoreCall(1);
  assertError(await w.get("/readyz"), 503);
  assert.equal((await w.get("/readyz")).status, 200);
  w.failNthStoreCall(1);
  assert.equal((await w.get("/healthz")).status, 200);
});
