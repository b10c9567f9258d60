// Where it listens: addresses, TLS, a socket handed over, what goes wrong.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import test from "node:test";
import tls from "node:tls";
import { ask } from "../kit/http.mjs";
import { world } from "../kit/world.mjs";

// A self-signed certificate for localhost in the world's folder.
function certificate(dir, name = "localhost") {
  const [cert, key] = ["cert.pem", "key.pem"].map((file) => path.join(dir, file));
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
    "-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name},IP:127.0.0.1`, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { cert, key };
}

async function tlsWorld(t) {
  const w = await world(t, { start: false });
  const { cert, key } = certificate(w.dir);
  w.tls = { "tls-cert": cert, "tls-key": key };
  await w.start(w.tls);
  w.ca = fs.readFileSync(cert);
  return w;
}

test("with a certificate it speaks TLS, and everything works as without", async (t) => {
  const w = await tlsWorld(t);
  const trust = { tls: { ca: w.ca, servername: "localhost" } };
  const health = await w.ask("GET", "/healthz", trust);
  assert.equal(health.status, 200);
  const made = await w.ask("POST", "/signup", { ...trust, form: { username: "ada", password: "violet kettle sings at dawn 47" } });
  assert.equal(made.status, 303);
  assert.match(made.headers["strict-transport-security"] ?? "", /max-age=\d{6,}/);
  assert.deepEqual(await w.usernames(), ["ada"]);
  const plain = await w.raw("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n").catch(() => null);
  assert.equal(plain, null);
  assert.equal((await w.ask("GET", "/healthz", trust)).status, 200);
});

test("TLS 1.2 and 1.3 are accepted, older versions are rejected", async (t) => {
  const w = await tlsWorld(t);
  const shake = (version) =>
    new Promise((resolve) => {
      const socket = tls.connect({ port: w.port, host: "127.0.0.1", ca: w.ca, servername: "localhost", minVersion: version, maxVersion: version, ciphers: "ALL@SECLEVEL=0" });
      socket.on("secureConnect", () => (resolve(socket.getProtocol()), socket.destroy()));
      socket.on("error", (error) => resolve(error.code));
    });
  assert.equal(await shake("TLSv1.2"), "TLSv1.2");
  assert.equal(await shake("TLSv1.3"), "TLSv1.3");
  for (const old of ["TLSv1.1", "TLSv1"]) assert.match(await shake(old), /ALERT|ECONNRESET|EPIPE/);
});

for (const version of ["TLSv1.2", "TLSv1.3"])
  test(`a client that returns resumes its session: ${version}`, async (t) => {
    const w = await tlsWorld(t);
    // One request; the ticket of TLS 1.3 comes after the handshake.
    const visit = (session) =>
      new Promise((resolve, reject) => {
        let ticket, resumed;
        const socket = tls.connect({ port: w.port, host: "127.0.0.1", ca: w.ca, servername: "localhost", minVersion: version, maxVersion: version, session }, () => {
          resumed = socket.isSessionReused();
          socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        });
        socket.on("session", (fresh) => (ticket = fresh));
        socket.on("error", reject).on("close", () => resolve({ resumed, ticket })).resume();
      });
    const first = await visit();
    assert.equal(first.resumed, false);
    assert.ok(first.ticket, "the server sends a ticket");
    assert.equal((await visit(first.ticket)).resumed, true);
    await w.stop();
    await w.start(w.tls);
    assert.equal((await visit(first.ticket)).resumed, false, "a ticket of another process");
  });

test("a certificate without a key, a key without a certificate, files that are neither: one line, exit 2", async (t) => {
  const w = await world(t, { start: false });
  const { cert, key } = certificate(w.dir);
  const nonsense = path.join(w.dir, "nonsense.pem");
  fs.writeFileSync(nonsense, "nothing\n");
  const foreign = path.join(w.dir, "foreign.pem");
  execFileSync("openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", foreign]);
  for (const [settings, named] of [
    [{ "tls-cert": cert }, /tls-key/],
    [{ "tls-key": key }, /tls-cert/],
    [{ "tls-cert": path.join(w.dir, "absent.pem"), "tls-key": key }, /tls-cert|absent\.pem/],
    [{ "tls-cert": cert, "tls-key": path.join(w.dir, "absent.pem") }, /tls-key|absent\.pem/],
    [{ "tls-cert": nonsense, "tls-key": key }, /tls-cert|nonsense\.pem|certificate/],
    [{ "tls-cert": cert, "tls-key": foreign }, /tls-key|tls-cert|certificate|key/],
  ]) {
    const service = w.launch({ "log-format": "text", ...settings });
    const { status } = await service.exited();
    assert.equal(status, 2, service.err);
    const lines = service.lines.filter((line) => !/^\S+Z info /.test(line)); // the store was opened before
    assert.equal(lines.length, 1, service.err);
    assert.match(lines[0], named);
  }
});

test("the service uses a socket passed by systemd", async (t) => {
  const w = await world(t, { start: false });
  const listener = net.createServer();
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address();
  const service = w.launch({ listen: undefined }, {
    launch: (program, args) => ["sh", "-c", 'exec env LISTEN_PID=$$ LISTEN_FDS=1 "$@"', "sh", program, ...args],
    stdio: ["ignore", "pipe", "pipe", listener._handle.fd],
  });
  listener.close(); // the service has its own copy, and only it may accept
  await service.listening();
  assert.equal(w.port, port);
  assert.equal((await w.get("/healthz")).status, 200);
});

test("a socket that was handed to another process is not ours", async (t) => {
  const w = await world(t, { start: false });
  await w.start({}, { env: { LISTEN_PID: "1", LISTEN_FDS: "1" } });
  assert.equal((await w.get("/healthz")).status, 200);
});

test("an IPv6 listen address works", async (t) => {
  const w = await world(t, { start: false });
  await w.start({ listen: "[::1]:0" });
  assert.match(w.origin, /^http:\/\/\[::1\]:\d+$/);
  assert.equal((await ask(w.origin, "GET", "/healthz")).status, 200);
});

test("a port in use: one line that names it, exit 1, and an unchanged store", async (t) => {
  const w = await world(t);
  await w.signUp({ username: "ada" });
  const other = await world(t, { start: false });
  const service = other.launch({ listen: `127.0.0.1:${w.port}`, "log-format": "text" });
  const { status } = await service.exited();
  assert.equal(status, 1);
  assert.equal(service.lines.filter((line) => /error|cannot|in use/i.test(line)).length, 1, service.err);
  assert.match(service.err, new RegExp(`^penchant: listen: .*${w.port}`, "m"));
  const numbers = other.launch({ "metrics-listen": `127.0.0.1:${w.port}`, "log-format": "text" });
  assert.equal((await numbers.exited()).status, 1);
  assert.match(numbers.err, new RegExp(`^penchant: metrics-listen: .*${w.port}`, "m"));
  assert.equal((await w.get("/healthz")).status, 200);
});
