// Card of a design on a page: as card.js draws it, with a picture that can be enlarged and the player of its clip.

import { picture, rows } from "./card.js";
import { setApart } from "./cards.js";
import { player } from "./clip-player.js";
import { el } from "./dom.js";
import { withZoom } from "./zoom.js";

/** @import { Card } from "../rest" */
/** @import { ImageSource } from "./card.js" */

/**
 * @param {Card} card
 * @param {Card | null} other
 * @param {ImageSource} [source]
 * @returns {HTMLElement[]}
 */
export function cardOf(card, other = null, source = undefined) {
  const shown = picture(card, source);
  return [
    card.title ? el("div", { class: "card-title" }, card.title) : null,
    shown && withZoom(shown, () => picture(setApart(card), source), card.title || "Design"),
    card.clip ? player(card, card.title || card.clip, { preload: "none" }) : null,
    rows(card, other),
    card.link ? el("a", { class: "more", href: card.link, target: "_blank", rel: "noopener noreferrer" }, "More about it") : null,
  ].filter((part) => part !== null);
}
