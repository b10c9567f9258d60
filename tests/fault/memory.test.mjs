// What one user can make the service hold: the largest input that every route accepts, as an attacker sends
// it, and the largest account. Measured on the release build, because AddressSanitizer keeps freed memory.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { formOn, open } from "../kit/account.mjs";
import { ask } from "../kit/http.mjs";
import { connected } from "../kit/preferences.mjs";
import { often } from "../kit/thorough.mjs";
import { until } from "../kit/until.mjs";
import { RELEASE, STORE } from "../kit/world.mjs";

const MIB = 1024 * 1024;
const LIMIT = 64 * MIB;
const TIMES = { created_at: "2026-11-14T09:30:00Z", updated_at: "2026-11-14T09:30:01Z" };
const DOMAINS = ["coding_profile", "food_profile", "music_preferences", "travel_profile"];
const UPLOAD = "/account/data/import";

const id = (n) => `app_${String(n).padStart(22, "A")}`;
const source = (n) => ({ source: id(n), created_at: `2026-11-14T09:${String(n % 60).padStart(2, "0")}:00Z`, updated_at: TIMES.updated_at });
const fact = (value, sources) => ({ member: "statements", value, status: "active", by_user: false, ...TIMES, sources });
const document = (atoms) =>
  JSON.stringify({ format: "penchant-export", version: 1, domains: Object.fromEntries(DOMAINS.map((name) => [name, { atoms: atoms(name) }])) });

// As much as an account can hold: four domains of 1,900 facts of 240 bytes with five sources each.
const FULL = document(() => Array.from({ length: 1900 }, (_, i) => fact(`${i} ${"\u{20000}".repeat(58)}`, Array.from({ length: 5 }, (_, n) => source(i + n)))));

// Documents that cost most to look at, and are refused.
const HOSTILE = {
  "70,000 sources of one fact": document((name) => (name === DOMAINS[0] ? [fact("x", Array.from({ length: 70_000 }, (_, n) => source(n)))] : [])),
  "half a million empty arrays": `[${"[],".repeat(249_000)}[]]`,
  "one object of many keys": `{${Array.from({ length: 400_000 }, (_, n) => `"k${n}":1`).join(",")}}`,
  "8 MiB of escapes": `"${"\\n".repeat(4 * MIB - 10)}"`,
  numbers: `[${"1,".repeat(490_000)}1]`,
};

// Files of other services that cost most to read: many long names, many rows, a text of one line.
const rows = (row) => {
  const list = [];
  for (let size = 0, n = 0; size < 13.9 * MIB; n++) size += list[list.push(row(n)) - 1].length + 1;
  return `[${list.join(",")}]`;
};
const BROUGHT = {
  "long names": rows((n) => `{"artistName":"${String(n).padStart(95, "a")}","trackName":"${String(n).padStart(95, "t")}","msPlayed":99999}`),
  "short names": rows((n) => `{"artistName":"${n}","trackName":"t","msPlayed":99999}`),
  "one row": `[{"msPlayed":1,"a":"${"\\n".repeat(6.9 * MIB)}"}]`,
  "one line": "a ".repeat(6.9 * MIB),
  "a table of quotation marks": `Title,Date\n"${'""'.repeat(6.9 * MIB)}",1\n`,
};

function multipart(token, bytes) {
  const part = (name, value, more = "") => `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  return { body: Buffer.from(`${part("form", token)}${part("file", bytes, '; filename="a.json"')}--x--\r\n`), headers: { "content-type": "multipart/form-data; boundary=x" } };
}

class Watch {
  constructor(w) {
    this.w = w;
    this.late = [];
  }

  status(name) {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(fs.readFileSync(`/proc/${this.w.service.pid}/status`, "utf8"))[1]) * 1024;
  }

  // From here on the peak is that of what comes now.
  begin() {
    fs.writeFileSync(`/proc/${this.w.service.pid}/clear_refs`, "5");
    this.idle ??= this.status("VmRSS");
  }

  async holds(what, work) {
    this.begin();
    const result = await work();
    const above = this.status("VmHWM") - this.idle;
    if (process.env.SHOW_MEMORY) console.log(`${(above / MIB).toFixed(1)} MiB  ${what}`);
    assert.ok(above < LIMIT, `${what}: ${(above / MIB).toFixed(1)} MiB above idle`);
    return result;
  }

  // Somebody else, who asks all the time.
  async ping(until) {
    const took = [];
    while (!until()) {
      const from = performance.now();
      assert.equal((await ask(this.w.origin, "GET", "/healthz")).status, 200);
      took.push(performance.now() - from);
      await new Promise((go) => setTimeout(go, 5));
    }
    return took.sort((a, b) => a - b)[Math.floor(took.length * 0.9)];
  }
}

// Reading a file does not depend on the store: in `make check`, one file of each kind is enough on PostgreSQL.
const some = (files) => Object.entries(files).slice(0, STORE === "sqlite" ? undefined : often(1, undefined));
const [refused, brought] = [some(HOSTILE), some(BROUGHT)];

const many = (count, work) => Promise.all(Array.from({ length: count }, (_, n) => work(n)));

test("the worst accepted input to every route stays under 64 MiB, and others get responses at once", async (t) => {
  const { w, ada, app, api } = await connected(t, { scope: "preferences:read preferences:write profile:read agent_hints", program: RELEASE });
  const watch = new Watch(w);
  const browser = { origin: w.publicOrigin(), "sec-fetch-site": "same-origin", cookie: `${ada.cookieName}=${ada.session}` };
  const send = (method, url, { body, headers = {} } = {}) => ask(w.origin, method, url, { body, headers });
  const post = (url, options) => send("POST", url, { ...options, headers: { ...browser, ...options.headers } });
  for (const url of ["/account", "/account/data", "/healthz"]) await send("GET", url, { headers: browser });
  let begun = Date.now();
  const idle = await watch.ping(() => Date.now() - begun > 500);

  let done = false;
  const others = watch.ping(() => done);
  const token = formOn(await open(ada, UPLOAD), UPLOAD).value("form");
  assert.ok(Buffer.byteLength(FULL) < 8 * MIB && Buffer.byteLength(FULL) > 6.5 * MIB, `${Buffer.byteLength(FULL)} bytes`);

  // Documents that are refused, the largest import, and four of them at once: those for which there is no
  // memory get 503 with Retry-After.
  for (const [why, text] of refused) {
    assert.ok(Buffer.byteLength(text) <= 8 * MIB, why);
    const [first] = await watch.holds(why, () => many(1, () => post(UPLOAD, multipart(token, text))));
    assert.equal(first.status, 400, `${why}: ${first.status}`);
  }
  for (const [why, text] of brought) {
    const { status } = await watch.holds(why, () => post(UPLOAD, multipart(token, text)));
    assert.ok(status === 200 || status === 400, `${why}: ${status}`);
  }
  const preview = await watch.holds("the largest import", () => post(UPLOAD, multipart(token, FULL)));
  assert.equal(preview.status, 200, preview.text.slice(0, 2000));
  const draft = /name="draft" value="(imp_[\w-]+)"/.exec(preview.text)[1];
  const confirmed = await watch.holds("its confirmation", () => post(`${UPLOAD}/confirm`, { body: new URLSearchParams({ form: token, draft }).toString(), headers: { "content-type": "application/x-www-form-urlencoded" } }));
  assert.equal(confirmed.status, 303, confirmed.text.slice(0, 2000));
  const crowd = await watch.holds("four imports at once", () => many(4, () => post(UPLOAD, multipart(token, FULL))));
  for (const { status, headers } of crowd) assert.ok(status === 200 || (status === 503 && headers["retry-after"]), `${status}`);

  // Every route, with that account: two at once, and documents one by one.
  const { data: routes } = await w.penchant(["help", "routes", "--json"]);
  const { atoms: [atom] } = await api.read("preferences/atoms?limit=1");
  const names = { domain: DOMAINS[0], fact: atom.atom_id, app: app.client_id };
  for (const route of routes.filter(({ caller, path }) => caller !== "operator" && !/signout|delete/.test(path))) {
    const url = route.path.replace(/\{([^}]+)\}/g, (_, name) => names[name] ?? "nothing-here");
    const what = `${route.method} ${route.path}`;
    const headers = route.caller === "token" ? { authorization: `Bearer ${api.token}` } : browser;
    if (route.method === "GET") {
      for (const query of ["", "?q=nothing"]) {
        const answers = await watch.holds(`${what}${query}`, () => many(/export/.test(url) ? 1 : 2, () => send("GET", url + query, { headers })));
        for (const { status } of answers) assert.notEqual(status, 500, what);
      }
      continue;
    }
    const size = route.body_max;
    const bodies = {
      form: ["application/x-www-form-urlencoded", "a=&".repeat(size / 3)],
      json: ["application/json", `{"preferences":{"statements":[${'"a",'.repeat(size / 4 - 20)}"a"]}}`],
      file: ["multipart/form-data; boundary=x", "--x\r\n".repeat(size / 5)],
    };
    const [type, body] = bodies[route.body];
    const answers = await watch.holds(what, () => many(4, () => send("POST", url, { body: body.slice(0, size), headers: { ...headers, "content-type": type } })));
    for (const { status } of answers) assert.notEqual(status, 500, what);
  }

  // Bodies of strangers, which never end.
  await watch.holds("150 bodies of strangers", async () => {
    const connections = await many(150, async () => {
      const connection = await w.connect();
      connection.send(`POST ${UPLOAD} HTTP/1.1\r\nHost: h\r\nOrigin: ${w.publicOrigin()}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${8 * MIB}\r\n\r\n`);
      return connection;
    });
    for (const connection of connections) connection.send("x".repeat(64 * 1024)); // what it sends before it reads
    // Where reading the store blocks, a worker authenticates it, and the answer comes after the body, which is
    // dropped: of two of them that is waited for.
    const heard = STORE === "sqlite" ? connections : connections.slice(0, 2);
    if (STORE !== "sqlite") for (const connection of heard) connection.send("x".repeat(8 * MIB - 64 * 1024));
    for (const connection of heard) {
      await until("an answer", () => connection.bytes.length > 0 || connection.closed);
      assert.equal((await connection.answer()).status, 303);
    }
  });

  done = true;
  const busy = await others;
  if (process.env.SHOW_MEMORY) console.log(`healthz: ${idle.toFixed(1)} ms idle, ${busy.toFixed(1)} ms beside all this`);
  assert.ok(busy < Math.max(50, 20 * idle), `nine of ten answers within ${busy.toFixed(1)} ms; ${idle.toFixed(1)} ms when idle`);
});
