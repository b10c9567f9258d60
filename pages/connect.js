// connect.js - shows a newly connected assistant without a reload. Optional: the page works without it.

const EVERY = 3000;
const LONGEST = 15 * 60 * 1000;
const began = Date.now();
const list = () => document.getElementById("assistants");

async function look() {
  if (Date.now() - began > LONGEST) return;
  if (!document.hidden) {
    try {
      const response = await fetch(location.pathname);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = page.getElementById("assistants");
      const ids = (part) => [...part.querySelectorAll("[data-assistant]")].map((item) => item.dataset.assistant).join();
      if (response.ok && fresh && ids(fresh) !== ids(list())) {
        list().replaceChildren(...fresh.childNodes);
        list().classList.add("fresh");
      }
    } catch { /* offline: try again */ }
  }
  setTimeout(look, EVERY);
}
if (list()) setTimeout(look, EVERY);
