// Every form of the account pages, attacked (group B of the catalogue). The rows come from the
// program itself, so that a new one is guarded the day it is born.

import assert from "node:assert/strict";
import test from "node:test";
import { assertPage } from "../kit/expect.mjs";
import { open, SAME_SITE } from "../kit/account.mjs";
import { addPerson, NAVIGATION, Person, stage } from "../kit/oauth.mjs";
import { Client, MUSIC, READ_WRITE } from "../kit/preferences.mjs";

async function rows(w) {
  const { data } = await w.penchant(["help", "routes", "--json"]);
  const ours = data.filter(({ caller, path }) => caller === "user" && path.startsWith("/account"));
  assert.ok(ours.length > 3, JSON.stringify(data).slice(0, 300));
  return ours;
}

const concrete = (path, fill) => path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(fill[name] ?? "x"));
const tokenOf = async (person) => /name="form" value="([^"]+)"/.exec((await open(person, "/account/security")).text)[1];

async function scene(t) {
  const { w, ada, app } = await stage(t);
  const api = await Client.connect(ada, app, { scope: READ_WRITE });
  await api.write(MUSIC, { genres: ["jazz"] });
  const [{ atom_id }] = (await api.read("preferences/atoms")).atoms;
  const fill = { app: app.client_id, atom: atom_id, fact: atom_id, domain: MUSIC, session: "AAAA" };
  const state = async () => JSON.stringify([await api.read("preferences/atoms?status=all"), await app.worth(api.token), (await ada.get("/account/security")).status]);
  return { w, ada, app, fill, state };
}

const bodyOf = (row, form) =>
  row.body === "file" ? { body: `--x\r\nContent-Disposition: form-data; name="form"\r\n\r\n${form ?? ""}\r\n--x--\r\n`, headers: { "content-type": "multipart/form-data; boundary=x" } } : { form: form === undefined ? { scope: MUSIC } : { form, scope: MUSIC } };

test("a signed-out user is redirected to sign in, and nothing changes", async (t) => {
  const { w, fill, state } = await scene(t);
  const before = await state();
  for (const row of await rows(w)) {
    const stranger = new Person(w, {});
    const answer = row.method === "GET" ? await stranger.get(concrete(row.path, fill)) : await stranger.ask("POST", concrete(row.path, fill), { ...bodyOf(row, "x"), headers: { ...bodyOf(row, "x").headers, origin: w.publicOrigin() } });
    assert.equal(answer.status, 303, `${row.method} ${row.path}: ${answer.status}`);
    assert.match(answer.headers.location, /^\/signin(\?next=%2Faccount|$)/, row.path);
  }
  assert.equal(await state(), before);
});

test("a form without the token, with another session's, or with one from before signing in is rejected (B3, B4)", async (t) => {
  const { w, ada, fill, state } = await scene(t);
  const eve = await addPerson(w, "eve");
  const before = await state();
  const other = new Person(w, { username: "ada" });
  await other.signIn();
  const stale = await tokenOf(other);
  await other.signIn();
  const foreign = [undefined, "", "x", await tokenOf(eve), stale, await tokenOf(other)];
  for (const row of (await rows(w)).filter(({ method }) => method === "POST"))
    for (const form of foreign) {
      const sent = bodyOf(row, form);
      const answer = await ada.ask("POST", concrete(row.path, fill), { ...sent, headers: { ...sent.headers, origin: w.publicOrigin(), "sec-fetch-site": "same-origin" } });
      assertPage(answer, 403);
    }
  assert.equal(await state(), before);
});

test("a POST from another site is rejected even with the right form token (B5)", async (t) => {
  const { w, ada, fill, state } = await scene(t);
  const before = await state();
  const form = await tokenOf(ada);
  const sites = [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }, { origin: `${w.publicOrigin()}.evil.example` }];
  for (const row of (await rows(w)).filter(({ method }) => method === "POST"))
    for (const headers of sites) {
      const sent = bodyOf(row, form);
      const answer = await ada.ask("POST", concrete(row.path, fill), { ...sent, headers: { ...sent.headers, ...headers } });
      assertPage(answer, 403);
    }
  assert.equal(await state(), before);
});

test("actions of forms cannot be triggered by a link (B6)", async (t) => {
  const { w, ada, fill, state } = await scene(t);
  const before = await state();
  const all = await rows(w);
  for (const { path } of all.filter(({ method, path: p }) => method === "POST" && !all.some((row) => row.method === "GET" && row.path === p))) {
    const answer = await ada.get(`${concrete(path, fill)}?form=${await tokenOf(ada)}&scope=${MUSIC}`);
    assertPage(answer, 405);
  }
  assert.equal(await state(), before);
});

test("every page is small, private and cannot be framed (B11)", async (t) => {
  const { w, ada, fill } = await scene(t);
  for (const { path } of (await rows(w)).filter(({ method }) => method === "GET")) {
    const page = await ada.ask("GET", concrete(path, fill), { headers: { ...NAVIGATION, ...SAME_SITE } });
    if (!/^text\/html/.test(page.headers["content-type"])) continue;
    assertPage(page, page.status);
    assert.ok([200, 404].includes(page.status), `${path}: ${page.status}`);
    assert.ok(page.text.length < 60_000, `${path}: ${page.text.length} bytes`);
    assert.doesNotMatch(page.text, /<script(?! src=)|\son\w+=|style=|javascript:/i, path);
  }
});

test("signing in returns to the requested page, and never to another site (B20)", async (t) => {
  const { w } = await stage(t, { signedIn: false });
  const person = new Person(w, { username: "ada" });
  const sent = await person.get("/account/apps");
  assert.equal(sent.headers.location, "/signin?next=%2Faccount%2Fapps");
  assert.equal((await person.signIn({ where: sent.headers.location })).headers.location, "/account/apps");
  for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example/", "https:evil.example", "/account/../\\evil", "javascript:alert(1)"]) {
    const other = new Person(w, { username: "ada" });
    const answer = await other.signIn({ where: `/signin?next=${encodeURIComponent(next)}` });
    assert.equal(answer.headers.location, "/account", next);
  }
});
