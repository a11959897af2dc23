// Cards of designs: title, picture, rows. Rows that differ from the other card are marked. The notebook widget uses them, too.

import { drawing, el } from "./dom.js";

/** @import { Card, CardRow } from "../rest" */
/** @typedef {(name: string) => string | null | undefined} ImageSource address of an image, if there is one */

/** @type {ImageSource} */
const imageOf = (name) => `/studies/${document.body.dataset.study}/images/${encodeURIComponent(name)}`;

/** @param {Card} card */
export function picture(card, source = imageOf) {
  const label = card.title ? "" : "Drawing of the design"; // a title beside it says what it shows
  if (card.svg) return el("div", { class: "picture" }, drawing(card.svg, label));
  if (!card.image) return null;
  const name = el("span", { class: "no-picture quiet" }, card.image);
  const address = source(card.image);
  if (!address) return el("div", { class: "picture" }, name);
  const image = el("img", { src: address, alt: label, loading: "lazy" });
  // An uploaded table may name pictures without containing them.
  image.addEventListener("error", () => image.replaceWith(name), { once: true });
  return el("div", { class: "picture" }, image);
}

/** @param {CardRow} row */
const amount = (row) => (row.unit ? `${row.value} ${row.unit}` : row.value);

/**
 * What differs between two cards, in words.
 * @param {Card[]} cards
 */
export function differences([one, other]) {
  const values = new Map(other.rows.map((row) => [row.name, amount(row)]));
  const differing = one.rows.filter((row) => values.get(row.name) !== amount(row));
  const named = one.title || other.title ? [`${one.title} or ${other.title}`] : [];
  return [...named, ...differing.map((row) => `${row.label} ${amount(row)} or ${values.get(row.name) ?? "nothing"}`)].join("; ");
}

/**
 * @param {Card} card
 * @param {Card | null} other
 */
export function rows(card, other = null) {
  if (!card.rows.length) return null;
  const values = new Map((other ? other.rows : []).map((row) => [row.name, row.value]));
  return el("dl", {}, card.rows.map((row) => {
    const differs = other !== null && values.get(row.name) !== row.value;
    const value = row.unit ? `${row.value}\u00a0${row.unit}` : row.value;
    return el("div", { class: differs ? "differs" : null }, el("dt", {}, row.label), el("dd", {}, value));
  }));
}
