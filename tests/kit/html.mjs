// Reads the text and the forms of a page, and builds what a browser would send. Only fields of the page
// can be sent, so a missing field fails the test.

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

export const unescape = (text) =>
  text.replace(/&(#x[0-9a-f]+|#\d+|[a-z]+);/gi, (whole, name) => {
    if (/^#x/i.test(name)) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
    if (name.startsWith("#")) return String.fromCodePoint(Number(name.slice(1)));
    return ENTITIES[name.toLowerCase()] ?? whole;
  });

export const textOf = (html) =>
  unescape(html.replace(/<(style|script|title)\b.*?<\/\1>/gis, " ").replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ").trim();

function attributesOf(source) {
  const found = {};
  for (const [, name, quoted, bare] of source.matchAll(/([a-z][\w-]*)(?:\s*=\s*(?:"([^"]*)"|([^\s">]+)))?/gi))
    found[name.toLowerCase()] = unescape(quoted ?? bare ?? "");
  return found;
}

class Form {
  constructor(attributes, inner) {
    this.method = (attributes.method ?? "get").toUpperCase();
    this.action = attributes.action;
    this.controls = [];
    let select;
    for (const [, tag, source] of inner.matchAll(/<(input|button|select|option|textarea)\b([^>]*)>/gi)) {
      const control = { tag: tag.toLowerCase(), ...attributesOf(source) };
      if (control.tag === "select") select = control;
      else if (control.tag === "option" && !select) continue; // a suggestion
      else if (control.tag === "option") {
        const others = this.controls.filter((one) => one.of === select);
        if (others.length === 0) control.selected ??= ""; // the first, unless another says so
        else if ("selected" in control) for (const other of others) delete other.selected;
        this.controls.push({ ...control, type: "option", name: select.name, of: select });
      }
      else this.controls.push({ ...control, type: control.type ?? (control.tag === "button" ? "submit" : "text") });
    }
  }

  named(name) {
    return this.controls.filter((control) => control.name === name);
  }

  value(name) {
    return this.named(name)[0]?.value;
  }

  // Every value a user can choose for a name: checkboxes, radio buttons, options, buttons.
  choices(name) {
    return this.named(name).map((control) => control.value);
  }

  ticked(name) {
    return this.named(name).filter((control) => "checked" in control).map((control) => control.value);
  }

  // The fields that a browser sends: typed text, checkboxes as they are or as in `ticks`, one button.
  filled({ typed = {}, ticks, chosen = {}, button } = {}) {
    const pairs = [];
    for (const control of this.controls) {
      const { type, name, value = "on" } = control;
      if (name === undefined || "disabled" in control) continue;
      if (type === "submit" || type === "button" || type === "reset") continue;
      if (type === "checkbox") {
        if (ticks ? ticks.includes(value) : "checked" in control) pairs.push([name, value]);
      } else if (type === "radio" || type === "option") {
        const mark = type === "radio" ? "checked" : "selected";
        if (name in chosen ? chosen[name] === value : mark in control) pairs.push([name, value]);
      } else pairs.push([name, name in typed ? typed[name] : control.value ?? ""]);
    }
    for (const name of Object.keys(typed))
      if (!this.controls.some((control) => control.name === name)) throw new Error(`the form has no field ${name}`);
    for (const [name, value] of Object.entries(chosen))
      if (!this.choices(name).includes(value)) throw new Error(`the form does not offer ${name}=${value}`);
    for (const value of ticks ?? [])
      if (!this.controls.some((one) => one.type === "checkbox" && one.value === value)) throw new Error(`the form has no box ${value}`);
    if (button) {
      const [[name, value]] = Object.entries(button);
      const pressed = this.controls.find((one) => one.type === "submit" && one.name === name && one.value === value);
      if (!pressed) throw new Error(`the form has no button ${name}=${value}`);
      pairs.push([name, value]);
    }
    return pairs;
  }
}

export const formsOf = (html) =>
  [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].map(([, source, inner]) => new Form(attributesOf(source), inner));

export const formTo = (html, action) =>
  formsOf(html).find((form) => form.method === "POST" && (form.action ?? "").split("?")[0] === action);
