// Live validation of a new study by the server: a status message and a preview card.

import { el, elementsOf } from "./dom.js";
import { pictureOf } from "./new-pictures.js";
import { cardOf } from "./page-card.js";

/** @import { Card, StudyPreview } from "../rest" */

const byId = elementsOf("new");
const [status, create, part] = [byId("status"), byId("create"), byId("preview-part")];
const [preview, note] = [byId("preview"), byId("preview-note")];

/**
 * @param {"good" | "bad" | "wanting" | "busy"} kind
 * @param {string} text
 */
export function tell(kind, text) {
  status.dataset.kind = kind;
  if (status.textContent !== text) status.textContent = text;
  part.classList.toggle("stale", kind === "bad" || kind === "wanting");
  create.disabled = kind === "wanting" || kind === "bad";
}

/**
 * The message of an error. Errors about a rule between parameters begin with its number on the page.
 * @param {string} message
 * @param {string} [field]
 */
export function sentence(message, field = "") {
  const at = /^space\.constraints\.(\d+)/.exec(field)?.[1];
  return at === undefined ? message : `Rule ${Number(at) + 1}: ${message}`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} several
 */
const many = (count, one, several) => `${count.toLocaleString("en", { maximumSignificantDigits: 6 })} ${count === 1 ? one : several}`;

/**
 * @param {StudyPreview} found
 * @param {{ kind: "space" } | { kind: "catalogue", features: string[], categories: string[], fingerprint: string[] }} space
 */
export function ready(found, space) {
  const designs = found.designs === null ? "" : `, ${many(found.designs, "design", "different designs")}`;
  if (space.kind === "space") return tell("good", `Ready: ${many(found.dimension, "parameter varies", "parameters vary")}${designs}.`);
  const columns = space.features.length + space.categories.length + space.fingerprint.length;
  return tell("good", `Ready: ${many(columns, "column tells designs apart", "columns tell designs apart")}${designs}.`);
}

/**
 * @param {Card} card
 * @param {boolean} hasTemplate
 */
export function show(card, hasTemplate) {
  const clip = card.clip ? [el("p", { class: "no-picture quiet" }, `Clip: ${card.clip}`)] : [];
  preview.replaceChildren(...cardOf({ ...card, clip: null }, null, pictureOf), ...clip);
  note.textContent = hasTemplate && !card.svg ? "The drawing cannot be made for this design: check the expressions in it." : "";
  note.hidden = !note.textContent;
  part.hidden = false;
}

export function hide() {
  part.hidden = true;
}
