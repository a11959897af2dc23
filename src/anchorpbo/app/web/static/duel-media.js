// Clips and enlarged pictures of the two designs. They stand beside the buttons that answer, so that no click answers by accident.

import { picture } from "./card.js";
import { setApart } from "./cards.js";
import { player } from "./clip-player.js";
import { elementsOf } from "./dom.js";
import { enlarge, zoomButton } from "./zoom.js";

/** @import { Card } from "../rest" */
/** @import { Enlargeable } from "./zoom.js" */

const SIDES = /** @type {const} */ ([
  { side: "first", letter: "A", playKey: "q", zoomKey: "e" },
  { side: "second", letter: "B", playKey: "w", zoomKey: "r" },
]);
const LOOP = "anchorpbo.loop";

const at = elementsOf("duel");

/** @returns {NodeListOf<HTMLMediaElement>} */
const players = () => document.querySelectorAll("#pair :is(audio, video)");

export class DuelMedia {
  /** @type {Enlargeable[]} */
  #pictures = []; // those of the pair

  constructor() {
    const loop = at("loop");
    loop.checked = localStorage.getItem(LOOP) === "on";
    loop.addEventListener("change", () => {
      localStorage.setItem(LOOP, loop.checked ? "on" : "off");
      for (const media of players()) media.loop = loop.checked;
    });
  }

  /**
   * Show what can be played and enlarged of the cards of a pair.
   * @param {Card[]} cards
   */
  show(cards) {
    for (const media of players()) media.pause();
    this.#pictures = [];
    SIDES.forEach((one, n) => this.#showSide(one, cards[n]));
    const hasClips = cards.some((card) => card.clip);
    at("pair").classList.toggle("clips", hasClips);
    at("pair").classList.toggle("videos", cards.some((card) => card.clip_kind === "video"));
    at("loop-field").hidden = !cards.some((card) => card.clip_kind);
    /** @type {NodeListOf<HTMLElement>} */
    const rows = document.querySelectorAll("#help-dialog [data-for]");
    for (const row of rows) row.hidden = !(row.dataset.for === "clips" ? hasClips : this.#pictures.length);
  }

  /**
   * @param {typeof SIDES[number]} one
   * @param {Card} card
   */
  #showSide({ side, letter, playKey, zoomKey }, card) {
    const clip = card.clip ? [player(card, letter, { key: playKey.toUpperCase(), loop: at("loop").checked })] : [];
    at(`${side}-clip`).replaceChildren(...clip);
    const zoom = [];
    if (card.svg || card.image) {
      const pictures = this.#pictures;
      const n = pictures.push({ name: card.title ? `${letter}: ${card.title}` : letter, key: zoomKey, draw: () => picture(setApart(card)) }) - 1;
      zoom.push(zoomButton(letter, () => enlarge(pictures, n), zoomKey));
    }
    at(`${side}-zoom`).replaceChildren(...zoom);
  }

  /**
   * The action of a key, or null.
   * @param {string} key
   */
  actionOf(key) {
    for (const { side, playKey, zoomKey } of SIDES) {
      if (key === playKey) return press(`#${side}-clip .play`);
      if (key === zoomKey) return press(`#${side}-zoom .enlarge`);
    }
    return key === "l" && !at("loop-field").hidden ? () => at("loop").click() : null;
  }
}

/** @param {string} selector */
function press(selector) {
  /** @type {HTMLButtonElement | null} */
  const button = document.querySelector(selector);
  return button && (() => button.click());
}

/**
 * Whether a key belongs to the control that has the focus: text is typed, and arrows move along a clip.
 * @param {KeyboardEvent} event
 */
export function takesKey({ key, target }) {
  if (!(target instanceof Element)) return false;
  if (target.matches("input[type=range]")) return /^(Arrow|Page|Home|End)/.test(key);
  return target.closest("input:not([type=checkbox]), select, textarea") !== null;
}
