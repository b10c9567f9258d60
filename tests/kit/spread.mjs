// A store of two PostgreSQL databases (docs/SCALE.md): where users and names are, and services on it.

import assert from "node:assert/strict";
import { addPerson } from "./oauth.mjs";
import { Cluster, createDatabase, databaseAddress } from "./pg.mjs";
import { proxy } from "./pg_proxy.mjs";
import { Client, FOOD } from "./preferences.mjs";
import { DATABASES, onPostgres, world } from "./world.mjs";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const SHARDS = 4096;

// 0 or 1: the database of a user id, and of a username.
export const halfOf = (id) => (DIGITS.indexOf(id[4]) * 64 + DIGITS.indexOf(id[5]) < SHARDS / 2 ? 0 : 1);
export const halfOfName = (name) => ((([...Buffer.from(name)].reduce((sum, byte, i) => sum + byte * (i + 1) * (i + 17), 0) * 40503) % 65536) / 16 < SHARDS / 2 ? 0 : 1);
export const nameIn = (half, prefix) => Array.from({ length: 99 }, (_, i) => `${prefix}${i}`).find((name) => halfOfName(name) === half);

// These tests make stores of two databases themselves: once is enough.
export const onTwo = DATABASES === 1 ? onPostgres : () => {};

// A world on two servers, without a service. `w.parts` are the addresses of the databases.
export async function twoServers(t) {
  const clusters = [await Cluster.start(), await Cluster.start()];
  for (const cluster of clusters) t.after(() => cluster.end());
  const w = await world(t, { cluster: clusters[0], start: false, settings: { "rate-signin": 0 } });
  const names = [w.database, await createDatabase(clusters[1].port)];
  w.parts = clusters.map((cluster, i) => cluster.address(names[i]));
  w.address = w.parts.join(" ");
  return { w, clusters };
}

// A world on two databases of one server, or more, with a proxy before each. Commands and `w.parts` lead past them.
export async function behindProxies(t, options = {}) {
  const w = await world(t, { databases: 2, start: false, ...options, settings: { "rate-signin": 0, ...options.settings } });
  w.parts = w.address.split(" ");
  const proxies = [];
  for (const {} of w.parts) proxies.push(await proxy(t, w.pgPort));
  const store = proxies.map(({ port }, i) => databaseAddress(port, w.databases[i])).join(" ");
  const start = () => w.start({ store });
  return { w, proxies, start };
}

// At least four users with a token of the app, and at least one in each database. Each has a favorite food of its own.
export async function connectedUsers(w, app) {
  const users = [];
  for (let i = 0; i < 40 && (users.length < 4 || new Set(users.map(({ half }) => half)).size < 2); i++) {
    const person = await addPerson(w, `user${i}`);
    const shared = await person.connect(app);
    const { sub } = (await app.userinfo(shared.access_token)).data;
    await new Client(w, shared).write(FOOD, { favorite_foods: [`Soup ${i}`] });
    users.push({ person, sub, half: halfOf(sub), name: `Soup ${i}`, lookup: halfOfName(`user${i}`), ...shared });
  }
  return users;
}

// What the app reads of such a user.
export const record = (w, { access_token }) => w.ask("GET", `/v1/preferences/${FOOD}`, { headers: { authorization: `Bearer ${access_token}` } });

// The app reads and writes the facts of such a user, and refreshes the token.
export async function assertServed(w, app, user) {
  const answer = await record(w, user);
  assert.equal(answer.status, 200);
  assert.match(answer.text, new RegExp(user.name));
  await new Client(w, user).write(FOOD, { favorite_foods: [user.name, "Bread"] });
  assert.equal((await app.introspect(user.access_token)).data.active, true);
  const { status, data } = await app.refresh(user.refresh_token);
  assert.equal(status, 200);
  Object.assign(user, { access_token: data.access_token, refresh_token: data.refresh_token });
}
