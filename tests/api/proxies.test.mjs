// The proxy configurations in deploy/, started as they are except for addresses and paths: `penchant doctor` finds nothing
// wrong behind them, and a rolling restart of three nodes behind HAProxy under load fails no request.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { ask } from "../kit/http.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { Load, RATES, via } from "../kit/pg_load.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, onSqlite, ROOT, world } from "../kit/world.mjs";

// deploy/haproxy recommends 5. On a busy machine HAProxy may be late with its checks.
const DRAIN_SECONDS = 7;

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function certificate(folder) {
  const [cert, key] = ["cert.pem", "key.pem"].map((file) => path.join(folder, file));
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { cert, key };
}

// A file of deploy/ with other addresses and paths; every one of them must occur.
function example(file, replacements) {
  let text = fs.readFileSync(path.join(ROOT, "deploy", file), "utf8");
  for (const [from, to] of replacements) {
    assert.ok(text.includes(from), `${file} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

function run(t, program, args) {
  const proxy = new Program(program, args);
  t.after(async () => {
    proxy.signal("SIGKILL");
    await until("its end", () => proxy.end !== undefined);
  });
  return proxy;
}

const accepts = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => (socket.destroy(), resolve(true)));
    socket.on("error", () => resolve(false));
  });

async function doctor(w, base, ca) {
  const { status, out } = await w.penchant(["doctor", "--store", w.address, "--listen", new URL(w.service.origin).host,
    "--base-url", base, "--trusted-proxies", "127.0.0.1", "--ca", ca]);
  assert.equal(status, 0, out);
  for (const check of ["certificate", "proxy", "client address", "redirect", "refresh", "introspection", "MCP", "revocation"])
    assert.match(out, new RegExp(`^OK {4}${check} `, "m"), out);
}

onSqlite("behind nginx as in deploy/nginx the doctor finds nothing wrong", async (t) => {
  const w = await world(t, { start: false });
  const { cert, key } = certificate(w.dir);
  const port = await freePort();
  const base = `https://localhost:${port}`;
  await w.start({ "base-url": base, "trusted-proxies": "127.0.0.1" });
  fs.writeFileSync(path.join(w.dir, "site.conf"), example("nginx/penchant.conf", [
    ["127.0.0.1:8080", new URL(w.service.origin).host],
    ["listen 443 ssl http2", `listen 127.0.0.1:${port} ssl http2`],
    ["server_name penchant.example", "server_name localhost"],
    ["/etc/letsencrypt/live/penchant.example/fullchain.pem", cert],
    ["/etc/letsencrypt/live/penchant.example/privkey.pem", key],
    ["proxy_set_header Host $host;", "proxy_set_header Host $host:$server_port;"], // the standard port is not named
  ]));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${w.dir}/${name};`).join(" ");
  const main = path.join(w.dir, "nginx.conf");
  fs.writeFileSync(main, `daemon off; master_process off; pid ${w.dir}/nginx.pid; error_log stderr; events {} http { access_log off; ${temporary} include ${w.dir}/site.conf; }`);
  run(t, "/usr/sbin/nginx", ["-p", w.dir, "-e", "stderr", "-c", main]);
  await until("nginx", () => accepts(port));
  await doctor(w, base, cert);
});

// Whether HAProxy sends requests to the node.
async function hasServed(node) {
  const page = await ask(await node.metricsOrigin(), "GET", "/metrics");
  return ["/oauth/token", "/v1/preferences/{domain}"].every((route) => page.text.includes(`method="POST",route="${route}",status="2xx"}`));
}

onPostgres("three nodes behind HAProxy as in deploy/haproxy restart in turn under load, and no request fails", async (t) => {
  const w = await world(t, { start: false });
  const { cert, key } = certificate(w.dir);
  const both = path.join(w.dir, "both.pem");
  fs.writeFileSync(both, fs.readFileSync(cert, "utf8") + fs.readFileSync(key, "utf8"));
  const [port, ...ports] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const base = `https://localhost:${port}`;
  w.options.settings = { ...RATES, "base-url": base, "trusted-proxies": "127.0.0.1" };
  const start = (at, delay) => w.start({ listen: `127.0.0.1:${at}`, "drain-delay": delay });
  const nodes = [];
  for (const at of ports) nodes.push(await start(at, DRAIN_SECONDS));
  const config = path.join(w.dir, "haproxy.cfg");
  fs.writeFileSync(config, example("haproxy/haproxy.cfg", [
    ["bind :443 ssl crt /etc/haproxy/penchant.pem", `bind 127.0.0.1:${port} ssl crt ${both}`],
    ["192.0.2.11:8080", `127.0.0.1:${ports[0]}`],
    ["server two 192.0.2.12:8080", `server two 127.0.0.1:${ports[1]}\n    server three 127.0.0.1:${ports[2]}`],
  ]));
  run(t, "/usr/sbin/haproxy", ["-db", "-f", config]);
  await until("HAProxy", () => accepts(port));
  await doctor(w, base, cert);

  // Two users whose apps read, introspect, refresh, and write all the time, each request on a new connection.
  const tls = { ca: fs.readFileSync(cert), servername: "localhost" };
  const balanced = Object.assign(Object.create(w), {
    ask: (method, where, { headers, ...rest } = {}) => ask(`https://127.0.0.1:${port}`, method, where, { ...rest, tls, headers: { ...headers, host: `localhost:${port}` } }),
  });
  const people = [await addPerson(w, "ada"), await addPerson(w, "grace")];
  const app = await addApp(w, { owner: "ada" });
  const loads = [];
  for (const person of people) {
    const api = via(await Client.connect(person, app, { scope: EVERYTHING }), balanced);
    loads.push(new Load({ api, app: via(app, balanced), pace: 150 }));
  }
  t.after(() => Promise.all(loads.map((load) => load.stop())));
  for (const load of loads) await load.served(0);

  for (const [i, node] of nodes.entries()) {
    node.signal("SIGTERM");
    assert.deepEqual(await node.exited(), { status: 0, signal: null });
    nodes[i] = await start(ports[i], 0);
    await until("requests to the node", () => hasServed(nodes[i]));
  }
  await Promise.all(loads.map((load) => load.stop()));
  for (const load of loads) {
    if (load.failure) throw load.failure;
    assert.deepEqual([...load.statuses].filter(([name]) => !name.endsWith(" 200")), []);
    const stored = new Set((await load.api.record(MUSIC)).favorite_artists);
    assert.deepEqual(load.written.filter((artist) => !stored.has(artist)), [], "acknowledged and lost");
  }
  t.diagnostic(loads.map((load) => Object.entries(load.successes).map(([kind, times]) => `${times.length} × ${kind}`).join(", ")).join("; "));
});
