// A diagram of merges: the survivor at the top, its sources below.

import { call, Refused } from "./api.js";
import { button, el, said, svg } from "./dom.js";
import { attemptOnce } from "./errors.js";
import { addressOf } from "./row.js";
import { count, short } from "./words.js";

const MOST = 40;
const INDENT = 22;

/** Draws into `place`, and shows it if there is anything to draw. */
export async function lineage(place, { id, versions, again, context }) {
  if (!versions.some((one) => one.mergedFrom || one.mergedInto)) return;
  place.hidden = false;
  const problem = el("div");
  const drawn = el("div", { attributes: { "aria-busy": "true" } });
  place.append(problem, drawn);
  try {
    const family = await gathered(id, versions, context.signal);
    drawn.replaceChildren(...tree(family, { id, again, problem }));
  } catch (error) {
    if (error.name !== "AbortError") drawn.replaceChildren(el("p", {}, said(error.message)));
  }
  drawn.setAttribute("aria-busy", "false");
}

/** All related memories by id, each with its versions (none: no longer kept) and the memory it was merged into. */
async function gathered(id, versions, signal) {
  const family = new Map([[id, { id, versions }]]);
  let [root, left] = [id, 0];
  for (let next = intoNow(versions); next && !family.has(next); next = intoNow(family.get(next).versions)) {
    family.set(next, await member(next, signal));
    root = next;
  }
  let wanted = [...family.values()];
  while (wanted.length) {
    const named = new Set(wanted.flatMap((one) => one.versions.flatMap((version) => version.mergedFrom ?? [])));
    const unknown = [...named].filter((name) => !family.has(name));
    const asked = unknown.slice(0, Math.max(0, MOST - family.size));
    left += unknown.length - asked.length;
    wanted = await Promise.all(asked.map((name) => member(name, signal)));
    for (const one of wanted) family.set(one.id, one);
  }
  for (const one of family.values()) one.into = one.id === root ? null : parentOf(one, family, root);
  return { root, family, left };
}

async function member(id, signal) {
  try {
    return { id, ...(await call("history", { traceId: id, limit: 100 }, signal)) };
  } catch (error) {
    if (error instanceof Refused && error.code === "not_found") return { id, versions: [] };
    throw error;
  }
}

function intoNow([now]) {
  return now?.change === "merged_away" ? now.mergedInto : null;
}

/** The memory it was merged into last. There is no cycle, because every path up must end at the root. */
function parentOf(one, family, root) {
  const into = one.versions.map((version) => version.mergedInto).find((name) => name && family.has(name) && name !== one.id);
  const seen = new Set([one.id]);
  for (let up = into; up && up !== root; up = family.get(up).into) {
    if (seen.has(up)) return root;
    seen.add(up);
  }
  return into ?? root;
}

function tree({ root, family, left }, doing) {
  const rows = ordered(root, family, 0, new Set());
  const drawing = svg("svg", { class: "branches", "aria-hidden": "true", focusable: "false" });
  const list = el("ol", { className: "family" }, rows.map((one) => {
    const item = memberRow(one, doing);
    one.item = item;
    return item;
  }));
  const whole = el("div", { className: "drawn" }, drawing, list);
  new ResizeObserver(() => draw(drawing, rows, list)).observe(list);
  const more = left ? el("p", { className: "hint" }, `${count(left, "more memory", "more memories")} not drawn.`) : null;
  return [whole, more].filter(Boolean);
}

function ordered(id, family, depth, seen) {
  if (seen.has(id)) return [];
  seen.add(id);
  const below = [...family.values()].filter((one) => one.into === id);
  return [{ ...family.get(id), depth }, ...below.flatMap((one) => ordered(one.id, family, depth + 1, seen))];
}

function stateOf({ versions: [now] }) {
  if (!now) return { text: "no longer kept", name: "purged" };
  if (now.change === "merged_away") return { text: "merged in", name: "merged" };
  return now.change === "deleted" ? { text: "deleted", name: "deleted" } : { text: "live", name: "live" };
}

function memberRow(one, { id, again, problem }) {
  const [now] = one.versions;
  const state = stateOf(one);
  const act = (tool, args, message) => ({ target }) => attemptOnce(target, problem, async () => {
    await call(tool, args);
    await again(null, message);
  });
  const what = now ? short(now.content) : one.id;
  const shown = one.id === id ? el("strong", {}, said(what)) : el("a", { href: addressOf(one.id) }, said(what));
  const item = el("li", { className: state.name },
    el("p", {}, shown),
    el("div", { className: "meta" },
      el("span", {}, one.id === id ? `this memory, ${state.text}` : state.text),
      state.name === "live" && now.mergedFrom
        ? button("Undo the merge", act("unmerge", { survivorId: one.id }, "The merge was undone."), { why: `Undo the last merge of: ${what}` }) : null,
      state.name === "merged" || state.name === "deleted"
        ? button("Restore", act("restore", { traceId: one.id }, "Restored."), { why: `Restore: ${what}` }) : null));
  item.classList.add(`depth-${Math.min(one.depth, 6)}`);
  return item;
}

function draw(drawing, rows, list) {
  const widest = Math.max(...rows.map((row) => Math.min(row.depth, 6)));
  drawing.setAttribute("width", String((widest + 1) * INDENT));
  drawing.setAttribute("height", String(list.offsetHeight));
  const at = new Map(rows.map((row) => [row.id, { x: Math.min(row.depth, 6) * INDENT + 11, y: row.item.offsetTop + 16 }]));
  const lines = rows.filter((row) => row.into).map((row) => {
    const [from, to] = [at.get(row.id), at.get(row.into)];
    const bend = Math.min(10, from.x - to.x || 1);
    const way = `M${to.x} ${to.y}V${from.y - bend}q0 ${bend} ${bend} ${bend}H${from.x}`;
    return svg("path", { d: way, class: stateOf(row).name === "merged" ? "joined" : "parted" });
  });
  const dots = rows.map((row) => svg("circle", { cx: at.get(row.id).x, cy: at.get(row.id).y, r: 6, class: stateOf(row).name }));
  drawing.replaceChildren(...lines, ...dots);
}
