// Three nodes on one PostgreSQL, and reads that a node may answer from its cache.

import { ask } from "./http.mjs";
import { basic } from "./oauth.mjs";
import { FOOD, MUSIC } from "./preferences.mjs";
import { world } from "./world.mjs";

export const RATES = { "rate-auth": 0, "rate-signin": 0, "rate-api": 0, "metrics-listen": "127.0.0.1:0" };

// A world as clients of one node see it.
export const at = (w, service) => Object.assign(Object.create(w), { service });
export const via = (one, w) => Object.assign(Object.create(one), { w });

export async function threeNodes(t, options = {}) {
  const w = await world(t, { ...options, settings: { ...RATES, ...options.settings } });
  const nodes = [at(w, w.service)];
  for (let i = 1; i < 3; i++) nodes.push(at(w, await w.start()));
  w.service = nodes[0].service;
  return { w, nodes };
}

const bearer = (token) => ({ authorization: `Bearer ${token}` });
const callOf = (name, args) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

export const READS = {
  record: (origin, { token }) => ask(origin, "GET", `/v1/preferences/${MUSIC}`, { headers: bearer(token) }),
  food: (origin, { token }) => ask(origin, "GET", `/v1/preferences/${FOOD}`, { headers: bearer(token) }),
  hints: (origin, { token }) => ask(origin, "GET", `/v1/agent-hints?domains=${MUSIC},${FOOD}&max_tokens=2000`, { headers: bearer(token) }),
  profile: (origin, { token }) => ask(origin, "GET", "/oauth/userinfo", { headers: bearer(token) }),
  mcp: (origin, { token }) => ask(origin, "POST", "/mcp", { json: callOf("get_hints", { domains: [MUSIC, FOOD], max_tokens: 2000 }), headers: bearer(token) }),
  token: (origin, { token, client_id, secret }) => ask(origin, "POST", "/oauth/introspect", { form: { token }, headers: { authorization: basic(client_id, secret) } }),
};
