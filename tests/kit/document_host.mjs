// Hosts of client ID metadata documents: an HTTPS server on loopback whose certificate is signed by a CA of
// the test. Its names end in .localhost, which libcurl resolves to loopback without a name server.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { App } from "./oauth.mjs";
import { until } from "./until.mjs";

export const HOST = "app.localhost";
export const OTHER = "other.localhost";

// A CA and a certificate of these names, in a folder of its own.
export function certificates(names) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "penchant-ca-"));
  const at = (name) => path.join(dir, name);
  const openssl = (...args) => execFileSync("openssl", args, { stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl("req", "-x509", ...key, "-days", "2", "-subj", "/CN=Test CA", "-keyout", at("ca.key"), "-out", at("ca.pem"));
  openssl("req", ...key, "-subj", `/CN=${names[0]}`, "-keyout", at("key.pem"), "-out", at("request.pem"));
  fs.writeFileSync(at("names"), `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}\n`);
  openssl("x509", "-req", "-in", at("request.pem"), "-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "2", "-extfile", at("names"), "-out", at("cert.pem"));
  return { dir, ca: at("ca.pem"), cert: fs.readFileSync(at("cert.pem")), key: fs.readFileSync(at("key.pem")) };
}

export async function documentHost(t, { names = [HOST, OTHER] } = {}) {
  const { dir, ca, cert, key } = certificates(names);
  const requests = [];
  const answers = new Map();
  const server = https.createServer({ cert, key }, (request, response) => {
    requests.push({ path: request.url, host: request.headers.host, headers: request.headers });
    const answer = answers.get(request.url);
    if (answer) answer(request, response);
    else response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  let connections = 0;
  server.on("connection", () => connections++);
  server.on("tlsClientError", () => {}).on("clientError", (_, socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  const host = {
    ca, port, requests,
    get connections() {
      return connections;
    },
    // What a service needs to fetch from here.
    settings: { "client-documents-ca": ca, "client-documents-local": names.join(" "), "rate-documents": 0 },
    url: (where = "/client.json", name = HOST) => `https://${name}:${port}${where}`,
    // Sends this function's answer for a path.
    on: (where, answer) => answers.set(where, answer),
    // Publishes a document. { body }: other text than JSON of the document.
    publish(where, document = {}, { headers = {}, status = 200, name = HOST, body } = {}) {
      const client_id = host.url(where, name);
      const whole = { client_id, client_name: "Claude", redirect_uris: ["https://claude.example/back"], ...document };
      answers.set(where, (_, response) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(body ?? JSON.stringify(whole)));
      return client_id;
    },
    withdraw: (where) => answers.delete(where),
    asked: (where) => requests.filter((one) => one.path === where).length,
    arrived: (where, count = 1) => until(`${count} requests for ${where}`, () => host.asked(where) >= count),
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
    async start() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
  };
  t.after(async () => {
    if (server.listening) await host.stop();
    fs.rmSync(dir, { recursive: true });
  });
  return host;
}

// The client of a document: public, with the URL as its client_id.
export const documentClient = (w, client_id, redirect_uri = "https://claude.example/back", more = {}) => new App(w, { client_id, name: "Claude", redirect_uri, scope: "agent_hints preferences:read preferences:write", ...more });
