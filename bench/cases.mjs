// cases.mjs - what is measured, one row each. See README.md for how to add one.
//
//   name      what the table calls it
//   store     "sqlite" or "postgresql"
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
import { basic, makeExchanges, makeGrants, makeTokens, post } from "./people.mjs";
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

const onBoth = (row) => ["sqlite", "postgresql"].map((store) => ({ ...row, store }));

export const cases = [
  { name: "GET /healthz", store: "sqlite", request: { path: "/healthz" }, status: 200 },
  { name: "GET / (page)", store: "sqlite", request: { path: "/", headers: { Accept: "text/html" } }, status: 200 },
  { name: "GET /assets/style.css", store: "sqlite", request: { path: "/assets/style.css" }, status: 200 },
  { name: "GET /v1/nothing (404)", store: "sqlite", request: { path: "/v1/nothing" }, status: 404 },
  { name: "GET /readyz", store: "postgresql", request: { path: "/readyz" }, status: 200 },
  ...onBoth({ name: "introspect, 1 token", prepare: oneToken, request: introspect, status: 200 }),
  ...onBoth({ name: "introspect, many tokens", prepare: manyTokens, request: introspect, status: 200 }),
  ...onBoth({ name: "user info, 1 token", prepare: oneToken, request: userinfo, status: 200 }),
  ...onBoth({ name: "user info, many tokens", prepare: manyTokens, request: userinfo, status: 200 }),
  ...onBoth({ name: "refresh", prepare: (world) => makeGrants(world, crowd), request: refresh, follow: "refresh_token", status: 200 }),
  ...onBoth({ name: "exchange of a code", prepare: (world) => makeGrants(world, crowd), request: exchange, once: true, status: 200 }),
];
