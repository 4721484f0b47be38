// A memory as a row of a list.

import { el, said } from "./dom.js";
import { count, moment } from "./words.js";

/** A moment, also readable for programs. */
export function time(iso, before = "") {
  return el("span", {}, before, el("time", { dateTime: iso }, moment(iso)));
}

/** The tags. With `ontag`, each is a button that filters the list. */
export function tagList(tags, ontag) {
  if (!tags?.length) return null;
  const shown = (tag) => ontag
    ? el("button", { type: "button", className: "tag", onclick: () => ontag(tag), attributes: { "aria-label": `Only with tag ${tag}` } }, said(tag, ""))
    : el("span", { className: "tag" }, said(tag, ""));
  return el("ul", { className: "tags", attributes: { "aria-label": "Tags" } }, tags.map((tag) => el("li", {}, shown(tag))));
}

/** The address of a memory's view. */
export function addressOf(id) {
  return `#/trace/${encodeURIComponent(id)}`;
}

/** A row whose text links to the memory, with `extra` below. */
export function row(memory, { ontag, extra = [] } = {}) {
  return el("li", { className: "row" },
    el("a", { className: "row-text", href: addressOf(memory.id) }, said(memory.content)),
    el("div", { className: "meta" }, times(memory), tagList(memory.tags, ontag)),
    extra);
}

function times(memory) {
  const happened = memory.occurredAt ? time(memory.occurredAt, "happened ") : time(memory.createdAt);
  const changed = memory.updatedAt === memory.createdAt ? null : time(memory.updatedAt, "changed ");
  const found = memory.retrievalCount ? el("span", {}, `found ${count(memory.retrievalCount, "time")}`) : null;
  return [happened, changed, found];
}

/** Keeps the memories, so that the view of one can show what the list returned for it. */
export function note(kept, memories) {
  const known = kept.get("known") ?? new Map();
  for (const memory of memories) known.set(memory.id, memory);
  kept.set("known", known);
}

/** After a change, discards the list's reply. */
export function outdated(kept, memory) {
  if (memory) note(kept, [memory]);
  const list = kept.get("memories");
  if (list) list.reply = null;
}

