// What changed today, as far as the list shows it.

import { call } from "../api.js";
import { announce, button, el, said } from "../dom.js";
import { attempt, attemptOnce } from "../errors.js";
import { note, row, time } from "../row.js";
import { change, count } from "../words.js";

const PAGE = 100;
const STEP = 10;
const FILES = { self: "MEMORY.md", user: "USER.md" };

export function today(view, context) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const state = { looked: 0, cursor: undefined, found: [], done: false };
  const problem = el("div");
  const shown = el("div");
  const edits = el("section", {});
  const progress = el("p", { className: "hint", attributes: { "aria-live": "off" } });
  const further = button("Look further back", ({ target }) => attemptOnce(target, problem, look));
  const look = async () => {
    for (let step = 0; step < STEP && !state.done; step += 1) {
      await readPage(state, midnight, context);
      progress.textContent = progressOf(state);
      shown.replaceChildren(...sections(state.found, midnight));
    }
    further.hidden = state.done;
    announce(`${count(state.found.length, "memory", "memories")} changed today.`, { quiet: true });
  };
  further.hidden = true;
  view.append(el("h1", {}, "Changed today"), problem, progress, shown, further, edits, unknowable());
  attempt(problem, look);
  attempt(edits, () => documentEdits(edits, midnight, context.signal));
}

async function readPage(state, midnight, context) {
  const args = { limit: PAGE, ...(state.cursor ? { cursor: state.cursor } : {}) };
  const { results, nextCursor } = await call("list", args, context.signal);
  state.looked += results.length;
  state.cursor = nextCursor;
  state.done = !nextCursor;
  const changed = results.filter((one) => Date.parse(one.updatedAt) >= midnight);
  note(context.kept, changed);
  state.found.push(...changed);
}

function progressOf({ looked, done }) {
  const all = `Looked through ${done ? "all " : "the newest "}${count(looked, "memory", "memories")}`;
  return done ? `${all}.` : `${all} so far; older ones may have changed too.`;
}

const SHOWN = 200;

function sections(found, midnight) {
  const added = found.filter((one) => Date.parse(one.createdAt) >= midnight);
  const changed = found.filter((one) => Date.parse(one.createdAt) < midnight);
  const part = (title, some) => el("section", {}, el("h2", {}, title, el("span", { className: "badge" }, some.length.toLocaleString())),
    some.length ? el("ol", { className: "rows" }, some.slice(0, SHOWN).map((one) => row(one))) : el("p", { className: "empty" }, "None."),
    some.length > SHOWN ? el("p", { className: "hint" }, `The first ${SHOWN} are shown.`) : null);
  return [part("New", added), part("Changed", changed)];
}

async function documentEdits(place, midnight, signal) {
  const all = await Promise.all(Object.keys(FILES).map(async (target) => {
    const { versions } = await call("history", { target, limit: 100 }, signal);
    return versions.map((version) => ({ ...version, target }));
  }));
  const edits = all.flat().filter((one) => Date.parse(one.at) >= midnight).sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  place.replaceChildren(el("h2", {}, "Documents"), edits.length
    ? el("ul", { className: "plain-list" }, edits.map((one) => el("li", {},
      el("a", { href: `#/documents/${one.target}` }, said(FILES[one.target])), ` ${change(one.change).toLowerCase()}, `, time(one.at))))
    : el("p", { className: "empty" }, "No edits."));
}

function unknowable() {
  return el("section", { className: "unknown" }, el("h2", {}, "What this page cannot know"), el("ul", {},
    el("li", {}, "What was deleted or merged away today: lists show only live memories."),
    el("li", {}, "How often a memory changed: only the last change shows here. Open it for its versions."),
    el("li", {}, "Who changed it: the agent, the application and this page use the same tools."),
    el("li", {}, "“Today” starts at midnight in this browser's time zone.")));
}
