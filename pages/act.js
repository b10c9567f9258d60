// act.js - acting without leaving the page, on the account pages whose forms come back to them. Everything
// works without it, and whatever goes wrong in here, the form is sent as if it were not there.

const content = document.querySelector("main");

// What changed is said to who cannot see it. Outside of the content, which changes.
const teller = document.createElement("div");
teller.className = "away";
teller.setAttribute("role", "status");
document.querySelector("header").append(teller);
const tell = (text) => { teller.textContent = text ?? ""; };

// What the page's other script does to the content, at first and whenever it is fresh.
const touches = [];

// ---- the same page, a moment later ----

// What the server answers, if it is this page again: also one that tells what is wrong with a form.
async function load(address, options) {
  const response = await fetch(address, { headers: { accept: "text/html" }, ...options });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("main");
  const same = new URL(response.url).pathname === location.pathname;
  if (!fresh || !same || ![200, 400].includes(response.status)) throw new Error("another page");
  for (const touch of touches) touch(fresh);
  return { fresh, title: page.title, fine: response.ok, search: new URL(response.url).search };
}

// Makes a part of this page what it is in the fresh one. Whatever is the same stays, with what is typed in
// it and with the focus.
function settle(part, fresh) {
  const alike = (a, b) => a.cloneNode(false).isEqualNode(b.cloneNode(false));
  let at = part.firstChild;
  const drop = () => {
    const gone = at;
    at = at.nextSibling;
    part.removeChild(gone); // not gone.remove(): a form with a button of that name has no such method
  };
  for (const node of fresh.childNodes) {
    let same = node.nodeType === Node.ELEMENT_NODE ? at : null;
    while (same && !same.isEqualNode(node)) same = same.nextSibling;
    if (same) {
      while (at !== same) drop();
    } else if (at?.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
      if (at.data !== node.data) at.data = node.data;
    } else if (at?.nodeType === Node.ELEMENT_NODE && alike(at, node)) {
      settle(at, node);
    } else {
      part.insertBefore(document.importNode(node, true), at);
      continue;
    }
    at = at.nextSibling;
  }
  while (at) drop();
}

// ---- acting without leaving the page ----

const controls = () => [...content.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")];

function sendPlainly(form, button) {
  if (button?.name) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name: button.name, value: button.value });
    form.append(input);
  }
  form.submit();
}

// The next control of the same part if what was pressed is gone, else the message.
function focusAfter(before, pressed, part) {
  if (!pressed || (pressed.isConnected && document.activeElement === pressed)) return;
  const from = before.indexOf(pressed);
  const near = [...before.slice(from), ...before.slice(0, from).reverse()];
  const next = near.find((one) => one.isConnected && part?.contains(one));
  const message = content.querySelector(".flash");
  message?.setAttribute("tabindex", "-1");
  (next ?? message)?.focus({ preventScroll: true });
}

function show({ fresh, title, fine }, form, button) {
  const part = form.closest("section, details, .flash");
  const before = controls();
  const stood = part?.getBoundingClientRect().top;
  if (fine && !button?.name) form.reset(); // a chip's own button takes nothing of what is half typed
  for (const details of content.querySelectorAll("details[open]"))
    fresh.querySelector(`.${details.className.split(" ").join(".")}`)?.setAttribute("open", "");
  fresh.querySelector(".flash")?.removeAttribute("role"); // it is told below, once
  for (const one of fresh.querySelectorAll("[autofocus]")) one.removeAttribute("autofocus"); // this as well
  settle(content, fresh);
  document.title = title;
  if (part?.isConnected && !part.matches(".flash")) window.scrollBy(0, part.getBoundingClientRect().top - stood);
  tell(content.querySelector(".flash p")?.textContent);
  if (fine) focusAfter(before, button, part);
  else content.querySelector("[aria-invalid=true]")?.focus();
}

async function act(form, button, body) {
  let answer;
  try {
    answer = await load(form.action, { method: "POST", body });
  } catch {
    if (form.isConnected) sendPlainly(form, button);
    else location.reload();
    return new Promise(() => {}); // the page goes, and with it whatever waits
  }
  try {
    if (location.search !== answer.search && answer.fine) {
      // A search or a choice of hints goes on; only the message is of the page without them.
      const message = answer.fresh.querySelector(".flash");
      answer = await load(location.href);
      if (message) answer.fresh.prepend(message);
    }
    show(answer, form, button);
  } catch {
    location.reload(); // it is done, and must not be done again
  }
}

// One after the other: a press while another is on its way waits for its turn, and twice the same is once.
let turn = Promise.resolve();
const waiting = new Set();
document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  if (form.method !== "post" || !content.contains(form)) return;
  event.preventDefault();
  const pressed = button ?? form;
  if (waiting.has(pressed)) return;
  waiting.add(pressed);
  const body = new URLSearchParams(new FormData(form));
  if (button?.name) body.append(button.name, button.value);
  turn = turn.then(() => act(form, button, body)).then(() => waiting.delete(pressed));
});
