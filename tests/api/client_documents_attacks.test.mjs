// Attacks with client ID metadata documents: addresses that the service must not connect to, hosts that answer
// slowly, endlessly, or wrongly, poisoned documents, and floods.

import assert from "node:assert/strict";
import test from "node:test";
import { documentClient, documentHost, HOST } from "../kit/document_host.mjs";
import { formTo, textOf } from "../kit/html.mjs";
import { assertStop, MINUTE, stage } from "../kit/oauth.mjs";
import { until } from "../kit/until.mjs";

async function scene(t, { names, ...settings } = {}) {
  const host = await documentHost(t, { names });
  const { w, ada, app } = await stage(t, { settings: { "metrics-listen": "127.0.0.1:0", ...host.settings, ...settings } });
  return { host, w, ada, app };
}

const assertStopText = (answer, sentence) => assert.match(textOf(assertStop(answer).text), sentence);
const CANNOT = /For the developer: The client ID metadata document cannot be used\./;

test("an invalid client_id URL is rejected without a lookup or a connection", async (t) => {
  const { host, w, ada } = await scene(t);
  const { port } = host;
  host.publish("/client.json");
  const refuse = async (client_id, sentence) => {
    const page = await ada.get(documentClient(w, client_id).request().path);
    assertStopText(page, CANNOT);
    assertStopText(page, sentence);
  };
  const addresses = ["127.0.0.1", "2130706433", "0x7f000001", "017700000001", "0x7f.1", "127.1", "127.0.0.01", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[fe80::1%25lo]", "１２７.0.0.1", "127。0。0。1", "169.254.169.254", "10.0.0.1", "1.1.1.1"];
  const names = [`${HOST}.`, "localhost.", `user@${HOST}`, `user:password@${HOST}`, `${HOST}@claude.ai`, "APP.localhost", "büro.example", "a_b.example", "-a.example", "a..example", ".example", "", "a".repeat(64) + ".example", `${HOST}%2f`, `${HOST}\\@claude.ai`];
  for (const name of [...addresses, ...names]) await refuse(`https://${name}:${port}/client.json`, /needs a host name in lower case|cannot have a query/);
  for (const bad of ["0", "443", "65536", "-1", "1e3", "08443", "", " 1"]) await refuse(`https://${HOST}:${bad}/client.json`, /needs a host name in lower case/);
  const at = (rest) => `https://${HOST}:${port}${rest}`;
  for (const rest of ["/client.json?x=1", "/client.json#x", "//client.json", "/a//client.json", "/./client.json", "/a/../client.json", "/%2e%2e/client.json", "/a%2Fclient.json", "/a%5cclient.json", "/client.json/", "/a b", "/a\nb", "/a%0ab", "/%zz", "/é", "/a\\b", "/%00", '/"', "/<x>"]) await refuse(at(rest), /cannot have a query, a fragment, or an empty segment/);
  for (const rest of ["", "/"]) await refuse(at(rest), /needs a path/);
  await refuse(at(`/${"a".repeat(512)}`), /at most 512 bytes/);
  assert.equal(host.connections, 0);
  for (const other of [`http://${HOST}:${port}/client.json`, `HTTPS://${HOST}:${port}/client.json`, "file:///etc/passwd", "gopher://x/", "//app.localhost/client.json"]) assertStopText(await ada.get(documentClient(w, other).request().path), /client_id is unknown or disabled/);
  assert.equal(host.connections, 0);
});

test("a name that leads to this machine is rejected when the connection is opened", async (t) => {
  const { host, w, ada } = await scene(t, { "client-documents-local": "listed.localhost" });
  for (const name of ["localhost", HOST, "other.localhost"]) {
    assertStopText(await ada.get(documentClient(w, host.publish("/client.json", {}, { name })).request().path), /Its host cannot be reached on the public internet, or its certificate is not valid\./);
    const line = await w.service.logged("the refusal", (one) => one.event === "client_document_failed" && one.host === name);
    assert.equal(line.result, "forbidden");
  }
  assert.equal(host.connections, 0);
});

test("the certificate must be valid for the host", async (t) => {
  const { host, w, ada } = await scene(t, { "client-documents-local": `${HOST} wrong.localhost` });
  assertStopText(await ada.get(documentClient(w, host.publish("/client.json", {}, { name: "wrong.localhost" })).request().path), /certificate is not valid/);
  await w.stop();
  await w.start({ "client-documents-ca": undefined });
  assertStopText(await ada.get(documentClient(w, host.publish("/client.json")).request().path), /certificate is not valid/);
  assert.deepEqual([host.connections, host.requests.length], [2, 0]);
});

test("redirects, statuses, types, and sizes", async (t) => {
  const { host, w, ada } = await scene(t);
  host.publish("/target.json");
  const answers = {
    redirect: [(response) => response.writeHead(302, { location: host.url("/target.json"), "content-type": "application/json" }).end("{}"), /It redirects, which is not followed\./],
    permanent: [(response) => response.writeHead(308, { location: "http://127.0.0.1/" }).end(), /It redirects/],
    created: [(response) => response.writeHead(201, { "content-type": "application/json" }).end("{}"), /status 201 instead of 200/],
    gone: [(response) => response.writeHead(410).end(), /status 410/],
    broken: [(response) => response.writeHead(500).end(), /status 500/],
    html: [(response) => response.writeHead(200, { "content-type": "text/html" }).end("{}"), /Its Content-Type must be application\/json\./],
    untyped: [(response) => response.writeHead(200).end("{}"), /Content-Type/],
    twice: [(response) => response.writeHead(200, [["content-type", "application/json"], ["content-type", "text/html"]].flat()).end("{}"), /Content-Type/],
    declared: [(response) => response.writeHead(200, { "content-type": "application/json", "content-length": 10241 }).end("x".repeat(10241)), /It has more than 10 KiB\./],
    endless: [(response) => { response.writeHead(200, { "content-type": "application/json" }); const more = () => response.destroyed || response.write(" ".repeat(1000), () => setImmediate(more)); more(); }, /more than 10 KiB/],
    compressed: [(response) => response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end("\x1f\x8b"), /JSON is not valid/],
    head: [(response) => { response.writeHead(200, { "content-type": "application/json", ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x-${i}`, "y".repeat(1000)])) }).end("{}"); }, /more than 10 KiB/],
    cut: [(response) => { response.writeHead(200, { "content-type": "application/json", "content-length": 100 }); response.write("{}", () => response.destroy()); }, /cannot be reached/],
    nothing: [(response) => response.socket.destroy(), /cannot be reached/],
    garbage: [(response) => { response.socket.write("no HTTP at all\r\n\r\n"); response.socket.end(); }, /cannot be reached/],
  };
  for (const [name, [send, sentence]] of Object.entries(answers)) {
    host.on(`/${name}`, (_, response) => send(response));
    assertStopText(await ada.get(documentClient(w, host.url(`/${name}`)).request().path), sentence);
    assert.equal(host.asked(`/${name}`), 1, name);
  }
  assert.equal(host.asked("/target.json"), 0);
  for (const type of ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.oauth.client+json"]) {
    host.publish("/typed.json", {}, { headers: { "content-type": type } });
    await ada.asked(documentClient(w, host.url("/typed.json")));
    w.clock.forward(5 * MINUTE);
  }
  await ada.asked(documentClient(w, host.publish("/large.json", { filler: "x".repeat(9900) })));
});

test("poisoned documents are rejected with the reason, and none becomes a client", async (t) => {
  const { host, w, ada } = await scene(t);
  let count = 0;
  const refuse = async (document, sentence, more) => {
    const url = host.publish(`/${++count}.json`, document, more);
    const page = await ada.get(documentClient(w, url, document.redirect_uris?.[0]).request().path);
    assertStopText(page, CANNOT);
    assertStopText(page, sentence);
    return page;
  };
  for (const client_id of [undefined, "", 7, host.url("/other.json"), `${host.url(`/${count}.json`)}/`, "https://claude.ai/oauth/client"]) await refuse({ client_id }, /Its client_id must be its own URL|client_id must be a string/);
  for (const secret of [{ client_secret: "x" }, { client_secret: null }, { client_secret_expires_at: 0 }, { client_secret_basic: "x" }]) await refuse(secret, /It contains a client_secret, which everyone can read\./);
  for (const method of ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "tls_client_auth"]) await refuse({ token_endpoint_auth_method: method }, /Its token_endpoint_auth_method must be none, or private_key_jwt with a jwks_uri\./);
  for (const redirect_uris of [undefined, [], "https://c.example/", [7], ["http://c.example/"], ["javascript:alert(1)"], ["https://c.example/#x"], Array(21).fill("https://c.example/")]) await refuse({ redirect_uris }, /redirect_uris/);
  for (const client_name of ["a\u202eb", "a\u2066b", "a\u200bb", "a\nb", "P\u0430ypal", "x".repeat(101), 7, "\u{e0041}"]) await refuse({ client_name }, /client_name/);
  for (const client_name of [undefined, "", null]) await refuse({ client_name }, /It has no client_name\./);
  await refuse({ client_name: "x".repeat(10_000) }, /client_name|10 KiB/);
  for (const body of ["", "{", "[]", "null", "{}x", "[".repeat(500), '{"a":1,"a":2}', "\u0000", "\xff\xfe"]) await refuse({}, /JSON/, { body });
  const list = await ada.get("/account/apps", { "sec-fetch-site": "none" });
  assert.doesNotMatch(list.text, /doc_/);

  // Markup is shown as text.
  const { page } = await ada.asked(documentClient(w, host.publish("/html.json", { client_name: '<img src=x onerror="alert(1)">' })));
  assert.match(page.text, /<q>&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt;<\/q>/);
  assert.doesNotMatch(page.text, /<img src=x/);
});

test("a document on one host that redirects to another, or to this device, shows both and warns", async (t) => {
  const { host, w, ada } = await scene(t);
  const url = host.publish("/client.json", { redirect_uris: ["https://bank.example/back", "http://localhost/callback", "cursor://anysphere/callback"] });
  const shown = async (redirect_uri) => {
    const { page } = await ada.asked(documentClient(w, url, redirect_uri));
    const first = formTo(page.text, "/oauth/consent").controls.find(({ name }) => name === "decision").value;
    return { text: textOf(page.text), first, policy: page.headers["content-security-policy"] };
  };
  const away = await shown("https://bank.example/back");
  assert.match(away.text, new RegExp(`by its address: ${HOST}:${host.port} .*sent to bank\\.example \\.`));
  assert.doesNotMatch(away.text, /Continue only if/);
  assert.equal(away.first, "allow");
  for (const uri of ["http://localhost:7777/callback", "cursor://anysphere/callback"]) {
    const local = await shown(uri);
    assert.match(local.text, /on this device \. Continue only if you just started this yourself\./);
    assert.equal(local.first, "deny");
  }
});

// A host that answers each path only when the test releases it.
function hold(host, prefix) {
  const waiting = [];
  const seen = { most: 0, mostPerHost: 0 };
  return {
    waiting, seen,
    path(name) {
      host.on(`${prefix}${name}`, (request, response) => {
        waiting.push({ request, response });
        response.on("close", () => waiting.splice(waiting.findIndex((one) => one.response === response), 1));
        const hosts = waiting.map((one) => one.request.headers.host);
        seen.most = Math.max(seen.most, hosts.length);
        seen.mostPerHost = Math.max(seen.mostPerHost, ...hosts.map((one) => hosts.filter((other) => other === one).length));
      });
      return `${prefix}${name}`;
    },
  };
}

test("many requests for one document are one transfer, and no thread waits for it", async (t) => {
  const { host, w, ada, app } = await scene(t, { workers: 2, "client-documents-timeout": 60 });
  const ready = documentClient(w, host.publish("/ready.json"));
  await ada.asked(ready);
  let release;
  host.on("/slow.json", (_, response) => {
    release = () => {
      host.publish("/slow.json");
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ client_id: host.url("/slow.json"), client_name: "Slow", redirect_uris: ["https://claude.example/back"] }));
    };
  });
  const slow = documentClient(w, host.url("/slow.json"));
  let answered = 0;
  const pages = Array.from({ length: 30 }, () => ada.get(slow.request().path).finally(() => answered++));
  await until("all to wait", async () => (await w.metrics()).penchant_fetches_callers === 30);
  await host.arrived("/slow.json");
  // With two worker threads, other requests that need one are served meanwhile.
  await ada.connect(app, { scope: "profile:read" });
  await ada.asked(ready);
  assert.equal((await w.ask("POST", "/oauth/register", { body: JSON.stringify({ redirect_uris: ["https://c.example/"] }), headers: { "content-type": "application/json" } })).status, 201);
  assert.equal(answered, 0);
  await until("idle workers", async () => (await w.metrics()).penchant_workers_busy === 0); // a worker may still be at the end of its job
  release();
  for (const page of await Promise.all(pages)) assert.ok(formTo(page.text, "/oauth/consent"), textOf(page.text));
  assert.equal(host.asked("/slow.json"), 1);
  assert.equal(host.connections, 2);
});

test("a flood of slow documents is bounded per host and in all, ends by itself, and delays nothing else", async (t) => {
  const names = Array.from({ length: 6 }, (_, i) => `h${i}.localhost`);
  const { host, w, ada, app } = await scene(t, { names, workers: 4, "client-documents-timeout": 60 });
  const held = hold(host, "/");
  let answered = 0;
  const ask = (i) => ada.get(documentClient(w, host.url(held.path(`${i}.json`), names[i % 6])).request().path).finally(() => answered++);
  const first = Array.from({ length: 40 }, (_, i) => ask(i));
  await until("all to wait", async () => {
    const { penchant_fetches_running: running, penchant_fetches_queued: queued } = await w.metrics();
    return running === 8 && queued === 32;
  });
  await until("the hosts to be asked", () => held.waiting.length === 8);
  assert.equal(answered, 0);
  for (const page of await Promise.all([ask(40), ask(41)])) {
    assertStop(page, 503);
    assert.equal(page.headers["retry-after"], "5");
  }
  await ada.connect(app, { scope: "profile:read" });
  assert.equal(answered, 2);
  w.deadlines.forward(60_000);
  for (const page of await Promise.all(first)) assert.ok([400, 503].includes(page.status), page.text);
  assert.deepEqual([held.seen.most, held.seen.mostPerHost <= 2], [8, true]);
  const metrics = await w.metrics();
  assert.deepEqual([metrics.penchant_fetches_running, metrics.penchant_fetches_queued, metrics.penchant_fetches_callers], [0, 0, 0]);
});

test("a document that arrives slowly is given up after 5 seconds", async (t) => {
  const { host, w, ada } = await scene(t);
  host.on("/drip.json", (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const drip = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drip));
  });
  const page = ada.get(documentClient(w, host.url("/drip.json")).request().path);
  await host.arrived("/drip.json");
  w.deadlines.forward(5_000);
  assertStopText(await page, /Its host did not send it within 5 seconds\./);
});

test("fetches are limited per address, and stored documents do not count", async (t) => {
  const { host, w, ada } = await scene(t, { "rate-documents": 3 });
  const apps = [1, 2, 3, 4].map((n) => documentClient(w, host.publish(`/${n}.json`)));
  for (const app of apps.slice(0, 3)) await ada.asked(app);
  for (const app of apps.slice(0, 3)) await ada.asked(app);
  const refused = await ada.get(apps[3].request().path);
  assertStop(refused, 429);
  assert.ok(Number(refused.headers["retry-after"]) > 30);
  assert.equal(host.requests.length, 3);
});

test("stopping the service ends a transfer at once", async (t) => {
  const { host, w, ada } = await scene(t);
  const held = hold(host, "/");
  const page = ada.get(documentClient(w, host.url(held.path("slow.json"))).request().path);
  await host.arrived("/slow.json");
  await w.stop();
  assertStop(await page, 503);
});
