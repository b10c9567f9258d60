// The control socket of a running service on SQLite; PostgreSQL needs none.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import { controlBytes } from "../kit/control.mjs";
import { until } from "../kit/until.mjs";
import { onSqlite, PASSWORD, world } from "../kit/world.mjs";

onSqlite("the socket exists while the service runs, only for its owner", async (t) => {
  const w = await world(t);
  const info = fs.statSync(w.socket);
  assert.ok(info.isSocket());
  assert.equal(info.mode & 0o777, 0o600);
  assert.ok(fs.existsSync(`${w.file}.lock`));
  await w.stop();
  assert.ok(!fs.existsSync(w.socket), "the socket outlives the service");
});

onSqlite("a command over the socket has the same effect and output", async (t) => {
  const w = await world(t);
  const made = await w.control(["user", "add", "ada", "--json"], PASSWORD);
  assert.deepEqual([made.status, made.err, made.data.username], [0, "", "ada"]);
  const again = await w.control(["user", "add", "ada", "--json"], PASSWORD);
  assert.deepEqual([again.status, again.out], [1, ""]);
  assert.equal(typeof again.error.error, "string");
  const listed = await w.control(["user", "list", "--json"]);
  assert.deepEqual(listed.data, { users: await w.users() });
});

onSqlite("64 at once are all answered", async (t) => {
  const w = await world(t);
  const results = await Promise.all(Array.from({ length: 64 }, (_, i) => w.control(["user", "add", `user${i}`, "--no-password"])));
  assert.deepEqual(results.map(({ status }) => status), new Array(64).fill(0));
  assert.equal((await w.users()).length, 64);
  const same = await Promise.all(Array.from({ length: 32 }, () => w.control(["user", "add", "popular", "--no-password"])));
  assert.equal(same.filter(({ status }) => status === 0).length, 1);
  assert.equal(same.filter(({ status }) => status === 1).length, 31);
});

onSqlite("what is not a request of ours is refused or dropped, and the service goes on", async (t) => {
  const w = await world(t);
  const odd = [
    "\n", "nonsense\n", "{}\n", "[]\n", '{"args":[]}\n', '{"args":"user"}\n', '{"args":[1,2]}\n', '{"args":["user","add"]}\n', '{"args":["serve"]}\n', '{"args":["demo"]}\n',
    '{"args":["nonsense"]}\n', '{"args":["user","list"],"args":["user","list"]}\n', '{"args":["user","list"],"stdin":7}\n', `{"args":[${'"x",'.repeat(5000)}"x"]}\n`,
    `${"[".repeat(100000)}\n`, '{"args":["user","add","a\\u0000da","--no-password"]}\n', '{"args":["user","list","--store","sqlite:/etc/passwd"]}\n', "\xff\xfe\n",
    '{"args":["backup","/tmp/penchant-must-not-be-made"]}\n',
  ];
  for (const bytes of odd) {
    const result = await controlBytes(w.socket, bytes).catch(() => ({ status: null }));
    assert.notEqual(result.status, 0, bytes.slice(0, 80));
  }
  assert.ok(!fs.existsSync("/tmp/penchant-must-not-be-made"), "the service opened a file for another user");
  assert.equal((await w.get("/healthz")).status, 200);
  assert.deepEqual(await w.users(), []);
});

onSqlite("silent and aborted connections do not delay others", async (t) => {
  const w = await world(t);
  const began = Date.now();
  const silent = Array.from({ length: 70 }, () => net.connect(w.socket).on("error", () => {}));
  t.after(() => silent.forEach((socket) => socket.destroy()));
  silent.slice(0, 35).forEach((socket) => socket.write('{"args":["user",'));
  assert.equal((await w.control(["user", "add", "ada", "--no-password"])).status, 0);
  for (let i = 0; i < 20; i++) {
    const gone = net.connect(w.socket).on("error", () => {});
    gone.write('{"args":["user","list","--json"]}\n', () => gone.destroy());
  }
  assert.equal((await w.signUp({ username: "eve" })).status, 303);
  assert.deepEqual(await w.usernames(), ["ada", "eve"]);
  await w.stop();
  assert.ok(Date.now() - began < 8000, "silent connections delayed the others, or the end");
});

onSqlite("a stale socket of a killed service is replaced", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  await w.kill();
  assert.ok(fs.existsSync(w.socket));
  assert.deepEqual(await w.usernames(), ["ada"]); // the command opens the store itself
  await w.start();
  await until("the new socket", () => fs.existsSync(w.socket));
  assert.equal((await w.control(["user", "list"])).status, 0);
});

// Another user is needed for this, so only root can try it.
(process.getuid() === 0 ? onSqlite : () => {})("a command sends nothing to a socket of another user's process", async (t) => {
  const w = await world(t);
  const real = `${w.socket}.real`;
  fs.renameSync(w.socket, real);
  fs.chmodSync(w.dir, 0o777);
  const listener = `require("net").createServer((c) => c.on("data", (d) => console.log("got", d.length))).listen(${JSON.stringify(w.socket)}, () => console.log("ready"))`;
  const thief = spawn(process.execPath, ["-e", listener], { uid: 65534, cwd: "/" });
  let out = "";
  thief.stdout.on("data", (data) => (out += data));
  t.after(() => thief.kill("SIGKILL"));
  await until("the other listener", () => out.includes("ready"));
  const done = await w.command("user", "add", "ada", { stdin: `${PASSWORD}\n` });
  assert.equal(done.status, 1);
  assert.match(done.err, /belongs to another user's process/);
  assert.ok(!out.includes("got"), out);
  fs.rmSync(w.socket);
  fs.renameSync(real, w.socket);
  assert.equal((await w.command("user", "add", "ada", { stdin: `${PASSWORD}\n` })).status, 0);
});

onSqlite("a command ends with an error if the service does not respond, and it works again when the service does", async (t) => {
  const w = await world(t);
  w.service.signal("SIGSTOP");
  t.after(() => w.service.signal("SIGCONT"));
  let ended = false;
  const waiting = w.command("user", "add", "ada", "--no-password").finally(() => (ended = true));
  await until("the end of the command", () => {
    if (!ended) w.faults.forwardDeadlines(5000);
    return ended;
  });
  const { status, out, err } = await waiting;
  assert.deepEqual([status, out], [1, ""]);
  assert.match(err, /^penchant: the service has not responded for 30 seconds, so the outcome is unknown; see its log, and check whether the command took effect\n$/);
  w.service.signal("SIGCONT");
  assert.equal((await w.command("user", "list")).status, 0);
});
