// The scope form and the views. The part of the address after # names the view.

import { isKnown, speakAs } from "./api.js";
import { el } from "./dom.js";
import { documents } from "./views/documents.js";
import { duplicates } from "./views/duplicates.js";
import { memories } from "./views/memories.js";
import { today } from "./views/today.js";
import { trace } from "./views/trace.js";

const VIEWS = { memories, today, duplicates, documents, trace };
const KEPT = "memory-window";

const main = document.getElementById("main");
const places = document.getElementById("places");
const scope = document.getElementById("scope");
let leaving = new AbortController();
// What the list showed, so that it is there again on the way back.
let kept = new Map();

function place() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(unescaped);
  return name in VIEWS ? { name, rest } : { name: "memories", rest: [] };
}

function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function show({ focus = true } = {}) {
  leaving.abort();
  leaving = new AbortController();
  places.hidden = !isKnown();
  if (!isKnown()) return main.replaceChildren(welcome());
  const { name, rest } = place();
  mark(name);
  const view = el("div", { className: `view ${name}` });
  main.replaceChildren(view);
  VIEWS[name](view, { rest, signal: leaving.signal, kept });
  const heading = view.querySelector("h1");
  document.title = `${heading?.textContent ?? "Memory"} – Memory`;
  if (!focus) return undefined;
  window.scrollTo(0, 0);
  return main.focus({ preventScroll: true });
}

function mark(name) {
  const current = name === "trace" ? "memories" : name;
  for (const link of places.querySelectorAll("a")) {
    if (link.hash === `#/${current}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function welcome() {
  return el("div", { className: "view welcome" },
    el("h1", {}, "Whose memory?"),
    el("p", {}, "A memory belongs to one agent and one user. Name both above, as the application does."),
    el("p", { className: "hint" }, "This page shows what the tools return, and changes memories only through them."));
}

function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function keep(names) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(names));
  } catch {
    // A private window may not store anything. Then the names must be entered again.
  }
}

scope.addEventListener("submit", (event) => {
  event.preventDefault();
  const { agent, user, token } = Object.fromEntries(new FormData(scope));
  const names = { agent: agent.trim(), user: user.trim() };
  speakAs({ ...names, token: token.trim() });
  keep(names);
  kept = new Map();
  if (place().name === "trace") history.replaceState(null, "", "#/memories");
  show();
});
window.addEventListener("hashchange", () => show());
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

const { agent = "", user = "" } = remembered();
scope.elements.agent.value = agent;
scope.elements.user.value = user;
speakAs({ agent, user, token: "" });
show({ focus: false });
