// The program explains itself.

import assert from "node:assert/strict";
import test from "node:test";
import { world } from "../kit/world.mjs";

const COMMANDS = ["serve", "demo", "user", "migrate", "backup", "check", "version", "help"];

test("help lists every command, and each has help of its own with an example or its words", async (t) => {
  const w = await world(t, { start: false });
  const { status, out, err } = await w.penchant(["help"]);
  assert.deepEqual([status, err], [0, ""]);
  for (const command of COMMANDS) {
    assert.match(out, new RegExp(`\\b${command}\\b`));
    const own = await w.penchant(["help", command]);
    assert.deepEqual([own.status, own.err], [0, ""], command);
    assert.match(own.out, new RegExp(`penchant ${command}`));
    assert.ok(own.out.trim().split("\n").length >= 2, own.out);
    const flag = await w.penchant([command, "--help"]);
    assert.deepEqual([flag.status, flag.out], [0, own.out], `${command} --help`);
  }
  for (const action of ["add", "list", "disable", "enable", "passwd", "delete"])
    assert.match((await w.penchant(["help", "user"])).out, new RegExp(`\\b${action}\\b`));
});

test("help of a command that takes settings mentions them", async (t) => {
  const w = await world(t, { start: false });
  for (const command of ["serve", "demo", "user add", "app list", "hints", "migrate", "backup", "check", "export", "import"])
    assert.match((await w.penchant(["help", ...command.split(" ")])).out, /penchant help settings/, command);
  for (const command of ["version", "help"]) assert.doesNotMatch((await w.penchant(["help", command])).out, /choose the store/, command);
});

test("help says whether the service may run meanwhile", async (t) => {
  const w = await world(t, { start: false });
  for (const command of ["backup", "check", "export", "user list"]) assert.match((await w.penchant(["help", ...command.split(" ")])).out, /Works while the service runs\./, command);
  for (const command of ["restore", "move"]) {
    const { out } = await w.penchant(["help", command]);
    assert.match(out, /Stop the service first\./, command);
    assert.doesNotMatch(out, /Works while/, command);
  }
  for (const command of ["serve", "version"]) assert.doesNotMatch((await w.penchant(["help", command])).out, /Works while|Stop the service/, command);
});

test("lines of help fit a terminal", async (t) => {
  const w = await world(t, { start: false });
  for (const topic of [[], ["settings"], ["routes"], ...COMMANDS.map((command) => [command])])
    for (const line of (await w.penchant(["help", ...topic])).out.split("\n"))
      assert.ok([...line].length <= 120, `help ${topic}: ${line}`);
});

test("without arguments it prints help", async (t) => {
  const w = await world(t, { start: false });
  const { status, out, err } = await w.penchant([]);
  assert.ok([0, 2].includes(status));
  assert.match(out + err, /serve/);
});

test("version prints text or JSON", async (t) => {
  const w = await world(t, { start: false });
  const { status, out } = await w.penchant(["version"]);
  assert.equal(status, 0);
  assert.match(out, /\d+\.\d+\.\d+/);
  assert.match((await w.penchant(["--version"])).out, /\d+\.\d+\.\d+/);
});

test("help routes lists the same routes as text and JSON", async (t) => {
  const w = await world(t, { start: false });
  const people = await w.penchant(["help", "routes"]);
  const programs = await w.penchant(["help", "routes", "--json"]);
  assert.deepEqual([people.status, programs.status], [0, 0]);
  for (const { method, path } of programs.data) assert.match(people.out, new RegExp(`${method}\\s+${path.replace(/[{}.]/g, "\\$&")}(\\s|$)`, "m"));
});
