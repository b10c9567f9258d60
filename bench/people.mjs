// people.mjs - people, apps, and what the people allow: a world to measure tokens in, made by walking
// the real flow. Nothing is written into the store behind the program's back.
import { createHash, randomBytes } from "node:crypto";
import { askMany } from "./conversation.mjs";

const scopes = ["profile:read", "music_preferences"];
const redirectUri = "http://127.0.0.1/callback";
const password = "seven grey herons over the weir";

const form = (fields) => new URLSearchParams(fields).toString();
export const post = (path, fields, headers = {}) => ({
  method: "POST",
  path,
  headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
  body: form(fields),
});
export const basic = (app) => ({ Authorization: `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString("base64")}` });

const header = (answer, name) => answer.headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? "";

// The answers to all of them, in their order, or an error that tells of the first that went wrong.
async function ask(world, requests, status) {
  const answers = await askMany(world.port, requests);
  const wrong = answers.findIndex((answer) => answer.status !== status);
  if (wrong >= 0) {
    const { method = "GET", path } = requests[wrong];
    throw new Error(`${method} ${path.slice(0, 40)} answered ${answers[wrong].status} instead of ${status}: ${answers[wrong].body}`);
  }
  return answers;
}

// ---- people and apps ----

async function addApp(world, owner, number) {
  const words = ["app", "add", "--owner", owner, "--name", `App ${number}`, "--redirect-uri", redirectUri];
  return JSON.parse(await world.run([...words, "--scope", scopes.join(" "), "--json"], ""));
}

export async function makePerson(world) {
  const [{ name }] = await addPeople(world, 1);
  return { name, password };
}

async function addPeople(world, count) {
  const names = Array.from({ length: count }, (_, i) => `person${i}`);
  for (const name of names)
    await world.run(["user", "add", name, "--email", `${name}@example.org`, "--name", `Person of ${name}`], `${password}\n`);
  const answers = await ask(world, names.map((username) => post("/signin", { username, password })), 303);
  return answers.map((answer, i) => ({ name: names[i], cookie: header(answer, "set-cookie").split(";")[0] }));
}

// ---- what an app asks for ----

function wish(grant, prompt = {}) {
  const verifier = randomBytes(32).toString("base64url");
  const query = form({
    response_type: "code",
    client_id: grant.app.client_id,
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state: "xyz",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...prompt,
  });
  return { verifier, request: { path: `/oauth/authorize?${query}`, headers: { Cookie: grant.cookie } } };
}

function consent(grant, page) {
  const field = (name) => page.body.toString().match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1] ?? "";
  const fields = [["request", field("request")], ["form", field("form")], ["term", "revoked"], ["decision", "allow"]];
  return post("/oauth/consent", [...fields, ...scopes.map((scope) => ["scope", scope])], { Cookie: grant.cookie });
}

// Every person allows every app: a live grant each, [{ app, cookie }].
export async function makeGrants(world, { people, apps }) {
  const everybody = await addPeople(world, people);
  const every = [];
  for (let i = 0; i < apps; i++) every.push(await addApp(world, everybody[0].name, i));
  const grants = everybody.flatMap(({ cookie }) => every.map((app) => ({ app, cookie })));
  const pages = await ask(world, grants.map((grant) => wish(grant, { prompt: "consent" }).request), 200);
  await ask(world, pages.map((page, i) => consent(grants[i], page)), 303);
  return grants;
}

// So many codes of each grant, as requests that exchange them. A code lives for a minute, and a grant
// for at most a hundred of them.
export async function makeExchanges(world, grants, ofEach) {
  const wishes = Array.from({ length: ofEach }, () => grants.map((grant) => ({ grant, ...wish(grant) }))).flat();
  const answers = await ask(world, wishes.map(({ request }) => request), 303);
  return answers.map((answer, i) => {
    const { grant: { app }, verifier } = wishes[i];
    const code = new URL(header(answer, "location")).searchParams.get("code");
    const { client_id, client_secret } = app;
    return post("/oauth/token", { grant_type: "authorization_code", client_id, client_secret, code, redirect_uri: redirectUri, code_verifier: verifier });
  });
}

// So many token sets of each grant, [{ app, access_token, refresh_token }]. In steps, so that no code
// gets old on a slow machine.
export async function makeTokens(world, grants, ofEach) {
  const sets = [];
  for (let i = 0; i < ofEach; i++) {
    const answers = await ask(world, await makeExchanges(world, grants, 1), 200);
    sets.push(...answers.map((answer, n) => ({ app: grants[n].app, ...JSON.parse(answer.body) })));
  }
  return sets;
}
