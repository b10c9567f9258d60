// Apps that registered themselves, such as AI assistants.

import assert from "node:assert/strict";
import { addApp, App, stage } from "./oauth.mjs";
import { psql } from "./pg.mjs";
import { run } from "./process.mjs";
import { STORE } from "./world.mjs";

const SCOPE = "agent_hints preferences:read preferences:write";
const LOOPBACK = "http://127.0.0.1:8123/callback";

// Changes the row of an app.
export async function change(w, app, columns) {
  const sql = `UPDATE app SET ${columns} WHERE app_id = '${app.client_id}'`;
  if (STORE === "postgres") return psql(w.address, sql);
  await w.stop();
  const done = await run("sqlite3", [w.file, sql]);
  assert.equal(done.status, 0, done.err);
  await w.start();
}

// Registers a client the way an assistant does.
export async function register(w, { name = "Claude Code", redirect_uri = LOOPBACK, scope = SCOPE, method = "none" } = {}) {
  const json = { client_name: name, redirect_uris: [redirect_uri], token_endpoint_auth_method: method, scope };
  const { status, data, text } = await w.ask("POST", "/oauth/register", { json });
  assert.equal(status, 201, text);
  if (data.client_secret) w.secrets.add(data.client_secret);
  return new App(w, { ...data, name, redirect_uri, scope });
}

// A world with a user and an app that registered itself, or that has a client ID metadata document.
export async function assistant(t, { kind = "registered", document = "NULL", redirect_uri = LOOPBACK, ...options } = {}) {
  const { w, ada } = await stage(t, options);
  if (kind === "registered") return { w, ada, app: await register(w, { redirect_uri }) };
  const app = await addApp(w, { name: "Claude Code", isPublic: true, redirect_uris: [redirect_uri], scope: SCOPE });
  await change(w, app, `kind = '${kind}', owner_id = '', document = ${document}`);
  return { w, ada, app };
}
