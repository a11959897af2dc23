// Pictures shown large: a button at the corner of a picture opens a dialog, which Escape closes.

import { drawing, el } from "./dom.js";

/** @typedef {{ name: string, key?: string, draw: () => Element | null }} Enlargeable `draw` returns a new picture */

const SIGN = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" '
  + 'stroke-width="2" stroke-linecap="round"><path d="M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7"/></svg>';

/** @param {string | undefined} key */
const keySign = (key) => (key ? el("kbd", { "aria-hidden": "true" }, key.toUpperCase()) : null);

/**
 * Open a dialog with one or more pictures. Their keys switch between them, and close the one shown.
 * @param {Enlargeable[]} pictures
 */
export function enlarge(pictures, start = 0) {
  let shown = start;
  const title = el("h2", { id: "zoom-title" });
  const place = el("div", { class: "picture" });
  const close = el("button", { type: "button", class: "primary" }, "Close");
  const turns = pictures.length === 1 ? [] : pictures.map(({ name, key }, n) => el("button", { type: "button", "aria-pressed": "false", onclick: () => show(n) },
    `Show ${name}`, keySign(key)));
  const dialog = el("dialog", { class: "zoom", "aria-labelledby": "zoom-title" },
    el("div", { class: "zoom-head" }, title, el("div", { class: "row" }, ...turns, close)), place);

  /** @param {number} n */
  function show(n) {
    shown = n;
    title.textContent = pictures[n].name;
    place.replaceChildren(...pictures[n].draw()?.childNodes ?? []);
    turns.forEach((one, at) => one.setAttribute("aria-pressed", String(at === n)));
  }
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => { if (target === dialog) dialog.close(); }); // beside the picture
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const n = pictures.findIndex(({ key }) => key && key === event.key.toLowerCase());
    if (n < 0) return;
    event.preventDefault();
    if (n === shown) dialog.close();
    else show(n);
  });
  document.body.append(dialog);
  show(start);
  dialog.showModal();
  close.focus();
}

/**
 * @param {string} name
 * @param {() => void} open
 * @param {string} [key]
 */
export const zoomButton = (name, open, key) => el("button", { type: "button", class: "enlarge", "aria-label": `Enlarge ${name}`, onclick: open },
  drawing(SIGN), keySign(key));

/**
 * A picture with its button; a click on the picture does the same.
 * @param {HTMLElement} picture
 * @param {Enlargeable["draw"]} draw
 * @param {string} name
 */
export function withZoom(picture, draw, name) {
  const open = () => enlarge([{ name, draw }]);
  picture.classList.add("zoomable");
  picture.addEventListener("click", open);
  return el("div", { class: "framed" }, picture, zoomButton(name, open));
}
