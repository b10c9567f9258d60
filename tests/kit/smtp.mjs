// A mail server for a test: smtp.py as a child process. `mails` are the messages that it accepted.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import readline from "node:readline";
import { until } from "./until.mjs";

export const FROM = "penchant@mail.test";

const PROGRAM = fileURLToPath(new URL("smtp.py", import.meta.url));

// { port }: on this port, as after a restart. { tls: { cert, key, kind } }, { login: [user, password] }.
export async function mailServer(t, { port = 0, tls, login = [] } = {}) {
  const child = spawn("/usr/bin/python3", [PROGRAM, port, ...(tls ? [tls.cert, tls.key, tls.kind] : []), ...login].map(String), { stdio: ["pipe", "pipe", "inherit"] });
  const events = [];
  readline.createInterface({ input: child.stdout }).on("line", (line) => events.push(JSON.parse(line)));
  const server = {
    events,
    get mails() {
      return events.filter(({ event }) => event === "mail").map(readMail);
    },
    // The first message for which `is` holds, as soon as it arrives.
    async mail(is = () => true) {
      await until("an email", () => server.mails.some(is));
      return server.mails.find(is);
    },
    happened: (event, count = 1) => until(`the mail server: ${event}`, () => events.filter((one) => one.event === event).length >= count),
    async become(mode) {
      const before = events.filter(({ event }) => event === "mode").length;
      child.stdin.write(`${mode}\n`);
      await server.happened("mode", before + 1);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
  t.after(() => server.stop());
  await server.happened("listening");
  server.port = events[0].port;
  server.url = `${tls?.kind === "tls" ? "smtps" : "smtp"}://127.0.0.1:${server.port}`;
  return server;
}

// Headers, plain text, and HTML of a message, and the first link in it.
export function readMail({ text, ...mail }) {
  const [head, ...parts] = text.split(/^--=_penchant_part(?:--)?\r?\n/m);
  const headers = Object.fromEntries(head.replaceAll(/\r?\n[ \t]+/g, " ").trim().split(/\r?\n/).map((line) => [line.split(":")[0].toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]));
  const body = (part = "") => {
    const at = part.search(/\r?\n\r?\n/);
    const content = part.slice(at).trim().replaceAll("\r\n", "\n");
    if (!/quoted-printable/.test(part.slice(0, at))) return content;
    const bytes = content.replaceAll("=\n", "").replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    return Buffer.from(bytes, "latin1").toString();
  };
  const plain = body(parts[0]);
  const link = /https?:\/\/\S+/.exec(plain)?.[0];
  return { ...mail, raw: text, headers, plain, html: body(parts[1]), link, path: link && link.replace(/^https?:\/\/[^/]+/, "") };
}
