// Apps that registered themselves, such as AI assistants.

import assert from "node:assert/strict";
import { App, stage } from "./oauth.mjs";

const SCOPE = "agent_hints preferences:read preferences:write";
const LOOPBACK = "http://127.0.0.1:8123/callback";

// Registers a client the way an assistant does.
export async function register(w, { name = "Claude Code", redirect_uri = LOOPBACK, scope = SCOPE, method = "none" } = {}) {
  const json = { client_name: name, redirect_uris: [redirect_uri], token_endpoint_auth_method: method, scope };
  const { status, data, text } = await w.ask("POST", "/oauth/register", { json });
  assert.equal(status, 201, text);
  if (data.client_secret) w.secrets.add(data.client_secret);
  return new App(w, { ...data, name, redirect_uri, scope });
}

// A world with a user and an app that registered itself. document_host.mjs has apps with a document.
export async function assistant(t, { redirect_uri = LOOPBACK, ...options } = {}) {
  const { w, ada } = await stage(t, options);
  return { w, ada, app: await register(w, { redirect_uri }) };
}
