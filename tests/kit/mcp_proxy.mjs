// Programs of npm that speak MCP. They need a newer Node.js than the tests, which comes as a package too.
// proxy() adds an access token to every request, for programs that cannot send one.

import http from "node:http";
import path from "node:path";
import { Program } from "./process.mjs";
import { ROOT } from "./world.mjs";

const PACKAGES = path.join(ROOT, "tests/clients/node_modules"); // make deps-check installs them
export const NODE = path.join(PACKAGES, `node-linux-${process.arch}/bin/node`);

export async function proxy(t, w, token) {
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const ours = http.request({ host: "127.0.0.1", port: w.port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    ours.on("error", () => response.destroy());
    request.pipe(ours);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

// Runs a program of an installed package. The promise of { status, out, err } has the running program as a member.
export function program(name, args, { env = {}, within = 120_000, ...rest } = {}) {
  const program = new Program(NODE, [path.join(PACKAGES, ".bin", name), ...args], { env: { PATH: process.env.PATH, HOME: process.env.HOME ?? "/", ...env }, ...rest });
  const ended = program.exit(within).then(({ status }) => ({ status, out: program.out, err: program.err }));
  return Object.assign(ended, { program });
}
