// oidc.mjs - starts oidc-server.mjs and goes through its sign-in and consent pages to get tokens.
import { createHash, randomBytes } from "node:crypto";
import { freePort } from "../conversation.mjs";
import { basic, post } from "../people.mjs";
import { missingFromNpm, startNode } from "./node.mjs";

const redirectUri = "http://127.0.0.1:1/cb";
const authorization = basic({ client_id: "c1", client_secret: "s3cret" });

function browser() {
  const jar = new Map();
  return async (url, options = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { ...options, redirect: "manual", headers: { ...options.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair] = line.split(";");
      const equals = pair.indexOf("=");
      jar.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    return answer;
  };
}

// Each page is a form with the name of its prompt.
async function getCode(base, challenge) {
  const go = browser();
  const query = new URLSearchParams({
    client_id: "c1", response_type: "code", redirect_uri: redirectUri, scope: "openid offline_access read profile email",
    prompt: "consent", code_challenge: challenge, code_challenge_method: "S256", state: "s",
  });
  let url = `${base}/auth?${query}`;
  for (let i = 0; i < 12; i++) {
    let answer = await go(url);
    if (!answer.headers.get("location")) {
      const prompt = /name="prompt" value="(\w+)"/.exec(await answer.text())?.[1];
      if (!prompt) throw new Error(`oidc-provider answered ${answer.status} without a form`);
      answer = await go(url, { method: "POST", body: new URLSearchParams({ prompt, login: "u1", password: "x" }) });
    }
    url = new URL(answer.headers.get("location"), base).href;
    if (url.startsWith(redirectUri)) return new URL(url).searchParams.get("code");
  }
  throw new Error("oidc-provider gave no code");
}

async function getTokens(base) {
  const verifier = randomBytes(32).toString("base64url");
  const code = await getCode(base, createHash("sha256").update(verifier).digest("base64url"));
  const body = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier });
  return (await fetch(`${base}/token`, { method: "POST", headers: authorization, body })).json();
}

// Without the scope "openid", the response to a refresh needs no signature.
const requests = {
  introspect: ({ access_token: token }) => post("/token/introspection", { token }, authorization),
  userinfo: ({ access_token: token }) => ({ path: "/me", headers: { Authorization: `Bearer ${token}` } }),
  refresh: ({ refresh_token }) => post("/token", { grant_type: "refresh_token", refresh_token, scope: "read" }, authorization),
};

export const oidc = {
  name: "oidc-provider",
  missing: () => missingFromNpm("oidc-provider", 'await import("oidc-provider")'),
  async start(what) {
    const port = await freePort();
    const server = await startNode("oidc-server.mjs", [port], port, { path: "/.well-known/openid-configuration" });
    try {
      return { ...server, requests: [requests[what](await getTokens(`http://127.0.0.1:${port}`))] };
    } catch (error) {
      await server.stop();
      throw error;
    }
  },
};
