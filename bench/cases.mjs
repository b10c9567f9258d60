// cases.mjs - the measured cases, one row each. README.md explains how to add one.
//
//   name      name in the table
//   store     "sqlite" or "postgresql"
//   people    true: measured on stores with users, one of each size (population.mjs)
//   cache     the setting `cache` in MiB, if it matters; 0 makes every request cold
//   request   { method, path, headers, body }, an array of them to send in turn, or a function
//             (town, server, count) that returns either for a store with users; `count`, if given, is the
//             number of requests needed
//   once      true if a request works only once: the function is called before every run, and the run lasts
//             as long as its requests
//   follow    a member of the response that replaces the form field of the same name in the next request;
//             the function returns one request per connection
//   status    expected status
//   floor     target ratio to nginx, if any; `floorUpTo`: only up to that many users
//   scale     target ratio to the rate with the fewest users
//   last      true: runs after all others, because it invalidates what they need
//   counted   number of requests for counting instructions, if a request has very many
//   beside    another request of ours, measured in the same runs on the smallest store: { what, request }, and the
//             targets `floor` (our rate to its rate, at least) and `ceiling` (our instructions to its, at most)
//   part      a part of the request whose instructions are also counted: { what, functions }, and the target `ceiling`
//             (its share of all instructions, at most)
//   peers     peers to compare with (peers/): `what` is requested, and the target ratio for each, or null
import { basic, exchanges, post, signIn, some, withholding } from "./people.mjs";
import { settings } from "./settings.mjs";

const FEW = 1000;
const SIGN_INS = 100; // more than a run can finish

const bearer = (token) => ({ Authorization: `Bearer ${token}` });
const asks = (path) => ({ access }) => ({ path, headers: bearer(access) });
const introspects = (app) => ({ access: token }) => post("/oauth/introspect", { token }, basic(app));

const one = (request) => (town) => [request(town.tokens[0])];
const everybody = (request) => (town) => town.tokens.map(request);
const sameFew = (request) => (town) => some(town, FEW).map(request);

const hints = asks("/v1/agent-hints?max_tokens=100");
const record = asks("/v1/preferences/food_profile");
const atoms = asks("/v1/preferences/atoms?limit=20");
const userinfo = asks("/oauth/userinfo");

// ---- assistants ----

const META = "io.modelcontextprotocol/";

// The tool get_hints with the arguments of `hints`, in each era of the protocol.
const calls = (more, headers) => ({ access }) => ({
  method: "POST",
  path: "/mcp",
  headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers, ...bearer(access) },
  body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "get_hints", arguments: { max_tokens: 100 }, ...more } }),
});
const legacyCall = calls({}, { "MCP-Protocol-Version": "2025-11-25" });
const modernCall = calls(
  { _meta: { [`${META}protocolVersion`]: "2026-07-28", [`${META}clientCapabilities`]: {}, [`${META}clientInfo`]: { name: "bench", version: "1" } } },
  { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "get_hints" },
);
const besideHints = { what: "GET /v1/agent-hints", request: one(hints), floor: 0.8, ceiling: 1.5 };

// What the user's activity costs: finding out what a cached response contains, and counting it.
const activity = { what: "activity", functions: ["request_activity_unpack", "request_activity_count"], ceiling: 0.05 };

// A user who withholds ten facts from the app, beside one who withholds none.
const WITHHELD = 10;
const withheldHints = async (town, server) => {
  await withholding(town, server, town.tokens[1], WITHHELD);
  return [hints(town.tokens[1])];
};
const besideWhole = { what: "nothing withheld", request: one(hints), floor: 0.95, ceiling: 1.05 };

// Each adds a new fact for another user, but never for the first: `reads` are of that user, and their response must
// stay the same.
let written = 0;
export const writes = (count) => ({ tokens }) =>
  Array.from({ length: count }, () => {
    const body = JSON.stringify({ preferences: { favorite_artists: [`The Band of ${++written} Numbers`] } });
    const headers = { "Content-Type": "application/json", ...bearer(tokens[1 + (written % (tokens.length - 1))].access) };
    return { method: "POST", path: "/v1/preferences/music_preferences", headers, body };
  });
export const reads = one(hints);

// The refresh token of another user for each connection. Used tokens are invalid, so the next run takes other users.
const sent = new WeakMap(); // town → how many
export const refreshes = (town) => {
  const from = sent.get(town) ?? 0;
  sent.set(town, from + settings.connections);
  return town.tokens.slice(from, from + settings.connections).map(({ refresh: refresh_token }) =>
    post("/oauth/token", { grant_type: "refresh_token", ...town.app, refresh_token }),
  );
};

// ---- peers ----

const peers = {
  atoms: { what: "atoms", floors: { fastify: 6 } },
  introspect: { what: "introspect", floors: { glewlwyd: 20, oidc: 20 } }, // the target is relative to the best peer
  userinfo: { what: "userinfo", floors: { glewlwyd: null, oidc: null } },
  refresh: { what: "refresh", floors: { glewlwyd: 25, oidc: 2.5 } },
};

// ---- the rows ----

// On stores with users: first cases that only read, then cases that write.
const work = [
  { name: "hints, warm", request: one(hints), floor: 0.5, part: activity },
  { name: "hints, warm, ten facts withheld", request: withheldHints, floor: 0.5, part: activity, beside: besideWhole },
  { name: "hints, cold", cache: 0, request: everybody(hints), floor: 0.2, floorUpTo: 100000, scale: 0.8, postgres: 2.5 * 5990 },
  { name: "hints, the same 1,000", request: sameFew(hints), scale: 0.9 },
  { name: "hints, the same 1,000 cold", cache: 0, request: sameFew(hints) },
  { name: "tools/call, warm, 2025-11-25", request: one(legacyCall), beside: besideHints },
  { name: "tools/call, warm, 2026-07-28", request: one(modernCall), beside: besideHints },
  { name: "record, warm", request: one(record), floor: 0.5 },
  { name: "record, cold", cache: 0, request: everybody(record), scale: 0.8 },
  { name: "record, the same 1,000", request: sameFew(record), scale: 0.9 },
  { name: "record, the same 1,000 cold", cache: 0, request: sameFew(record) },
  { name: "atoms (20), cold", cache: 0, request: everybody(atoms), scale: 0.8, peers: peers.atoms },
  { name: "introspect, 1 token", request: (town) => one(introspects(town.app))(town), floor: 0.45, peers: peers.introspect },
  { name: "introspect, cold", cache: 0, request: (town) => everybody(introspects(town.app))(town), scale: 0.8 },
  { name: "user info, 1 token", request: one(userinfo), floor: 0.5, peers: peers.userinfo },
  { name: "user info, cold", cache: 0, request: everybody(userinfo), scale: 0.8 },
  { name: "preference write", request: writes(2000), once: true, postgres: 5 * 680 },
  // Few connections: beyond a short queue of passwords to hash, the response is 503.
  { name: "sign-in", connections: 16, request: (town) => some(town, SIGN_INS).map((person) => signIn(town, person)), status: 303, counted: 10 },
  { name: "refresh", request: refreshes, follow: "refresh_token", peers: peers.refresh, postgres: 5 * 1180 },
  // So many codes that the first tokens of these users are revoked.
  { name: "exchange of a code", last: true, request: (town, server, count = 4096) => exchanges(town, server, settings.connections, count), once: true },
].map((row) => ({ status: 200, people: true, ...row }));

// On PostgreSQL, the targets of some rows are multiples of the rates before requests shared change queries, statements, and
// transactions. nginx had this rate on the machine of those measurements.
const NGINX = 156_000;

export const cases = [
  { name: "GET /healthz", store: "sqlite", request: { path: "/healthz" }, status: 200 },
  { name: "GET / (page)", store: "sqlite", request: { path: "/", headers: { Accept: "text/html" } }, status: 200 },
  { name: "GET /assets/style.css", store: "sqlite", request: { path: "/assets/style.css" }, status: 200 },
  { name: "GET /v1/nothing (404)", store: "sqlite", request: { path: "/v1/nothing" }, status: 404 },
  { name: "GET /readyz", store: "postgresql", request: { path: "/readyz" }, status: 200 },
  ...work.map(({ postgres, ...row }) => ({ ...row, store: "sqlite" })),
  // Peers are measured beside SQLite. The database shares the core, so its floors are lower.
  ...work.map(({ peers, floor, postgres, ...row }) => ({ ...row, store: "postgresql", floor: postgres ? postgres / NGINX : row.cache === 0 ? undefined : floor && 0.35 })),
];
