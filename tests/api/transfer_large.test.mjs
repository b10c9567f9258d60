// export and import of accounts as large as they can be.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { SAME_SITE } from "../kit/account.mjs";
import { connected, FOOD, MUSIC, READ_WRITE } from "../kit/preferences.mjs";
import { document, essence, exported, fact, imported, put } from "../kit/transfer.mjs";
import { world } from "../kit/world.mjs";

// As many words as fit: the tokens of one long word take much longer to count.
const words = (letter) => `${letter.repeat(11)} `.repeat(16).trim();

test("an account at its limits can be imported and exported, and one fact more cannot", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  const text = (i) => `${i} ${words("ü")}`;
  const atoms = Array.from({ length: 2000 }, (_, i) => fact("statements", text(i)));
  const full = document({ [MUSIC]: atoms, [FOOD]: atoms });
  const file = await put(w, "full.json", full);
  assert.ok(fs.statSync(file).size > 2 * 1024 * 1024);
  assert.equal((await imported(w, file, "--user", "ada"))[0].added, 4000);
  const out = await exported(w, "ada");
  assert.deepEqual(out.domains[FOOD].atoms.map(({ value }) => value), atoms.map(({ value }) => value));
  // One more is one too many, and none of it comes in.
  const more = await put(w, "more.json", document({ travel_profile: [fact("avoid_red_eye", true)], [MUSIC]: [fact("genres", "one more")] }));
  const refused = await w.command("import", more, "--user", "ada");
  assert.equal(refused.status, 1);
  assert.match(refused.err, /more than 2,000 facts in one domain; nothing was changed/);
  assert.deepEqual(essence(await exported(w, "ada")), essence(out));
});

test("an account that an app has flooded is downloaded by its owner and by the operator, and comes in again", async (t) => {
  const { w, ada, api } = await connected(t, { scope: `${READ_WRITE} agent_hints` });
  const bob = await w.addUser("bob");
  const text = (i) => `${i} ${words("\u{20000}")}`; // four bytes each
  const atoms = Array.from({ length: 1800 }, (_, i) => fact("statements", text(i)));
  const domains = ["coding_profile", FOOD, MUSIC];
  const flood = document(Object.fromEntries(domains.map((name) => [name, atoms])));
  assert.equal((await imported(w, await put(w, "flood.json", flood), "--user", "ada"))[0].added, atoms.length * domains.length);
  // The operator's.
  const out = await exported(w, "ada");
  assert.deepEqual(out.domains[MUSIC].atoms.map(({ value }) => value), atoms.map(({ value }) => value));
  // Her own.
  const own = await ada.get("/account/data/export", SAME_SITE);
  assert.deepEqual([own.status, own.headers["content-type"]], [200, "application/json"]);
  assert.match(own.headers["content-disposition"], /^attachment; filename="penchant-ada-/);
  assert.ok(Buffer.byteLength(own.text) > 8 * 1024 * 1024);
  assert.deepEqual(essence(JSON.parse(own.text)), essence(out));
  // An exported file can be imported again, by command only.
  assert.equal((await imported(w, await put(w, "own.json", own.text), "--user", bob.sub))[0].added, atoms.length * domains.length);
  assert.deepEqual(essence(await exported(w, "bob")), essence(out));
  // An app's document has its bound, and says what to do instead.
  const refused = await api.get("preferences/export");
  assert.deepEqual([refused.status, refused.data.error], [413, "payload_too_large"]);
  assert.match(refused.data.error_description, /^The export is larger than 8 MiB, the limit for one response\. Read single domains \(GET \/v1\/preferences\/\{domain\}\)/);
  assert.equal(refused.headers["content-disposition"], undefined);
});
