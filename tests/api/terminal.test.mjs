// What a command does to the terminal on which it asks for a password.

import assert from "node:assert/strict";
import os from "node:os";
import test from "node:test";
import { stopAtPrompt } from "../kit/terminal.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

const { SIGHUP, SIGINT, SIGQUIT, SIGTERM } = os.constants.signals;

test("a password is not shown, and the terminal echoes again after it", async (t) => {
  const w = await world(t, { start: false });
  const ended = await stopAtPrompt(w.program, ["user", "add", "ada", "--store", w.address], { how: `${PASSWORD}\n`, prompt: "Password: ", env: w.env() });
  assert.deepEqual([ended.echoed, ended.echoes, ended.status], [false, true, 0], ended.shown);
  assert.ok(!ended.shown.includes(PASSWORD));
  assert.deepEqual(await w.usernames(), ["ada"]);
});

test("a command that a signal ends at the prompt leaves a terminal that echoes", async (t) => {
  const w = await world(t, { start: false });
  const CTRL_C = "\x03";
  for (const [how, signal] of [[CTRL_C, SIGINT], ["SIGINT", SIGINT], ["SIGTERM", SIGTERM], ["SIGHUP", SIGHUP], ["SIGQUIT", SIGQUIT]]) {
    const ended = await stopAtPrompt(w.program, ["user", "add", "ada", "--store", w.address], { how, prompt: "Password: ", env: w.env() });
    assert.deepEqual([ended.echoed, ended.echoes, ended.status], [false, true, -signal], `${JSON.stringify(how)}: ${ended.shown}`);
  }
});
