// penchant.js - small comforts. Every page works without it.

// What is shown is fetched anew a moment after a choice has changed, and only the last answer counts.
function follow(look) {
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

// ---- what an agent would be told, on the overview: with act.js ----

const choice = document.querySelector("form[data-sends]");
if (choice) {
  const hide = (part) => part.querySelector("form[data-sends] button")?.setAttribute("hidden", "");
  hide(document);
  touches.push(hide);
  const look = follow(async (signal) => {
    const address = new URL(location.href);
    for (const [name, value] of new FormData(document.querySelector("form[data-sends]"))) address.searchParams.set(name, value);
    address.hash = "";
    try {
      const { fresh } = await load(address, { signal });
      settle(document.querySelector("#agent .told"), fresh.querySelector("#agent .told"));
      history.replaceState(null, "", address);
      tell(document.querySelector("#agent .told footer").textContent);
    } catch (error) {
      if (error.name !== "AbortError") document.querySelector("form[data-sends]").submit();
    }
  });
  document.addEventListener("change", (event) => event.target.closest("form[data-sends]") && look());
}

// ---- the consent page: what an agent would be told follows the boxes ----

const told = document.querySelector("[data-hints]");
if (told) {
  const boxes = [...document.querySelectorAll(".consent input[name=scope]")];
  const look = follow(async (signal) => {
    const ticked = boxes.filter((box) => box.checked).map((box) => `&scope=${encodeURIComponent(box.value)}`);
    try {
      const response = await fetch(told.dataset.hints + ticked.join(""), { signal });
      if (!response.ok) throw new Error(response.status);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      told.replaceChildren(...page.body.childNodes);
      told.hidden = false;
    } catch (error) {
      if (error.name !== "AbortError") told.hidden = true; // rather nothing than what is not true
    }
  });
  for (const box of boxes) box.addEventListener("change", look);
}

// ---- facts are narrowed down while one types ----

const search = document.querySelector(".search input");
function narrow(part) {
  const wanted = search.value.trim().toLocaleLowerCase();
  for (const member of part.querySelectorAll(".domain .member")) {
    let any = false;
    const title = member.querySelector("h3").textContent.toLocaleLowerCase();
    for (const chip of member.querySelectorAll(".chips li")) {
      chip.hidden = wanted !== "" && !title.includes(wanted) && !chip.textContent.toLocaleLowerCase().includes(wanted);
      any ||= !chip.hidden;
    }
    member.hidden = !any;
  }
}
// Where only some are shown, that would hide that there are others: then the form is sent.
if (search && !search.value && !document.querySelector(".chip.more")) {
  search.addEventListener("input", () => narrow(document));
  touches.push(narrow);
}

// ---- choosing a day means that day ----

const day = document.querySelector("input[type=date][name=date]");
day?.addEventListener("input", () => {
  const radio = day.form.querySelector("input[name=until][value=date]");
  if (day.value && radio) radio.checked = true;
});
