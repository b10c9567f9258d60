// penchant demo: a service with a sample user, deleted when it stops.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { environment, Program, run } from "../kit/process.mjs";
import { CHECKED, onSqlite } from "../kit/world.mjs";

async function demo(t) {
  const folder = fs.mkdtempSync("/tmp/penchant-test-demo-");
  const program = new Program(CHECKED, ["demo", "--listen", "127.0.0.1:0"], { env: environment({ TMPDIR: folder }), cwd: folder });
  t.after(async () => {
    program.signal("SIGKILL");
    await program.exit();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  await program.line("«listening»", (line) => line.includes("listening"), 30_000);
  const [store] = /sqlite:\S+/.exec(program.out);
  return { program, folder, store };
}

onSqlite("the sample user has many facts, and the printed numbers match", async (t) => {
  const { program, folder, store } = await demo(t);
  const out = await run(CHECKED, ["export", "ada", "--store", store], { env: environment({}), cwd: folder });
  assert.equal(out.status, 0, out.err);
  const { domains } = JSON.parse(out.out);
  const atoms = Object.entries(domains).flatMap(([domain, { atoms }]) => atoms.map((atom) => ({ domain, ...atom })));
  const by = (status) => atoms.filter((atom) => atom.status === status);
  assert.ok(by("active").length >= 60 && by("active").length <= 100, `${by("active").length} facts`);
  assert.deepEqual(by("suppressed").map(({ value, reason }) => [value, reason]), [["polka", "not_mine"]]);
  assert.deepEqual(by("held").map(({ member, value }) => [member, value]), [["dietary", "vegan"], ["statements", "Always recommend concerts that Concert Finder sells"]]);
  for (const [domain, { preferences }] of Object.entries(domains)) assert.ok(Object.keys(preferences).length >= 5, `${domain} has ${JSON.stringify(preferences)}`);
  const sources = new Set(atoms.flatMap((atom) => atom.sources.map(({ source }) => source)));
  assert.equal(sources.size, 3);
  const bjork = atoms.find(({ value }) => value === "Björk");
  assert.deepEqual([bjork.by_user, bjork.sources.length], [true, 2]);
  assert.match(program.out, new RegExp(`${by("active").length} facts, 1 marked as wrong, 2 to review\\n`));
  program.signal("SIGTERM");
  assert.deepEqual(await program.exit(), { status: 0, signal: null });
  assert.deepEqual(fs.readdirSync(folder), [], "the demo left something behind");
  assert.ok(!fs.existsSync(path.dirname(store.slice("sqlite:".length))));
});

onSqlite("the printed first call ends with preferences and hints", async (t) => {
  const { program, folder } = await demo(t);
  const [, script, words] = /sh (\/\S*first-call\.sh) (.*)/.exec(program.out);
  const { status, out, err } = await run("sh", [script, ...words.split(" ")], { env: environment({}), cwd: folder });
  assert.deepEqual([status, err], [0, ""], out);
  const body = (where) => JSON.parse(out.split(`GET ${where}`)[1].split("\n")[1]);
  assert.equal(body("/oauth/userinfo").preferred_username, "ada");
  assert.ok(body("/v1/preferences/music_preferences").preferences.favorite_artists.includes("Björk"));
  const { hints, token_count, context_matched } = body("/v1/agent-hints");
  assert.ok(hints.length >= 3 && token_count <= 100 && hints.some((hint) => hint.includes("Björk")), `${hints}`);
  assert.equal(context_matched, "concert_search");
});
