// Commits whose confirmation is lost.

import assert from "node:assert/strict";
import { psql } from "../kit/pg.mjs";
import { behindProxy } from "../kit/pg_proxy.mjs";
import { addApp, addPerson, assertDead, assertInvalidGrant, assertTokens, EVERYTHING, userinfo, words } from "../kit/oauth.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres } from "../kit/world.mjs";

const DEADLINE_MS = 500;
const ANSWER_MS = 5000 + 2 * DEADLINE_MS; // docs/OPERATING.md
const SLACK_MS = 3000; // of a busy machine

onPostgres("a commit whose confirmation is lost is found out and acknowledged", async (t) => {
  const { w, between } = await behindProxy(t);
  between.onCommit = ({ client, upstream, bytes }) => {
    upstream.removeAllListeners("data").once("data", () => client.destroy());
    upstream.write(bytes);
  };
  assert.equal((await w.signUp({ username: "committed" })).status, 303);
  assert.equal((await w.service.logged("the outcome", ({ event }) => event === "store_commit_found")).outcome, "committed");
  between.onCommit = ({ client }) => client.destroy();
  assert.equal((await w.signUp({ username: "retried" })).status, 303);
  await w.service.logged("the outcome", ({ event, outcome }) => event === "store_commit_found" && outcome === "rolled back");
  assert.deepEqual(await w.usernames(), ["committed", "first", "retried"]);
});

onPostgres("after a crash of PostgreSQL the outcome of a lost commit is not guessed", async (t) => {
  const { cluster, w, between } = await behindProxy(t, { "store-deadline": 60_000 });
  between.onCommit = ({ client, upstream, bytes }) => {
    upstream.removeAllListeners("close"); // the service notices only after the recovery
    upstream.removeAllListeners("data").once("data", async () => {
      // One process is killed: the server restarts all others and recovers, and keeps its own process.
      process.kill(cluster.pids().at(-1), "SIGKILL");
      await until("the crash", () => upstream.destroyed);
      await until("recovery", () => psql(cluster.address("postgres"), "SELECT 1").catch(() => false), 60_000);
      client.destroy();
    });
    upstream.write(bytes);
  };
  const answer = await w.signUp({ username: "unknown" });
  assert.equal(answer.status, 503);
  assert.match(answer.text, /may or may not have been made/);
  await w.service.logged("the loss", ({ event }) => event === "store_commit_lost");
  assert.deepEqual(await w.usernames(), ["first", "unknown"]);
});

onPostgres("a lost confirmation is found out for every refresh that shared the transaction", async (t) => {
  const { w, between } = await behindProxy(t, { "rate-refresh": 0 });
  const ada = await addPerson(w, "ada");
  const app = await addApp(w, { owner: "ada" });
  let sets = [];
  for (let i = 0; i < 8; i++) sets.push(await ada.connect(app));
  const ways = {
    committed: ({ client, upstream, bytes }) => {
      upstream.removeAllListeners("data").once("data", () => client.destroy());
      upstream.write(bytes);
    },
    "rolled back": ({ client }) => client.destroy(),
  };
  for (const [outcome, way] of Object.entries(ways)) {
    between.onCommitOf = "refresh_use"; // and not that of the next usage counters
    between.onCommit = way;
    const answers = await Promise.all(sets.map(({ refresh_token }) => app.refresh(refresh_token)));
    await w.service.logged("the outcome", (line) => line.event === "store_commit_found" && line.outcome === outcome);
    sets = answers.map((answer) => assertTokens(answer, EVERYTHING));
  }
  const stored = await w.sql("SELECT count(*), count(used_at) FROM refresh_token");
  assert.equal(stored.trim(), "24|16", "each was used once and has one successor");
  for (const { access_token } of sets) assert.equal((await userinfo(w, access_token)).status, 200);
});

// The COMMIT of the next transaction with this statement arrives, but its confirmation does not, and then no client
// reaches the server, until `isCut` is false again.
function cutAtCommit(between, statement) {
  between.onCommitOf = statement;
  between.onCommit = ({ client, upstream, bytes }) => {
    between.isCut = true;
    upstream.removeAllListeners("data").once("data", () => client.destroy());
    upstream.write(bytes);
  };
}

// A refresh, and the exchange of a code, each with the name of a statement of it.
async function tokenRequests(t) {
  const { w, between } = await behindProxy(t, { "store-deadline": DEADLINE_MS });
  const ada = await addPerson(w, "ada");
  const app = await addApp(w, { owner: "ada" });
  const refreshing = async () => {
    const { refresh_token } = await ada.connect(app);
    return () => app.refresh(refresh_token);
  };
  const exchanging = async () => {
    const code = await ada.authorize(app);
    return () => app.exchange(code);
  };
  return { w, between, app, kinds: [[refreshing, "refresh_use"], [exchanging, "code_redeem"]] };
}

onPostgres("a refresh or code exchange whose outcome is unknown is looked up as soon as the database responds", async (t) => {
  const { w, between, app, kinds } = await tokenRequests(t);
  for (const [prepare, statement] of kinds) {
    const request = await prepare();
    const losses = () => w.service.log.filter(({ event }) => event === "store_commit_lost").length;
    const before = losses();
    cutAtCommit(between, statement);
    const pending = request();
    await until("the loss", () => losses() > before);
    between.isCut = false;
    const set = assertTokens(await pending, EVERYTHING);
    assertTokens(await app.refresh(set.refresh_token), EVERYTHING);
  }
});

onPostgres("a client may repeat a refresh or code exchange of unknown outcome long after, until it has its tokens", async (t) => {
  const { w, between, app, kinds } = await tokenRequests(t);
  for (const [prepare, statement] of kinds) {
    const request = await prepare();
    cutAtCommit(between, statement);
    const began = performance.now();
    const unknown = await request();
    assert.equal(unknown.status, 503);
    assert.ok(performance.now() - began < ANSWER_MS + SLACK_MS, "the client does not wait for the outcome for long");
    assert.match(unknown.text, /may or may not have been made/);
    between.isCut = false;
    await until("the database responds", async () => (await w.get("/readyz")).status === 200);
    w.clock.forward(600);
    const set = assertTokens(await request(), EVERYTHING);
    assert.deepEqual(await app.worth(set.refresh_token), words(EVERYTHING));
    w.clock.forward(600);
    assertInvalidGrant(await request());
    await assertDead(app, set);
  }
});
