// node.mjs - runs peers on the Node version that npm installs for them (bench/package.json), whatever version
// runs the benchmark.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { firstAnswer, run, start, stop } from "../process.mjs";
import { root, settings } from "../settings.mjs";

const folder = join(root, "bench");
const brought = join(folder, "node_modules/.bin/node");
const node = existsSync(brought) ? brought : process.execPath;
const script = (name) => join(folder, "peers", name);

// Runs a script of this directory to completion.
export const runNode = (name, args, input = "") => run(node, [script(name), ...args.map(String)], { input, cwd: folder, showErrors: true });

// Starts a server in production mode on `port` and waits until it responds to the request.
export async function startNode(name, args, port, request) {
  const env = { ...process.env, NODE_ENV: "production" };
  const started = start(settings.serverCore, node, [script(name), ...args.map(String)], { cwd: folder, env });
  try {
    await firstAnswer(started, port, request);
  } catch (error) {
    await stop(started);
    throw error;
  }
  return { ...started, port, stop: () => stop(started) };
}

// The reason why a package cannot be loaded here, or null.
export async function missingFromNpm(name, use) {
  if (!existsSync(join(folder, "node_modules", name))) return `${name} is not installed (bench/peers/install)`;
  return run(node, ["--input-type=module", "-e", use], { cwd: folder }).then(
    () => null,
    () => `${name} does not load; remove bench/node_modules and run bench/peers/install`,
  );
}
