// The schema that is served and the server agree: what ajv takes is taken, what ajv refuses is refused,
// what was taken is there afterwards, and what was refused has changed nothing.

import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import Ajv2020 from "ajv/dist/2020.js";
import { addPerson, DOMAINS, EVERYTHING, stage } from "../kit/oauth.mjs";
import { Client, WAITING } from "../kit/preferences.mjs";
import { Random } from "../kit/preferences_model.mjs";
import { body, brokenBodies, MergedRecord, text } from "../kit/schema_bodies.mjs";
import { ROOT } from "../kit/world.mjs";

const SEED = Number(process.env.SEED ?? 20261114);
const ROUNDS = Number(process.env.SCHEMA_ROUNDS ?? 1); // the soak has more
const ALL = [...DOMAINS, "reading"];
const VALID = process.env.SCHEMA_ROUNDS ? 200 : 20; // bodies a domain and round
const ROOM = 150; // facts, after which a new user is used

const certain = (preferences) => Object.fromEntries(Object.entries(preferences).filter(([member]) => !WAITING.includes(member)));

// A user who writes into one domain only; a new user before it is full.
class Lane {
  people = 0;
  writes = 0;
  refusals = 0;

  constructor(w, app, domain) {
    Object.assign(this, { w, app, domain });
  }

  async begin() {
    const name = `${this.domain.slice(0, 12).replace(/_/g, "-")}.${++this.people}`;
    this.api = await Client.connect(await addPerson(this.w, name), this.app);
    this.record = new MergedRecord();
    return this.api;
  }

  // Any change at all, to what is held or suppressed too, is another tag.
  atoms(headers) {
    return this.api.get(`preferences/atoms?domain=${this.domain}&status=all&limit=100`, headers);
  }

  async accepted(preferences, why) {
    const answer = await this.api.send(this.domain, preferences);
    assert.equal(answer.status, 200, `${why}: the server refuses what ajv takes: ${answer.text}`);
    this.record.write(preferences);
    const mayWait = WAITING.some((member) => member in preferences);
    assert.equal(answer.data.suppressed + (mayWait ? 0 : answer.data.held), 0, `${why}: ${answer.text}`);
    assert.deepEqual(certain(answer.data.preferences), certain(this.record.preferences), why);
    this.tag = undefined;
    if (++this.writes % 8 === 0) assert.deepEqual(certain(await this.api.record(this.domain)), certain(this.record.preferences), why);
    if (this.record.size > ROOM) await this.begin();
  }

  async refused(preferences, member, why) {
    this.tag ??= (await this.atoms()).headers.etag;
    const answer = await this.api.send(this.domain, preferences);
    assert.equal(answer.status, 400, `${why}: the server takes what ajv refuses: ${answer.text}`);
    const places = answer.data.details.map(({ at }) => at);
    assert.ok(places.length > 0 && places.every((at) => at === "preferences" || at.startsWith(`preferences.${member}`)), `${why}: ${answer.text}`);
    if (++this.refusals % 5 === 0) await this.unchanged(why); // what has changed once stays changed
  }

  async unchanged(why) {
    const { status } = await this.atoms({ "if-none-match": this.tag });
    assert.equal(status, 304, `${why}: this or one of the four refused before it changed something`);
  }
}

async function walk(lane, random) {
  const api = await lane.begin();
  const { schema } = await api.read(`domains/${lane.domain}/schema`);
  const fits = new Ajv2020.default({ strict: true, allErrors: true }).compile(schema);
  const counts = { accepted: 0, refused: 0 };
  const sent = (why, preferences) => `SEED=${SEED} ${lane.domain}, ${why}: ${JSON.stringify(preferences)?.slice(0, 1500)}`;
  const members = Object.keys(schema.properties);
  const broken = brokenBodies(schema);
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < VALID; i++) {
      const preferences = body(random, schema, members[i % members.length]);
      assert.ok(fits(preferences), sent("valid", preferences));
      await lane.accepted(preferences, sent("valid", preferences));
      counts.accepted++;
    }
    for (const [why, member, make] of broken) {
      const preferences = make(random);
      assert.equal(fits(preferences), false, sent(`${why} is not broken`, preferences));
      await lane.refused(preferences, member, sent(why, preferences));
      counts.refused++;
    }
    await lane.unchanged(`${lane.domain}, at the end`);
  }
  await fullArray(lane, schema, fits, random);
  assert.deepEqual(certain(await lane.api.record(lane.domain)), certain(lane.record.preferences));
  return counts;
}

// As many items as one write may bring are taken; one more is among the broken ones.
async function fullArray(lane, schema, fits, random) {
  const [member, { maxItems, items }] = Object.entries(schema.properties).find(([name, of]) => of.type === "array" && !of.items.enum && !WAITING.includes(name));
  const preferences = { [member]: Array.from({ length: maxItems }, (_, i) => `${i} ${text(random, Math.min(12, items.maxLength - 4))}`) };
  assert.ok(fits(preferences));
  await lane.accepted(preferences, `${lane.domain}: ${maxItems} items`);
}

test(`ajv and the server agree on thousands of bodies made from the schemas (SEED=${SEED})`, async (t) => {
  const scope = `${EVERYTHING} reading`;
  const { w, app } = await stage(t, { settings: { domains: path.join(ROOT, "docs/examples") }, env: { PENCHANT_DOMAINS: path.join(ROOT, "docs/examples") }, app: { scope } });
  const counts = await Promise.all(ALL.map((domain, i) => walk(new Lane(w, app, domain), new Random(SEED + i))));
  const sum = (name) => counts.reduce((total, one) => total + one[name], 0);
  t.diagnostic(`${sum("accepted")} accepted, ${sum("refused")} refused`);
  assert.ok(sum("accepted") >= VALID * ALL.length * ROUNDS && sum("refused") >= 1000 * ROUNDS, JSON.stringify(counts));
});
