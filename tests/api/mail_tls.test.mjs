// Email over TLS: the mail server's certificate is verified, and the password at the mail server stays secret.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { certificates } from "../kit/document_host.mjs";
import { Person } from "../kit/oauth.mjs";
import { FROM, mailServer } from "../kit/smtp.mjs";
import { world } from "../kit/world.mjs";

const USER = "penchant";
const SECRET = "postman-Zq7-never-in-a-log";

const HOST = "mail.localhost"; // resolved to loopback by libcurl, and not exempt from TLS like localhost

// A mail server with a certificate for `name`, a service that uses it, and a sign-up that causes an email.
async function sent(t, { kind, name = HOST, otherCa, login, settings }) {
  const made = [certificates([name]), certificates([name])];
  for (const { dir } of made) t.after(() => fs.rmSync(dir, { recursive: true }));
  const { dir } = made[0];
  const tls = { kind, cert: path.join(dir, "cert.pem"), key: path.join(dir, "key.pem") };
  const server = await mailServer(t, { ...(kind && { tls }), ...(login && { login: [USER, SECRET] }) });
  const w = await world(t, {
    settings: {
      "smtp-url": server.url.replace("127.0.0.1", HOST),
      "smtp-from": FROM,
      "smtp-ca": made[otherCa ? 1 : 0].ca,
      ...settings?.(dir),
    },
  });
  w.secrets.add(SECRET);
  await w.signUp({ username: "grace", email: "grace@example.org" });
  return { w, server };
}

async function delivered(given) {
  const { w, server } = given;
  const mail = await server.mail();
  assert.deepEqual(mail.to, ["grace@example.org"]);
  w.secrets.add(new URL(mail.link).searchParams.get("token"));
  return mail;
}

async function failed({ w, server }, reason) {
  const line = await w.service.logged("a failed try", ({ event }) => event === "mail_failed");
  assert.match(line.reason, reason);
  assert.deepEqual(server.mails, []);
}

for (const kind of ["tls", "starttls"]) {
  test(`${kind}: a certificate of the authority in smtp-ca is accepted`, async (t) => {
    const mail = await delivered(await sent(t, { kind }));
    assert.equal(mail.tls, true);
  });

  test(`${kind}: a certificate for another name is rejected`, async (t) => {
    await failed(await sent(t, { kind, name: "other.localhost" }), /SSL peer certificate|certificate/i);
  });

  test(`${kind}: a certificate of an unknown authority is rejected`, async (t) => {
    await failed(await sent(t, { kind, otherCa: true }), /SSL peer certificate|certificate/i);
  });
}

test("a server on another host that offers no TLS gets no email and no password", async (t) => {
  const given = await sent(t, { login: true, settings: () => ({ "smtp-user": USER }) });
  await failed(given, /TLS|SSL/);
});

test("the password at the mail server is read from a file, works over TLS, and never appears in the log", async (t) => {
  const withFile = (secret) => (dir) => {
    const file = path.join(dir, "password");
    fs.writeFileSync(file, `${secret}\n`, { mode: 0o600 });
    return { "smtp-user": USER, "smtp-password-file": file, "log-level": "debug" };
  };
  const mail = await delivered(await sent(t, { kind: "starttls", login: true, settings: withFile(SECRET) }));
  assert.deepEqual([mail.user, mail.tls], [USER, true]);
  const wrong = await sent(t, { kind: "starttls", login: true, settings: withFile("postman-wrong-never-in-a-log") });
  wrong.w.secrets.add("postman-wrong-never-in-a-log");
  await failed(wrong, /Login denied/);
  assert.equal((await new Person(wrong.w).get("/signin")).status, 200);
});
