// Cards of designs from the server.

import { hidesValues, limits, post } from "./api.js";

/** @import { Card, Design } from "../rest" */

class Drawings {
  #count = 0;

  /**
   * A card whose drawing has ids that are unique within the page.
   * @param {Card} card
   * @returns {Card}
   */
  setApart(card) {
    if (!card.svg) return card;
    this.#count += 1;
    return { ...card, svg: card.svg.replace(/(\bid="|#)d\d+-/g, `$1d${this.#count}-`) };
  }
}

const drawings = new Drawings();

/** @param {Card} card */
export const setApart = (card) => drawings.setApart(card);

/**
 * A card as this page shows it: without rows where people judge by eye or ear.
 * @param {Card} card
 * @returns {Card}
 */
export const asShown = (card) => (hidesValues ? { ...card, rows: [] } : card);

/**
 * Fetch the cards of designs, in requests within the server's limit.
 * @param {Design[]} designs
 */
export async function cards(designs) {
  const found = [];
  for (let at = 0; at < designs.length; at += limits.cards) {
    found.push(...await post("/studies/{id}/cards", { designs: designs.slice(at, at + limits.cards) }));
  }
  return found.map((card) => asShown(setApart(card)));
}
