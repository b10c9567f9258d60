// `penchant doctor`: every check of a sound installation, and each problem that can be provoked.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import path from "node:path";
import test from "node:test";
import { Program } from "../kit/process.mjs";
import { FROM, mailServer } from "../kit/smtp.mjs";
import { until } from "../kit/until.mjs";
import { onSqlite, world } from "../kit/world.mjs";

const FLOW = ["sign-in", "redirect", "token", "refresh", "introspection", "MCP", "revocation"];

// Runs it with the service's settings; returns the checks by name.
async function doctor(w, settings = {}, { args = [], env } = {}) {
  const all = { store: w.address, listen: new URL(w.service.origin).host, ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  const { status, out, err } = await w.penchant(["doctor", "--json", ...flags, ...args], { env });
  const { checks, ...totals } = JSON.parse(out || "{}");
  assert.equal(err, "");
  for (const { result, action } of checks) assert.equal(result === "OK", action === undefined);
  assert.equal(status, totals.failures > 0 ? 1 : 0);
  assert.equal(totals.failures, checks.filter(({ result }) => result === "FAIL").length);
  return Object.fromEntries(checks.map(({ check, ...rest }) => [check, rest]));
}

const failing = (checks) => Object.entries(checks).filter(([, { result }]) => result === "FAIL").map(([name]) => name);

function certificate(folder, days = "30") {
  const [cert, key] = ["cert.pem", "key.pem"].map((file) => path.join(folder, file));
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", days,
    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { cert, key };
}

// A proxy in front of the service, which `change` can make wrong.
async function proxy(t, origin, { tls, onRequest = () => {}, onResponse = () => {} } = {}) {
  const handle = (request, response) => {
    const headers = { ...request.headers };
    const replaced = onRequest(request, headers, response);
    if (replaced) return;
    const forward = http.request(`${origin}${request.url}`, { method: request.method, headers }, (answer) => {
      const head = { ...answer.headers };
      onResponse(request, head);
      response.writeHead(answer.statusCode, head);
      answer.pipe(response);
    });
    forward.on("error", () => response.destroy());
    request.pipe(forward);
  };
  const server = tls ? https.createServer({ cert: fs.readFileSync(tls.cert), key: fs.readFileSync(tls.key) }, handle) : http.createServer(handle);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  return `${tls ? "https" : "http"}://localhost:${server.address().port}`;
}

// A service behind a proxy, whose base URL is the proxy's.
async function proxied(t, { tls, settings, passesOn = false, ...changes } = {}) {
  const w = await world(t, { start: false });
  const target = { origin: undefined };
  const base = await proxy(t, "", { tls: tls && certificate(w.dir, tls.days), ...changes, onRequest: (request, headers, response) => {
    if (changes.onRequest?.(request, headers, response)) return true;
    if (!passesOn) headers["x-forwarded-for"] = "127.0.0.1";
    request.url = `${target.origin}${request.url}`;
    return false;
  } });
  const given = { "base-url": base, "trusted-proxies": "127.0.0.1", ...settings };
  await w.start(given);
  target.origin = w.service.origin;
  return { w, base, given };
}

test("a sound service passes, and the temporary account is deleted", async (t) => {
  const server = await mailServer(t);
  const w = await world(t, { settings: { "smtp-url": server.url, "smtp-from": FROM } });
  await w.addUser("ada");
  const checks = await doctor(w, { "smtp-url": server.url, "smtp-from": FROM });
  assert.deepEqual(failing(checks), []);
  for (const check of [...FLOW, "service", "reachable", "clock", "store", "issuer", "CORS", "mail"]) assert.equal(checks[check]?.result, "OK", check);
  assert.equal(checks["base-url"].result, "WARN"); // only this machine
  assert.deepEqual(await w.usernames(), ["ada"]);
  assert.equal(server.mails.length, 0);
  const { apps } = (await w.command("app", "list", "--json")).data;
  assert.deepEqual(apps, []);
});

// A service behind a proxy that does not pass on sign-ins while `hangs.on`, and a doctor that waits for one.
async function waitingDoctor(t) {
  const hangs = { on: true, count: 0 };
  const { w, given } = await proxied(t, { onRequest: ({ method, url }) => hangs.on && method === "POST" && url === "/signin" && ++hangs.count > 0 });
  const start = async () => {
    const before = hangs.count;
    const settings = { store: w.address, listen: new URL(w.service.origin).host, ...given };
    const program = new Program(w.program, ["doctor", ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])], { env: w.env() });
    await until("the sign-in", () => hangs.count > before);
    return program;
  };
  return { w, given, hangs, start };
}

test("a check that a signal ends deletes its account first", async (t) => {
  const { w, start } = await waitingDoctor(t);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    const program = await start();
    assert.deepEqual(await w.usernames(), ["doctor-check-1"]);
    program.signal(signal);
    assert.deepEqual(await program.exit(), { status: null, signal });
    assert.deepEqual(await w.usernames(), [], signal);
  }
  assert.deepEqual((await w.command("app", "list", "--json")).data.apps, []);
});

test("a check deletes the account of one that was killed, but of no person, and of no check that may run", async (t) => {
  const { w, given, hangs, start } = await waitingDoctor(t);
  const named = ["--name", "Temporary account of penchant doctor"];
  w.clock.stop(Math.floor(Date.now() / 1000) - 601);
  for (let i = 1; i <= 2; i++) {
    const program = await start();
    program.signal("SIGKILL");
    await program.exit();
  }
  await w.addUser("doctor-check-3", { args: ["--email", "grace@example.org", ...named] });
  await w.addUser("doctor-check-4");
  await w.addUser("ada", { args: named });
  w.clock.stop(0); // it runs again
  hangs.on = false;
  assert.deepEqual(failing(await doctor(w, given)), []);
  const persons = ["ada", "doctor-check-3", "doctor-check-4"];
  assert.deepEqual((await w.usernames()).toSorted(), persons);
  hangs.on = true;
  const running = await start();
  hangs.on = false;
  assert.deepEqual(failing(await doctor(w, given)), []);
  assert.deepEqual((await w.usernames()).toSorted(), [...persons, "doctor-check-1"].toSorted());
  running.signal("SIGTERM");
  await running.exit();
  assert.deepEqual((await w.usernames()).toSorted(), persons);
  assert.deepEqual((await w.command("app", "list", "--json")).data.apps, []);
});

test("each line of the text output says what to do", async (t) => {
  const w = await world(t);
  const { status, out } = await w.penchant(["doctor", "--store", w.address, "--listen", new URL(w.origin).host]);
  assert.equal(status, 0);
  assert.match(out, /^OK {4}issuer {10}metadata names http/m);
  assert.match(out, /^WARN {2}mail {12}email is not configured.*\n {22}Set smtp-url and smtp-from\.$/m);
  assert.match(out, /^0 failed, \d+ warnings\n$/m);
});

test("a service that does not run", async (t) => {
  const w = await world(t);
  const listen = new URL(w.origin).host;
  await w.stop();
  const checks = await doctor(w, { listen });
  assert.deepEqual(failing(checks), ["service", "reachable"]);
  assert.match(checks.service.text, /cannot connect to/);
  assert.match(checks.service.action, /Start the service/);
  assert.equal(checks["sign-in"], undefined);
});

test("TLS: an unknown authority, a trusted one, and a certificate that expires soon", async (t) => {
  const { w, given } = await proxied(t, { tls: { days: "30" } });
  const untrusted = await doctor(w, given);
  assert.deepEqual(failing(untrusted), ["reachable"]);
  assert.match(untrusted.reachable.text, /certificate/i);
  const ca = ["--ca", path.join(w.dir, "cert.pem")];
  const trusted = await doctor(w, given, { args: ca });
  assert.deepEqual(failing(trusted), []);
  assert.equal(trusted.certificate.result, "OK");
  assert.equal(trusted["base-url"].result, "OK");
  assert.equal(trusted.proxy.result, "OK");
  const { w: other, given: soon } = await proxied(t, { tls: { days: "5" } });
  const expiring = await doctor(other, soon, { args: ["--ca", path.join(other.dir, "cert.pem")] });
  assert.equal(expiring.certificate.result, "WARN");
  assert.match(expiring.certificate.text, /^it expires in [45] days$/); // 5 within the same second
});

test("a base URL that differs from the service's", async (t) => {
  const w = await world(t, { settings: { "base-url": "https://penchant.example" } });
  const base = await proxy(t, w.service.origin);
  const checks = await doctor(w, { "base-url": base });
  assert.deepEqual(failing(checks), ["issuer"]);
  assert.match(checks.issuer.text, /has the issuer https:\/\/penchant\.example/);
});

test("a public URL without TLS", async (t) => {
  const w = await world(t, { settings: { "base-url": "http://penchant.invalid" } });
  const checks = await doctor(w, { "base-url": "http://penchant.invalid" });
  assert.deepEqual(failing(checks), ["base-url", "reachable"]);
});

test("proxies that break something", async (t) => {
  const json = (response, body) => (response.writeHead(200, { "content-type": "application/json" }), response.end(JSON.stringify(body)), true);
  for (const [what, changes, expected, sentence] of [
    ["hides the metadata", { onRequest: (request, _, response) => request.url.startsWith("/.well-known/") && (response.writeHead(404), response.end(), true) }, ["metadata"], /no metadata/],
    ["removes CORS", { onResponse: (_, headers) => delete headers["access-control-allow-origin"] }, ["CORS"], /scripts of other sites/],
    ["drops cookies", { onResponse: (_, headers) => delete headers["set-cookie"] }, ["consent"], /status 303 instead of 200/],
    ["rewrites redirects", { onResponse: (_, headers) => headers.location?.includes("code=") && (headers.location = "https://elsewhere.example/") }, ["redirect"], /elsewhere/],
    ["caches introspection", { onRequest: (request, _, response) => request.url === "/oauth/introspect" && json(response, { active: true }) }, ["revocation"], /still active/],
    ["refuses tokens", { onRequest: (request, _, response) => request.url === "/oauth/token" && (response.writeHead(403), response.end(), true) }, ["token"], /status 403 instead of 200/],
    ["answers without tokens", { onRequest: (request, _, response) => request.url === "/oauth/token" && json(response, {}) }, ["token"], /contains no tokens/],
    ["hides MCP", { onRequest: (request, _, response) => request.url === "/mcp" && json(response, {}) }, ["MCP"], /does not answer initialize/],
    ["has a wrong clock", { onResponse: (_, headers) => (headers.date = new Date(Date.now() - 300_000).toUTCString()) }, ["clock"], /differ by (299|30\d) seconds/],
    ["is not ready", { onRequest: (request, _, response) => request.url === "/readyz" && (response.writeHead(503), response.end("draining"), true) }, ["store"], /status 503\): draining/],
  ]) {
    const { w, given } = await proxied(t, changes);
    const checks = await doctor(w, given);
    assert.deepEqual(failing(checks), expected, what);
    assert.match(checks[expected[0]].text, sentence, what);
    assert.deepEqual(await w.usernames(), [], what);
  }
});

test("a proxy that is not trusted, and one that passes on a forged address", async (t) => {
  const { w, given } = await proxied(t, { settings: { "trusted-proxies": undefined } });
  const unnamed = await doctor(w, given);
  assert.deepEqual([unnamed.proxy.result, failing(unnamed)], ["WARN", []]);
  const { w: forged, given: trusting } = await proxied(t, { passesOn: true });
  assert.deepEqual(failing(await doctor(forged, trusting)), ["client address"]);
  const { w: sound, given: replacing } = await proxied(t);
  const checks = await doctor(sound, replacing);
  assert.deepEqual([checks["client address"].result, failing(checks)], ["OK", []]);
});

test("a mail server that cannot be used", async (t) => {
  const w = await world(t);
  const checks = await doctor(w, { "smtp-url": "smtp://127.0.0.1:1", "smtp-from": FROM });
  assert.deepEqual(failing(checks), ["mail"]);
  const server = await mailServer(t, { login: ["penchant", "right password"] });
  const mail = { "smtp-url": server.url, "smtp-from": FROM, "smtp-user": "penchant" };
  assert.deepEqual(failing(await doctor(w, mail, { env: { PENCHANT_SMTP_PASSWORD: "wrong password" } })), ["mail"]);
  assert.deepEqual(failing(await doctor(w, mail, { env: { PENCHANT_SMTP_PASSWORD: "right password" } })), []);
});

onSqlite("an error of a command that is plain text is shown", async (t) => {
  const w = await world(t);
  fs.rmSync(w.socket);
  const server = net.createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end('{"err":"penchant: the service is overloaded; try again\\n"}\n{"exit":1}\n')));
  await new Promise((resolve) => server.listen(w.socket, resolve));
  t.after(() => server.close());
  const checks = await doctor(w);
  assert.deepEqual(failing(checks), ["test account"]);
  assert.equal(checks["test account"].text, "`penchant user add` failed: penchant: the service is overloaded; try again");
});

onSqlite("files that other users can read or replace", async (t) => {
  const w = await world(t);
  fs.chmodSync(w.file, 0o604);
  fs.chmodSync(w.dir, 0o777);
  const { key } = certificate(w.dir);
  fs.chmodSync(key, 0o644);
  const checks = await doctor(w, { "tls-key": key, "tls-cert": path.join(w.dir, "cert.pem") });
  for (const check of ["store file", "store folder", "tls-key"]) assert.equal(checks[check].result, "FAIL", check);
  assert.match(checks["store file"].text, /mode 604/);
});

onSqlite("a store that is not the service's, or does not exist", async (t) => {
  const w = await world(t);
  const other = await world(t);
  const listen = new URL(other.service.origin).host;
  await w.stop();
  const checks = await doctor(w, { listen });
  assert.deepEqual([failing(checks), checks.store.text.includes("uses another store")], [["store"], true]);
  const absent = await doctor(other, { store: "sqlite:/nowhere/penchant.db" });
  assert.deepEqual(failing(absent), ["store folder", "store"]);
});
