// Errors, in the API's own words.

import { el, said } from "./dom.js";

/** A notice with the message. Code and details are collapsed. */
export function errorNotice(error) {
  const notice = el("div", { className: "notice bad", attributes: { role: "alert" } }, el("p", {}, said(error.message)));
  const details = { ...(error.code ? { code: error.code } : {}), ...(error.details ?? {}) };
  if (Object.keys(details).length) {
    const text = el("pre", { tabIndex: 0 }, said(JSON.stringify(details, null, 2)));
    notice.append(el("details", {}, el("summary", {}, "Details"), text));
  }
  return notice;
}

/** Runs `work` and shows an error in `place`, replacing its content. True if there was no error. */
export async function attempt(place, work) {
  place.replaceChildren();
  place.setAttribute("aria-busy", "true");
  try {
    await work();
    return true;
  } catch (error) {
    if (error.name !== "AbortError") place.replaceChildren(errorNotice(error));
    return false;
  } finally {
    place.removeAttribute("aria-busy");
  }
}

/** Like `attempt`, with the pressed button disabled meanwhile, so that nothing is sent twice. */
export async function attemptOnce(pressed, place, work) {
  if (pressed.getAttribute("aria-disabled") === "true") return false;
  pressed.setAttribute("aria-disabled", "true");
  try {
    return await attempt(place, work);
  } finally {
    pressed.removeAttribute("aria-disabled");
  }
}
