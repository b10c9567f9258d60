// The socket on which systemd gets the messages of a service (sd_notify(3)).

import path from "node:path";
import { Program } from "./process.mjs";
import { until } from "./until.mjs";

const LISTENER = `
import socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print("bound", flush=True)
while True:
    print(listener.recv(4096).decode(), flush=True)
`;

// `env` is for the service, `messages` has every assignment so far, and notified() waits for one, after the first `from`.
export async function systemdFor(t, w, { watchdogMs } = {}) {
  const socket = path.join(w.dir, "notify");
  const program = new Program("python3", ["-c", LISTENER, socket]);
  t.after(() => program.signal("SIGKILL"));
  await until("the socket", () => program.out.includes("bound"));
  const systemd = {
    env: { NOTIFY_SOCKET: socket, ...(watchdogMs && { WATCHDOG_USEC: `${watchdogMs * 1000}` }) },
    get messages() {
      return program.out.split("\n").slice(1, -1);
    },
    notified: (text, from = 0) => until(text, () => systemd.messages.slice(from).includes(text)),
  };
  return systemd;
}
