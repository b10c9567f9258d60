// housekeeping.test.mjs - expired rows are deleted faster than requests can add them.
import assert from "node:assert/strict";
import test from "node:test";
import { EVERYTHING, assertTokens, stage } from "../kit/oauth.mjs";
import { until } from "../kit/until.mjs";
import { DATABASES } from "../kit/world.mjs";

const ROWS = 40_000; // with a pause of 100 ms after each 200 they would take 20 s
const SECONDS = 16;

test("tens of thousands of expired tokens are deleted within seconds, while requests go on", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "log-level": "debug" } });
  const set = await ada.connect(app);
  const numbers =
    w.kind === "postgres"
      ? `generate_series(1, ${ROWS / DATABASES}) AS numbers (n)`
      : `(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS}) SELECT n FROM numbers)`;
  await w.sql(`INSERT INTO refresh_token (row_key, token_hash, family_id, created_at, expires_at, reuses) SELECT n, 'h' || n, 'fam_none', 1, 2, 0 FROM ${numbers}`);
  const left = async () => Number(await w.sql("SELECT count(*) FROM refresh_token WHERE expires_at = 2"));
  assert.equal(await left(), ROWS);
  w.deadlines.forward(61_000);
  await until("the first rows to be deleted", async () => (await left()) < ROWS);
  const made = async () => [await w.sql("SELECT count(*) FROM access_token"), await w.sql("SELECT count(*) FROM refresh_token WHERE expires_at > 2")].map(Number);
  const before = await made();
  const fresh = assertTokens(await app.refresh(set.refresh_token), EVERYTHING);
  assert.deepEqual(await made(), before.map((count) => count + 1), "a refresh leaves one row of each kind to delete");
  await until("all rows to be deleted", async () => (await left()) === 0, SECONDS * 1000);
  assertTokens(await app.refresh(fresh.refresh_token), EVERYTHING);
});
