// Two nodes on a primary and its replica, and load on them while the database fails: what was answered, what was
// acknowledged, and how long nothing succeeded.

import assert from "node:assert/strict";
import fs from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { addApp, addPerson, EVERYTHING } from "./oauth.mjs";
import { Cluster, PG_PASSWORD, psql, USER } from "./pg.mjs";
import { proxy } from "./pg_proxy.mjs";
import { Client, MUSIC } from "./preferences.mjs";
import { pause, until } from "./until.mjs";
import { world } from "./world.mjs";

export const RATES = { "rate-signin": 0, "rate-auth": 0, "rate-api": 0, "metrics-listen": "127.0.0.1:0" };
const PACE_MS = 40; // between two requests of a kind

// The same world, app, or person, as clients of one node see it.
export const at = (w, service) => Object.assign(Object.create(w), { service });
export const via = (one, w) => Object.assign(Object.create(one), { w });

export const hosts = (ports, database) => `postgresql://${USER}:${PG_PASSWORD}@${ports.map((port) => `127.0.0.1:${port}`).join(",")}/${database}`;

// `replica` is "synchronous", "asynchronous", or undefined: none. With `proxied` the nodes reach the primary through
// a proxy (pg_proxy.mjs).
export async function nodesOn(t, { replica: kind, proxied = false, count = 2, settings = {}, flags, env } = {}) {
  const primary = await Cluster.start({ flags, env });
  t.after(() => primary.end());
  const w = await world(t, { cluster: primary, start: false });
  const replica = kind && (await primary.replica({ synchronous: kind === "synchronous" }));
  if (replica) t.after(() => replica.end());
  const between = proxied ? await proxy(t, primary.port) : null;
  w.address = hosts([between?.port ?? primary.port, ...(replica ? [replica.port] : [])], w.database);
  const nodes = [];
  for (let i = 0; i < count; i++) nodes.push(at(w, await w.start({ ...RATES, ...settings })));
  w.service = nodes[0]?.service;
  return { w, nodes, primary, replica, between };
}

export async function timed(request) {
  const began = performance.now();
  const answer = await request;
  return { answer, ms: performance.now() - began };
}

// The longest that a request waits for a PostgreSQL that does not respond, with the default store-deadline of 2 s: 5 s
// for its group and a connection, one deadline for the statement or COMMIT without an answer, and one to find out what
// became of a COMMIT. The slack is for a busy machine.
const ANSWER_MS = 5000 + 2 * 2000;
const ANSWER_SLACK_MS = 3000;

// What one client of a node does over and over. Reads and introspection use the newest access token, so that a
// refresh which was acknowledged and is lost shows as 401 or 400. No two cold reads in a row can be answered alike,
// so they always read the database.
const KINDS = {
  read: ({ api }) => api.get(`preferences/${MUSIC}`),
  cold: ({ api }, number) => api.get(`agent-hints?domains=${MUSIC}&max_tokens=${500 + (number % 1000)}`),
  introspect: ({ app, api }) => app.introspect(api.token),
  async refresh({ app, api }) {
    const answer = await app.refresh(api.refresh_token);
    if (answer.status === 200) Object.assign(api, { token: answer.data.access_token, refresh_token: answer.data.refresh_token });
    return answer;
  },
  async write({ api, written }, number) {
    const artist = `Band ${number}`;
    const answer = await api.send(MUSIC, { favorite_artists: [artist] });
    if (answer.status === 200) written.push(artist);
    return answer;
  },
};

// One client that asks all the time: { api, app, pace in ms } and what else the caller needs. `stop` ends it.
export class Load {
  constructor(client) {
    Object.assign(this, { pace: PACE_MS }, client, { written: [], statuses: new Map(), successes: {}, slowest: 0, ending: false, failure: undefined });
    for (const kind of Object.keys(KINDS)) this.successes[kind] = [];
    this.running = Promise.all(Object.keys(KINDS).map((kind) => this.repeat(kind).catch((error) => (this.failure ??= error))));
  }

  async repeat(kind) {
    for (let number = 0; !this.ending; number++) {
      const asked = await timed(KINDS[kind](this, number)).catch((error) => {
        if (!this.ending) throw error;
      });
      if (asked === undefined) return;
      this.statuses.set(`${kind} ${asked.answer.status}`, asked.answer.text);
      this.slowest = Math.max(this.slowest, asked.ms);
      if (asked.answer.status === 200) this.successes[kind].push(performance.now());
      await pause(this.pace);
    }
  }

  // What was answered until now, after it was checked.
  forget() {
    this.assertStatuses();
    this.statuses.clear();
    this.slowest = 0;
  }

  has(wanted) {
    if (this.failure) throw this.failure;
    return wanted();
  }

  // Waits until requests of every kind have succeeded after `since`; returns how long each kind took.
  async served(since) {
    const first = (kind) => this.successes[kind].find((time) => time >= since);
    const kinds = Object.keys(KINDS);
    await until("requests of every kind to succeed", () => this.has(() => kinds.every((kind) => first(kind) !== undefined)), 40_000);
    return Object.fromEntries(kinds.map((kind) => [kind, Math.round(first(kind) - since)]));
  }

  // The longest time without a success of one kind of request, from `from` until now: { kind, ms }.
  outage(from) {
    const longest = (kind) => {
      const times = [from, ...this.successes[kind].filter((time) => time > from), performance.now()];
      return Math.max(...times.slice(1).map((time, i) => time - times[i]));
    };
    const all = Object.keys(KINDS).map((kind) => ({ kind, ms: Math.round(longest(kind)) }));
    return all.reduce((worst, one) => (one.ms > worst.ms ? one : worst));
  }

  // Every request was answered within the bound that docs/OPERATING.md states.
  assertAnswered() {
    assert.ok(this.slowest < ANSWER_MS + ANSWER_SLACK_MS, `a request was answered after ${Math.round(this.slowest)} ms`);
  }

  async refused(kinds = Object.keys(KINDS)) {
    await until("503", () => this.has(() => kinds.every((kind) => this.statuses.has(`${kind} 503`))), 40_000);
  }

  // Only 200, and 503 that says what happened.
  assertStatuses() {
    for (const [name, text] of this.statuses) assert.match(name, / (200|503)$/, `${name}: ${text}`);
    if (this.failure) throw this.failure;
  }

  // The requests under way end with the node, or are answered.
  async stop() {
    this.ending = true;
    await this.running;
  }
}

// Milliseconds in which some process of the machine waited for a processor, or null if the kernel does not say.
function starvedMs() {
  try {
    return Number(/^some .*total=(\d+)/m.exec(fs.readFileSync("/proc/pressure/cpu", "latin1"))[1]) / 1000;
  } catch {
    return null;
  }
}

// Readiness is asked all the time. It answers within a second, whatever the database does. Longer by what this process was
// late itself and what /healthz took, which is asked beside it, and by the time in which processes waited for a processor:
// an answer that needs none of that allowance is judged strictly. If the machine is busy all the time, an answer may be
// late, but not three in a row, nor by as long as a database that hangs.
class Probe {
  constructor(node) {
    Object.assign(this, { node, ending: false, late: [], inRow: 0, slowest: 0, asked: 0, strict: 0, statuses: new Set() });
    this.delays = monitorEventLoopDelay({ resolution: 5 });
    this.delays.enable();
    this.running = this.repeat().catch((error) => (this.failure ??= error));
  }

  async repeat() {
    while (!this.ending) {
      this.delays.reset();
      const starved = starvedMs();
      const asked = ["/readyz", "/healthz"].map((path) => timed(this.node.get(path)));
      const [ready, health] = await Promise.all(asked).catch((error) => {
        if (!this.ending) throw error;
        return [];
      });
      if (ready === undefined) return;
      this.statuses.add(ready.answer.status);
      this.slowest = Math.max(this.slowest, ready.ms);
      this.judge(ready.ms, health.ms, starved === null ? Infinity : starvedMs() - starved);
      this.inRow = ready.ms > 1000 + 3 * health.ms ? this.inRow + 1 : 0;
      if (this.inRow >= 3 || ready.ms > 5000 + 3 * health.ms) this.late.push(`/readyz ${Math.round(ready.ms)} ms, /healthz ${Math.round(health.ms)} ms`);
      await pause(100);
    }
  }

  judge(ms, healthMs, starvedFor) {
    const own = this.delays.count === 0 ? 0 : this.delays.max / 1e6;
    const allowed = 1000 + own + healthMs + starvedFor;
    this.asked++;
    if (starvedFor + own + healthMs < 500) this.strict++;
    if (ms > allowed) this.late.push(`/readyz ${Math.round(ms)} ms, /healthz ${Math.round(healthMs)} ms, this process ${Math.round(own)} ms late, processes waited ${Math.round(starvedFor)} ms`);
  }

  async stop() {
    this.ending = true;
    await this.running;
    this.delays.disable();
    if (this.failure) throw this.failure;
    assert.deepEqual(this.late, [], "readiness takes longer than a second");
  }
}

// How long a statement of a client that does nothing else takes on this machine: psql, with the start of its process.
class Reference {
  constructor(address) {
    Object.assign(this, { address, ending: false, slowest: 0 });
    this.running = this.repeat();
  }

  async repeat() {
    while (!this.ending) {
      const { ms } = await timed(psql(this.address, "SELECT 1").catch(() => undefined));
      this.slowest = Math.max(this.slowest, ms);
      await pause(200);
    }
  }

  async stop() {
    this.ending = true;
    await this.running;
  }
}

// A user with an app on each node, which ask all the time, and readiness probes. `stop` ends them and checks the statuses
// and the probes. `address` is that of a server which answers throughout, or undefined. `before` is called when everything
// is prepared and nothing is asked yet.
export async function startLoad(t, { w, nodes }, address, before = async () => {}) {
  const owner = await addPerson(w, "owner");
  const app = await addApp(w, { owner: "owner" });
  const clients = [];
  for (const [i, node] of nodes.entries()) {
    const person = i === 0 ? owner : await addPerson(w, `user${i}`);
    const api = via(await Client.connect(person, app, { scope: EVERYTHING }), node);
    clients.push({ node, api, app: via(app, node), username: person.username });
  }
  await before();
  const loads = clients.map((client) => new Load(client));
  const probes = nodes.map((node) => new Probe(node));
  const reference = address === undefined ? { slowest: 0, stop() {} } : new Reference(address);
  const all = [...loads, ...probes, reference];
  t.after(() => Promise.all(all.map((one) => one.stop())));
  return {
    loads,
    probes,
    reference,
    async stop() {
      await Promise.all(all.map((one) => one.stop()));
      for (const load of loads) load.assertStatuses();
    },
    // Ends the nodes under load. Returns how long the last one took.
    async terminate(within) {
      for (const one of [...loads, ...probes]) one.ending = true;
      const began = performance.now();
      for (const { service } of nodes) service.signal("SIGTERM");
      for (const { service } of nodes) assert.deepEqual(await service.exited(within), { status: 0, signal: null });
      return performance.now() - began;
    },
    report: () =>
      [...loads.map((load, i) => `node ${i}: slowest ${Math.round(load.slowest)} ms, ${load.written.length} writes, ${[...load.statuses.keys()].sort().join(", ")}`), `slowest /readyz ${Math.round(Math.max(...probes.map(({ slowest }) => slowest)))} ms, ${probes.reduce((sum, { strict }) => sum + strict, 0)} of ${probes.reduce((sum, { asked }) => sum + asked, 0)} while the machine was not busy`].join("; "),
  };
}

// Every preference that was acknowledged is in the database. Returns how many there are.
export async function assertStored(address, loads) {
  for (const { username, written } of loads) {
    const acknowledged = [...written]; // the load may go on
    const record = await psql(address, `SELECT r.record FROM user_record r JOIN username_lookup u USING (user_id) WHERE u.username = '${username}' AND r.domain = '${MUSIC}'`);
    const stored = new Set(JSON.parse(record.slice(record.indexOf("{"))).favorite_artists);
    assert.deepEqual(acknowledged.filter((artist) => !stored.has(artist)), [], `acknowledged to ${username} and lost`);
  }
  return loads.reduce((sum, { written }) => sum + written.length, 0);
}

// What every test of a failing database states, and docs/OPERATING.md lists: the longest time since `from` in which no
// request of a kind succeeded, how much of it was after the end of the fault, the statuses seen, and that no
// acknowledged write is lost. Waits until every node serves again. `address` is the database that now has the data.
export async function assertFigures(t, name, { loads }, { from, ended, address, within }) {
  const again = (await Promise.all(loads.map((load) => load.served(ended)))).flatMap((one) => Object.values(one));
  const outage = loads.map((load) => load.outage(from)).reduce((worst, one) => (one.ms > worst.ms ? one : worst));
  const statuses = [...new Set(loads.flatMap((load) => [...load.statuses.keys()]))].sort();
  for (const load of loads) load.assertStatuses();
  const stored = await assertStored(address, loads);
  t.diagnostic(`${name}: longest outage ${outage.ms} ms (${outage.kind}), served again ${Math.max(...again)} ms after its end; ${statuses.join(", ")}; 0 of ${stored} acknowledged writes lost`);
  assert.ok(stored > 0, `${name}: no write was acknowledged`);
  assert.ok(Math.max(...again) < within, `${name}: served again after ${again} ms, not within ${within} ms`);
}
