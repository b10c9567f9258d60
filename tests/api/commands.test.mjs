// The commands about users: on a stopped service and on a running one, the same answers.

import assert from "node:assert/strict";
import test from "node:test";
import { Program } from "../kit/process.mjs";
import { pause, until } from "../kit/until.mjs";
import { DATABASES, onSqlite, PASSWORD, world } from "../kit/world.mjs";

// Every test here runs twice.
function testTwice(sentence, run) {
  test(`${sentence}, on a stopped service`, async (t) => run(await world(t, { start: false })));
  test(`${sentence}, on a running service`, async (t) => run(await world(t)));
}

const user = (w, ...words) => w.command("user", ...words);
const stdin = `${PASSWORD}\n`;

testTwice("users are added, listed, disabled, enabled, given a password and deleted", async (w) => {
  w.clock.stop(1_800_000_000);
  const added = await user(w, "add", "Ada", "--email", "ada@example.org", "--name", "Ada L", "--json", { stdin });
  assert.deepEqual([added.status, added.err], [0, ""]);
  assert.deepEqual(Object.keys(added.data).slice(0, 2), ["sub", "username"]);
  assert.match(added.data.sub, /^usr_[A-Za-z0-9_-]{22}$/);
  assert.equal(added.data.username, "ada");
  w.clock.forward(60);
  const second = await user(w, "add", "grace", "--no-password", "--json");
  assert.equal(second.status, 0, second.err);

  const wanted = [
    { sub: added.data.sub, username: "ada", email: "ada@example.org", unconfirmed_email: null, name: "Ada L", language: null, time_zone: null, status: "active", created_at: "2027-01-15T08:00:00Z" },
    { sub: second.data.sub, username: "grace", email: null, unconfirmed_email: null, name: null, language: null, time_zone: null, status: "active", created_at: "2027-01-15T08:01:00Z" },
  ];
  assert.deepEqual(await w.users(), wanted); // in the order they came

  const disabled = await user(w, "disable", "ada", "--json");
  assert.equal(disabled.status, 0, disabled.err);
  assert.equal((await w.users())[0].status, "disabled");
  assert.equal((await user(w, "disable", "ada", "--json")).status, 0); // twice is the same as once
  assert.equal((await user(w, "enable", "ada")).status, 0);
  assert.deepEqual(await w.users(), wanted);

  assert.equal((await user(w, "passwd", "ada", { stdin: "another kettle hums at noon 12\n" })).status, 0);
  assert.equal((await user(w, "delete", "grace")).status, 0);
  assert.deepEqual(await w.users(), wanted.slice(0, 1));
});

testTwice("a user can be named by username, email address or id", async (w) => {
  const { sub } = await w.addUser("ada", { args: ["--email", "ada@example.org"] });
  for (const who of ["ada", "ADA", "ada@example.org", "Ada@Example.Org", sub]) {
    assert.equal((await user(w, "disable", who)).status, 0, who);
    assert.equal((await w.users())[0].status, "disabled", who);
    assert.equal((await user(w, "enable", who)).status, 0, who);
  }
  assert.equal((await user(w, "delete", sub)).status, 0);
  assert.deepEqual(await w.users(), []);
});

testTwice("an error is one line with exit status 1, and an object with --json", async (w) => {
  await w.addUser("ada", { args: ["--email", "ada@example.org"] });
  const before = await w.users();
  const cases = [
    [["add", "ada"], /taken|already|exists/i],
    [["add", "ada2", "--email", "ADA@example.org"], /e-?mail|taken|already/i],
    [["add", "x"], /3 to 32|user ?name/i],
    [["add", "eve", "--email", "nonsense"], /e-?mail|address/i],
    [["add", "eve", "--name", "E\u202Eve"], /name|character/i],
    [["disable", "nobody"], /nobody|no such|not/i],
    [["enable", "nobody"], /nobody|no such|not/i],
    [["delete", "nobody"], /nobody|no such|not/i],
    [["passwd", "nobody"], /nobody|no such|not/i],
  ];
  for (const [words, said] of cases) {
    const people = await user(w, ...words, { stdin });
    assert.equal(people.status, 1, `${words}: ${people.out}`);
    assert.equal(people.out, "");
    assert.equal(people.err.trim().split("\n").length, 1, people.err);
    assert.match(people.err, said);
    const programs = await user(w, ...words, "--json", { stdin });
    assert.equal(programs.status, 1);
    assert.equal(programs.out, "");
    assert.equal(typeof programs.error?.error, "string", programs.err);
    assert.match(programs.error.error_description, said);
  }
  assert.deepEqual(await w.users(), before);
});

testTwice("weak, empty and absent passwords are refused", async (w) => {
  await w.addUser("ada");
  for (const weak of ["", "\n", "short\n", "password123\n", "ada-ada-ada\n", `${"x".repeat(2000)}\n`]) {
    const added = await user(w, "add", "ada-ada", { stdin: weak });
    assert.equal(added.status, 1, JSON.stringify(weak));
    assert.match(added.err, /password/i);
    const changed = await user(w, "passwd", "ada", { stdin: weak });
    assert.equal(changed.status, 1, JSON.stringify(weak));
    assert.match(changed.err, /password/i);
  }
  assert.deepEqual(await w.usernames(), ["ada"]);
});

testTwice("people get a table, programs get JSON, and an empty list is a list", async (w) => {
  assert.equal((await w.command("migrate")).status, 0);
  assert.deepEqual((await user(w, "list", "--json")).data, { users: [] });
  await w.addUser("ada", { args: ["--email", "ada@example.org"] });
  const people = await user(w, "list");
  assert.equal(people.status, 0);
  assert.match(people.out, /ada\b.*ada@example\.org/);
  assert.equal(people.data, undefined);
});

testTwice("a name that is shown to a terminal cannot steer it", async (w) => {
  const { status } = await user(w, "add", "eve", "--name", "\x1b[2Jgone", "--no-password");
  assert.equal(status, 1);
  assert.doesNotMatch((await user(w, "list")).out, /\x1b/);
});

testTwice("a hundred users are all listed, in order", async (w) => {
  w.clock.stop(1_800_000_000);
  const names = [];
  for (let i = 0; i < 12; i++) {
    w.clock.forward(1);
    names.push(`user${i}`);
    const { status, err } = await user(w, "add", names.at(-1), "--no-password");
    assert.equal(status, 0, err);
  }
  assert.deepEqual((await w.users()).map((one) => one.username), names);
});

onSqlite("commands wait for a store that another process has for a short time", async (t) => {
  const w = await world(t, { start: false });
  await w.addUser("ada");
  const all = await Promise.all(["Ada", "Ada L", "A. L."].map((name) => user(w, "set", "ada", "--name", name)));
  assert.deepEqual(all.map(({ status, err }) => [status, err]), Array(3).fill([0, ""]));
  // As a service that drains: it has the store, but accepts no commands any more.
  const holder = new Program("flock", [`${w.file}.lock`, "sh", "-c", "echo held; cat"], { stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => holder.signal("SIGKILL"));
  await until("the lock", () => holder.out.includes("held"));
  const waiting = user(w, "set", "ada", "--name", "Ada Lovelace");
  assert.equal(await Promise.race([waiting, pause(300)]), undefined, "it waits");
  holder.child.stdin.end();
  assert.equal((await waiting).status, 0);
  assert.equal((await w.users())[0].name, "Ada Lovelace");
});

test("a command takes effect on the running service at once", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  assert.equal((await w.signUp({ username: "ada" })).status, 400);
  assert.equal((await user(w, "delete", "ada")).status, 0);
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
});

test("a deleted user's id is never reused", async (t) => {
  const w = await world(t);
  const first = await w.addUser("ada");
  await user(w, "delete", "ada");
  const second = await w.addUser("ada");
  assert.notEqual(first.sub, second.sub);
});

test("a password is never read from an argument", async (t) => {
  const w = await world(t, { start: false });
  const { status, err } = await w.penchant(["user", "add", "ada", "--password", "x", "--store", w.address]);
  assert.equal(status, 2);
  assert.match(err, /--password/);
});

test("every command has an output in JSON for programs", async (t) => {
  const w = await world(t);
  const file = `${w.dir}/copy`;
  for (const words of [["user", "add", "ada"], ["user", "list"], ["user", "disable", "ada"], ["user", "enable", "ada"], ["user", "passwd", "ada"], ["user", "delete", "ada"], ["migrate"], ["check"], ...(DATABASES === 1 ? [["backup", file]] : [])]) {
    const { status, out, err, data } = await w.command(...words, "--json", { stdin });
    assert.equal(status, 0, err);
    assert.equal(typeof data, "object", `${words.join(" ")} --json said ${JSON.stringify(out)}`);
  }
  assert.equal(typeof (await w.penchant(["version", "--json"])).data, "object");
});

test("a password may end with a line end or without, and keeps its blanks", async (t) => {
  const w = await world(t, { start: false });
  for (const [i, text] of [PASSWORD, `${PASSWORD}\n`, `  ${PASSWORD}  \n`].entries())
    assert.equal((await user(w, "add", `user${i}`, { stdin: text })).status, 0, JSON.stringify(text));
  assert.equal((await w.users()).length, 3);
});
