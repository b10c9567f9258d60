// try.js - goes through the authorization flow as the developer's own app. Responses are shown as text,
// never as markup. Tokens stay in this page's memory and are shown masked.

document.getElementById("needs-script").hidden = true;
const root = document.getElementById("try");
const { app, form, client, base, redirect } = root.dataset;
const at = (id) => document.getElementById(id);
const message = (name, values = {}) =>
  (document.querySelector(`[data-message="${name}"]`).textContent).replace(/\[(\w+)\]/g, (_, key) => values[key] ?? "");

const masked = (text) => String(text).replace(/pn_(at|rt|ac|cs)_[A-Za-z0-9_-]{4}[A-Za-z0-9_-]*/g, (secret) => `${secret.slice(0, 10)}…`);
const show = (id, text) => { at(id).textContent = masked(text); };
const reveal = (id) => {
  at(id).hidden = false;
  at(id).scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
};

// Sends a form to the portal, which acts as the app's server.
async function post(step, fields) {
  const body = new URLSearchParams([["form", form], ...fields]);
  const response = await fetch(`${app}/${step}`, { method: "POST", body, headers: { accept: "application/json" } });
  const text = await response.text();
  let data = {};
  try { data = text === "" ? {} : JSON.parse(text); } catch { data = { error: "error", error_description: message("failed") }; }
  return { status: response.status, ok: response.ok, data };
}

const asLines = (parameters) => Object.entries(parameters).map(([name, value]) => `  ${name}=${value}`).join("\n");

// ---- 1: request authorization ----

at("begin").addEventListener("submit", async (event) => {
  event.preventDefault();
  const ticked = [...new FormData(event.target).entries()];
  const { ok, data } = await post("begin", ticked);
  reveal("ask-wire");
  if (!ok) {
    show("ask-request", data.error_description ?? message("failed"));
    at("ask-go").hidden = true;
    return;
  }
  const request = `GET ${location.origin}/oauth/authorize\n${asLines(data.parameters)}`;
  show("ask-request", request);
  sessionStorage.setItem(app, request); // not secret: the browser's address bar shows the same next
  at("ask-go").href = data.url;
  at("ask-go").focus();
});

// ---- 2: receive the redirect ----

const arrived = new URLSearchParams(location.search);
if (location.pathname !== app && arrived.has("state")) {
  const parameters = Object.fromEntries(arrived);
  history.replaceState(null, "", app); // keep the code out of the address bar and the history
  show("ask-request", sessionStorage.getItem(app) ?? "");
  at("ask-wire").hidden = sessionStorage.getItem(app) === null;
  at("ask-go").hidden = true;
  reveal("step-back");
  show("back-answer", `GET ${redirect}\n${asLines(parameters)}`);
  at("begin").hidden = true;
  if (parameters.code) {
    show("back-text", message("back"));
    at("exchange").hidden = false;
    at("exchange").addEventListener("click", () => exchange(parameters));
  } else {
    show("back-text", parameters.error === "access_denied" ? message("denied") : `${message("refused")} ${parameters.error_description ?? ""}`);
    at("again").hidden = false;
  }
}

// ---- 3: exchange the code for tokens ----

let tokens;

async function exchange({ code, state }) {
  at("exchange").disabled = true;
  reveal("step-exchange");
  show("exchange-request", `POST ${base}/oauth/token\nContent-Type: application/x-www-form-urlencoded\n\n${asLines({
    grant_type: "authorization_code",
    client_id: client,
    client_secret: message("secret"),
    code,
    redirect_uri: redirect,
    code_verifier: message("verifier"),
  })}`);
  const { status, ok, data } = await post("exchange", [["code", code], ["state", state]]);
  show("exchange-answer", `${status}\n${JSON.stringify(data, null, 2)}`);
  if (!ok) {
    at("again").hidden = false;
    return;
  }
  tokens = data;
  at("exchange").hidden = true;
  reveal("step-call");
  const scopes = data.scope.split(" ");
  if (scopes.includes("agent_hints")) fetchHints();
  else fetchOther(scopes);
}

// Without hints: what the other scopes can read.
async function fetchOther(scopes) {
  const domain = [...at("hints").querySelectorAll("[name=domain]")].find(({ value }) => scopes.includes(value))?.value;
  const path = scopes.includes("preferences:read") ? "/v1/preferences" : domain ? `/v1/preferences/${domain}` : scopes.includes("profile:read") ? "/oauth/userinfo" : undefined;
  for (const id of ["hints", "hints-count", "spent"]) at(id).hidden = true;
  at("playground").hidden = path === undefined;
  show("call-text", message(path ? "other" : "no_hints"));
  if (!path) return;
  show("hints-request", `curl -H "Authorization: Bearer ${tokens.access_token}" \\\n  "${base}${path}"`);
  const response = await fetch(path, { headers: { authorization: `Bearer ${tokens.access_token}` }, credentials: "omit" });
  show("hints-answer", `${response.status}\n${JSON.stringify(await response.json().catch(() => ({})), null, 2)}`);
}

// ---- 4: get hints ----

let newest = 0;
let timer;

const askLater = () => {
  at("budget").value = at("max_tokens").value;
  clearTimeout(timer);
  timer = setTimeout(fetchHints, 150);
};
at("hints").addEventListener("input", askLater);
at("hints").addEventListener("submit", (event) => { event.preventDefault(); fetchHints(); });
at("budget").value = at("max_tokens").value;

function asText({ hints, format }) {
  if (format === "bullets") return hints;
  return Array.isArray(hints) ? hints.join("\n") : JSON.stringify(hints, null, 2);
}

async function fetchHints() {
  if (!tokens) return;
  const mine = ++newest;
  const query = new URLSearchParams();
  const fields = new FormData(at("hints"));
  for (const name of ["context", "max_tokens", "format"]) if (fields.get(name)) query.set(name, fields.get(name));
  if (fields.getAll("domain").length > 0) query.set("domains", fields.getAll("domain").join(","));
  const path = `/v1/agent-hints?${query}`;
  show("hints-request", `curl -H "Authorization: Bearer ${tokens.access_token}" \\\n  "${base}${path}"`);
  const response = await fetch(path, { headers: { authorization: `Bearer ${tokens.access_token}` }, credentials: "omit" });
  const data = await response.json().catch(() => ({ error_description: message("failed") }));
  if (mine !== newest) return; // a newer request is under way
  if (!response.ok) {
    show("count", `${response.status}`);
    show("omitted", "");
    show("hints-answer", data.error_description);
    return;
  }
  show("count", message("tokens", { count: data.token_count, budget: data.max_tokens }));
  show("omitted", data.omitted > 0 ? message("omitted", { count: data.omitted }) : "");
  at("spent").max = data.max_tokens;
  at("spent").value = data.token_count;
  show("hints-answer", asText(data) || message("nothing"));
}

at("end").addEventListener("click", async () => {
  const { ok } = await post("end", [["token", tokens.refresh_token]]);
  show("ended", ok ? message("ended") : message("failed"));
  if (!ok) return;
  tokens = undefined;
  at("playground").hidden = true;
  at("end").hidden = true;
});
