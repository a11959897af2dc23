// What the server says about what is written: a sentence, and a design as it will look.

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

export const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) : text);

export function ready(found, isTable) {
  const count = found.designs === null ? "" : `, ${found.designs.toLocaleString("en", { maximumSignificantDigits: 6 })} different designs`;
  const many = found.dimension.toLocaleString("en");
  const vary = found.dimension === 1 ? "1 parameter varies" : `${many} parameters vary`;
  const apart = found.dimension === 1 ? "1 column tells designs apart" : `${many} columns tell designs apart`;
  tell("good", `Ready: ${isTable ? apart : vary}${count}.`);
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
