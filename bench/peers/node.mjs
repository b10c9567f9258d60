// node.mjs - peers that run on Node: on the one that npm brought with them (bench/package.json), whatever
// runs the bench.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { firstAnswer, run, start, stop } from "../process.mjs";
import { root, settings } from "../settings.mjs";

const folder = join(root, "bench");
const brought = join(folder, "node_modules/.bin/node");
const node = existsSync(brought) ? brought : process.execPath;
const script = (name) => join(folder, "peers", name);

// Runs a script of this folder to its end.
export const runNode = (name, args, input = "") => run(node, [script(name), ...args.map(String)], { input, cwd: folder, showErrors: true });

// Starts one as a server in production, on `port`, and waits until it answers the request.
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

// Why a package cannot be used here, found by using it; or null.
export async function missingFromNpm(name, use) {
  if (!existsSync(join(folder, "node_modules", name))) return `${name} is not installed (bench/peers/install)`;
  return run(node, ["--input-type=module", "-e", use], { cwd: folder }).then(
    () => null,
    () => `${name} does not load; remove bench/node_modules and run bench/peers/install`,
  );
}
