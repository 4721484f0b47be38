// Makes elements. All content is inserted as text, never as markup.

/** An element with properties, `on…` listeners and `attributes`. Strings become text. */
export function el(name, properties = {}, ...children) {
  return filled(document.createElement(name), properties, children);
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), { attributes }, children);
}

function filled(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (key === "attributes") {
      for (const [attribute, text] of Object.entries(value)) element.setAttribute(attribute, text);
    } else if (key.startsWith("on")) {
      element.addEventListener(key.slice(2), value);
    } else {
      element[key] = value;
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The text of a memory, with its own writing direction. */
export function said(text, className = "said-text") {
  return el("bdi", { className, dir: "auto" }, text);
}

/** A button. `why` is its accessible name, if the text alone does not say what it does. */
export function button(text, onclick, { className = "", why } = {}) {
  const attributes = why ? { "aria-label": why } : {};
  return el("button", { type: "button", className, onclick, attributes }, text);
}

/** A labelled control. */
export function labelled(text, control, hint) {
  return el("label", { className: "field" }, el("span", {}, text), control, hint && el("span", { className: "hint" }, hint));
}

/** Shows a message and announces it to screen readers. `quiet`: only announces it. */
export function announce(text, { quiet = false } = {}) {
  const place = document.getElementById("said");
  place.replaceChildren(el("p", { className: quiet ? "quiet" : "" }, text));
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => place.replaceChildren(), 6000);
}

/** A dialog with a heading, removed when it closes. `build(close)` returns its content. */
export function openDialog(title, build) {
  const heading = el("h2", { id: `dialog-${Math.random().toString(36).slice(2)}` }, title);
  const dialog = el("dialog", { attributes: { "aria-labelledby": heading.id } }, heading);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(...build(() => dialog.close()));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
