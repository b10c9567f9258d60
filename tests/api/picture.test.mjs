// A user's picture: uploaded, shown, given to apps that may read the profile, and removed.

import assert from "node:assert/strict";
import test from "node:test";
import { mainText, open, press, uploadPicture } from "../kit/account.mjs";
import { assertError } from "../kit/expect.mjs";
import { addPerson, stage, userCommand } from "../kit/oauth.mjs";
import { chunk, png } from "../kit/png.mjs";

const PAGE = "/account/profile";
const srcOf = (page) => /<img class="badge logo[^>]* src="(\/pictures\/[^"]+)"/.exec(page.text)?.[1];

test("a picture is uploaded without its metadata, given to apps, replaced, and removed", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app, { scope: "profile:read" });
  const picture = async () => (await app.userinfo(access_token)).data.picture;
  assert.equal(await picture(), undefined);
  assert.equal((await uploadPicture(ada, png({ before: [chunk("tEXt", "Comment\0at home")], after: [chunk("eXIf", "place")] }))).status, 303);
  const src = srcOf(await open(ada, PAGE));
  assert.match(src, /^\/pictures\/pic_[\w-]{22}$/);
  assert.equal(await picture(), `${w.publicOrigin()}${src}`);
  const image = await w.ask("GET", src); // without a session, as an app's page loads it
  assert.equal(image.status, 200);
  assert.equal(image.headers["content-type"], "image/png");
  assert.equal(image.headers["x-content-type-options"], "nosniff");
  assert.equal(image.headers["cache-control"], "private, max-age=86400");
  assert.match(image.headers["content-security-policy"], /default-src 'none'; sandbox/);
  assert.equal(image.headers["set-cookie"], undefined);
  assert.equal(Number(image.headers["content-length"]), png().length);

  assert.equal((await uploadPicture(ada, png({ color: [1, 2, 3] }))).status, 303);
  const next = srcOf(await open(ada, PAGE));
  assert.notEqual(next, src);
  assert.equal(await picture(), `${w.publicOrigin()}${next}`);
  assertError(await w.ask("GET", src), 404);
  await press(ada, PAGE, PAGE, { typed: { name: "Ada" } }); // another change keeps it
  assert.equal(srcOf(await open(ada, PAGE)), next);

  assert.equal(srcOf(await press(ada, PAGE, `${PAGE}/picture/remove`)), undefined);
  assert.equal(await picture(), undefined);
  assertError(await w.ask("GET", next), 404);
  await w.assertSound();
});

test("only the user, only with the form; other files are rejected; a deleted account has no picture", async (t) => {
  const { w, ada } = await stage(t);
  const grace = await addPerson(w, "grace");
  const [, hers] = /name="form" value="([^"]+)"/.exec((await open(grace, PAGE)).text);
  assert.equal((await uploadPicture(ada, png(), { form: hers })).status, 403);
  assert.equal((await uploadPicture(ada, png(), { form: "forged" })).status, 403);
  assert.equal((await w.ask("POST", `${PAGE}/picture`, { form: {} })).status, 415);
  for (const [bytes, why] of [["<svg onload=alert(1)>", /must be a PNG file/], [png({ side: 16 }), /square of 32 to 512 pixels/], [Buffer.concat([png(), Buffer.alloc(20_000)]), /at most 10 KiB/], ["", /Choose a file/]]) {
    const refused = await uploadPicture(ada, bytes);
    assert.equal(refused.status, 400);
    assert.match(mainText(refused), why);
  }
  assert.equal((await uploadPicture(ada, png(), { name: "other" })).status, 400);
  assert.equal(srcOf(await open(ada, PAGE)), undefined);
  assert.equal((await uploadPicture(ada, png())).status, 303);
  const src = srcOf(await open(ada, PAGE));
  assert.equal(srcOf(await open(grace, PAGE)), undefined);
  for (const path of ["/pictures/x", "/pictures/pic_AAAAAAAAAAAAAAAAAAAAAA", `/pictures/${"x".repeat(500)}`]) assertError(await w.ask("GET", path), 404);
  await userCommand(w, "delete", "ada");
  assertError(await w.ask("GET", src), 404);
  await w.assertSound();
});
