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

// A button with the same text stays, with its focus, also if what it does has changed.
function alike(a, b) {
  if (a.nodeName === "BUTTON" && b.nodeName === "BUTTON" && a.textContent && a.textContent === b.textContent) {
    for (const { name } of [...a.attributes]) if (!b.hasAttribute(name)) a.removeAttribute(name);
    for (const { name, value } of b.attributes) a.setAttribute(name, value);
  }
  return a.cloneNode(false).isEqualNode(b.cloneNode(false));
}

// Changes a part of this page into its new version. Equal elements stay, with their input and focus.
function patch(part, fresh) {
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

// The focus stays where it was, for example in the field that was emptied. If that control was removed, the
// next one of the same part gets it, else the message.
function focusAfter(before, pressed, part) {
  if (!pressed || content.contains(document.activeElement)) return;
  const from = before.indexOf(pressed);
  const near = [...before.slice(from), ...before.slice(0, from).reverse()];
  const next = near.find((one) => one.isConnected && part?.contains(one));
  const message = content.querySelector(".flash");
  message?.setAttribute("tabindex", "-1");
  (next ?? message)?.focus({ preventScroll: true });
}

function show({ fresh, title, fine }, form, button) {
  const part = (button ?? form).closest("section, details, .flash");
  const before = controls();
  const top = part?.getBoundingClientRect().top;
  if (fine && !button?.name) form.reset(); // a chip's button keeps unsent input
  for (const { id, open } of content.querySelectorAll("details[id]"))
    fresh.querySelector(`#${id}`)?.toggleAttribute("open", open);
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

// A double click on an option chooses it, and does not undo the choice at once.
document.addEventListener("click", (event) => event.detail > 1 && event.target.closest(".offers") && event.preventDefault());

// "Add" and "Done" open and close the inputs of a preference in place.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a.add");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const part = link.closest("section");
  try {
    const { fresh } = await load(link.href);
    const top = part.getBoundingClientRect().top;
    patch(content, fresh);
    history.replaceState(null, "", link.href);
    window.scrollBy(0, part.getBoundingClientRect().top - top);
    // With a finger, the first field would open the screen keyboard and hide the options.
    const first = part.querySelector("form :is(input:not([type=hidden]), select, .segment), a.add");
    if (event.detail === 0 || first?.matches("a")) first?.focus({ preventScroll: true });
  } catch {
    location.href = link.href;
  }
});

// On a chip, the Delete key presses the button next to it.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Delete") return;
  const button = event.target.closest?.(".pairs a")?.parentElement.querySelector("button");
  button?.focus();
  button?.click();
});

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
