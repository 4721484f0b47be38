// All memories, newest first, page by page, or the results of the agent's search.

import { call } from "../api.js";
import { announce, button, el, labelled } from "../dom.js";
import { attempt } from "../errors.js";
import { note, row } from "../row.js";
import { count, explained, tagsOf } from "../words.js";

const PAGE = 50;
const FOUND = 20;

export function memories(view, context) {
  const state = stateOf(context.kept);
  const found = el("section", { className: "found", attributes: { "aria-label": "Memories" } });
  const form = searchForm(state);
  const load = () => {
    form.querySelector("[type=reset]").hidden = !searches(state.inputs);
    return fill(found, state, context, ontag);
  };
  const ontag = (tag) => {
    const tags = tagsOf(form.elements.tags.value);
    form.elements.tags.value = [...new Set([...tags, tag])].join(", ");
    form.requestSubmit();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    Object.assign(state, { inputs: Object.fromEntries(new FormData(form)), cursors: [null], reply: null });
    load();
  });
  form.addEventListener("reset", () => {
    // The fields are reset after this event, to their default values.
    for (const field of form.querySelectorAll("input")) field.defaultValue = "";
    Object.assign(state, { inputs: {}, cursors: [null], reply: null });
    load();
  });
  view.append(el("h1", {}, "Memories"), form, found);
  load();
}

function searches(inputs) {
  return Object.values(inputs).some((text) => text.trim());
}

/** The filters and the query, and the cursors of all pages up to this one. */
function stateOf(kept) {
  if (!kept.has("memories")) kept.set("memories", { inputs: {}, cursors: [null], reply: null });
  return kept.get("memories");
}

function searchForm({ inputs }) {
  const input = (name, properties = {}) => el("input", { name, autocomplete: "off", defaultValue: inputs[name] ?? "", ...properties });
  return el("form", { className: "search", attributes: { role: "search" } },
    el("div", { className: "line" },
      labelled("Search as the agent does", input("query", { type: "search", maxLength: 10000, placeholder: "A question, or a few words with names" })),
      el("button", { type: "submit", className: "main" }, "Search")),
    el("details", { open: Boolean(inputs.tags || inputs.since || inputs.until) },
      el("summary", {}, "Filter by tags or time"),
      el("div", { className: "line" },
        labelled("Tags", input("tags"), "separated by commas; finds memories with all of them"),
        labelled("From", input("since", { type: "date" }), "for a search"),
        labelled("Up to", input("until", { type: "date" }), "for a search"))),
    el("button", { type: "reset", className: "plain", hidden: !searches(inputs) }, "Show all again"));
}

async function fill(place, state, context, ontag) {
  const asked = state.inputs;
  const body = el("div");
  const problem = el("div");
  place.replaceChildren(problem, body);
  await attempt(problem, async () => {
    const reply = state.reply ?? (await replyTo(state, context.signal));
    // The person has searched for something else meanwhile.
    if (state.inputs !== asked) return;
    state.reply = reply;
    note(context.kept, state.reply.results);
    body.replaceChildren(...(asked.query?.trim() ? hits(state, ontag) : page(state, ontag, () => fill(place, state, context, ontag))));
  });
}

function replyTo({ inputs, cursors }, signal) {
  const tags = tagsOf(inputs.tags ?? "");
  const query = inputs.query?.trim();
  const filter = tags.length ? { tags } : {};
  if (!query) {
    const cursor = cursors.at(-1);
    return call("list", { limit: PAGE, ...filter, ...(cursor ? { cursor } : {}) }, signal);
  }
  const span = Object.fromEntries(["since", "until"].filter((name) => inputs[name]).map((name) => [name, inputs[name]]));
  return call("search", { query, limit: FOUND, explain: true, ...filter, ...span }, signal);
}

function hits({ reply }, ontag) {
  const message = reply.results.length
    ? `${count(reply.results.length, "memory", "memories")} found, most relevant first. The search counts as a retrieval of each, like the agent's own.`
    : "No memory is relevant enough.";
  announce(message, { quiet: true });
  return [
    el("p", { className: "hint" }, message),
    reply.note ? el("p", { className: "notice" }, reply.note) : null,
    el("ol", { className: "rows" }, reply.results.map((hit) => row(hit, { ontag, extra: [scoreOf(hit)] }))),
  ].filter(Boolean);
}

function scoreOf({ score, explanation }) {
  const shown = score.toFixed(2);
  return el("details", { className: "score" },
    el("summary", {},
      el("span", { className: "score-name" }, "Relevance "),
      el("meter", { min: 0, max: 1, value: score, attributes: { "aria-hidden": "true" } }),
      ` ${shown}`),
    el("ul", {}, explanation ? explained(explanation).map((part) => el("li", {}, part)) : []));
}

/** One page; there is never more than one in the document. */
function page(state, ontag, reload) {
  const { reply, cursors } = state;
  const turnTo = (next) => async () => {
    Object.assign(state, { cursors: next, reply: null });
    await reload();
    window.scrollTo(0, 0);
    document.querySelector(".where")?.focus({ preventScroll: true });
  };
  const where = el("p", { className: "hint where", tabIndex: -1 }, `Page ${cursors.length}, newest first`);
  const turns = el("nav", { className: "pages", attributes: { "aria-label": "Pages" } },
    cursors.length > 1 ? button("Newer", turnTo(cursors.slice(0, -1))) : null,
    reply.nextCursor ? button("Older", turnTo([...cursors, reply.nextCursor])) : null);
  const empty = cursors.length === 1 && !tagsOf(state.inputs.tags ?? "").length
    ? "Nothing is remembered here yet." : "No memory to show here.";
  return [
    where,
    reply.results.length
      ? el("ol", { className: "rows" }, reply.results.map((memory) => row(memory, { ontag })))
      : el("p", { className: "empty" }, empty),
    turns,
  ];
}
