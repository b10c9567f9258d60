// Many at once, and anything at all: nothing is lost, and a small model agrees with the service.

import assert from "node:assert/strict";
import test from "node:test";
import { DAY, DOMAINS, HOUR, NOW } from "../kit/oauth.mjs";
import { connected, fine, FOOD, MUSIC, secondApp } from "../kit/preferences.mjs";
import { Model, POOL, Random } from "../kit/preferences_model.mjs";

const CONNECTIONS = 16;
const eachConnection = (work) => Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => work(i)));

test("two apps that write the same members at the same time lose nothing", async (t) => {
  const { w, ada, api } = await connected(t);
  const apps = [api, await secondApp(w, ada)];
  const shared = Array.from({ length: 10 }, (_, i) => `Shared ${i}`);
  const written = new Set(shared);
  const answers = [];
  await eachConnection(async (i) => {
    for (let round = 0; round < 5; round++) {
      const own = [0, 1].map((n) => `Own ${i}-${round}-${n}`);
      own.forEach((name) => written.add(name));
      // Each takes the shared ones in an order of its own.
      const turned = [...shared.slice((i * 3 + round) % 10), ...shared.slice(0, (i * 3 + round) % 10)];
      answers.push(fine(await apps[i % 2].send(MUSIC, { favorite_artists: [own[0], ...turned, own[1]] })));
    }
  });
  const sum = (name) => answers.reduce((total, answer) => total + answer[name], 0);
  assert.deepEqual([sum("added"), sum("updated"), sum("held"), sum("suppressed")], [written.size, shared.length, 0, 0]);
  assert.equal(sum("unchanged"), CONNECTIONS * 5 * 12 - written.size - shared.length);
  const { favorite_artists } = await api.record(MUSIC);
  assert.equal(favorite_artists.length, written.size);
  assert.deepEqual([...favorite_artists].sort(), [...written].sort());
  const atoms = [...(await api.atoms("limit=100")), ...(await api.atoms("limit=100&offset=100"))];
  assert.deepEqual(atoms.map((atom) => atom.value).reverse(), favorite_artists);
  for (const { value, source_count } of atoms) assert.equal(source_count, value.startsWith("Shared") ? 2 : 1, value);
  assert.equal((await api.read(`domains/${MUSIC}/stats`)).atom_count, written.size);
});

test("of many simultaneous values for a single-valued member, exactly one remains", async (t) => {
  const { w, ada, api } = await connected(t);
  const apps = [api, await secondApp(w, ada)];
  const diets = ["vegan", "vegetarian", "halal", "kosher"];
  const answers = await eachConnection((i) => apps[i % 2].write(FOOD, { dietary: diets[i % 4] }));
  assert.equal(answers.filter(({ added }) => added === 1).length, 1);
  const atoms = await api.atoms("status=all");
  assert.equal(atoms.length, 1);
  assert.deepEqual(await api.record(FOOD), { dietary: atoms[0].value });
  assert.equal((await api.read(`domains/${FOOD}/stats`)).atom_count, 1);
});

test("a fact that is suppressed while apps write it stays suppressed", async (t) => {
  const { w, ada, api } = await connected(t);
  const apps = [api, await secondApp(w, ada)];
  const genres = ["jazz", "soul", "folk", "salsa"];
  await api.write(MUSIC, { genres });
  const ids = new Map((await api.atoms()).map((atom) => [atom.value, atom.atom_id]));
  await eachConnection(async (i) => {
    const genre = genres[i % 4];
    if (i < 4) fine(await api.suppressing(ids.get(genre)));
    else for (let n = 0; n < 4; n++) await apps[i % 2].write(MUSIC, { genres: [genre.toUpperCase(), `genre ${i}`] });
  });
  const rest = (await api.record(MUSIC)).genres;
  assert.deepEqual([...rest].sort(), Array.from({ length: 12 }, (_, i) => `genre ${i + 4}`).sort());
  assert.deepEqual((await api.atoms("status=suppressed")).map((atom) => atom.value).sort(), [...genres].sort());
});

// ---- anything at all ----

const SEEDS = process.env.SEED ? [Number(process.env.SEED)] : [1, 20270115, ...Array.from({ length: Number(process.env.MODEL_SEEDS ?? 0) }, (_, i) => 100 + i)];
const STEPS = 120;

for (const seed of SEEDS)
  test(`random writes, corrections and days agree with a model (SEED=${seed})`, async (t) => {
    const { w, ada, api } = await connected(t);
    const apps = [api, await secondApp(w, ada)];
    const reader = await secondApp(w, ada, { scope: `${MUSIC} profile:read`, name: "Radio" });
    const random = new Random(seed);
    const model = new Model();
    for (let step = 0, days = 0; step < STEPS; step++) {
      const who = random.below(2);
      const why = `SEED=${seed}, step ${step}`;
      const dice = random.below(10);
      if (dice < 6) await writeSomething(apps[who], who, model, random, w.clock.now(), why);
      else if (dice < 8) await suppressSomething(apps, who, model, random, w.clock.now(), why);
      else if (days < 20) {
        const hours = 1 + random.below(30);
        days += hours / 24;
        w.clock.forward(hours * HOUR);
        for (const app of [...apps, reader]) await app.renew();
      }
      await compare(apps[who], who, model, why);
      if (step % 5 === 0) await compareWhole(apps[who], reader, who, model, why);
    }
    assert.ok(w.clock.now() > NOW + DAY, "days passed");
    for (const who of [0, 1]) await compare(apps[who], who, model, `SEED=${seed}, at the end`);
  });

async function writeSomething(app, who, model, random, now, why) {
  const domain = random.of([MUSIC, FOOD]);
  const preferences = {};
  for (const [member, { many, values }] of Object.entries(POOL[domain])) {
    if (random.below(3) === 0) continue;
    const spelled = () => random.of(random.of(values).spellings);
    preferences[member] = many ? Array.from({ length: random.below(4) }, spelled) : spelled();
  }
  const sent = `${why}: ${JSON.stringify(preferences)}`;
  const broken = random.below(8) === 0;
  const answer = await app.send(domain, broken ? { ...preferences, nosuch: 1 } : preferences);
  if (broken) return assert.equal(answer.status, 400, sent);
  const { domain: named, ...answered } = fine(answer);
  const counted = model.write(domain, who, preferences, now);
  assert.deepEqual(answered, { ...model.record(domain), ...counted }, sent);
  assert.equal(named, domain);
}

async function suppressSomething(apps, who, model, random, now, why) {
  const seen = await apps[random.below(2)].atoms("limit=100&status=all");
  if (seen.length === 0) return;
  const { atom_id, domain, member, value } = random.of(seen);
  const reason = random.of(["not_accurate", "outdated", "other"]);
  const answer = await apps[who].suppressing(atom_id, reason);
  const wanted = model.suppress({ domain, member, value }, who, reason, now);
  assert.equal(answer.status, wanted ? 200 : 404, `${why}: suppressing ${value}: ${answer.text}`);
  if (wanted) assert.equal(answer.data.reason, wanted.reason, why);
}

async function compare(app, who, model, why) {
  const listed = await app.read("preferences/atoms?limit=100&status=all");
  assert.deepEqual(listed.atoms.map(({ atom_id, ...rest }) => rest), model.atomsFor(who), why);
  for (const domain of [MUSIC, FOOD]) {
    assert.deepEqual(await app.read(`preferences/${domain}`), { domain, ...model.record(domain) }, why);
    assert.deepEqual(await app.read(`domains/${domain}/stats`), { domain, ...model.stats(domain, who) }, why);
  }
}

// All domains together equal the single ones, and a token for one domain sees only that one.
async function compareWhole(app, reader, who, model, why) {
  const records = Object.fromEntries([MUSIC, FOOD].map((domain) => [domain, model.record(domain).preferences]));
  const others = DOMAINS.filter((domain) => domain !== MUSIC && domain !== FOOD);
  const nothing = Object.fromEntries(others.map((domain) => [domain, {}]));
  assert.deepEqual(await app.read("preferences"), { preferences: { ...nothing, ...records } }, why);
  assert.deepEqual(await reader.read("preferences"), { preferences: { [MUSIC]: records[MUSIC] } }, why);

  const counted = (domains) => Object.fromEntries(domains.map(({ domain, atom_count }) => [domain, atom_count]));
  const wanted = { ...Object.fromEntries(others.map((domain) => [domain, 0])), [FOOD]: model.active(FOOD).length, [MUSIC]: model.active(MUSIC).length };
  assert.deepEqual(counted((await app.read("domains")).domains), wanted, why);
  const none = Object.fromEntries([FOOD, ...others].map((domain) => [domain, undefined]));
  assert.deepEqual(counted((await reader.read("domains")).domains), { ...none, [MUSIC]: wanted[MUSIC] }, why);

  const { domains } = await app.read("preferences/export");
  const active = (one) => model.atomsFor(one).filter(({ status }) => status === "active");
  for (const domain of [MUSIC, FOOD]) {
    assert.deepEqual(domains[domain].preferences, records[domain], why);
    const atoms = active(who).filter((atom) => atom.domain === domain).reverse();
    assert.deepEqual(domains[domain].atoms.map(({ atom_id, ...rest }) => rest), atoms, why);
  }
  const seen = await reader.read("preferences/atoms?limit=100&status=all");
  assert.deepEqual(seen.atoms.map(({ atom_id, ...rest }) => rest), active("Radio").filter((atom) => atom.domain === MUSIC), why);
  assert.equal(seen.total, seen.atoms.length, why);
}
