// tls.mjs - TLS beside nginx with the same certificate and the same response: requests over kept connections (wrk),
// and handshakes, new and resumed (openssl s_time). The client of a handshake works about as much as the server, so
// handshakes are counted per second of the server's CPU time.
import { writeFileSync } from "node:fs";
import https from "node:https";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { askOnce, freePort } from "./conversation.mjs";
import { cpuSeconds, makeFolder, run, start, stop } from "./process.mjs";
import { nginxConfiguration, sqliteStore, startPenchant } from "./servers.mjs";
import { settings, tools } from "./settings.mjs";
import { median } from "./table.mjs";

const PATH = "/healthz";
const onLoadCore = (program, args) => run(tools.taskset, ["-c", String(settings.loadCore), program, ...args]);

async function certificate(folder) {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  await run(tools.openssl, ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", cert]);
  return { cert, key };
}

const answersTls = (port) =>
  new Promise((resolve) => https.get({ host: "127.0.0.1", port, path: PATH, rejectUnauthorized: false, agent: false }, (response) => resolve(response.resume().statusCode === 200)).on("error", () => resolve(false)));

async function untilReady(started, port) {
  for (const end = performance.now() + 20_000; !(await answersTls(port)); )
    if (performance.now() > end) throw new Error(`no answer over TLS: ${started.output.trim()}`);
}

async function startOurs({ cert, key }) {
  const port = await freePort();
  const started = start(settings.serverCore, settings.program, ["serve", "--listen", `127.0.0.1:${port}`, "--store", sqliteStore(), "--threads", "1", "--tls-cert", cert, "--tls-key", key, "--access-log", "off", "--log-level", "warn"]);
  await untilReady(started, port);
  return { ...started, port };
}

async function startNginx({ cert, key }, answer) {
  const folder = makeFolder({ anywhere: true });
  const port = await freePort();
  const plain = nginxConfiguration(folder, port, answer);
  const tls = `listen 127.0.0.1:${port} ssl;\n    ssl_certificate ${cert};\n    ssl_certificate_key ${key};\n    ssl_protocols TLSv1.2 TLSv1.3;\n    ssl_session_cache shared:bench:10m;`;
  const file = join(folder, "nginx.conf");
  writeFileSync(file, plain.replace(`listen 127.0.0.1:${port};`, tls), "latin1");
  const started = start(settings.serverCore, tools.nginx, ["-p", folder, "-e", join(folder, "error.log"), "-c", file]);
  await untilReady(started, port);
  return { ...started, port };
}

// ---- measurements ----

async function kept({ port }) {
  const out = await onLoadCore(tools.wrk, ["-t1", `-c${settings.connections}`, `-d${settings.seconds}s`, `https://127.0.0.1:${port}${PATH}`]);
  if (/Non-2xx|Socket errors/.test(out)) throw new Error(`wrk: ${out}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(out)[1]);
}

// s_time prints "*" for a new session and "r" for a resumed one.
async function handshakes({ port, pid }, kind) {
  const before = cpuSeconds(pid);
  const out = await onLoadCore(tools.openssl, ["s_time", "-connect", `127.0.0.1:${port}`, kind, "-time", String(settings.seconds + 1), "-www", PATH]);
  const used = cpuSeconds(pid) - before;
  const count = (kind === "-reuse" ? /r{10,}/.exec(out) : /\*{10,}/.exec(out))?.[0].length ?? 0;
  if (count < 10) throw new Error(`${kind}: ${count} connections; ${out.slice(-200)}`);
  return count / used;
}

// [{ name, penchant, nginx, ratio }]: medians of alternating runs.
export async function measureTls() {
  const plain = await startPenchant(sqliteStore());
  const answer = await askOnce(plain.port, { path: PATH });
  await plain.stop();
  const files = await certificate(makeFolder({ anywhere: true }));
  const ours = await startOurs(files);
  const theirs = await startNginx(files, answer);
  const results = [];
  try {
    for (const [name, work] of [
      ["requests over kept connections", kept],
      ["new handshakes per CPU second", (server) => handshakes(server, "-new")],
      ["resumed handshakes per CPU second", (server) => handshakes(server, "-reuse")],
    ]) {
      const rates = { penchant: [], nginx: [] };
      for (let i = 0; i < settings.runs; i++) {
        rates.penchant.push(await work(ours));
        rates.nginx.push(await work(theirs));
      }
      const [penchant, nginx] = [median(rates.penchant), median(rates.nginx)];
      results.push({ name, penchant, nginx, ratio: penchant / nginx });
    }
  } finally {
    await stop(ours);
    await stop(theirs);
  }
  return results;
}
