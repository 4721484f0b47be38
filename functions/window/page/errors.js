// What went wrong, as the API words it.

import { el, said } from "./dom.js";

/** A notice with the message; code and details are folded away. */
export function errorNotice(error) {
  const told = el("div", { className: "notice bad", attributes: { role: "alert" } }, el("p", {}, said(error.message)));
  const details = { ...(error.code ? { code: error.code } : {}), ...(error.details ?? {}) };
  if (Object.keys(details).length) {
    const text = el("pre", { tabIndex: 0 }, said(JSON.stringify(details, null, 2)));
    told.append(el("details", {}, el("summary", {}, "Details"), text));
  }
  return told;
}

/** Runs `work`; an error is shown in `place`, where nothing else is then. True where it went well. */
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

/** As attempt, with what is pressed out of reach meanwhile, so that nothing is sent twice. */
export async function attemptOnce(pressed, place, work) {
  if (pressed.getAttribute("aria-disabled") === "true") return false;
  pressed.setAttribute("aria-disabled", "true");
  try {
    return await attempt(place, work);
  } finally {
    pressed.removeAttribute("aria-disabled");
  }
}
