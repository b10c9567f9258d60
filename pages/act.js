// act.js - sends the forms of account pages in the background and updates the page in place. Everything works
// without it: on any error the form is sent in the normal way.

const content = document.querySelector("main");

// A live region for screen readers, outside of <main>, which is replaced.
const announcer = document.createElement("div");
announcer.className = "sr-only";
announcer.setAttribute("role", "status");
document.querySelector("header").append(announcer);
const announce = (text) => { announcer.textContent = text ?? ""; };

// Functions of penchant.js to run on new content.
const touches = [];

// ---- updating the page ----

// Loads this page again; status 400 is the page with an error in a form. Throws if it is another page.
async function load(url, options) {
  const response = await fetch(url, { headers: { accept: "text/html" }, ...options });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("main");
  const same = new URL(response.url).pathname === location.pathname;
  if (!fresh || !same || ![200, 400].includes(response.status)) throw new Error("another page");
  for (const touch of touches) touch(fresh);
  return { fresh, title: page.title, fine: response.ok, search: new URL(response.url).search };
}

// Changes a part of this page into its new version. Equal elements stay, with their input and focus.
function patch(part, fresh) {
  const alike = (a, b) => a.cloneNode(false).isEqualNode(b.cloneNode(false));
  let at = part.firstChild;
  const drop = () => {
    const old = at;
    at = at.nextSibling;
    part.removeChild(old); // not old.remove(): in a form with a button named "remove", that is the button
  };
  for (const node of fresh.childNodes) {
    let same = node.nodeType === Node.ELEMENT_NODE ? at : null;
    while (same && !same.isEqualNode(node)) same = same.nextSibling;
    if (same) {
      while (at !== same) drop();
    } else if (at?.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
      if (at.data !== node.data) at.data = node.data;
    } else if (at?.nodeType === Node.ELEMENT_NODE && alike(at, node)) {
      patch(at, node);
    } else {
      part.insertBefore(document.importNode(node, true), at);
      continue;
    }
    at = at.nextSibling;
  }
  while (at) drop();
}

// ---- sending forms ----

const controls = () => [...content.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")];

function sendPlainly(form, button) {
  if (button?.name) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name: button.name, value: button.value });
    form.append(input);
  }
  form.submit();
}

// Focuses the next control of the same part if the pressed one was removed, else the message.
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
  const top = part?.getBoundingClientRect().top;
  if (fine && !button?.name) form.reset(); // a chip's button keeps unsent input
  for (const details of content.querySelectorAll("details[open]"))
    fresh.querySelector(`.${details.className.split(" ").join(".")}`)?.setAttribute("open", "");
  fresh.querySelector(".flash")?.removeAttribute("role"); // announced below
  for (const one of fresh.querySelectorAll("[autofocus]")) one.removeAttribute("autofocus"); // focus is set below
  patch(content, fresh);
  document.title = title;
  if (part?.isConnected && !part.matches(".flash")) window.scrollBy(0, part.getBoundingClientRect().top - top);
  announce(content.querySelector(".flash p")?.textContent);
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
    return new Promise(() => {}); // the page is being replaced
  }
  try {
    if (location.search !== answer.search && answer.fine) {
      // Keep the search or hint options in the URL; take only the message from the response.
      const message = answer.fresh.querySelector(".flash");
      answer = await load(location.href);
      if (message) answer.fresh.prepend(message);
    }
    show(answer, form, button);
  } catch {
    location.reload(); // the form was processed and must not be sent again
  }
}

// Requests run one after the other; pressing the same button twice sends once.
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
