// Talks to the control socket of a running service on SQLite as the command-line tool does: sends one
// JSON line with arguments and standard input, reads JSON lines, the last with the exit status.

import net from "node:net";
import { soon } from "./until.mjs";

export function control(socketPath, args, stdin) {
  return controlBytes(socketPath, `${JSON.stringify({ args, stdin })}\n`);
}

// The same with any bytes, for malformed requests.
export async function controlBytes(socketPath, bytes) {
  const answered = new Promise((resolve, reject) => {
    let text = "";
    const socket = net.connect(socketPath, () => socket.write(bytes));
    socket.setEncoding("utf8");
    socket.on("data", (piece) => (text += piece));
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
  const result = { out: "", err: "", status: null, progress: [] };
  for (const line of (await soon("the control socket", answered, 60_000)).split("\n").filter(Boolean)) {
    const said = JSON.parse(line);
    if (said.out !== undefined) result.out += said.out;
    if (said.err !== undefined) result.err += said.err;
    if (said.progress !== undefined) result.progress.push(said.progress);
    if (said.exit !== undefined) result.status = said.exit;
  }
  return result;
}
