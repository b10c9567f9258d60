// The disaster drill: load, a followed store, a backup, more writes and revocations; then service and follower are
// killed, the disk of the store is lost, and the folder of the follower is restored. Everything that was
// acknowledged before the restored time is there, and nothing that was revoked works.
// LOAD_SECONDS (4) is the duration of the load; DRILL_ROUNDS (1) the number of disasters, one after the other.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { Follower } from "../kit/follow.mjs";
import { addPerson } from "../kit/oauth.mjs";
import { Client, connected, MUSIC } from "../kit/preferences.mjs";
import { sanitizerReport } from "../kit/process.mjs";
import { pause } from "../kit/until.mjs";
import { onSqlite } from "../kit/world.mjs";

const SECONDS = Number(process.env.LOAD_SECONDS ?? 4);
const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 1);
const ARTISTS_MAX = 150; // per user and round; a domain holds a limited number of facts
const SCOPE = "preferences:read preferences:write";

// Writers that note when each write was acknowledged; after the disaster, requests fail and they end.
function load(w, clients, users) {
  const state = { written: [], stop: false };
  const acknowledged = (write) => state.written.push({ ...write, at: Date.now() });
  const writers = clients.map(async (client, n) => {
    for (let i = 0; !state.stop && i < ARTISTS_MAX; i++) {
      const artist = `Artist ${n} ${users.round} ${i}`;
      const { status } = await client.send(MUSIC, { favorite_artists: [artist] }).catch(() => ({ status: 0 }));
      if (status !== 200) return;
      acknowledged({ client: n, artist });
    }
  });
  const adder = async () => {
    for (let i = 0; !state.stop; i++) {
      const name = `user-${users.round}-${i}`;
      const { status } = await w.control(["user", "add", name, "--no-password"]).catch(() => ({ status: 1 }));
      if (status !== 0) return;
      acknowledged({ name });
    }
  };
  state.ended = Promise.all([...writers, adder()]);
  return state;
}

function destroy(w) {
  for (const name of fs.readdirSync(w.dir)) if (name.startsWith("penchant.db")) fs.rmSync(path.join(w.dir, name), { recursive: true });
}

onSqlite("the store is lost under load: what was acknowledged before the restored time is back, and nothing revoked works", async (t) => {
  const { w, ada, app, api } = await connected(t, { scope: SCOPE, settings: { "rate-api": 0 } });
  const people = [ada];
  for (const name of ["grace", "edsger"]) people.push(await addPerson(w, name));
  const folder = path.join(w.dir, "followed");
  const old = [api];
  for (let round = 0; round < ROUNDS; round++) {
    const clients = [];
    for (const person of people) clients.push(await Client.connect(person, app, { scope: SCOPE }));
    const follower = new Follower(w, folder);
    await follower.ready();
    const state = load(w, clients, { round });
    let largest = 0;
    const watch = async (seconds) => {
      for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(100)) largest = Math.max(largest, fs.statSync(`${w.file}-wal`).size);
    };
    await watch(SECONDS / 2);
    assert.equal((await w.command("backup", path.join(w.dir, `copy-${round}.db`))).status, 0);
    const revoked = await ada.connect(app, { scope: SCOPE });
    assert.equal((await app.revoke(revoked.refresh_token)).status, 200);
    await watch(SECONDS / 2);

    w.service.signal("SIGKILL");
    follower.program.signal("SIGKILL");
    await Promise.all([w.service.exited(), follower.program.exit()]);
    assert.equal(sanitizerReport(follower.program.err), null);
    state.stop = true;
    await state.ended;
    destroy(w);

    const { status, err, data } = await w.penchant(["restore", folder, "--store", w.address, "--json"]);
    assert.equal(status, 0, err);
    await w.assertSound();
    const newest = state.written.reduce((time, { at }) => Math.max(time, at), 0);
    t.diagnostic(`${state.written.length} writes; the last ${newest - data.as_of_ms} ms are not guaranteed; the log had at most ${Math.round(largest / 2 ** 20)} MiB`);
    assert.ok(newest - data.as_of_ms < 5000, `the restored state is ${newest - data.as_of_ms} ms old`);
    const promised = state.written.filter(({ at }) => at < data.as_of_ms);
    assert.ok(promised.length > 0);
    await w.start();
    const names = new Set(await w.usernames());
    for (const { name } of promised) if (name) assert.ok(names.has(name), `${name} was acknowledged and is lost`);
    for (const client of [...old, ...clients]) {
      assert.equal((await client.get(`preferences/${MUSIC}`)).status, 401, "an access token from before");
      assert.equal((await client.app.refresh(client.refresh_token)).data.error, "invalid_grant");
    }
    assert.equal((await w.get(`/v1/preferences/${MUSIC}`, { authorization: `Bearer ${revoked.access_token}` })).status, 401);
    assert.equal((await app.refresh(revoked.refresh_token)).data.error, "invalid_grant");
    old.push(...clients);
    for (const [n, person] of people.entries()) {
      assert.equal((await person.get("/account")).status, 303, "a session from before");
      await person.signIn();
      const again = await Client.connect(person, app, { scope: SCOPE });
      const artists = new Set();
      for (let total = 1; artists.size < total; ) {
        const page = await again.read(`preferences/atoms?domain=${MUSIC}&limit=100&offset=${artists.size}`);
        for (const atom of page.atoms) artists.add(atom.value);
        total = page.total;
      }
      for (const { client, artist } of promised) if (client === n) assert.ok(artists.has(artist), `${artist} was acknowledged and is lost`);
    }
  }
});
