// passkey.js - passkeys (WebAuthn). A form with a button [data-passkey] is sent with the answer of the passkey.

const encode = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const bytes = (text) => new TextEncoder().encode(text);
const supported = window.PublicKeyCredential && window.AuthenticatorAttestationResponse?.prototype.getAuthenticatorData;

async function challenge(purpose) {
  const response = await fetch(`/passkeys/challenge?for=${purpose}`);
  if (!response.ok) throw new Error(response.status);
  return response.json();
}

const known = (options) => (options.credentials ?? []).map((id) => ({ type: "public-key", id: decode(id) }));

// Resolves to the fields that the server expects.
async function create(purpose, form) {
  const options = await challenge(purpose);
  const username = options.username ?? form.elements.username.value.trim();
  const { response } = await navigator.credentials.create({
    publicKey: {
      challenge: decode(options.challenge),
      rp: { id: options.rp_id, name: "Penchant" },
      user: { id: bytes(options.user_id), name: username, displayName: username },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      excludeCredentials: known(options),
      attestation: "none",
    },
  });
  return { client_data: encode(response.clientDataJSON), auth_data: encode(response.getAuthenticatorData()), user_id: options.user_id };
}

async function sign(purpose, more) {
  const options = await challenge(purpose);
  const { rawId, response } = await navigator.credentials.get({
    publicKey: { challenge: decode(options.challenge), rpId: options.rp_id, allowCredentials: known(options), userVerification: "required" },
    ...more,
  });
  return {
    credential: encode(rawId), client_data: encode(response.clientDataJSON), auth_data: encode(response.authenticatorData),
    signature: encode(response.signature), user_handle: response.userHandle ? encode(response.userHandle) : "",
  };
}

function send(form, action, fields) {
  for (const field of form.querySelectorAll("input[type=password]")) field.disabled = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    form.append(input);
  }
  form.action = action;
  form.submit();
}

// ---- buttons ----

let offer; // of passkeys in the username field

document.addEventListener("submit", async (event) => {
  const { target: form, submitter: button } = event;
  const purpose = button?.dataset.passkey;
  if (!purpose) return;
  event.preventDefault();
  const status = button.closest("[data-passkey-form]").querySelector("[role=status]");
  status.textContent = supported ? "" : status.dataset.unsupported;
  const name = form.elements.username;
  if (!supported || (purpose === "sign_up" && !name.reportValidity())) return;
  button.disabled = true;
  offer?.abort();
  try {
    const fields = await (purpose === "add" || purpose === "sign_up" ? create(purpose, form) : sign(purpose));
    send(form, button.getAttribute("formaction") ?? form.action, fields);
  } catch {
    button.disabled = false;
    status.textContent = status.dataset.canceled;
  }
});

// ---- passkeys in the username field of the sign-in form ----

const username = document.querySelector("input[autocomplete~=webauthn]");
const RENEW_MS = 240_000; // a challenge is valid for five minutes

async function offerPasskeys() {
  if (!supported || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  offer?.abort();
  const { signal } = (offer = new AbortController());
  const timer = setTimeout(offerPasskeys, RENEW_MS);
  signal.addEventListener("abort", () => clearTimeout(timer));
  try {
    const form = document.querySelector("form[data-passkey-form]");
    send(form, form.action, await sign("sign_in", { mediation: "conditional", signal }));
  } catch {
    // The user chose another way.
  }
}

if (username) offerPasskeys();
