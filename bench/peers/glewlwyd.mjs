// glewlwyd.mjs - Glewlwyd as Debian packages it, on SQLite: its OpenID Connect plugin, one user, one
// confidential app, configured through its own administration API.
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../conversation.mjs";
import { basic, post } from "../people.mjs";
import { firstAnswer, makeFolder, run, start, stop } from "../process.mjs";
import { find, root, settings } from "../settings.mjs";

const unpacked = join(root, "build/peers/glewlwyd"); // by bench/peers/install
const app = { client_id: "c1", client_secret: "s3cret" };
const person = { username: "u1", password: "password1" };

// { program, place: directory of its files, env }, or null.
function installed() {
  const program = find("glewlwyd", [join(unpacked, "usr/bin")]);
  if (program === null) return null;
  if (!program.startsWith(unpacked)) return { program, place: "/", env: process.env };
  const libraries = ["aarch64", "x86_64"].map((machine) => join(unpacked, `usr/lib/${machine}-linux-gnu`));
  return { program, place: unpacked, env: { ...process.env, LD_LIBRARY_PATH: libraries.join(":") } };
}

// ---- its files ----

// Debian's sample without defaults; log level WARNING, like ours.
function configuration(folder, port, place) {
  const modules = join(place, "usr/lib/glewlwyd");
  return `
port=${port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:${port}"
login_url="login.html"
api_prefix="api"
static_files_path="${join(place, "usr/share/glewlwyd/webapp")}"
log_mode="file"
log_level="WARNING"
log_file="${folder}/glewlwyd.log"
cookie_domain="127.0.0.1"
cookie_secure=0
session_expiration=2419200
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${modules}/user"
user_middleware_module_path="${folder}/user_middleware"
client_module_path="${modules}/client"
user_auth_scheme_module_path="${modules}/scheme"
plugin_module_path="${modules}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${folder}/glewlwyd.db"; };
`;
}

async function makeFiles({ place, env }, port) {
  const folder = makeFolder();
  mkdirSync(join(folder, "user_middleware"));
  const schema = join(place, "usr/share/dbconfig-common/data/glewlwyd/install/sqlite3");
  await run(find("sqlite3"), [join(folder, "glewlwyd.db")], { input: readFileSync(schema), env });
  writeFileSync(join(folder, "glewlwyd.conf"), configuration(folder, port, place));
  return folder;
}

// ---- configuration ----

// Access tokens are signed and also looked up; refresh tokens do not rotate.
function plugin(port) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const parameters = {
    iss: `http://127.0.0.1:${port}`, "jwt-type": "ecdsa", "jwt-key-size": "256",
    key: privateKey.export({ type: "sec1", format: "pem" }), cert: publicKey.export({ type: "spki", format: "pem" }),
    "access-token-duration": 86400, "refresh-token-duration": 1209600, "code-duration": 600,
    "refresh-token-rolling": false, "refresh-token-one-use": "never", "allow-non-oidc": true,
    "auth-type-code-enabled": true, "auth-type-code-revoke-replayed": false, "auth-type-token-enabled": false,
    "auth-type-id-token-enabled": true, "auth-type-none-enabled": false, "auth-type-password-enabled": true,
    "auth-type-client-enabled": true, "auth-type-device-enabled": false, "auth-type-refresh-enabled": true,
    "introspection-revocation-allowed": true, "introspection-revocation-allow-target-client": true,
    "introspection-revocation-auth-scope": [], "subject-type": "public", scope: [], "additional-parameters": [], claims: [],
    "name-claim": "mandatory", "email-claim": "mandatory", "scope-claim": "no", "address-claim": { type: "no" },
    "pkce-allowed": false, "register-client-allowed": false, "session-management-allowed": false,
  };
  return { module: "oidc", name: "oidc", display_name: "OIDC", enabled: true, parameters };
}

async function tell(api, path, body, cookie = "") {
  const headers = { "Content-Type": "application/json", cookie };
  const answer = await fetch(`${api}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`Glewlwyd answered ${answer.status} to ${path}: ${await answer.text()}`);
  return (answer.headers.get("set-cookie") ?? "").split(";")[0];
}

async function administrate(api, port) {
  const cookie = await tell(api, "auth/", { username: "admin", password: "password" });
  await tell(api, "mod/plugin/", plugin(port), cookie);
  await tell(api, "scope/", { name: "read", display_name: "read", description: "read", password_required: false, scheme: {} }, cookie);
  const scope = ["read", "openid"];
  await tell(api, "user/", { ...person, name: "User One", email: "u1@example.org", enabled: true, scope: [...scope, "g_profile"] }, cookie);
  await tell(api, "client/", {
    ...app, name: "client1", confidential: true, enabled: true, scope, redirect_uri: ["http://127.0.0.1/cb"],
    authorization_type: ["code", "password", "client_credentials", "refresh_token"], token_endpoint_auth_method: ["client_secret_basic"],
  }, cookie);
}

async function getTokens(api) {
  const body = new URLSearchParams({ grant_type: "password", ...person, scope: "read openid" });
  const answer = await fetch(`${api}/oidc/token`, { method: "POST", headers: basic(app), body });
  if (!answer.ok) throw new Error(`Glewlwyd gave no tokens: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

// ---- the peer ----

const requests = {
  introspect: ({ access_token: token }) => post("/api/oidc/introspect", { token }, basic(app)),
  userinfo: ({ access_token: token }) => ({ path: "/api/oidc/userinfo", headers: { Authorization: `Bearer ${token}` } }),
  refresh: ({ refresh_token }) => post("/api/oidc/token", { grant_type: "refresh_token", refresh_token }, basic(app)),
};

export const glewlwyd = {
  name: "Glewlwyd",
  async missing() {
    if (installed() === null) return "it is not installed (bench/peers/install)";
    return find("sqlite3") === null ? "sqlite3, which makes its store, is missing" : null;
  },
  async start(what) {
    const { program, place, env } = installed();
    const port = await freePort();
    const folder = await makeFiles({ place, env }, port);
    const started = start(settings.serverCore, program, ["-c", join(folder, "glewlwyd.conf")], { env });
    const end = () => stop(started); // directly after load it exits with SIGSEGV, a bug of its own
    try {
      const api = `http://127.0.0.1:${port}/api`;
      await firstAnswer(started, port, { path: "/config" });
      await administrate(api, port);
      return { ...started, port, requests: [requests[what](await getTokens(api))], stop: end };
    } catch (error) {
      await end();
      throw error;
    }
  },
};
