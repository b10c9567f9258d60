// penchant.js - optional enhancements. Every page works without it.

// Debounces `look` and aborts the previous run, so that only the last result is shown.
function debounce(look) {
  let timer, running;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running?.abort();
      running = new AbortController();
      look(running.signal);
    }, 120);
  };
}

// ---- hint preview on the overview; needs act.js ----

const choice = document.querySelector("form[data-sends]");
if (choice) {
  const hide = (part) => part.querySelector("form[data-sends] button")?.setAttribute("hidden", "");
  hide(document);
  touches.push(hide);
  const look = debounce(async (signal) => {
    const url = new URL(location.href);
    for (const [name, value] of new FormData(document.querySelector("form[data-sends]"))) url.searchParams.set(name, value);
    url.hash = "";
    try {
      const { fresh } = await load(url, { signal });
      patch(document.querySelector("#agent .quote"), fresh.querySelector("#agent .quote"));
      history.replaceState(null, "", url);
      announce(document.querySelector("#agent .quote footer").textContent);
    } catch (error) {
      if (error.name !== "AbortError") document.querySelector("form[data-sends]").submit();
    }
  });
  document.addEventListener("change", (event) => event.target.closest("form[data-sends]") && look());
}

// ---- hint preview on the consent page ----

const preview = document.querySelector("[data-hints]");
if (preview) {
  const boxes = [...document.querySelectorAll(".consent input:is([name=scope], [name=areas], [name=area], [name=sensitive], [name=withhold])")];
  const look = debounce(async (signal) => {
    const ticked = boxes.filter((box) => box.checked).map((box) => `&${box.name}=${encodeURIComponent(box.value)}`);
    try {
      const response = await fetch(preview.dataset.hints + ticked.join(""), { signal });
      if (!response.ok) throw new Error(response.status);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      preview.replaceChildren(...page.body.childNodes);
      preview.hidden = false;
    } catch (error) {
      if (error.name !== "AbortError") preview.hidden = true; // rather none than an outdated one
    }
  });
  for (const box of boxes) box.addEventListener("change", look);
}

// ---- "All preferences" includes every area ----

const everything = document.querySelector(".choices input[value='preferences:read']");
const areas = [...document.querySelectorAll(".choices input[data-area]")];
function lock() {
  for (const area of areas) {
    area.checked ||= everything.checked;
    area.ariaDisabled = everything.checked ? "true" : null;
  }
}
if (everything && areas.length > 0) {
  everything.addEventListener("change", lock);
  for (const area of areas) area.addEventListener("click", (event) => everything.checked && event.preventDefault());
  lock();
}

// ---- search while typing; needs act.js ----

const search = document.querySelector(".search input");
search?.addEventListener("input", debounce(async (signal) => {
  const url = new URL("/account", location);
  if (search.value.trim()) url.searchParams.set("q", search.value);
  try {
    const { fresh } = await load(url, { signal });
    patch(document.querySelector("#results"), fresh.querySelector("#results"));
    history.replaceState(null, "", url);
    if (search.getBoundingClientRect().bottom > innerHeight / 2) search.form.scrollIntoView(); // the results are below
    const outcome = [...document.querySelectorAll("#results > :is([role=status], .none)")].find((one) => one.checkVisibility());
    announce(outcome?.textContent);
  } catch (error) {
    if (error.name !== "AbortError") search.form.submit();
  }
}));

// ---- choosing a date selects its option ----

const day = document.querySelector("input[type=date][name=date]");
day?.addEventListener("input", () => {
  const radio = day.form.querySelector("input[name=until][value=date]");
  if (day.value && radio) radio.checked = true;
});
