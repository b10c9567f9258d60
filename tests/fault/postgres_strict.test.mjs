// Three nodes on one PostgreSQL, each with a cache. A request that begins after a change was acknowledged on any node must
// see it: a model interleaves changes on one node with reads on all of them. Meanwhile a long transaction runs in the
// database, and now and then a node sleeps during a change and the change log is emptied before it wakes up.
//
// Changes, nodes, and their order follow from a seed, which is printed; NODES_SEED=… takes another one. How requests
// overlap in time does not.

import assert from "node:assert/strict";
import { formOn, open } from "../kit/account.mjs";
import { READS, threeNodes, via } from "../kit/nodes.mjs";
import { addApp, addPerson, appCommand, EVERYTHING, userCommand } from "../kit/oauth.mjs";
import { BIN } from "../kit/pg.mjs";
import { Client, FOOD, MUSIC } from "../kit/preferences.mjs";
import { Random } from "../kit/preferences_model.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres } from "../kit/world.mjs";

const LANES = 3; // users, at the same time
const ROUNDS = Number(process.env.NODES_ROUNDS ?? 1); // of all changes, for each user
const SEED = Number(process.env.NODES_SEED ?? 1);
const UNTIL_SEEN = 2; // reads of each reader that begin after the acknowledgment

let counted = 0;
const unique = (what) => `${what} ${++counted}`;

const EVERY = ["record", "hints", "profile", "mcp", "token"];
const refused = ({ status, data }) => status === 401 || data.active === false;
const shows = (text) => (answer) => answer.status === 200 && answer.text.includes(text);
const hides = (text) => (answer) => answer.status === 200 && !answer.text.includes(text);

// ---- the changes: each returns what to do, what to read, and what must hold afterwards ----

const CHANGES = {
  async revoke({ lane, node }) {
    await lane.api.renew();
    const app = via(lane.app, node);
    return { change: () => app.revoke(lane.api.token), reads: EVERY, holds: refused, renew: true };
  },
  async endFamily({ lane, node }) {
    const app = via(lane.app, node);
    return { change: () => app.revoke(lane.api.refresh_token), reads: EVERY, holds: refused, reconnect: true };
  },
  async disconnect({ lane, node }) {
    const person = via(lane.person, node);
    const page = await open(person, `/account/apps/${lane.app.client_id}`);
    const action = `/account/apps/${lane.app.client_id}/disconnect`;
    const form = formOn(page, action).filled();
    return { change: () => person.post(action, form), reads: EVERY, holds: refused, reconnect: true };
  },
  async write({ lane, node }) {
    const artist = unique("artist");
    const api = via(lane.api, node);
    return { change: () => api.send(MUSIC, { favorite_artists: [artist] }), reads: ["record"], holds: shows(artist), clean: () => lane.api.suppress(artist) };
  },
  async suppress({ lane, node }) {
    const genre = unique("genre");
    const api = via(lane.api, node);
    await lane.api.write(MUSIC, { genres: [genre] });
    const { atom_id } = await lane.api.atom(genre);
    return { change: () => api.suppressing(atom_id), reads: ["record", "hints", "mcp"], holds: hides(genre) };
  },
  async withhold({ lane, node }) {
    const food = unique("Soup");
    const person = via(lane.person, node);
    await lane.api.write(FOOD, { favorite_foods: [food] });
    const page = await open(person, `/account/apps/${lane.app.client_id}/facts`);
    const [, token] = /name="form" value="([^"]+)"/.exec(page.text);
    const { atom_id } = await lane.api.atom(food);
    const action = `/account/apps/${lane.app.client_id}/withhold`;
    return { change: () => person.post(action, { form: token, page: "1", fact: atom_id }), reads: ["food", "hints", "mcp"], holds: hides(food) };
  },
  async rename({ lane, node }) {
    const name = unique("Name");
    const person = via(lane.person, node);
    const page = await open(person, "/account/profile");
    const form = formOn(page, "/account/profile").filled({ typed: { name } });
    return { change: () => person.post("/account/profile", form), reads: ["profile"], holds: shows(name) };
  },
  async rotate({ lane }) {
    const change = async () => {
      lane.next = await appCommand(lane.w, "rotate-secret", lane.app.client_id, "--end-old");
      lane.w.secrets.add(lane.next.client_secret);
    };
    const clean = async () => (lane.app.client_secret = lane.next.client_secret);
    return { change, reads: ["token"], holds: ({ status }) => status === 401, clean };
  },
  async disableApp({ lane }) {
    const change = () => appCommand(lane.w, "disable", lane.app.client_id);
    return { change, reads: EVERY, holds: refused, clean: () => appCommand(lane.w, "enable", lane.app.client_id), reconnect: true };
  },
  async disableUser({ lane }) {
    const change = () => userCommand(lane.w, "disable", lane.person.username);
    const clean = () => userCommand(lane.w, "enable", lane.person.username);
    return { change, reads: EVERY, holds: refused, clean, reconnect: true };
  },
  async deleteUser({ lane }) {
    const change = () => userCommand(lane.w, "delete", lane.person.username);
    const clean = async () => (lane.person = await addPerson(lane.w, unique("user").replace(" ", "-")));
    return { change, reads: EVERY, holds: refused, clean, reconnect: true };
  },
  async deleteAccount({ lane, node }) {
    const person = via(lane.person, node);
    const form = formOn(await open(person, "/account/data"), "/account/data/delete").filled({ ticks: ["yes"] });
    const clean = async () => (lane.person = await addPerson(lane.w, unique("user").replace(" ", "-")));
    return { change: () => person.post("/account/data/delete", form), reads: EVERY, holds: refused, clean, reconnect: true };
  },
};

// Reads until the change is acknowledged, and UNTIL_SEEN times after. Returns the number of reads. A node that slept may
// have missed deadlines of the database; then it answers 503, which is not stale.
async function reader(read, origin, what, state, holds, name) {
  let after = 0, reads = 0;
  while (after < UNTIL_SEEN) {
    const acknowledged = state.acknowledged;
    const answer = await read(origin, what);
    reads++;
    if (answer.status === 503 && origin === state.sleeper) continue;
    assert.ok([200, 401].includes(answer.status), `${name}: ${answer.status} ${answer.text}`);
    if (!acknowledged) continue;
    assert.ok(holds(answer), `stale after ${name} on ${origin}: ${answer.status} ${answer.text.slice(0, 300)}`);
    after++;
  }
  return reads;
}

const EMPTY_LOG = "WITH gone AS (DELETE FROM store_change RETURNING 1) INSERT INTO store_change SELECT pg_current_xact_id(), '<' || pg_snapshot_xmax(pg_current_snapshot())";

async function changeWhileAsleep(w, sleeper, change) {
  sleeper.service.signal("SIGSTOP");
  try {
    const done = await change();
    await w.sql(EMPTY_LOG);
    return done;
  } finally {
    sleeper.service.signal("SIGCONT");
  }
}

// `sleeper`: the node that is stopped while another one makes the change.
async function interleave(lane, nodes, name, sleeper) {
  const node = lane.random.of(nodes.filter((one) => one !== sleeper));
  const { change, reads, holds, clean, renew, reconnect } = await CHANGES[name]({ lane, node });
  const what = { token: lane.api.token, client_id: lane.app.client_id, secret: lane.app.client_secret };
  const origins = nodes.map(({ origin }) => origin);
  for (const origin of origins)
    for (const kind of reads) {
      const { status, text } = await READS[kind](origin, what); // now it is cached
      assert.ok(status === 200 && !text.includes('"isError":true'), `${kind} before ${name}: ${status} ${text}`);
    }
  const state = { acknowledged: false, sleeper: sleeper?.origin };
  const readers = origins.flatMap((origin) => reads.map((kind) => reader(READS[kind], origin, what, state, holds, `${name}, ${kind}`)));
  const changing = (async () => {
    const done = sleeper ? await changeWhileAsleep(lane.w, sleeper, change) : await change();
    assert.ok(done?.headers === undefined || [200, 303].includes(done.status), `${name}: ${done?.status} ${done?.text}`);
    state.acknowledged = true;
  })();
  const counts = await Promise.all([...readers, changing]);
  await clean?.();
  if (reconnect) lane.api = await Client.connect(lane.person, lane.app, { scope: EVERYTHING });
  else if (renew) await lane.api.renew();
  return counts.slice(0, -1).reduce((sum, one) => sum + one, 0);
}

function shuffled(random, list) {
  const left = [...list];
  return list.map(() => left.splice(random.below(left.length), 1)[0]);
}

// A transaction in each database that has written and is still running.
async function longTransaction(t, w) {
  const programs = w.address.split(" ").map((address) => new Program(`${BIN}/psql`, ["-qAtX", address], { stdio: ["pipe", "pipe", "pipe"] }));
  t.after(() => programs.forEach((psql) => psql.alive && psql.signal("SIGKILL")));
  for (const psql of programs) psql.child.stdin.write("BEGIN; INSERT INTO store_change VALUES (pg_current_xact_id(), '1'); SELECT 'begun';\n");
  for (const psql of programs) await until("a transaction", () => psql.out.includes("begun"));
  return async (end) => {
    for (const psql of programs) psql.child.stdin.end(`${end};\n`);
    for (const psql of programs) await psql.exit();
  };
}

const count = ROUNDS * (LANES * Object.keys(CHANGES).length + 1);
onPostgres(`no node answers with what another one has changed (${count} interleavings)`, (t) => manyInterleavings(t, 1));
onPostgres(`nor on two databases (${count} interleavings)`, (t) => manyInterleavings(t, 2));

async function manyInterleavings(t, databases) {
  t.diagnostic(`NODES_SEED=${SEED}`);
  // Beside other programs a write can take more than the usual two seconds; its 503 would say nothing about strictness.
  const { w, nodes } = await threeNodes(t, { databases, settings: { "store-deadline": 20_000 } });
  const random = new Random(SEED);
  const lanes = [];
  for (let i = 0; i < LANES; i++) {
    await addPerson(w, `owner${i}`, { signedIn: false });
    const person = await addPerson(w, unique("user").replace(" ", "-"));
    const app = await addApp(w, { owner: `owner${i}`, name: `App ${i}` });
    lanes.push({ w, person, app, api: await Client.connect(person, app, { scope: EVERYTHING }), random: new Random(SEED * 1000 + i) });
  }
  let interleavings = 0, reads = 0;
  const run = async (lane, name, sleeper) => {
    reads += await interleave(lane, nodes, name, sleeper).catch((fault) => {
      throw new Error(`NODES_SEED=${SEED}, ${databases} databases, after ${interleavings} interleavings: ${fault.message}`, { cause: fault });
    });
    interleavings++;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const endTransaction = await longTransaction(t, w);
    await Promise.all(lanes.map(async (lane) => {
      for (const name of shuffled(lane.random, Object.keys(CHANGES))) await run(lane, name);
    }));
    await endTransaction(random.of(["COMMIT", "ROLLBACK"]));
    await run(random.of(lanes), random.of(Object.keys(CHANGES)), random.of(nodes)); // alone: what others do would wait for the sleeper
  }
  assert.equal(interleavings, count);
  t.diagnostic(`${interleavings} interleavings, ${reads} reads`);
  const metrics = await w.metrics();
  assert.ok(metrics.penchant_store_synced_total > 100, "the reads were not answered by shared checks");
}
