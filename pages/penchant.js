// penchant.js - small comforts. Every page works without it.

// A form that only shows something sends itself when a choice changes, and the page stays where it was.
const KEPT = "penchant-scroll";
for (const form of document.querySelectorAll("form[data-sends]")) {
  form.querySelector("button").hidden = true;
  form.addEventListener("change", () => {
    sessionStorage.setItem(KEPT, String(window.scrollY));
    form.submit();
  });
}
if (sessionStorage.getItem(KEPT) !== null) {
  const kept = Number(sessionStorage.getItem(KEPT));
  sessionStorage.removeItem(KEPT);
  if (location.hash === "#agent") requestAnimationFrame(() => window.scrollTo(0, kept));
}

// The consent page: what an agent would be told follows the boxes.
const variants = [...document.querySelectorAll("[data-ticks]")];
const boxes = [...document.querySelectorAll(".consent input[name=scope]")];
if (variants.length > 1) {
  const names = new Set(variants[0].dataset.ticks.split(" "));
  const follow = () => {
    const ticked = new Set(boxes.filter((box) => box.checked && names.has(box.value)).map((box) => box.value));
    for (const variant of variants) {
      const wanted = variant.dataset.ticks.split(" ").filter(Boolean);
      variant.hidden = wanted.length !== ticked.size || wanted.some((name) => !ticked.has(name));
    }
  };
  for (const box of boxes) box.addEventListener("change", follow);
  follow();
}

// Facts are narrowed down while one types.
const search = document.querySelector(".search input");
if (search && !search.value) {
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLocaleLowerCase();
    for (const member of document.querySelectorAll(".domain .member")) {
      let any = false;
      const title = member.querySelector("h3").textContent.toLocaleLowerCase();
      for (const chip of member.querySelectorAll(".chips li")) {
        chip.hidden = wanted !== "" && !title.includes(wanted) && !chip.textContent.toLocaleLowerCase().includes(wanted);
        any ||= !chip.hidden;
      }
      member.hidden = !any;
    }
  });
}

// Choosing a day means that day.
const day = document.querySelector("input[type=date][name=date]");
day?.addEventListener("input", () => {
  const radio = day.form.querySelector("input[name=until][value=date]");
  if (day.value && radio) radio.checked = true;
});
