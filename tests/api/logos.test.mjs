// Logos of apps: uploaded by developers, or fetched from the host of a client's document; cleaned, stored, and
// shown from this service only.

import assert from "node:assert/strict";
import test from "node:test";
import { formOn, mainText, open, press } from "../kit/account.mjs";
import { register } from "../kit/assistant.mjs";
import { documentClient, documentHost, OTHER } from "../kit/document_host.mjs";
import { assertError } from "../kit/expect.mjs";
import { addPerson, HOUR, stage } from "../kit/oauth.mjs";
import { chunk, header, pixels, png, SIGNATURE } from "../kit/png.mjs";

const srcOf = (page) => /<img class="badge logo[^>]* src="(\/logos\/[^"]+)"/.exec(page.text)?.[1];

async function upload(person, app, bytes, { form } = {}) {
  const action = `/developer/apps/${app.client_id}/logo`;
  const token = form ?? formOn(await open(person, `/developer/apps/${app.client_id}/settings`), action).value("form");
  const part = (name, value, more = "") => Buffer.concat([Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`), Buffer.from(value), Buffer.from("\r\n")]);
  const body = Buffer.concat([part("form", token), part("file", bytes, '; filename="logo.png"\r\nContent-Type: image/png'), Buffer.from("--x--\r\n")]);
  const headers = { origin: person.w.publicOrigin(), "sec-fetch-site": "same-origin", "content-type": "multipart/form-data; boundary=x" };
  return person.ask("POST", action, { body, headers });
}

test("a developer uploads a logo, users see it on consent and in their list, and it can be replaced and removed", async (t) => {
  const { w, ada, app } = await stage(t);
  const settings = `/developer/apps/${app.client_id}/settings`;
  const secret = chunk("tEXt", "Comment\0made by ada on her laptop");
  const image = png({ before: [secret], after: [chunk("eXIf", "place of the photo")] });
  assert.equal((await upload(ada, app, image)).status, 303);
  const src = srcOf(await open(ada, settings));
  assert.ok(src);
  const answer = await w.ask("GET", src);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "image/png");
  assert.equal(answer.headers["x-content-type-options"], "nosniff");
  assert.equal(answer.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.match(answer.headers["content-security-policy"], /default-src 'none'; sandbox/);
  assert.equal(Number(answer.headers["content-length"]), png().length); // without the texts

  assert.equal(srcOf(await open(ada, "/developer")), src);
  const grace = await addPerson(w, "grace");
  const consent = await grace.get(app.request().path);
  assert.equal(srcOf(consent), src);
  assert.match(consent.headers["content-security-policy"], /img-src 'self'/);
  await grace.connect(app);
  assert.equal(srcOf(await open(grace, "/account/apps")), src);
  assert.equal(srcOf(await open(grace, `/account/apps/${app.client_id}`)), src);

  assert.equal((await upload(ada, app, png({ color: [1, 2, 3] }))).status, 303);
  const next = srcOf(await open(ada, settings));
  assert.notEqual(next, src);
  assertError(await w.ask("GET", src), 404);
  assert.equal((await w.ask("GET", next)).status, 200);

  const removed = await press(ada, settings, `/developer/apps/${app.client_id}/logo/remove`);
  assert.match(mainText(removed), /Logo removed\./);
  assert.equal(srcOf(removed), undefined);
  assertError(await w.ask("GET", next), 404);
  assert.equal(srcOf(await open(grace, "/account/apps")), undefined);
});

test("only the developer's own app, only with the form, and a deleted app has no logo", async (t) => {
  const { w, ada, app } = await stage(t);
  const grace = await addPerson(w, "grace");
  const [, token] = /name="form" value="([^"]+)"/.exec((await open(grace, "/account/profile")).text);
  assert.equal((await upload(grace, app, png(), { form: token })).status, 404);
  assert.equal((await upload(ada, app, png(), { form: "forged" })).status, 403);
  assert.equal((await w.ask("POST", `/developer/apps/${app.client_id}/logo`, { form: {} })).status, 415);
  assert.equal((await upload(ada, app, png())).status, 303);
  const src = srcOf(await open(ada, `/developer/apps/${app.client_id}/settings`));
  for (const path of [`/logos/${app.client_id}/x`, "/logos/app_nothing/x", `/logos/nothing/${src.split("/").at(-1)}`]) assertError(await w.ask("GET", path), 404);
  await press(ada, `/developer/apps/${app.client_id}/delete`, `/developer/apps/${app.client_id}/delete`);
  assertError(await w.ask("GET", src), 404);
});

test("a file that is not a small square PNG is rejected with the reason, and the old logo stays", async (t) => {
  const { ada, app } = await stage(t);
  await upload(ada, app, png());
  const src = srcOf(await open(ada, `/developer/apps/${app.client_id}/settings`));
  const file = (...chunks) => Buffer.concat([SIGNATURE, ...chunks]);
  const end = chunk("IEND");
  for (const [why, bytes, sentence] of [
    ["nothing", "", /Choose a file/],
    ["SVG with a script", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", /must be a PNG/],
    ["HTML", "<!doctype html><script>alert(1)</script>", /must be a PNG/],
    ["JPEG", Buffer.from("ffd8ffe000104a464946", "hex"), /must be a PNG/],
    ["GIF with a script", "GIF89a=1;alert(1)", /must be a PNG/],
    ["too many bytes", png({ before: [chunk("tEXt", Buffer.alloc(12_000, 65))] }), /at most 10 KiB/],
    ["too small", png({ side: 31 }), /square of 32 to 512 pixels/],
    ["too large to decode", file(header(60_000), pixels(), end), /square of 32 to 512 pixels/],
    ["not square", file(header(64, 65), pixels(), end), /square of 32 to 512 pixels/],
    ["no pixels", file(header(), end), /damaged/],
    ["cut", png().subarray(0, -9), /damaged/],
    ["wrong checksum", file(header(), chunk("IDAT", "x", { crc: 1 }), end), /damaged/],
    ["a second header", file(header(), header(512), pixels(), end), /damaged/],
    ["unknown critical chunk", file(header(), chunk("EVIL", "x"), pixels(), end), /damaged/],
    ["color type 5", file(header(64, 64, [8, 5, 0, 0, 0]), pixels(), end), /damaged/],
    ["a palette that is missing", file(header(64, 64, [8, 3, 0, 0, 0]), pixels(), end), /damaged/],
  ]) {
    const answer = await upload(ada, app, bytes);
    assert.equal(answer.status, 400, why);
    assert.match(mainText(answer), sentence, why);
  }
  assert.equal(srcOf(await open(ada, `/developer/apps/${app.client_id}/settings`)), src);
  // Bytes after the image, such as an archive, are not kept.
  assert.equal((await upload(ada, app, Buffer.concat([png({ color: [9, 9, 9] }), Buffer.from("PK\x03\x04<script>")]))).status, 303);
});

// ---- clients with a document ----

const served = (host, where, bytes, { type = "image/png", status = 200 } = {}) => host.on(where, (_, response) => response.writeHead(status, { "content-type": type }).end(bytes));

test("the logo of a document is fetched from its host by the same rules, and shown from our own cache", async (t) => {
  const host = await documentHost(t);
  const { w, ada } = await stage(t, { settings: host.settings });
  served(host, "/logo.png", png());
  const app = documentClient(w, host.publish("/client.json", { logo_uri: host.url("/logo.png") }));
  const consent = await ada.get(app.request().path);
  const src = srcOf(consent);
  assert.ok(src, consent.text);
  assert.doesNotMatch(consent.text, /logo\.png/); // the browser never asks the client's host
  assert.equal((await w.ask("GET", src)).headers["content-type"], "image/png");
  assert.equal(host.asked("/logo.png"), 1);
  await ada.get(app.request().path);
  assert.equal(host.asked("/logo.png"), 1);

  // A host that does not answer keeps the logo; one that has none, or something else, loses it.
  for (const [why, change, kept] of [
    ["503", () => served(host, "/logo.png", "", { status: 503 }), true],
    ["HTML", () => served(host, "/logo.png", "<script>alert(1)</script>"), false],
    ["again", () => served(host, "/logo.png", png()), true],
    ["endless", () => host.on("/logo.png", (_, response) => { response.writeHead(200, { "content-type": "image/png" }); response.write(Buffer.concat([SIGNATURE, Buffer.alloc(64_000)])); }), false],
    ["and again", () => served(host, "/logo.png", png()), true],
    ["redirect", () => host.on("/logo.png", (_, response) => response.writeHead(302, { location: host.url("/other.png") }).end()), false],
    ["once more", () => served(host, "/logo.png", png()), true],
    ["404", () => host.withdraw("/logo.png"), false],
  ]) {
    change();
    w.clock.forward(25 * HOUR);
    assert.equal(srcOf(await ada.get(app.request().path)) !== undefined, kept, why);
  }
  assert.equal(host.asked("/other.png"), 0);
});

test("a logo on another host is not fetched, and a client that registered itself has none", async (t) => {
  const host = await documentHost(t);
  const { w, ada } = await stage(t, { settings: host.settings });
  served(host, "/logo.png", png());
  const elsewhere = [host.url("/logo.png", OTHER), `http://app.localhost:${host.port}/logo.png`, "https://127.0.0.1/logo.png", "data:image/png;base64,AAAA", "javascript:alert(1)", "/logo.png", "", 7, null, { a: 1 }, "x".repeat(5000)];
  for (const [i, logo_uri] of elsewhere.entries()) {
    const app = documentClient(w, host.publish(`/client-${i}.json`, { logo_uri }));
    const consent = await ada.get(app.request().path);
    assert.equal(consent.status, 200, `${logo_uri}`);
    assert.equal(srcOf(consent), undefined, `${logo_uri}`);
  }
  assert.equal(host.asked("/logo.png"), 0);
  const json = { client_name: "Mimic", redirect_uris: ["http://127.0.0.1:8123/callback"], token_endpoint_auth_method: "none", logo_uri: host.url("/logo.png") };
  assert.equal((await w.ask("POST", "/oauth/register", { json })).status, 201);
  const mimic = await register(w, { name: "Mimic" });
  assert.equal(srcOf(await ada.get(mimic.request().path)), undefined);
  assert.equal(host.asked("/logo.png"), 0);
});
