// Small pictures and clips beside the names of designs in tables. A click shows the picture large, or plays the clip.

import { picture } from "./card.js";
import { cards, setApart } from "./cards.js";
import { player } from "./clip-player.js";
import { el } from "./dom.js";
import { enlarge } from "./zoom.js";

/** @import { Card, Design } from "../rest" */
/** @import { Words } from "./results-words.js" */
/** @typedef {{ design: Design, named: Design, key: string, place: HTMLElement }} Waiting a place to fill */

const SHOWN = /** @type {const} */ (["template", "svg", "image", "smiles", "clip"]);

export class Thumbnails {
  /** @type {Map<string, Card>} */
  cards = new Map(); // by design
  /** @type {Waiting[]} */
  waiting = []; // of the next request

  /** @param {Words} words */
  constructor(words) {
    this.words = words;
    this.any = SHOWN.some((key) => words.display[key]);
  }

  /**
   * The place of a design's thumbnail, which is filled when its card is loaded; null in a study without pictures.
   * @param {Design} design
   */
  of(design) {
    if (!this.any) return null;
    const place = el("span", { class: "thumbnail" });
    const { catalogue } = this.words;
    const named = catalogue ? { [catalogue.key]: design[catalogue.key] } : design;
    const key = JSON.stringify(named);
    const card = this.cards.get(key);
    if (card) this.fill(place, design, card);
    else if (this.waiting.push({ design, named, key, place }) === 1) queueMicrotask(() => this.load());
    return place;
  }

  async load() {
    const wanted = this.waiting;
    this.waiting = [];
    const missing = [...new Map(wanted.map((one) => [one.key, one.named]))];
    try {
      const found = await cards(missing.map(([, design]) => design));
      missing.forEach(([key], n) => this.cards.set(key, found[n]));
    } catch {
      return; // the table stands without them
    }
    for (const { place, design, key } of wanted) {
      const card = this.cards.get(key);
      if (card) this.fill(place, design, card);
    }
  }

  /**
   * @param {HTMLElement} place
   * @param {Design} design
   * @param {Card} card
   */
  fill(place, design, card) {
    const name = this.words.brief(design);
    const shown = card.svg || card.image ? picture(setApart(card)) : null;
    if (!shown && !card.clip_kind) return;
    const draw = shown ? () => picture(setApart(card)) : () => el("div", {}, player(card, name));
    const label = shown ? `Enlarge ${name}` : `Clip ${name}`;
    // Named by its content: a drawing may contain text, which a label would have to repeat.
    place.replaceChildren(el("button", { type: "button", onclick: () => enlarge([{ name, draw }]) },
      el("span", { class: "sr-only" }, label),
      el("span", { class: "drawn", "aria-hidden": "true" }, shown || el("span", { class: "play-sign" }))));
  }
}
