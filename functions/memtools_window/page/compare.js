// Two texts side by side, line by line, with the words that differ marked.

import { el, said } from "./dom.js";
import { diffLines } from "./vendor/diff/diff/line.js";
import { diffWordsWithSpace } from "./vendor/diff/diff/word.js";

const PATIENCE = { timeout: 1000 };

/** A table of both; `names` are the headings of its columns. */
export function comparison(before, after, names) {
  const heads = names.map((name) => el("th", { scope: "col" }, name));
  return el("table", { className: "comparison" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rowsOf(before, after)));
}

function rowsOf(before, after) {
  // Both texts end with a newline, so that a text that continues does not differ in that line.
  const parts = diffLines(ended(before), ended(after), PATIENCE) ?? [{ value: before, removed: true }, { value: after, added: true }];
  const rows = [];
  for (let place = 0; place < parts.length; place += 1) {
    const [part, next] = parts.slice(place, place + 2);
    if (part.removed && next?.added) {
      rows.push(...changed(lines(part), lines(next)));
      place += 1;
    } else if (part.removed || part.added) {
      rows.push(...lines(part).map((line) => (part.removed ? pair(line, undefined) : pair(undefined, line))));
    } else {
      rows.push(...lines(part).map((line) => el("tr", {}, el("td", {}, said(line)), el("td", {}, said(line)))));
    }
  }
  return rows;
}

function ended(text) {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function lines({ value }) {
  return value.replace(/\n$/, "").split("\n");
}

function changed(before, after) {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, place) => pair(before[place], after[place]));
}

function pair(before, after) {
  const words = before !== undefined && after !== undefined ? diffWordsWithSpace(before, after, PATIENCE) : undefined;
  const cell = (name, text, kind) => text === undefined
    ? el("td", { className: "void" })
    : el("td", { className: kind }, el(name, {}, words ? marked(words, kind) : said(text)));
  return el("tr", { className: "differs" }, cell("del", before, "removed"), cell("ins", after, "added"));
}

function marked(words, kind) {
  const mine = words.filter((word) => word[kind] || !(word.added || word.removed));
  return el("bdi", { dir: "auto", className: "said-text" }, mine.map((word) => (word[kind] ? el("mark", {}, word.value) : word.value)));
}
