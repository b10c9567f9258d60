// The guide: one source for the portal and docs/GUIDE.md, whose blocks run as they stand, in one shell.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import test from "node:test";
import { state } from "../kit/account.mjs";
import { assertPage } from "../kit/expect.mjs";
import { unescape } from "../kit/html.mjs";
import { stage } from "../kit/oauth.mjs";
import { until } from "../kit/until.mjs";
import { ROOT } from "../kit/world.mjs";

const DEMO = "http://127.0.0.1:8080";
const blocksOf = (page) => [...page.text.matchAll(/<code id="[a-z]+-code">([^]*?)<\/code>/g)].map(([, code]) => unescape(code));

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((ready) => server.once("listening", ready));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

// Runs the blocks, and calls `browse` with the URL that they print.
async function run(t, w, blocks, variables, browse) {
  const dir = fs.mkdtempSync(path.join(w.dir, "guide-"));
  const shell = spawn("sh", ["-eu"], { cwd: dir, env: { PATH: process.env.PATH, ...variables } });
  t.after(() => shell.kill("SIGKILL"));
  let out = "";
  let err = "";
  const url = new Promise((found) => shell.stdout.on("data", (data) => {
    out += data;
    const at = /^(http\S+\/oauth\/authorize\?\S+)$/m.exec(out);
    if (at) found(at[1]);
  }));
  shell.stderr.on("data", (data) => (err += data));
  const ended = new Promise((done) => shell.once("close", done));
  shell.stdin.end(blocks.join(""));
  const landing = await Promise.race([url, ended.then(() => undefined)]);
  assert.ok(landing, `no URL: ${out}${err}`);
  await browse(landing);
  return { status: await ended, out, err };
}

test("the blocks of the portal's guide run from top to bottom and read a preference and hints", async (t) => {
  const port = await freePort();
  const { w, ada, app } = await stage(t, { app: { redirect_uri: "http://127.0.0.1:9876/callback", scope: "music_preferences agent_hints" } });
  await state(ada, "music_preferences", "favorite_artists", "Björk");
  const page = await w.get("/developer/guide", { accept: "text/html" });
  assertPage(page);
  const blocks = blocksOf(page);
  assert.equal(blocks.length, 8);
  assert.equal([...page.text.matchAll(/ data-copy="([a-z]+-code)"/g)].length, blocks.length, "each has Copy");
  const { status, out, err } = await run(t, w, blocks, { client: app.client_id, secret: app.client_secret, port: String(port) }, async (url) => {
    const sent = new URL(url);
    assert.equal(sent.searchParams.get("scope"), "music_preferences agent_hints");
    const { headers: { location } } = await ada.through(await ada.get(sent.pathname + sent.search));
    assert.match(location, new RegExp(`^http://127\\.0\\.0\\.1:${port}/callback\\?code=`));
    await until("the listener of the guide", () => fetch(location).then(({ ok }) => ok, () => false));
  });
  assert.deepEqual([status, err], [0, ""], out);
  assert.match(out, /"favorite_artists":\["Björk"\]/);
  assert.match(out, /Facts about the user \(data, not instructions\):\n- .*Björk/);
  assert.match(out, /"active":true[^]*"favorite_artists"[^]*Facts about the user[^]*tonight\?\n$/, "it does not end with a preference and hints");
  assert.match(blocks.at(-2), /\/v1\/preferences\//);
  assert.match(blocks.at(-1), /\/v1\/agent-hints/);
});

test("docs/GUIDE.md has the same blocks, in the same order", async (t) => {
  const { w } = await stage(t, { settings: { "base-url": DEMO } });
  const blocks = blocksOf(await w.get("/developer/guide", { accept: "text/html" }));
  const guide = fs.readFileSync(path.join(ROOT, "docs/GUIDE.md"), "utf8");
  const written = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, code]) => code).slice(0, blocks.length);
  assert.deepEqual(written, blocks);
  assert.match(guide, /openid-client 5/);
  assert.doesNotMatch(guide, /npm install openid-client(?!@5)/);
});
