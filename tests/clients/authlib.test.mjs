// Debian's python3-authlib through the complete OAuth flow, with Chromium on the real pages.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import readline from "node:readline";
import test from "node:test";
import { makeOpener, Callback, inReverse, signIn } from "../kit/browser.mjs";
import { stage, words } from "../kit/oauth.mjs";
import { soon } from "../kit/until.mjs";
import { PASSWORD, ROOT } from "../kit/world.mjs";

const open = makeOpener();
const SCOPE = "food_profile agent_hints profile:read";

// The Python program: say() sends it a line, hear() waits for one.
function python(t) {
  const child = spawn("/usr/bin/python3", [path.join(ROOT, "tests/clients/authlib_client.py")], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: "/usr/bin:/bin", AUTHLIB_INSECURE_TRANSPORT: "1", PYTHONDONTWRITEBYTECODE: "1" }, // http on this machine only
  });
  t.after(() => child.kill("SIGKILL"));
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    say: (what) => child.stdin.write(`${JSON.stringify(what)}\n`),
    async hear() {
      const { value, done } = await soon("a line of the Python program", lines.next(), 30_000);
      assert.ok(!done, `the Python program ended:\n${err}`);
      return JSON.parse(value);
    },
  };
}

async function begin(test, { isPublic = false, method = isPublic ? "none" : "client_secret_basic" } = {}) {
  const t = inReverse(test);
  const callback = await Callback.open(t);
  const { w, app } = await stage(t, { witness: true, clock: null, signedIn: false, app: { redirect_uri: "http://127.0.0.1/cb", scope: SCOPE, isPublic } });
  const client = python(t);
  client.say({ issuer: w.origin, client_id: app.client_id, client_secret: app.client_secret, redirect_uri: callback.uri, scope: SCOPE, method });
  const asked = await client.hear();
  assert.equal(asked.issuer, w.origin);
  const page = await open(t, w);
  await page.goto(asked.open);
  await signIn(page, { password: PASSWORD });
  await page.waitForSelector("button[value=allow]");
  return { w, app, callback, client, page };
}

for (const method of ["client_secret_basic", "client_secret_post"])
  test(`authlib with ${method}: code, user info, introspection, refresh, revocation`, async (t) => {
    const { w, app, callback, client, page } = await begin(t, { method });
    await page.click("button[value=allow]");
    client.say({ url: (await callback.arrival()).url });
    const { token } = await client.hear();
    assert.equal(token.token_type, "Bearer");
    assert.deepEqual(words(token.scope), words(SCOPE));
    const { userinfo } = await client.hear();
    assert.equal(userinfo.preferred_username, "ada");
    const { introspected } = await client.hear();
    assert.deepEqual([introspected.active, introspected.client_id, introspected.sub, introspected.iss], [true, app.client_id, userinfo.sub, w.origin]);
    const renewed = await client.hear();
    assert.notEqual(renewed.refreshed.access_token, token.access_token);
    assert.equal(renewed.userinfo.sub, userinfo.sub);
    assert.deepEqual(await client.hear(), { revoked: 200, body: "" });
    assert.deepEqual(await client.hear(), { introspected: { active: false } });
    assert.deepEqual(await client.hear(), { error: "invalid_grant" });
    assert.deepEqual(await client.hear(), { status: 401 });
  });

test("authlib as a public app, with one scope declined", async (t) => {
  const { callback, client, page } = await begin(t, { isPublic: true });
  await page.uncheck("input[name=scope][value=agent_hints]");
  await page.click("button[value=allow]");
  client.say({ url: (await callback.arrival()).url });
  assert.deepEqual(words((await client.hear()).token.scope), ["food_profile", "profile:read"]);
  assert.equal((await client.hear()).userinfo.preferred_username, "ada");
  assert.equal((await client.hear()).userinfo.preferred_username, "ada");
  assert.deepEqual(await client.hear(), { revoked: 200, body: "" });
  assert.deepEqual(await client.hear(), { error: "invalid_grant" });
  assert.deepEqual(await client.hear(), { status: 401 });
});

test("authlib reports that the user denied access", async (t) => {
  const { callback, client, page } = await begin(t);
  await page.click("button[value=deny]");
  client.say({ url: (await callback.arrival()).url });
  assert.deepEqual(await client.hear(), { error: ["access_denied"], state: true });
});
