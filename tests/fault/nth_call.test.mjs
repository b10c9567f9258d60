// The n-th store call fails, for n = 1, 2, 3 … until no call is left to fail: the response reports it,
// nothing is half done, and the next attempt succeeds.

import assert from "node:assert/strict";
import test from "node:test";
import { assertUnavailable } from "../kit/expect.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

const MOST = 60; // far more than one action needs

// Runs `act` with the n-th call failing, for each n; `look` checks the result. Returns the number of calls.
async function forEachFailure(w, { prepare = async () => {}, act, look }) {
  for (let n = 1; n <= MOST; n++) {
    await prepare(n);
    w.failNthStoreCall(n);
    const result = await act(n);
    const hit = w.faults.failed;
    w.faults.failNone();
    await look(result, hit, n);
    if (!hit) {
      assert.ok(n > 1, "no store call was counted");
      return n - 1;
    }
  }
  assert.fail(`more than ${MOST} store calls`);
}

// The same store without the failing driver, while no service uses it.
const plain = (w) => ({ store: w.address.replace("failing:", "") });

// Commands that are not tested here. A running service on SQLite gets them on its socket, without a process for each.
const quickly = (w, running) => (...words) => (running && w.kind === "sqlite" ? w.control(words) : w.command(...words, running ? {} : plain(w)));

test("sign-up: 503 with Retry-After, no partial account, and the next attempt succeeds; without a session, sign-in", async (t) => {
  const w = await world(t, { failing: true });
  const act = (n) => w.signUp({ username: `user${n}`, email: `user${n}@example.org`, name: "U" });
  let withoutSession = 0;
  const calls = await forEachFailure(w, {
    act,
    async look(answer, hit, n) {
      if (!hit) return assert.equal(answer.headers.location, "/account/welcome");
      if (answer.status === 303) {
        assert.deepEqual([answer.headers.location, answer.headers["set-cookie"]], ["/signin", undefined]);
        assert.ok((await w.usernames()).includes(`user${n}`), "promised, not stored");
        return void withoutSession++;
      }
      assertUnavailable(answer);
      assert.ok(!(await w.usernames()).includes(`user${n}`), "half done");
      assert.equal((await act(n)).status, 303, "the next try does not work");
    },
  });
  assert.ok(withoutSession > 0 && calls - withoutSession >= 2, `${calls} ${withoutSession}`);
  assert.equal((await w.users()).length, calls + 1);
});

test("a browser gets the error as a page, without the password", async (t) => {
  const w = await world(t, { failing: true });
  w.failNthStoreCall(1);
  const answer = await w.signUp({ username: "ada" }, { headers: { accept: "text/html" } });
  assert.equal(answer.status, 503);
  assert.match(answer.headers["content-type"], /^text\/html/);
  assert.match(answer.headers["retry-after"], /^\d+$/);
  assert.ok(!answer.text.includes(PASSWORD));
});

const COMMANDS = [
  { words: (n) => ["user", "add", `new${n}`, "--json"], stdin: `${PASSWORD}\n`, done: (users, n) => users.has(`new${n}`) },
  { words: (n) => ["user", "disable", `old${n}`, "--json"], done: (users, n) => users.get(`old${n}`).status === "disabled" },
  { words: (n) => ["user", "enable", `old${n}`, "--json"], before: "disable", done: (users, n) => users.get(`old${n}`).status === "active" },
  { words: (n) => ["user", "passwd", `old${n}`, "--json"], stdin: "another kettle hums at noon 12\n" },
  { words: (n) => ["user", "delete", `old${n}`, "--json"], done: (users, n) => !users.has(`old${n}`) },
  { words: () => ["user", "list", "--json"] },
];

for (const { words, stdin = "", before, done } of COMMANDS)
  for (const running of [false, true])
    test(`${words("").slice(0, 2).join(" ")} on a ${running ? "running" : "stopped"} service: exit status 1 and one line, all or nothing`, async (t) => {
      const w = await world(t, { failing: true, start: running });
      const act = (n) => w.command(...words(n), { stdin });
      const command = quickly(w, running);
      const isDone = async (n) => {
        const listed = await command("user", "list", "--json");
        assert.equal(listed.status, 0, listed.err);
        return done(new Map(listed.data.users.map((user) => [user.username, user])), n);
      };
      await forEachFailure(w, {
        async prepare(n) {
          assert.equal((await command("user", "add", `old${n}`, "--no-password")).status, 0);
          if (before) assert.equal((await command("user", before, `old${n}`)).status, 0);
        },
        act,
        async look(result, hit, n) {
          assert.equal(result.status, hit ? 1 : 0, `call ${n}: ${result.err}`);
          if (hit) {
            assert.equal(result.out, "");
            assert.equal(typeof result.error?.error, "string", result.err);
            assert.equal(result.err.trim().split("\n").length, 1);
            if (done) assert.ok(!(await isDone(n)), "it failed and was done");
            assert.equal((await act(n)).status, 0, "the next try does not work");
          }
          if (done) assert.ok(await isDone(n));
        },
      });
    });

const T = "2026-11-14T09:30:00Z";
const fact = (value) => ({ member: "genres", value, status: "active", by_user: true, created_at: T, updated_at: T, sources: [{ source: "user", created_at: T, updated_at: T }] });
const DOCUMENT = JSON.stringify({ format: "penchant-export", version: 1, user: {}, domains: { music_preferences: { atoms: ["jazz", "soul"].map(fact) } } });

for (const running of [false, true])
  test(`import on a ${running ? "running" : "stopped"} service: exit status 1 and one line, the whole document or nothing`, async (t) => {
    const w = await world(t, { failing: true, start: running });
    const act = (n) => w.command("import", "-", "--user", `user${n}`, "--json", { stdin: DOCUMENT });
    const command = quickly(w, running);
    const known = async (n) => {
      const { status, out, err } = await command("export", `user${n}`);
      assert.equal(status, 0, err);
      const { preferences, atoms } = JSON.parse(out).domains.music_preferences;
      assert.equal(preferences.genres?.length ?? 0, atoms.length);
      return atoms.length;
    };
    await forEachFailure(w, {
      prepare: async (n) => assert.equal((await command("user", "add", `user${n}`, "--no-password")).status, 0),
      act,
      async look(result, hit, n) {
        assert.equal(result.status, hit ? 1 : 0, `call ${n}: ${result.err}`);
        if (hit) {
          assert.equal(result.out, "");
          assert.equal(result.err.trim().split("\n").length, 1);
          assert.equal(await known(n), 0, "it failed and was done");
          assert.equal((await act(n)).status, 0, "the next try does not work");
        }
        assert.equal(await known(n), 2);
      },
    });
  });

for (const running of [false, true])
  test(`export --all on a ${running ? "running" : "stopped"} service: a failed account is named, and the following ones are exported`, async (t) => {
    const w = await world(t, { failing: true, start: running });
    const names = ["ada", "bob", "eve", "mia"];
    for (const name of names) assert.equal((await w.command("user", "add", name, "--no-password")).status, 0);
    let named = 0;
    await forEachFailure(w, {
      act: () => w.command("export", "--all"),
      async look({ status, out, err }, hit, n) {
        const came = out.split("\n").filter(Boolean).map((line) => JSON.parse(line).user.username);
        const failed = [...err.matchAll(/^penchant: (\w+) \(usr_\S+\): /gm)].map(([, name]) => name);
        assert.equal(status, hit ? 1 : 0, `call ${n}: ${err}`);
        if (!hit) return assert.deepEqual([came.sort(), err], [names, ""]);
        if (failed.length === 0) return assert.match(err, /^penchant: [^\n]+\n$/); // the accounts could not be listed
        named++;
        assert.deepEqual([...came, ...failed].sort(), names, `call ${n}: ${err}`);
        assert.match(err, /\npenchant: 1 of 4 accounts could not be exported; see the errors above\n$/);
      },
    });
    assert.ok(named >= names.length, `${named}`);
  });
