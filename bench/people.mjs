// people.mjs - users of a filled store (population.mjs) sign in and authorize the app again, through the real
// flow; nothing is written directly into the store.
import { createHash, randomBytes } from "node:crypto";
import { askMany } from "./conversation.mjs";

const redirectUri = "http://127.0.0.1/callback"; // of the app in people.c
const scope = "profile:read music_preferences"; // a subset of what every user allows

const form = (fields) => new URLSearchParams(fields).toString();
export const post = (path, fields, headers = {}) => ({
  method: "POST",
  path,
  headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
  body: form(fields),
});
export const basic = (app) => ({ Authorization: `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString("base64")}` });

const cookiesOf = (answer) => answer.headers.filter(([name]) => name.toLowerCase() === "set-cookie").map(([, value]) => value.split(";")[0]).join("; ");
const header = (answer, name) => answer.headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? "";

// The responses in the order of the requests, or an error that names the first failed one.
async function ask(server, requests, status) {
  const answers = await askMany(server.port, requests, server.width);
  const wrong = answers.findIndex((answer) => answer.status !== status);
  if (wrong >= 0) {
    const { method = "GET", path } = requests[wrong];
    throw new Error(`${method} ${path.slice(0, 40)} answered ${answers[wrong].status} instead of ${status}: ${answers[wrong].body}`);
  }
  return answers;
}

// `count` users with a token, evenly spread.
export const some = ({ tokens }, count) =>
  Array.from({ length: Math.min(count, tokens.length) }, (_, i) => tokens[Math.floor((i * tokens.length) / Math.min(count, tokens.length))]);

export const signIn = ({ password }, { name: username }) => post("/signin", { username, password });

// The cookies of signed-in users, once per store.
const signedIn = new Map(); // town → promise
async function cookies(town, server, people) {
  if (!signedIn.has(town)) signedIn.set(town, ask(server, people.map((person) => signIn(town, person)), 303));
  return (await signedIn.get(town)).map(cookiesOf);
}

// Withholds the first facts on the app's page from the app, through the pages, once per store.
const withheld = new Map(); // town → promise
export async function withholding(town, server, person, count) {
  if (!withheld.has(town)) withheld.set(town, withhold(town, server, person, count));
  await withheld.get(town);
}

async function withhold(town, server, person, count) {
  const one = { ...server, width: 1 };
  const [answer] = await ask(one, [signIn(town, person)], 303);
  const headers = { Cookie: cookiesOf(answer), Origin: `http://127.0.0.1:${server.port}`, "Sec-Fetch-Site": "same-origin" };
  const path = `/account/apps/${town.app.client_id}`;
  const [page] = await ask(one, [{ path: `${path}/facts`, headers }], 200);
  const html = page.body.toString();
  const token = /name="form" value="([^"]+)"/.exec(html)[1];
  const facts = [...html.matchAll(/name="fact" value="([^"]+)"/g)].slice(0, count);
  if (facts.length < count) throw new Error(`the app sees ${facts.length} facts instead of ${count}`);
  await ask(one, facts.map(([, fact]) => post(`${path}/withhold`, { form: token, page: 1, fact }, headers)), 303);
}

function wish({ client_id }, cookie) {
  const verifier = randomBytes(32).toString("base64url");
  const query = form({
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    scope,
    state: "xyz",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  return { verifier, request: { path: `/oauth/authorize?${query}`, headers: { Cookie: cookie } } };
}

// Requests that exchange `count` codes of several users in turn. A code is valid for a minute, and a grant has
// at most a hundred families.
export async function exchanges(town, server, people, count) {
  const everybody = await cookies(town, server, some(town, people));
  const wishes = Array.from({ length: count }, (_, i) => wish(town.app, everybody[i % everybody.length]));
  const answers = await ask(server, wishes.map(({ request }) => request), 303);
  return answers.map((answer, i) => {
    const code = new URL(header(answer, "location")).searchParams.get("code");
    return post("/oauth/token", { grant_type: "authorization_code", ...town.app, code, redirect_uri: redirectUri, code_verifier: wishes[i].verifier });
  });
}
