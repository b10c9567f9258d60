// What a killed service keeps of the activity: changes were recorded with the change itself; of the reads only
// those of the last seconds are lost.

import assert from "node:assert/strict";
import test from "node:test";
import { SAME_SITE } from "../kit/account.mjs";
import { connected, FOOD } from "../kit/preferences.mjs";
import { until } from "../kit/until.mjs";

const records = async (person) => {
  const answer = await person.get("/account/activity/download", SAME_SITE);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text).days.flatMap((day) => day.records).map(({ action, subject, times }) => `${action} ${subject || "-"} ${times}`).sort();
};

test("kill -9 loses no recorded change and at most the reads that were not written", async (t) => {
  const { w, ada, api } = await connected(t);
  await api.write(FOOD, { cuisines: ["thai"] });
  await api.record(FOOD);
  w.deadlines.forward(11_000);
  await until("the read is written", async () => (await records(ada)).includes("read food_profile 1"));
  await api.record(FOOD); // in memory only
  await api.write(FOOD, { cuisines: ["greek"] });
  await w.kill();
  w.service.expected = true;
  await w.start();
  assert.deepEqual(await records(ada), ["connect - 1", "read food_profile 1", "write food_profile 2"]);
  await w.assertSound();
  await api.record(FOOD);
  await w.stop(); // writes what is in memory
  await w.start();
  assert.deepEqual(await records(ada), ["connect - 1", "read food_profile 2", "write food_profile 2"]);
});

test("while the store is unavailable, reads stay in memory and are written later", async (t) => {
  const { w, ada, api } = await connected(t, { failing: true });
  await api.write(FOOD, { cuisines: ["thai"] });
  for (let i = 0; i < 3; i++) await api.record(FOOD);
  w.failNthStoreCall(1);
  w.deadlines.forward(11_000);
  await until("the reads are written", async () => {
    w.deadlines.forward(11_000);
    return (await records(ada).catch(() => [])).includes("read food_profile 3");
  });
});
