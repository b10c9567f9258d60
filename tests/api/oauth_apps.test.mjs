// `penchant app …`: registering, listing, rotating, disabling, deleting; on a stopped service and on a
// running one, the same answers.

import assert from "node:assert/strict";
import test from "node:test";
import { CALLBACK, EVERYTHING, NOW, SCOPES, words } from "../kit/oauth.mjs";
import { onSqlite, world } from "../kit/world.mjs";

function testTwice(sentence, run) {
  const stage = async (t, options) => {
    const w = await world(t, options);
    w.clock.stop(NOW);
    await w.addUser("ada");
    return run(w);
  };
  onSqlite(`${sentence}, on a stopped service`, (t) => stage(t, { start: false })); // on PostgreSQL commands are the same
  test(`${sentence}, on a running service`, (t) => stage(t, {}));
}

const addCommand = (more = {}) => {
  const { owner = "ada", name = "Concert Finder", uris = [CALLBACK], scope = "music_preferences agent_hints", flags = ["--json"] } = more;
  const option = (flag, value) => (value === null ? [] : [flag, value]);
  return ["app", "add", ...option("--owner", owner), ...option("--name", name), ...uris.flatMap((uri) => ["--redirect-uri", uri]), ...option("--scope", scope), ...flags];
};

const apps = async (w, ...more) => (await w.command("app", "list", "--json", ...more)).data.apps;

testTwice("an app is registered, listed, disabled, enabled, and deleted", async (w) => {
  const made = await w.command(...addCommand());
  assert.deepEqual([made.status, made.err], [0, ""]);
  assert.match(made.data.client_id, /^app_[A-Za-z0-9_-]{22}$/);
  assert.match(made.data.client_secret, /^pn_cs_[A-Za-z0-9_-]{49}$/);
  const { client_id } = made.data;
  const [app, ...others] = await apps(w);
  assert.deepEqual(others, []);
  const [{ sub }] = await w.users();
  assert.deepEqual({ ...app, scope: words(app.scope) }, { client_id, name: "Concert Finder", owner: sub, redirect_uris: [CALLBACK], scope: ["agent_hints", "music_preferences"], public: false, status: "active", created_at: "2027-01-15T08:00:00Z" });
  assert.equal((await w.command("app", "disable", client_id, "--json")).status, 0);
  assert.equal((await apps(w))[0].status, "disabled");
  assert.equal((await w.command("app", "disable", client_id)).status, 0); // twice is the same as once
  assert.equal((await w.command("app", "enable", client_id, "--json")).status, 0);
  assert.equal((await apps(w))[0].status, "active");
  const rotated = await w.command("app", "rotate-secret", client_id, "--json");
  assert.match(rotated.data.client_secret, /^pn_cs_/);
  assert.notEqual(rotated.data.client_secret, made.data.client_secret);
  assert.equal((await w.command("app", "delete", client_id, "--json")).status, 0);
  assert.deepEqual(await apps(w), []);
});

testTwice("as text, it names what to keep and that the secret is not shown again", async (w) => {
  const { out } = await w.command(...addCommand({ flags: [] }));
  assert.match(out, /app_[A-Za-z0-9_-]{22}/);
  assert.match(out, /pn_cs_[A-Za-z0-9_-]{49}/);
  assert.match(out, /not shown again|once/i);
});

testTwice("a public app has no secret and can get none", async (w) => {
  const made = await w.command(...addCommand({ flags: ["--public", "--json"] }));
  assert.equal(made.status, 0, made.err);
  assert.ok(!("client_secret" in made.data));
  assert.equal((await apps(w))[0].public, true);
  const rotated = await w.command("app", "rotate-secret", made.data.client_id, "--json");
  assert.equal(rotated.status, 1);
  assert.match(rotated.error.error_description, /public|secret/i);
});

const FINE = ["https://app.example/cb", "https://app.example:8443/cb?x=1", "http://127.0.0.1/cb", "http://127.0.0.1:8080/", "http://[::1]/cb", "http://localhost:3000/cb", "com.example.app:/done", "com.example.app://done", "https://app.example", "https://xn--bcher-kva.example/cb"];
const WRONG_URIS = [
  "", "app.example/cb", "/cb", "//app.example/cb", "javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "http://app.example/cb", "http://127.0.0.1.evil.example/cb", "http://localhost.evil.example/", "http://127.0.0.2/",
  "https://*.example/cb", "https://app.example/*", "https://app.example/cb#f", "https://app.example/cb#", "https://user@app.example/cb", "https://user:pw@app.example/cb", "myapp:/done", "myapp://done", "MyApp.example:/x",
  "https://app.example/cb?code=1", "https://app.example/cb?a=1&state=2", "https://app.example/cb?iss=x", "https://app.example/../cb", "https://app.example/%2e%2e/cb", "https://app.example/a b", "https://app.example/\tcb", "https://App.example/cb", "HTTPS://app.example/cb",
  "https:///cb", "https://", "https:app.example/cb", "https://app.example:0/", "https://app.example:99999/", "https://app.example\\evil/", "https://bücher.example/cb", `https://app.example/${"x".repeat(600)}`, "https://app.example/%zz", "https://app.example/cb\"", "https://app.example/<x>", "about:blank", "blob:https://app.example/x", "ftp://app.example/",
];

testTwice("redirect addresses are what they may be and nothing else (B16)", async (w) => {
  for (const uri of WRONG_URIS) {
    const made = await w.command(...addCommand({ uris: [uri] }));
    assert.equal(made.status, 1, `${uri} was registered`);
    assert.match(made.error.error_description, /redirect URI/i, uri);
  }
  assert.equal((await w.command(...addCommand({ uris: [FINE[0], "http://evil.example/"] }))).status, 1, "one wrong among several");
  assert.deepEqual(await apps(w), []);
  const made = await w.command(...addCommand({ uris: FINE }));
  assert.equal(made.status, 0, made.err);
  assert.deepEqual((await apps(w))[0].redirect_uris, FINE);
  assert.equal((await w.command(...addCommand({ uris: [...FINE, "https://app.example/eleven"] }))).status, 1);
});

testTwice("of several wrong redirect URIs each is named with its own problem, in one line", async (w) => {
  const uris = ["http://c.example/one", CALLBACK, "myapp:/two", "https://c.example/three#x"];
  const { status, error } = await w.command(...addCommand({ uris }));
  assert.equal(status, 1);
  for (const n of [0, 2, 3]) assert.ok(error.error_description.includes(`Redirect URI ${n + 1} (${uris[n]}): `), error.error_description);
  assert.doesNotMatch(error.error_description, /Redirect URI 2 /);
  const plain = await w.command(...addCommand({ uris, flags: [] }));
  assert.deepEqual([plain.status, plain.err.split("\n").length], [1, 2]);
  assert.match(plain.err, /^penchant: Redirect URI 1 .* Redirect URI 3 .* Redirect URI 4 /);
  assert.deepEqual(await apps(w), []);
});

testTwice("scopes must exist and there must be one", async (w) => {
  for (const scope of ["", " ", "nonsense", "profile:read nonsense", "PROFILE:READ", "openid", "profile:read,agent_hints", "*", "profile:read\tagent_hints", null]) {
    const made = await w.command(...addCommand({ scope }));
    assert.ok([1, 2].includes(made.status), `${scope} was registered`);
    if (made.status === 1) assert.match(made.err, /scope/i, JSON.stringify(scope));
  }
  assert.deepEqual(await apps(w), []);
  assert.equal((await w.command(...addCommand({ scope: EVERYTHING }))).status, 0);
  assert.deepEqual(words((await apps(w))[0].scope), [...SCOPES].sort());
});

testTwice("an error is one line, and an object with --json; the exit status is 1, or 2 if an option is missing", async (w) => {
  const cases = [
    [addCommand({ owner: "nobody", flags: [] }), /nobody|user/i],
    [addCommand({ owner: null, flags: [] }), /owner/i, 2],
    [addCommand({ name: null, flags: [] }), /name/i, 2],
    [addCommand({ name: "", flags: [] }), /name/i],
    [addCommand({ uris: [], flags: [] }), /redirect/i],
    [["app", "disable", "app_AAAAAAAAAAAAAAAAAAAAAA"], /no app/i],
    [["app", "enable", "nonsense"], /no app/i],
    [["app", "delete", "ada"], /no app/i],
    [["app", "rotate-secret", "app_AAAAAAAAAAAAAAAAAAAAAA"], /no app/i],
    [["app", "list", "--owner", "nobody"], /no user/i],
  ];
  for (const [args, said, status = 1] of cases) {
    const people = await w.command(...args);
    assert.equal(people.status, status, `${args}: ${people.out}`);
    assert.equal(people.out, "");
    assert.equal(people.err.trim().split("\n").length, 1, people.err);
    assert.match(people.err, said, args.join(" "));
    const programs = await w.command(...args, "--json");
    assert.equal(programs.status, status);
    assert.match(programs.error.error_description, said);
  }
  for (const args of [["app"], ["app", "nonsense"], ["app", "disable"], ["app", "delete", "a", "b"], ["app", "add", "--secret", "x"]]) assert.equal((await w.command(...args)).status, 2, args.join(" "));
  assert.deepEqual(await apps(w), []);
});

testTwice("apps are listed in the order they came, all of them or one owner's", async (w) => {
  await w.addUser("grace");
  for (const [i, owner] of ["ada", "grace", "ada"].entries()) {
    w.clock.forward(60);
    assert.equal((await w.command(...addCommand({ owner, name: `Number ${i}` }))).status, 0);
  }
  assert.deepEqual((await apps(w)).map((app) => app.name), ["Number 0", "Number 1", "Number 2"]);
  assert.deepEqual((await apps(w, "--owner", "ada")).map((app) => app.name), ["Number 0", "Number 2"]);
  assert.deepEqual((await apps(w, "--owner", "grace")).map((app) => app.name), ["Number 1"]);
});

test("a developer has at most a hundred apps", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  const add = () => (w.kind === "sqlite" ? w.control(addCommand()) : w.command(...addCommand()));
  for (let i = 0; i < 100; i += 10) for (const made of await Promise.all(Array.from({ length: 10 }, add))) assert.equal(made.status, 0, made.err);
  const more = await add();
  assert.equal(more.status, 1);
  assert.match(more.err, /100/);
  assert.equal((await apps(w)).length, 100);
});

test("deleting a user deletes the user's apps, or fails and keeps them", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  const { data } = await w.command(...addCommand());
  const deleted = await w.command("user", "delete", "ada", "--json");
  const left = (await apps(w)).map((app) => app.client_id);
  assert.deepEqual(left, deleted.status === 0 ? [] : [data.client_id]);
});
