// Two adjacent versions under load, as in an upgrade: on PostgreSQL nodes of both at the same time, on SQLite one after
// the other. Clients try the next node when one refuses or has ended, as a balancer does. No response is a 500, and
// nothing that was acknowledged is lost.

import assert from "node:assert/strict";
import { ask } from "../kit/http.mjs";
import { addApp, addPerson, basic, EVERYTHING } from "../kit/oauth.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { until } from "../kit/until.mjs";
import { adjacentVersions } from "../kit/versions.mjs";
import { onPostgres, onSqlite, world } from "../kit/world.mjs";

const CLIENTS = 4;
const ROUNDS = 8; // of each client, before and after each change
const SETTINGS = { "rate-auth": 0, "rate-api": 0, "rate-signin": 0 };

// One user's app. Each round writes a genre, reads, suppresses it (three of four), and now and then refreshes its token.
class Load {
  acknowledged = [];
  suppressed = [];
  statuses = {};
  rounds = 0;

  constructor(api, nodes, number) {
    Object.assign(this, { api, nodes, number });
  }

  // On the next node that answers.
  async request(method, where, options) {
    for (let i = this.rounds; ; i++) {
      const node = this.nodes[i % this.nodes.length];
      const answer = node ? await ask(node.origin, method, where, options).catch(() => null) : null;
      const name = `${where} ${answer?.status}`;
      this.statuses[name] = (this.statuses[name] ?? 0) + 1;
      if (answer !== null && answer.status !== 503) return answer;
      if (this.stopped) return null;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  call(method, where, json) {
    return this.request(method, `/v1/${where}`, { json, headers: { authorization: `Bearer ${this.api.token}` } });
  }

  async refresh() {
    const { client_id, client_secret } = this.api.app;
    const form = { grant_type: "refresh_token", refresh_token: this.api.refresh_token };
    const answer = await this.request("POST", "/oauth/token", { form, headers: { authorization: basic(client_id, client_secret) } });
    if (answer === null) return;
    assert.equal(answer.status, 200, answer.text);
    Object.assign(this.api, { token: answer.data.access_token, refresh_token: answer.data.refresh_token });
  }

  async round() {
    const genre = `genre ${this.number} ${this.rounds}`;
    const written = await this.call("POST", `preferences/${MUSIC}`, { preferences: { genres: [genre] } });
    if (written === null) return;
    assert.equal(written.status, 200, written.text);
    this.acknowledged.push(genre);
    const listed = await this.call("GET", "preferences/atoms?limit=100");
    if (listed === null) return;
    assert.equal(listed.status, 200, listed.text);
    const { atom_id } = listed.data.atoms.find(({ value }) => value === genre) ?? {};
    assert.ok(atom_id, `${genre} was acknowledged and is not listed`);
    const kept = this.rounds % 4 === 0;
    const gone = kept ? listed : await this.call("POST", "preferences/suppress", { atom_id, reason: "not_accurate" });
    if (gone === null) return;
    assert.equal(gone.status, 200, gone.text);
    if (!kept) this.suppressed.push(genre);
    const hints = await this.call("GET", `agent-hints?domains=${MUSIC}&max_tokens=2000`);
    if (hints === null) return;
    assert.equal(hints.status, 200, hints.text);
    assert.ok(kept || !hints.text.includes(`${genre}"`), `${genre} was suppressed: ${hints.text}`);
    if (this.rounds % 3 === 0) await this.refresh();
    this.rounds++;
  }

  async run() {
    while (!this.stopped) await this.round();
  }
}

async function underLoad(t, older, nodes, scenario) {
  const w = await world(t, { start: false, program: older, settings: SETTINGS });
  nodes.push(await w.start());
  const loads = [];
  for (let i = 0; i < CLIENTS; i++) {
    const person = await addPerson(w, `user${i}`);
    const app = await addApp(w, { owner: `user${i}`, name: `App ${i}` });
    const api = await Client.connect(person, app, { scope: EVERYTHING });
    await api.write(MUSIC, { favorite_artists: ["Bach"] });
    loads.push(new Load(api, nodes, i));
  }
  let failed = null;
  const running = Promise.all(loads.map((load) => load.run())).catch((fault) => (failed = fault));
  const more = async () => {
    const goals = loads.map(({ rounds }) => rounds + ROUNDS);
    await until("rounds", () => failed !== null || loads.every(({ rounds }, i) => rounds >= goals[i]), 120_000);
    if (failed !== null) throw failed;
  };
  await more();
  await scenario(w, more);
  for (const load of loads) load.stopped = true;
  await running;
  if (failed !== null) throw failed;
  for (const [i, load] of loads.entries()) {
    const { status, data } = await ask(nodes.find(Boolean).origin, "GET", `/v1/preferences/${MUSIC}`, { headers: { authorization: `Bearer ${load.api.token}` } });
    assert.equal(status, 200);
    const { genres = [], favorite_artists } = data.preferences;
    assert.deepEqual(favorite_artists, ["Bach"]);
    const wanted = load.acknowledged.filter((genre) => !load.suppressed.includes(genre));
    for (const genre of wanted) assert.ok(genres.includes(genre), `user${i}: ${genre} was acknowledged and is lost`);
    for (const genre of genres) assert.ok(!load.suppressed.includes(genre), `user${i}: ${genre} was suppressed and is back`);
    t.diagnostic(`user${i}: ${load.rounds} rounds, ${JSON.stringify(load.statuses)}`);
  }
}

const stop = async (service) => {
  service.signal("SIGTERM");
  assert.deepEqual(await service.exited(), { status: 0, signal: null });
};

onPostgres("nodes of two adjacent versions on one PostgreSQL", async (t) => {
  const { older, newer, title } = await adjacentVersions(t);
  t.diagnostic(title);
  const nodes = [];
  await underLoad(t, older, nodes, async (w, more) => {
    const [first] = nodes;
    const second = await w.start();
    nodes.push(second);
    await more();
    w.program = newer;
    nodes.push(await w.start());
    await more();
    for (const [i, old] of [first, second].entries()) {
      const moved = old.log.some(({ event }) => event === "store_schema_newer");
      const ready = await ask(old.origin, "GET", "/readyz");
      assert.equal(ready.status, moved ? 503 : 200, ready.text); // versions may have the same schema
      nodes[i] = null;
      await stop(old);
      nodes[i] = await w.start();
      await more();
    }
  });
});

onSqlite("a newer version continues with the file of the older one", async (t) => {
  const { older, newer, title } = await adjacentVersions(t);
  t.diagnostic(title);
  const nodes = [];
  await underLoad(t, older, nodes, async (w, more) => {
    const [old] = nodes;
    await stop(old);
    nodes[0] = null;
    w.program = newer;
    nodes[0] = await w.start();
    await more();
  });
});
