// servers.mjs - the servers: ours, and nginx with the same response.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { askOnce, freePort } from "./conversation.mjs";
import { firstAnswer, makeFolder, run, start, stop } from "./process.mjs";
import { settings, tools } from "./settings.mjs";

// Our program on a store; `under` is a command that runs it, such as valgrind, and `more` are
// further arguments; it must respond within `seconds`.
export async function startPenchant(store, { under = [], threads = 1, cache = settings.cacheMiB, core = settings.serverCore, more = [], seconds = 60 } = {}) {
  const port = await freePort();
  const args = ["serve", "--listen", `127.0.0.1:${port}`, "--store", store, "--threads", String(threads)];
  args.push("--cache", String(cache), "--access-log", "off", "--log-level", "warn");
  args.push("--rate-api", "0", "--rate-signin", "0", "--rate-auth", "0", "--rate-refresh", "0", "--rate-signup", "0"); // no rate limits
  args.push(...more);
  const [program, ...words] = [...under, settings.program, ...args];
  const since = performance.now();
  const started = start(core, program, words);
  const startMs = await firstAnswer(started, port, { path: "/healthz" }, { since, seconds });
  return {
    ...started,
    port,
    startMs,
    store,
    ask: (request) => askOnce(port, request),
    run: (words, input) => run(settings.program, [...words, "--store", store], { input }),
    stop: () => stop(started, { seconds: under.length > 0 ? 120 : 20 }),
  };
}

export function sqliteStore(folder = makeFolder()) {
  return `sqlite:${join(folder, "penchant.db")}`;
}

// ---- nginx ----

// nginx adds these by itself, or they differ between responses.
const madeByNginx = new Set(["date", "content-length", "content-type", "connection", "server"]);

function quoted(text) {
  // nginx strings cannot contain "$"; any other byte costs the same.
  return `'${text.replace(/[\\']/g, "\\$&").replace(/\$/g, "S")}'`;
}

// nginx accepts at most 4096 bytes per configuration word, so a longer body is concatenated.
function bodyWords(body) {
  const text = body.toString("latin1");
  const pieces = text.match(/[^]{1,1800}/g) ?? [""];
  if (pieces.length === 1) return { before: [], word: quoted(text) };
  return {
    before: pieces.map((piece, i) => `set $piece${i} ${quoted(piece)};`),
    word: `"${pieces.map((_, i) => `\${piece${i}}`).join("")}"`,
  };
}

// nginx writes its own page into a redirect, unless the redirect is made from another response.
function locations(answer, lines, word) {
  const says = (status) => `${lines.join("\n      ")}\n      return ${status} ${word};`;
  if (answer.status < 300 || answer.status > 399) return `location / {\n      ${says(answer.status)}\n    }`;
  return `error_page 418 =${answer.status} @moved;
    location / { return 418; }
    location @moved {\n      ${says(200)}\n    }`;
}

export function nginxConfiguration(folder, port, answer) {
  const type = answer.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const headers = answer.headers
    .filter(([name]) => !madeByNginx.has(name.toLowerCase()))
    .map(([name, value]) => `add_header ${name} ${quoted(value)} always;`);
  const { before, word } = bodyWords(answer.body);
  return `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  server_tokens off;
  keepalive_requests 1000000000;
  keepalive_timeout 300;
  client_body_temp_path ${folder}/body;
  server {
    listen 127.0.0.1:${port};
    ${locations(answer, [`default_type ${quoted(type)};`, ...headers, ...before], word)}
  }
}
`;
}

// The names of headers that both sides must send, in lower case.
function comparable(answer) {
  const names = answer.headers.map(([name]) => name.toLowerCase());
  return names.filter((name) => !["date", "connection", "server"].includes(name)).sort().join(" ");
}

function sameAnswer(ours, theirs) {
  const body = Buffer.from(ours.body.toString("latin1").replace(/\$/g, "S"), "latin1");
  if (ours.status !== theirs.status) return `status ${theirs.status} instead of ${ours.status}`;
  if (!body.equals(theirs.body)) return `a body of ${theirs.body.length} bytes that differs from ours of ${body.length}`;
  if (comparable(ours) !== comparable(theirs)) return `headers "${comparable(theirs)}" instead of "${comparable(ours)}"`;
  return null;
}

export async function startNginx(answer, request) {
  const folder = makeFolder({ anywhere: true });
  const port = await freePort();
  mkdirSync(join(folder, "logs"));
  const file = join(folder, "nginx.conf");
  writeFileSync(file, nginxConfiguration(folder, port, answer), "latin1");
  const since = performance.now();
  const started = start(settings.serverCore, tools.nginx, ["-p", folder, "-e", join(folder, "error.log"), "-c", file]);
  const startMs = await firstAnswer(started, port, request, { since });
  const difference = sameAnswer(answer, await askOnce(port, request));
  if (difference !== null) {
    await stop(started);
    throw new Error(`nginx would not give the same answer: ${difference}`);
  }
  return { ...started, port, startMs, stop: () => stop(started) };
}
