// cases.mjs - what is measured, one row each. See README.md for how to add one.
//
//   name      what the table calls it
//   store     "sqlite" or "postgresql"
//   population true: the store is full of people (population.mjs), which stand in for what prepare returns
//   cache     MiB of the setting `cache`, where it matters; 0 makes every request a cold one
//   prepare   (world) → anything; called once before the first request, to fill the store.
//             world.run(args, input) runs a subcommand on the store, world.ask(request) asks the service
//   request   what is asked: { method, path, headers, body }, an array of them to take turns, or a
//             function (prepared, world) that makes either from what prepare returned
//   once      true if a request can be sent only once: the function is called before every run, and the
//             run lasts as long as its requests do
//   follow    a member of the answer that takes the place of the form field of the same name in the next
//             request: the function gives one request for each connection
//   status    what must be answered
//   floor     the ratio to nginx that is promised, if there is a promise
//   peers     others that do the same (peers/): `what` they are asked for, and for each how many times its
//             rate is promised, or null
import { basic, makeExchanges, makeGrants, makePerson, makeTokens, post } from "./people.mjs";
import { settings } from "./settings.mjs";

// A grant for each connection, and as many tokens of it as a grant may have, or nearly.
const crowd = { people: 16, apps: settings.connections / 16 };
const ofEach = 96;

const oneToken = async (world) => makeTokens(world, await makeGrants(world, { people: 1, apps: 1 }), 1);
const manyTokens = async (world) => makeTokens(world, await makeGrants(world, crowd), ofEach);

const introspect = (tokens) => tokens.map(({ app, access_token: token }) => post("/oauth/introspect", { token }, basic(app)));
const userinfo = (tokens) =>
  tokens.map(({ access_token: token }) => ({ path: "/oauth/userinfo", headers: { Authorization: `Bearer ${token}` } }));
const refresh = async (grants, world) =>
  (await makeTokens(world, grants, 1)).map(({ app: { client_id, client_secret }, refresh_token }) =>
    post("/oauth/token", { grant_type: "refresh_token", client_id, client_secret, refresh_token }),
  );
const exchange = (grants, world) => makeExchanges(world, grants, ofEach);

// ---- with people in the store ----

const bearer = (token) => ({ Authorization: `Bearer ${token}` });
const oneAsks = (path) => ({ tokens }) => [{ path, headers: bearer(tokens[0].access) }];
const allAsk = (path) => ({ tokens }) => tokens.map(({ access }) => ({ path, headers: bearer(access) }));
const hints = "/v1/agent-hints?max_tokens=100";
const record = "/v1/preferences/food_profile";
const atoms = "/v1/preferences/atoms?limit=20";

// Each adds something new about somebody else.
let written = 0;
export const writes = (count) => ({ tokens }) =>
  Array.from({ length: count }, () => {
    const body = JSON.stringify({ preferences: { favorite_artists: [`The Band of ${++written} Numbers`] } });
    const headers = { "Content-Type": "application/json", ...bearer(tokens[written % tokens.length].access) };
    return { method: "POST", path: "/v1/preferences/music_preferences", headers, body };
  });
export const reads = oneAsks(hints);

// Somebody else's with every request: scale.mjs.
export const coldReads = [
  { name: "hints", requests: allAsk(hints) },
  { name: "record", requests: allAsk(record) },
  { name: "atoms (20)", requests: allAsk(atoms) },
];

const signIn = async (world) => {
  const { name, password } = await makePerson(world);
  return [post("/signin", { username: name, password })];
};

// ---- beside others ----

const peers = {
  atoms: { what: "atoms", floors: { fastify: 6 } },
  introspect: { what: "introspect", floors: { glewlwyd: 20, oidc: 20 } }, // the best of them counts, so each does
  userinfo: { what: "userinfo", floors: { glewlwyd: null, oidc: null } },
  refresh: { what: "refresh", floors: { glewlwyd: 25, oidc: 2.5 } },
};

// Peers are measured beside the row on SQLite.
const onBoth = ({ peers, ...row }) => [{ ...row, store: "sqlite", peers }, { ...row, store: "postgresql" }];

export const cases = [
  { name: "GET /healthz", store: "sqlite", request: { path: "/healthz" }, status: 200 },
  { name: "GET / (page)", store: "sqlite", request: { path: "/", headers: { Accept: "text/html" } }, status: 200 },
  { name: "GET /assets/style.css", store: "sqlite", request: { path: "/assets/style.css" }, status: 200 },
  { name: "GET /v1/nothing (404)", store: "sqlite", request: { path: "/v1/nothing" }, status: 404 },
  { name: "GET /readyz", store: "postgresql", request: { path: "/readyz" }, status: 200 },
  ...onBoth({ name: "hints, warm", population: true, request: oneAsks(hints), status: 200, floor: 0.5 }),
  ...onBoth({ name: "hints, cold", population: true, cache: 0, request: allAsk(hints), status: 200, floor: 0.2 }),
  ...onBoth({ name: "record, warm", population: true, request: oneAsks(record), status: 200, floor: 0.5 }),
  ...onBoth({ name: "record, cold", population: true, cache: 0, request: allAsk(record), status: 200 }),
  ...onBoth({ name: "atoms (20), cold", population: true, cache: 0, request: allAsk(atoms), status: 200, peers: peers.atoms }),
  ...onBoth({ name: "preference write", population: true, request: writes(2000), once: true, status: 200 }),
  ...onBoth({ name: "sign-in", prepare: signIn, request: (requests) => requests, status: 303 }),
  ...onBoth({ name: "introspect, 1 token", prepare: oneToken, request: introspect, status: 200, floor: 0.45, peers: peers.introspect }),
  ...onBoth({ name: "introspect, many tokens", prepare: manyTokens, request: introspect, status: 200 }),
  ...onBoth({ name: "user info, 1 token", prepare: oneToken, request: userinfo, status: 200, floor: 0.5, peers: peers.userinfo }),
  ...onBoth({ name: "user info, many tokens", prepare: manyTokens, request: userinfo, status: 200 }),
  ...onBoth({ name: "refresh", prepare: (world) => makeGrants(world, crowd), request: refresh, follow: "refresh_token", status: 200, peers: peers.refresh }),
  ...onBoth({ name: "exchange of a code", prepare: (world) => makeGrants(world, crowd), request: exchange, once: true, status: 200 }),
];
