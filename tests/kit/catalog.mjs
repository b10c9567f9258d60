// The message catalogs of pages/, for tests of other languages.

import fs from "node:fs";
import path from "node:path";
import { textOf } from "./html.mjs";
import { ROOT } from "./world.mjs";

// { key: text } of pages/TAG.strings.
export function catalog(tag) {
  const texts = {};
  let key;
  for (const line of fs.readFileSync(path.join(ROOT, "pages", `${tag}.strings`), "utf8").split("\n")) {
    if (line.startsWith("#") || line.trim() === "") continue;
    if (/^\s/.test(line)) {
      texts[key] += ` ${line.trim()}`;
      continue;
    }
    key = line.slice(0, line.indexOf("=")).trim();
    texts[key] = line.slice(line.indexOf("=") + 1).trim();
  }
  return texts;
}

// Messages without values that differ between English and the language, and are long enough to be recognized.
const telltale = () => {
  const [en, de] = [catalog("en"), catalog("de")];
  const german = Object.values(de).join("\n");
  return Object.entries(en).filter(([key, text]) => text !== de[key] && text.length >= 12 && !/[{*`]/.test(text) && !german.includes(text)).map(([, text]) => text);
};

// The English messages that a page shows to a German user. The values of a <datalist> are canonical
// spellings, and code is the same in every language.
export function untranslated(html) {
  const text = textOf(html.replaceAll(/<(datalist|pre)\b[^]*?<\/\1>/g, ""));
  return telltale().filter((one) => text.includes(one));
}
