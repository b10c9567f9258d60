// A verified homepage domain: a file on the host lists the app. Fetched on the developer's demand by the rules of
// client documents, shown on the consent page and on the app's page, and lost with the homepage.

import assert from "node:assert/strict";
import test from "node:test";
import { formOn, mainText, open, press } from "../kit/account.mjs";
import { documentHost, HOST, OTHER } from "../kit/document_host.mjs";
import { addPerson, CALLBACK, stage } from "../kit/oauth.mjs";
import { registered } from "../kit/portal.mjs";

const PROOF = "/.well-known/penchant-domain";

async function scene(t, settings = {}, name = HOST) {
  const host = await documentHost(t);
  const { w, ada } = await stage(t, { settings: { ...host.settings, ...settings } });
  const app = await registered(ada, { homepage: `https://${name}:${host.port}/about?x=1` });
  const publish = (body, { status = 200, type = "text/plain; charset=utf-8", headers = {} } = {}) => host.on(PROOF, (_, response) => response.writeHead(status, { ...(type ? { "content-type": type } : {}), ...headers }).end(body));
  const settingsPage = `/developer/apps/${app.client_id}/settings`;
  const check = (status = 303) => press(ada, settingsPage, `/developer/apps/${app.client_id}/verify`, { status });
  const change = async (typed) => {
    const form = formOn(await open(ada, settingsPage), settingsPage);
    return (await ada.post(settingsPage, form.filled({ typed: { redirect_uris: CALLBACK, ...typed } }))).status;
  };
  return { host, w, ada, app, publish, check, change, settingsPage };
}

const verified = (page) => /<span class="verified">([^ <]+) <span class="tag">Verified<\/span><\/span>/.exec(page.text)?.[1];

test("a file with the client ID verifies the domain, which users see until the homepage changes", async (t) => {
  const { host, w, ada, app, publish, check, change, settingsPage } = await scene(t);
  assert.match((await open(ada, settingsPage)).text, new RegExp(`<code>https://${HOST}:${host.port}${PROOF}</code>`));
  assert.equal(verified(await ada.get(app.request().path)), undefined);
  publish(`app_AAAAAAAAAAAAAAAAAAAAAA\r\n${app.client_id}\r\n`);
  assert.match(mainText(await check()), /Domain verified\./);
  assert.deepEqual([host.asked(PROOF), host.requests[0].headers.cookie, host.requests[0].headers.authorization], [1, undefined, undefined]);
  assert.match(mainText(await open(ada, settingsPage)), new RegExp(`${HOST} Verified`));
  const grace = await addPerson(w, "grace");
  assert.equal(verified(await grace.get(app.request().path)), HOST);
  await grace.connect(app);
  assert.match(mainText(await open(grace, `/account/apps/${app.client_id}`)), new RegExp(`${HOST} Verified`));
  assert.equal(host.asked(PROOF), 1, "only the developer makes the service fetch it");

  // Other changes keep it; another homepage loses it, also if it is the same host.
  assert.equal(await change({ name: "Concert Finder 2" }), 303);
  assert.equal(verified(await grace.get(app.request({ prompt: "consent" }).path)), HOST);
  assert.equal(await change({ homepage: `https://${OTHER}:${host.port}/` }), 303);
  assert.equal(verified(await grace.get(app.request({ prompt: "consent" }).path)), undefined);
  assert.equal(await change({ homepage: `https://${HOST}:${host.port}/about?x=1` }), 303);
  assert.equal(verified(await grace.get(app.request({ prompt: "consent" }).path)), undefined);
});

test("a homepage that is changed while its host is verified stays unverified", async (t) => {
  const { host, ada, app, check, change } = await scene(t);
  let send;
  const asked = new Promise((resolve) => host.on(PROOF, (_, response) => {
    send = () => response.writeHead(200, { "content-type": "text/plain" }).end(app.client_id);
    resolve();
  }));
  const checking = check(400);
  await asked;
  assert.equal(await change({ homepage: `https://${OTHER}:${host.port}/` }), 303);
  send();
  assert.match(mainText(await checking), /The homepage was changed while its host was verified\./);
  assert.equal(verified(await ada.get(app.request().path)), undefined);
});

test("a host that does not list the app is not verified, and a later check removes the mark", async (t) => {
  const { host, ada, app, publish, check, settingsPage } = await scene(t);
  const cases = [
    [() => host.withdraw(PROOF), /its status is not 200/],
    [() => publish(""), /does not have the client ID/],
    [() => publish(`x${app.client_id}`), /does not have the client ID/],
    [() => publish(`${app.client_id}x\n#${app.client_id}`), /does not have the client ID/],
    [() => publish("app_AAAAAAAAAAAAAAAAAAAAAA"), /does not have the client ID/],
    [() => publish(app.client_id, { type: "text/html" }), /Content-Type: text\/plain/],
    [() => publish(app.client_id, { type: null }), /Content-Type: text\/plain/],
    [() => publish(app.client_id, { status: 302, headers: { location: `https://${OTHER}:${host.port}${PROOF}` } }), /Redirects are not followed/],
    [() => publish(app.client_id, { status: 201 }), /its status is not 200/],
    [() => publish(`${app.client_id}\n${"x".repeat(11_000)}`), /more than 10 KiB/],
  ];
  for (const [change, sentence] of cases) {
    publish(app.client_id);
    await check();
    assert.equal(verified(await ada.get(app.request({ prompt: "consent" }).path)), HOST);
    change();
    assert.match(mainText(await check(400)), sentence);
    assert.equal(verified(await ada.get(app.request({ prompt: "consent" }).path)), undefined, String(sentence));
  }
  // A host that cannot be reached says nothing: the mark stays.
  publish(app.client_id);
  await check();
  await host.stop();
  assert.match(mainText(await check(400)), /cannot be reached/);
  assert.match(mainText(await open(ada, settingsPage)), new RegExp(`${HOST} Verified`));
});

test("addresses and names of this machine are not connected to", async (t) => {
  const { host, ada, app, check, change, settingsPage } = await scene(t, { "client-documents-local": "listed.localhost" });
  assert.match(mainText(await check(400)), /cannot be reached/);
  const saved = [];
  for (const name of ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", `user@${HOST}`, "APP.localhost", `${HOST}.`, `${HOST}\\@x`, "localhost"]) {
    if ((await change({ homepage: `https://${name}:${host.port}/` })) === 400) continue; // no valid link at all
    saved.push(name);
    const answer = await ada.post(`/developer/apps/${app.client_id}/verify`, { form: /name="form" value="([^"]+)"/.exec((await open(ada, settingsPage)).text)[1] });
    assert.equal(answer.status, 400, name);
  }
  assert.ok(saved.includes("127.0.0.1") && saved.length >= 5, saved.join(" "));
  assert.equal(host.connections, 0);
});

test("only the developer may ask, with the form, and not too often", async (t) => {
  const { host, w, ada, app, publish, check } = await scene(t, { "rate-documents": 2 });
  publish(app.client_id);
  const action = `/developer/apps/${app.client_id}/verify`;
  const eve = await addPerson(w, "eve");
  const form = /name="form" value="([^"]+)"/.exec((await open(eve, "/developer/apps/new")).text)[1];
  assert.equal((await eve.post(action, { form })).status, 404);
  assert.equal((await ada.post(action, { form: "wrong" })).status, 403);
  assert.equal(host.asked(PROOF), 0);
  await check();
  await check();
  assert.match(mainText(await check(429)), /too many files right now/);
  assert.equal(host.asked(PROOF), 2);
});

test("a service with documents turned off does not announce them", async (t) => {
  const { ada, app, settingsPage } = await scene(t, { "client-documents": "off" });
  const page = await open(ada, settingsPage);
  assert.doesNotMatch(page.text, /\/verify"/);
  const form = /name="form" value="([^"]+)"/.exec(page.text)[1];
  const answer = await ada.post(`/developer/apps/${app.client_id}/verify`, { form });
  assert.equal(answer.status, 400);
  assert.match(mainText(answer), /does not fetch files of other hosts/);
});
