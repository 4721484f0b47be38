// Memories that probably say the same thing: merge them, undo the merge.

import { call } from "../api.js";
import { announce, button, el, labelled, said } from "../dom.js";
import { attempt, attemptOnce } from "../errors.js";
import { addressOf, note, outdated, tagList, time } from "../row.js";
import { count } from "../words.js";

const GROUPS = 20;
const SIMILARITIES = [["0.9", "nearly the same words"], ["0.75", "very similar"], ["0.6", "about the same thing"], ["0.4", "loosely related"]];

export function duplicates(view, context) {
  const threshold = el("select", { name: "threshold" }, SIMILARITIES.map(([value, text]) => el("option", { value, selected: value === "0.6" }, text)));
  const problem = el("div");
  const groups = el("div", { className: "groups" });
  const load = () => attempt(problem, async () => {
    const reply = await call("duplicates", { limit: GROUPS, threshold: Number(threshold.value) }, context.signal);
    const message = reply.groups.length ? `${count(reply.groups.length, "group")}, most similar first.` : "There are no duplicates.";
    announce(message, { quiet: true });
    note(context.kept, reply.groups.flatMap((group) => group.traces));
    groups.replaceChildren(el("p", { className: "hint" }, message), ...reply.groups.map((group, place) => groupOf(group, place + 1, context)));
  });
  threshold.addEventListener("change", load);
  view.append(el("h1", {}, "Near-duplicates"),
    el("p", { className: "hint" }, "Read each group first, because memories that contradict each other also look alike."),
    labelled("Similarity", threshold), problem, groups);
  load();
}

function groupOf(group, number, context) {
  const longest = group.traces.reduce((one, other) => (other.content.length > one.content.length ? other : one));
  const text = el("textarea", { rows: 3, value: longest.content, dir: "auto" });
  const problem = el("div");
  const merge = el("button", { type: "submit", className: "main" }, "Merge");
  const boxes = group.traces.map((one) => el("input", { type: "checkbox", checked: true, value: one.id }));
  const heading = `Group ${number}`;
  const form = el("form", {}, el("ul", { className: "rows" }, group.traces.map((one, place) => member(one, boxes[place], text))),
    labelled("Text of the merged memory", text), problem, el("div", { className: "line end" }, merge));
  const card = el("article", { className: "card", attributes: { "aria-label": heading } },
    el("h2", {}, heading, el("span", { className: "badge" }, `${Math.round(group.score * 100)} % similar`)), form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attemptOnce(merge, problem, async () => {
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      const reply = await call("merge", { traceIds: chosen, mergedContent: text.value });
      outdated(context.kept, reply.trace);
      announce("Merged.");
      card.replaceChildren(...merged(reply, group, number, card, context));
      card.querySelector("h2").focus();
    });
  });
  return card;
}

function member(one, box, text) {
  return el("li", { className: "row choice" },
    el("label", {}, box, said(one.content)),
    el("div", { className: "meta" }, time(one.occurredAt ?? one.createdAt), tagList(one.tags),
      el("a", { href: addressOf(one.id) }, "Open"),
      button("Use this text", () => {
        text.value = one.content;
        text.focus();
      }, { className: "plain" })));
}

function merged({ survivorId, deletedIds, trace }, group, number, card, context) {
  const problem = el("div");
  const unmerge = ({ target }) => attemptOnce(target, problem, async () => {
    const reply = await call("unmerge", { survivorId });
    outdated(context.kept, reply.trace);
    announce("The merge was undone.");
    const fresh = groupOf(group, number, context);
    card.replaceWith(fresh);
    fresh.querySelector("input").focus();
  });
  return [
    el("h2", { tabIndex: -1 }, "Merged", el("span", { className: "badge" }, `${deletedIds.length + 1} into one`)),
    el("p", { className: "content small" }, said(trace.content)), tagList(trace.tags), problem,
    el("div", { className: "line end" }, button("Undo the merge", unmerge), el("a", { href: addressOf(survivorId) }, "Open")),
  ];
}
