// The address of PostgreSQL has a host name. A name server that does not answer (tests/fault/resolver.c)
// delays requests like a server that does not: until store-deadline.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { assertUnavailable } from "../kit/expect.mjs";
import { addPerson } from "../kit/oauth.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, RELEASE, ROOT, world } from "../kit/world.mjs";

const NAME = "db.penchant.example";
const DEADLINE_MS = 500;
const SLACK_MS = 1500; // of a busy machine

const threads = (pid) => fs.readdirSync(`/proc/${pid}/task`).length;

onPostgres("a name server that hangs delays no request beyond the deadline, nor the end of the service", async (t) => {
  const w = await world(t, { program: RELEASE, start: false });
  await w.command("migrate");
  const hangs = path.join(w.dir, "the-name-server-hangs");
  const env = { LD_PRELOAD: path.join(ROOT, "build/preload/resolver.so"), RESOLVER_NAMES: NAME, RESOLVER_HANGS_WHILE: hangs };
  const store = w.address.replace("127.0.0.1", NAME);
  const service = await w.start({ store, "store-deadline": DEADLINE_MS, "metrics-listen": "127.0.0.1:0" }, { env });
  // The first of its two addresses refuses connections.
  const ada = await addPerson(w, "ada");
  assert.equal((await ada.get("/account")).status, 200);

  fs.writeFileSync(hangs, "");
  await w.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${w.database}' AND pid <> pg_backend_pid()`);
  const counts = [];
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    for (const answer of await Promise.all(Array.from({ length: 20 }, () => ada.get("/account")))) assertUnavailable(answer);
    const ms = performance.now() - began;
    assert.ok(ms < 3 * DEADLINE_MS + SLACK_MS, `${ms} ms`);
    assert.equal((await w.get("/readyz")).status, 503);
    assert.equal((await w.get("/healthz")).status, 200);
    counts.push(threads(service.pid)); // the first requests may have started workers
  }
  assert.ok(counts[2] <= counts[0] + 1, `${counts} threads: lookups share one`);
  await service.logged("the reason", ({ problem }) => /did not answer in time/.test(problem ?? ""));

  fs.rmSync(hangs);
  await until("the service to recover", async () => (await ada.get("/account")).status === 200, 5000);

  fs.writeFileSync(hangs, "");
  await w.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${w.database}' AND pid <> pg_backend_pid()`);
  assertUnavailable(await ada.get("/account"));
  await w.stop(10_000);
});

onPostgres("a name that does not exist is reported", async (t) => {
  const w = await world(t, { program: RELEASE, start: false });
  const { status, err } = await w.command("migrate", { store: w.address.replace("127.0.0.1", "name.invalid") });
  assert.equal(status, 1);
  assert.match(err, /could not translate host name|the name server did not answer in time/);
});
