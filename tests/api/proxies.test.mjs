// The proxy configurations in deploy/, started as they are except for addresses and paths: `penchant doctor` finds nothing
// wrong behind them, and a rolling restart of two nodes behind HAProxy fails no request.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { ask } from "../kit/http.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, onSqlite, ROOT, world } from "../kit/world.mjs";

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

onPostgres("two nodes behind HAProxy as in deploy/haproxy restart in turn, and no request fails", async (t) => {
  const w = await world(t, { start: false });
  const { cert, key } = certificate(w.dir);
  const both = path.join(w.dir, "both.pem");
  fs.writeFileSync(both, fs.readFileSync(cert, "utf8") + fs.readFileSync(key, "utf8"));
  const [port, ...ports] = [await freePort(), await freePort(), await freePort()];
  const base = `https://localhost:${port}`;
  const start = (at) => w.start({ listen: `127.0.0.1:${at}`, "base-url": base, "trusted-proxies": "127.0.0.1", "drain-delay": 5 });
  const nodes = [await start(ports[0]), await start(ports[1])];
  const config = path.join(w.dir, "haproxy.cfg");
  fs.writeFileSync(config, example("haproxy/haproxy.cfg", [
    ["bind :443 ssl crt /etc/haproxy/penchant.pem", `bind 127.0.0.1:${port} ssl crt ${both}`],
    ["192.0.2.11:8080", `127.0.0.1:${ports[0]}`],
    ["192.0.2.12:8080", `127.0.0.1:${ports[1]}`],
  ]));
  run(t, "/usr/sbin/haproxy", ["-db", "-f", config]);
  await until("HAProxy", () => accepts(port));
  await doctor(w, base, cert);

  const tls = { ca: fs.readFileSync(cert), servername: "localhost" };
  let done = false;
  let count = 0;
  const client = async () => {
    for (; !done; count++) {
      const answer = await ask(`https://127.0.0.1:${port}`, "GET", "/.well-known/oauth-authorization-server", { tls, headers: { host: `localhost:${port}` } });
      assert.equal(answer.status, 200);
    }
  };
  const clients = [client(), client(), client()];
  for (const [i, node] of nodes.entries()) {
    node.signal("SIGTERM");
    assert.deepEqual(await node.exited(), { status: 0, signal: null });
    nodes[i] = await start(ports[i]);
    const before = count;
    await until("more requests", () => count > before + 20);
  }
  done = true;
  await Promise.all(clients);
  assert.ok(count > 40);
});
