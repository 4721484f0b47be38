// The persona documents: their text, earlier versions, undo.

import { call } from "../api.js";
import { comparison } from "../compare.js";
import { announce, button, el, labelled, said } from "../dom.js";
import { attempt, attemptOnce } from "../errors.js";
import { change, exactly } from "../words.js";

const TARGETS = {
  self: ["MEMORY.md", "The agent's notes, present in every conversation."],
  user: ["USER.md", "What the agent knows about the user, present in every conversation."],
  soul: ["The soul", "All documents as they load at the start of a conversation. Only the operator can change what the operator wrote."],
};

export function documents(view, context) {
  const target = context.rest[0] in TARGETS ? context.rest[0] : "self";
  const [name, about] = TARGETS[target];
  const problem = el("div");
  const body = el("div");
  const load = () => attempt(problem, async () => {
    const asked = [call("read", { target }, context.signal)];
    if (target !== "soul") asked.push(call("history", { target, limit: 100 }, context.signal));
    const [document_, history] = await Promise.all(asked);
    body.replaceChildren(...parts({ target, document_, versions: history?.versions ?? [], load }));
  });
  view.append(el("h1", {}, "Documents"), choice(target), el("h2", {}, name), el("p", { className: "hint" }, about), problem, body);
  load();
}

function choice(current) {
  return el("nav", { className: "choices", attributes: { "aria-label": "Documents" } }, Object.entries(TARGETS).map(([target, [name]]) =>
    el("a", { href: `#/documents/${target}`, attributes: target === current ? { "aria-current": "page" } : {} }, name)));
}

function parts({ target, document_, versions, load }) {
  const text = document_.text
    ? el("pre", { className: "document", tabIndex: 0, attributes: { role: "region", "aria-label": "Text" } }, said(document_.text))
    : el("p", { className: "empty" }, "This document is empty.");
  return [text, versions.length ? undoing(target, document_, versions[0], load) : null, versions.length > 1 ? comparing(versions) : null].filter(Boolean);
}

function undoing(target, { version }, last, load) {
  const problem = el("div");
  const undo = ({ target: pressed }) => attemptOnce(pressed, problem, async () => {
    const reply = await call("edit", { action: "undo", target, version });
    announce(reply.message);
    await load();
    document.querySelector(".undo button")?.focus();
  });
  return el("div", { className: "undo" }, problem, el("div", { className: "line end" }, button("Undo the last change", undo),
    el("span", { className: "hint" }, `${change(last.change)}, ${exactly(last.at)}`)));
}

function comparing(versions) {
  const name = ({ at, change: made }, place) => `${place === 0 ? "Now: " : ""}${exactly(at)} – ${change(made).toLowerCase()}`;
  const select = (chosen) => el("select", {}, versions.map((one, place) => el("option", { value: String(place), selected: place === chosen }, name(one, place))));
  const [before, after] = [select(1), select(0)];
  const table = el("div", { className: "scrolls" });
  const compare = () => {
    const [one, other] = [versions[before.value], versions[after.value]];
    table.replaceChildren(comparison(one.content, other.content, [exactly(one.at), exactly(other.at)]));
  };
  for (const one of [before, after]) one.addEventListener("change", compare);
  compare();
  return el("section", {}, el("h2", {}, "Versions side by side"),
    el("div", { className: "line" }, labelled("Before", before), labelled("After", after)), table);
}
