// A passkey authenticator in software: makes keys and signs like a device would, or wrongly on request.

import assert from "node:assert/strict";
import crypto from "node:crypto";

export const b64 = (bytes) => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes) => crypto.createHash("sha256").update(bytes).digest();

const PRESENT = 0x01, VERIFIED = 0x04, ATTESTED = 0x40;

// ---- CBOR, as much as COSE keys need ----

const head = (major, n) => (n < 24 ? Buffer.from([(major << 5) | n]) : n < 256 ? Buffer.from([(major << 5) | 24, n]) : Buffer.from([(major << 5) | 25, n >> 8, n & 255]));

export function cbor(value) {
  if (Number.isInteger(value)) return value < 0 ? head(1, -1 - value) : head(0, value);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])]);
  return Buffer.concat([head(2, value.length), value]);
}

const coordinate = (text) => Buffer.from(text, "base64url");

const KINDS = {
  ES256: {
    make: () => crypto.generateKeyPairSync("ec", { namedCurve: "P-256" }),
    cose: ({ x, y }) => new Map([[1, 2], [3, -7], [-1, 1], [-2, coordinate(x)], [-3, coordinate(y)]]),
    digest: "sha256",
  },
  EdDSA: {
    make: () => crypto.generateKeyPairSync("ed25519"),
    cose: ({ x }) => new Map([[1, 1], [3, -8], [-1, 6], [-2, coordinate(x)]]),
    digest: null,
  },
  RS256: {
    make: () => crypto.generateKeyPairSync("rsa", { modulusLength: 2048 }),
    cose: ({ n, e }) => new Map([[1, 3], [3, -257], [-1, coordinate(n)], [-2, coordinate(e)]]),
    digest: "sha256",
  },
  ES384: {
    make: () => crypto.generateKeyPairSync("ec", { namedCurve: "P-384" }),
    cose: ({ x, y }) => new Map([[1, 2], [3, -35], [-1, 2], [-2, coordinate(x)], [-3, coordinate(y)]]),
    digest: "sha384",
  },
};

export class Passkey {
  constructor({ kind = "ES256", origin, rpId = new URL(origin).hostname, counter = 0 }) {
    Object.assign(this, { kind: KINDS[kind], origin, rpId, counter, id: crypto.randomBytes(32) }, KINDS[kind].make());
  }

  // A copy, such as an attacker would have: the same key and its own counter.
  copy(counter = this.counter) {
    return Object.assign(Object.create(Passkey.prototype), this, { counter });
  }

  clientData(type, challenge, wrong) {
    return JSON.stringify({ type: wrong.type ?? type, challenge, origin: wrong.origin ?? this.origin, crossOrigin: wrong.crossOrigin ?? false });
  }

  authData(flags, { rpId = this.rpId, counter = this.counter, unverified, absent }, rest = Buffer.alloc(0)) {
    const bits = (flags | PRESENT | VERIFIED) & ~(unverified ? VERIFIED : 0) & ~(absent ? PRESENT : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([bits]), count, rest]);
  }

  // The form fields for a new passkey.
  register({ challenge, user_id }, wrong = {}) {
    this.userHandle = user_id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const key = cbor(this.kind.cose(this.publicKey.export({ format: "jwk" })));
    const auth = this.authData(wrong.attested === false ? 0 : ATTESTED, wrong, wrong.attested === false ? undefined : Buffer.concat([Buffer.alloc(16), length, this.id, key]));
    return { client_data: b64(this.clientData("webauthn.create", challenge, wrong)), auth_data: b64(auth) };
  }

  // The form fields of a signature.
  sign({ challenge }, wrong = {}) {
    if (this.counter > 0) this.counter++;
    const client = this.clientData("webauthn.get", challenge, wrong);
    const auth = this.authData(0, wrong);
    const signature = crypto.sign(this.kind.digest, Buffer.concat([auth, sha256(client)]), wrong.privateKey ?? this.privateKey);
    return {
      credential: b64(wrong.id ?? this.id), client_data: b64(client), auth_data: b64(auth), signature: b64(signature),
      user_handle: b64(wrong.userHandle ?? this.userHandle),
    };
  }
}

// A challenge as pages/passkey.js asks for it.
export async function challengeFor(person, purpose) {
  const answer = await person.ask("GET", `/passkeys/challenge?for=${purpose}`, { headers: { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", accept: "*/*" } });
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers["cache-control"], /no-store/);
  return JSON.parse(answer.text);
}
