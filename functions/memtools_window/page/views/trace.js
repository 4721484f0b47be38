// One memory: its content, its history, and what can be done with it.

import { call } from "../api.js";
import { announce, button, el, labelled, openDialog, said } from "../dom.js";
import { attempt, attemptOnce } from "../errors.js";
import { lineage } from "../lineage.js";
import { outdated, tagList, time } from "../row.js";
import { change, count, tagsOf } from "../words.js";

const VERSIONS = 100;

export function trace(view, context) {
  const [id] = context.rest;
  const problem = el("div");
  const body = el("div");
  view.append(el("p", { className: "back" }, el("a", { href: "#/memories" }, "← All memories")), el("h1", {}, "A memory"), problem, body);
  const again = async (memory, message) => {
    outdated(context.kept, memory);
    announce(message);
    await load();
    view.querySelector("h1").setAttribute("tabindex", "-1");
    view.querySelector("h1").focus({ preventScroll: true });
  };
  const load = () => attempt(problem, async () => {
    const { versions } = await call("history", { traceId: id, limit: VERSIONS }, context.signal);
    body.replaceChildren(...parts({ id, versions, known: context.kept.get("known")?.get(id), again, context }));
  });
  load();
}

function parts(shown) {
  const [now] = shown.versions;
  const gone = now.change === "deleted" || now.change === "merged_away";
  const related = el("section", { className: "lineage", hidden: true }, el("h2", {}, "What was merged"));
  lineage(related, shown);
  return [statement(now, gone), facts(shown, gone), actions(shown, gone), related, versionList(shown)];
}

function statement(now, gone) {
  const state = { deleted: "Deleted. Searches no longer return it.", merged_away: "Merged into another memory. Searches no longer return it." }[now.change];
  return el("article", { className: `statement${gone ? " gone" : ""}` },
    gone ? el("p", { className: "state" }, state, now.reason ? el("span", {}, " Reason: ", said(now.reason)) : "") : null,
    el("p", { className: "content" }, said(now.content)),
    tagList(now.tags));
}

function facts({ id, versions, known }, gone) {
  const current = known?.version === versions[0].version && !gone ? known : null;
  const first = versions.at(-1);
  const created = current?.createdAt ?? (first.version === 1 ? first.at : null);
  const entries = [
    ["Happened", current?.occurredAt && time(current.occurredAt)],
    ["Added", created && time(created)],
    ["Last change", time(versions[0].at)],
    ["Expires", current?.expiresAt && time(current.expiresAt)],
    ["Found by searches", current && count(current.retrievalCount, "time")],
    ["Last found", current?.lastRetrievedAt && time(current.lastRetrievedAt)],
    ["Version", String(versions[0].version)],
    ["Id", el("code", {}, id)],
  ];
  return el("dl", { className: "facts" }, entries.filter(([, value]) => value).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function actions(shown, gone) {
  const { id, versions, again } = shown;
  const [now] = versions;
  const problem = el("div");
  const restore = async ({ target }) => attemptOnce(target, problem, async () => {
    const reply = await call("restore", { traceId: id });
    await again(reply.trace, "Restored.");
  });
  const doing = gone
    ? [button("Restore", restore, { className: "main" })]
    : [button("Edit", () => editDialog(shown)), button("Delete", () => deleteDialog(shown), { className: "danger" })];
  const merged = now.mergedInto ? [el("a", { href: `#/trace/${encodeURIComponent(now.mergedInto)}` }, "See what it was merged into")] : [];
  return el("div", {}, problem, el("div", { className: "line end" }, doing, merged));
}

function editDialog({ id, versions: [now], again }) {
  openDialog("Edit this memory", (close) => {
    const content = el("textarea", { name: "content", rows: 6, value: now.content, dir: "auto" });
    const tags = el("input", { name: "tags", value: (now.tags ?? []).join(", "), dir: "auto", autocomplete: "off" });
    const problem = el("div");
    const save = el("button", { type: "submit", className: "main" }, "Save");
    const form = el("form", {}, labelled("Content", content), labelled("Tags", tags, "separated by commas"), problem,
      el("div", { className: "line end" }, save, button("Cancel", close, { className: "plain" })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      attemptOnce(save, problem, async () => {
        const changes = { content: content.value, tags: tagsOf(tags.value) };
        const reply = await call("update", { traceId: id, ...changes, version: now.version });
        close();
        await again(reply.trace, reply.updated ? "Saved." : "Nothing to change.");
      });
    });
    return [form];
  });
}

function deleteDialog({ id, versions: [now], again }) {
  openDialog("Delete this memory?", (close) => {
    const reason = el("input", { name: "reason", maxLength: 1000, autocomplete: "off" });
    const problem = el("div");
    const submit = el("button", { type: "submit", className: "danger" }, "Delete");
    const form = el("form", {}, el("p", {}, "Searches will no longer return it. For a while you can restore it here."),
      labelled("Reason (optional)", reason), problem,
      el("div", { className: "line end" }, submit, button("Cancel", close, { className: "plain" })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      attemptOnce(submit, problem, async () => {
        const why = reason.value.trim();
        await call("delete", { traceId: id, ...(why ? { reason: why } : {}), version: now.version });
        close();
        await again(null, "Deleted. You can restore it here.");
      });
    });
    return [form];
  });
}

function versionList({ id, versions, again }) {
  const problem = el("div");
  const restore = (version) => ({ target }) => attemptOnce(target, problem, async () => {
    const reply = await call("restore", { traceId: id, version });
    await again(reply.trace, reply.restored ? `Version ${version} was restored.` : "Nothing to change.");
  });
  const wasLive = ({ change: made }) => made !== "deleted" && made !== "merged_away";
  return el("section", {}, el("h2", {}, "Versions"), problem,
    el("ol", { className: "versions" }, versions.map((one, place) => el("li", {},
      el("div", { className: "meta" }, el("strong", {}, `${one.version}. ${change(one.change)}`), time(one.at),
        place === 0 ? el("span", { className: "badge" }, "now") : null),
      one.reason ? el("p", { className: "hint" }, "Reason: ", said(one.reason)) : null,
      el("p", { className: "content small" }, said(one.content)),
      tagList(one.tags),
      place > 0 && wasLive(one) ? button("Restore this version", restore(one.version), { why: `Restore version ${one.version}` }) : null))));
}
