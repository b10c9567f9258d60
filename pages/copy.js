// copy.js - buttons that copy a field or a code sample. Without scripts, the text can still be selected.
for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) continue;
  const before = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = before; }, 2000);
  });
}
