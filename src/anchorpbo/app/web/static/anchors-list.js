// Search of a catalogue: shows the first items that contain all words, and more on request.

import { attempt } from "./api.js";
import { elementsOf } from "./dom.js";

/** @import { Card, CatalogueLayout, Design, DisplayLayout } from "../rest" */

const PAGE = 12;
const PAUSE = 150; // ms without a key before the search

const at = elementsOf("anchors");

/**
 * @param {object} list
 * @param {CatalogueLayout} list.space
 * @param {DisplayLayout} list.display
 * @param {(designs: Design[]) => Promise<Card[]>} list.cards
 * @param {(design: Design, card: Card) => HTMLElement} list.draw
 */
export function browse({ space, display, cards, draw }) {
  const hidden = new Set([...(display.hidden || []), ...space.fingerprint, display.svg, display.image, display.smiles, display.clip, display.link]);
  const columns = space.columns.filter((column) => !hidden.has(column.name) || column.name === space.key);
  const keys = space.columns.find((column) => column.name === space.key)?.values ?? [];
  const texts = keys.map((_, row) => columns.map((column) => String(column.values[row] ?? "")).join("\n").toLowerCase());
  /** @type {number[]} */
  let found = [];
  let shown = 0;
  let latest = 0;
  let pause = 0;

  async function more() {
    const mine = ++latest;
    const next = found.slice(shown, shown + PAGE).map((row) => ({ [space.key]: keys[row] }));
    const made = await attempt(() => cards(next));
    if (!made || mine !== latest) return;
    const elements = next.map((design, n) => draw(design, made[n]));
    if (shown) at("items").append(...elements);
    else at("items").replaceChildren(...elements);
    shown += next.length;
    at("found").textContent = found.length === 0 ? "Nothing in the list has all these words."
      : shown < found.length ? `The first ${shown} of ${found.length}.` : found.length === 1 ? "1 item." : `${found.length} items.`;
    at("more-items").hidden = shown >= found.length;
  }

  function search() {
    const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    found = [...texts.keys()].filter((row) => words.every((word) => texts[row].includes(word)));
    shown = 0;
    more();
  }

  /**
   * Show one item.
   * @param {Design[string]} key
   */
  function only(key) {
    clearTimeout(pause);
    at("search").value = String(key);
    found = [...keys.keys()].filter((row) => keys[row] === key);
    shown = 0;
    more();
  }

  at("search").addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(search, PAUSE);
  });
  at("more-items").addEventListener("click", more);
  search();
  return { only };
}
