// oidc-server.mjs - oidc-provider with everything in memory, its best case: one confidential app, ES256
// keys, opaque tokens, refresh tokens that do not rotate (its default for such an app during the first 70 %
// of their lifetime).
import { generateKeyPairSync } from "node:crypto";
import http from "node:http";
import { Provider } from "oidc-provider";

const port = Number(process.argv[2]);

class Memory {
  static sessions = new Map();
  constructor(name) {
    this.name = name;
    this.all = new Map();
  }
  async upsert(id, payload) {
    this.all.set(id, payload);
    if (this.name === "Session") Memory.sessions.set(payload.uid, id);
  }
  async find(id) {
    return this.all.get(id);
  }
  async findByUid(uid) {
    return this.find(Memory.sessions.get(uid));
  }
  async findByUserCode() {}
  async consume(id) {
    const payload = this.all.get(id);
    if (payload) payload.consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id) {
    this.all.delete(id);
  }
  async revokeByGrantId(grant) {
    for (const [key, payload] of this.all) if (payload.grantId === grant) this.all.delete(key);
  }
}

const jwk = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
const day = 86400;
const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: Memory,
  clients: [{
    client_id: "c1", client_secret: "s3cret", redirect_uris: ["http://127.0.0.1:1/cb"],
    grant_types: ["authorization_code", "refresh_token"], response_types: ["code"],
    token_endpoint_auth_method: "client_secret_basic", id_token_signed_response_alg: "ES256",
  }],
  jwks: { keys: [{ ...jwk, alg: "ES256", use: "sig", kid: "k1" }] },
  cookies: { keys: ["k"] },
  scopes: ["openid", "offline_access", "read", "profile", "email"],
  claims: { openid: ["sub"], profile: ["name"], email: ["email"] },
  findAccount: async (_, id) => ({ accountId: id, claims: async () => ({ sub: id, name: "User One", email: "u1@example.org" }) }),
  features: { devInteractions: { enabled: true }, introspection: { enabled: true } },
  rotateRefreshToken: false,
  ttl: { AccessToken: day, RefreshToken: 14 * day, Grant: 14 * day, Session: day, Interaction: 3600, IdToken: 3600 },
});
const server = http.createServer(provider.callback());
server.keepAliveTimeout = 300000;
server.listen(port, "127.0.0.1");
