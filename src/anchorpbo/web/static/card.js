// A design as a card: heading, picture, rows. Rows whose values differ from the other card's are marked.

import { drawing, el } from "./dom.js";

export function picture(card, study) {
  if (card.svg) return el("div", { class: "picture" }, drawing(card.svg, card.title || "Drawing of the design"));
  if (card.image) {
    const source = `/studies/${study}/images/${encodeURIComponent(card.image)}`;
    const image = el("img", { src: source, alt: card.title || "Picture of the design", loading: "lazy" });
    // A table that was uploaded has names of pictures, and no pictures.
    image.addEventListener("error", () => image.replaceWith(el("span", { class: "no-picture quiet" }, card.image)), { once: true });
    return el("div", { class: "picture" }, image);
  }
  return null;
}

export function rows(card, other = null) {
  if (!card.rows.length) return null;
  const values = new Map((other ? other.rows : []).map((row) => [row.name, row.value]));
  return el("dl", {}, card.rows.map((row) => {
    const differs = other !== null && values.get(row.name) !== row.value;
    const value = row.unit ? `${row.value}\u00a0${row.unit}` : row.value;
    return el("div", { class: differs ? "differs" : null }, el("dt", {}, row.label), el("dd", {}, value));
  }));
}

export function cardOf(card, study, other = null) {
  return [
    card.title ? el("div", { class: "card-title" }, card.title) : null,
    picture(card, study),
    rows(card, other),
    card.link ? el("a", { href: card.link, target: "_blank", rel: "noopener noreferrer" }, "More about it") : null,
  ].filter(Boolean);
}
