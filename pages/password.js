// password.js - shows what was typed into a password field, and advises on a new password while it is typed.
// The server decides: see password_problem() in src/crypt/password.h.

const LEAST = 10;

function advice(texts, password) {
  const length = [...password].length;
  if (length === 0) return "";
  if (length < LEAST) return `${texts.short} ${LEAST - length}`;
  if (new Set(password.toLowerCase()).size < 5) return texts.repeats;
  return length < 16 ? texts.fair : texts.good;
}

for (const texts of document.querySelectorAll("[data-password]")) {
  const input = texts.parentElement.querySelector("input[type=password]");
  const button = texts.querySelector("button");
  button.hidden = false;
  button.addEventListener("click", () => {
    const show = input.type === "password";
    input.type = show ? "text" : "password";
    button.textContent = show ? texts.dataset.hide : texts.dataset.show;
    button.setAttribute("aria-pressed", show);
    input.focus();
  });
  input.form.addEventListener("submit", () => (input.type = "password")); // so that browsers offer to save it
  const status = texts.querySelector("[role=status]");
  if (input.autocomplete === "new-password") input.addEventListener("input", () => (status.textContent = advice(texts.dataset, input.value)));
}
