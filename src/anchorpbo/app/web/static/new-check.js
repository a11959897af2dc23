// Live validation of a new study by the server: a status message and a preview card.

import { cardOf } from "./card.js";
import { pictureOf } from "./new-pictures.js";

const status = document.getElementById("status");
const create = document.getElementById("create");
const part = document.getElementById("preview-part");
const preview = document.getElementById("preview");
const note = document.getElementById("preview-note");

export function tell(kind, text) {
  status.dataset.kind = kind;
  if (status.textContent !== text) status.textContent = text;
  part.classList.toggle("stale", kind === "bad" || kind === "wanting");
  create.disabled = kind === "wanting" || kind === "bad";
}

// Replace terms of the REST interface by those of the page; quoted user input stays.
const WORDS = [
  [/\bconstraint(?=s?\b)/g, "rule"],
  [/\blow of\b/g, "“From” of"], [/\bits high\b/g, "its “To”"], [/\bhigh of\b/g, "“To” of"],
  [/\blow and high\b/g, "“From” and “To”"], [/\bif log is set\b/g, "if ratios matter"],
];
const inOurWords = (text) => WORDS.reduce((words, [theirs, ours]) => words.replaceAll(theirs, ours), text);

export function sentence(text) {
  const words = text.split(/('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/).map((part, n) => (n % 2 ? part : inOurWords(part))).join("");
  return words && words[0].toUpperCase() + words.slice(1);
}

const many = (count, one, several) => `${count.toLocaleString("en", { maximumSignificantDigits: 6 })} ${count === 1 ? one : several}`;

export function ready(found, space) {
  const designs = found.designs === null ? "" : `, ${many(found.designs, "design", "different designs")}`;
  if (space.kind === "space") return tell("good", `Ready: ${many(found.dimension, "parameter varies", "parameters vary")}${designs}.`);
  const columns = space.features.length + space.categories.length + space.fingerprint.length;
  return tell("good", `Ready: ${many(columns, "column tells designs apart", "columns tell designs apart")}${designs}.`);
}

export function show(card, hasTemplate) {
  preview.replaceChildren(...cardOf(card, null, pictureOf));
  note.textContent = hasTemplate && !card.svg ? "The drawing cannot be made for this design: check the expressions in it." : "";
  note.hidden = !note.textContent;
  part.hidden = false;
}

export function hide() {
  part.hidden = true;
}
