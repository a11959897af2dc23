// Cards of designs: title, picture, rows. Rows that differ from the other card are marked.

import { base, post } from "./api.js";
import { drawing, el } from "./dom.js";

const MOST = Number(document.body.dataset.mostCards); // designs that one request may hold
let drawings = 0;

// Make the ids of each drawing unique within the page.
function apart(card) {
  if (!card.svg) return card;
  drawings += 1;
  return { ...card, svg: card.svg.replace(/(\bid="|#)d\d+-/g, `$1d${drawings}-`) };
}

// Fetch the cards of designs, in requests within the server's limit.
export async function cards(designs) {
  const found = [];
  for (let at = 0; at < designs.length; at += MOST) {
    found.push(...await post(`${base}/cards`, { designs: designs.slice(at, at + MOST) }));
  }
  return found.map(apart);
}

const imageOf = (name) => `${base}/images/${encodeURIComponent(name)}`;

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

export function rows(card, other = null) {
  if (!card.rows.length) return null;
  const values = new Map((other ? other.rows : []).map((row) => [row.name, row.value]));
  return el("dl", {}, card.rows.map((row) => {
    const differs = other !== null && values.get(row.name) !== row.value;
    const value = row.unit ? `${row.value}\u00a0${row.unit}` : row.value;
    return el("div", { class: differs ? "differs" : null }, el("dt", {}, row.label), el("dd", {}, value));
  }));
}

export function cardOf(card, other = null, source = imageOf) {
  return [
    card.title ? el("div", { class: "card-title" }, card.title) : null,
    picture(card, source),
    rows(card, other),
    card.link ? el("a", { href: card.link, target: "_blank", rel: "noopener noreferrer" }, "More about it") : null,
  ].filter(Boolean);
}
