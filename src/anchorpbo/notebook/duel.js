// The browser's half of the duel widget: it shows the model's `view` and sends each action to Python as a message.
//
// Elements are created by functions, never from strings, so that no text can become markup. Python has checked the
// drawings: they contain only known elements and attributes.

import { differences, picture, rows } from "../app/web/static/card.js";
import { el } from "../app/web/static/dom.js";

/** @import { Answer, Card, Progress } from "../app/web/rest" */
/** @typedef {Answer["outcome"]} Outcome */
/**
 * @typedef {object} View the whole content of the cell, see `DuelWidget` in widget.py
 * @property {number} turn
 * @property {string} question
 * @property {{ id: string, why: string, cards: [Card, Card] } | null} duel
 * @property {number} answers
 * @property {Pick<Progress, "sentence" | "stop" | "remaining"> | null} progress
 * @property {boolean} ties
 * @property {boolean} can_undo
 * @property {{ card: Card, utility: number, interval: [number, number], p_within: number, p_within_compared: number, others: number } | null} best
 * @property {boolean} shows_best
 * @property {string} said
 * @property {string} trouble
 */
/**
 * @typedef {object} Model that of anywidget
 * @property {(name: "view") => View | undefined} get
 * @property {(message: object) => void} send
 * @property {(event: "change:view", heard: () => void) => void} on
 * @property {(event: "change:view", heard: () => void) => void} off
 */

const PAUSE = 250; // ms during which new cards take no answer: a second press was meant for the old ones
const SLOW = 400; // ms after which a wait is announced
const LOST = 20_000; // ms after which a kernel counts as gone
/** @type {Map<string, Outcome>} */
const KEYS = new Map([
  ["ArrowLeft", "first"], ["a", "first"], ["1", "first"],
  ["ArrowRight", "second"], ["b", "second"], ["d", "second"], ["2", "second"],
  ["ArrowDown", "tie"], ["t", "tie"],
  ["s", "skip"],
]);
const SIDES = /** @type {const} */ (["first", "second"]);
const LETTERS = ["A", "B"];

/** @param {string} address */
const embedded = (address) => (address.startsWith("data:image/") ? address : null);

/**
 * @param {Card} card
 * @param {Card | null} other
 */
const filling = (card, other) => [
  card.title ? el("span", { class: "title" }, card.title) : null, picture(card, embedded), rows(card, other),
];

/** @param {string | null} link */
const safe = (link) => (/^https?:\/\//.test(link ?? "") ? link : null);

/** @param {{ model: Model, el: HTMLElement }} cell */
function render({ model, el: host }) {
  const question = el("div", { class: "question" });
  const why = el("p", { class: "why" });
  const progress = el("progress", { max: 1, value: 0, "aria-label": "How far the study is" });
  const standing = el("p", { class: "standing" });
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const spoken = el("p", { class: "spoken", role: "status", "aria-live": "polite" });
  const choices = SIDES.map((side) => el("button", { type: "button", class: `choice ${side}` }));
  const links = LETTERS.map((letter) => el("a", { class: "more", target: "_blank", rel: "noopener noreferrer", hidden: true }, `More about ${letter}`));
  const pair = el("div", { class: "pair" }, choices.map((choice, i) => el("div", { class: "side" }, choice, links[i])));
  /** @param {string} name @param {string} key @param {string} words */
  const button = (name, key, words) => el("button", { type: "button", class: name }, words, " ", el("kbd", { "aria-hidden": "true" }, key));
  const [tie, skip, undo] = [button("tie", "↓", "About the same"), button("skip", "S", "Can’t say"), button("undo", "U", "Undo")];
  const shows = el("button", { type: "button", class: "shows", "aria-expanded": "false" }, "Best so far");
  const best = el("div", { class: "best", hidden: true });
  const root = el(
    "div", {
      class: "anchorpbo-duel", role: "group", "aria-label": "Comparison of two designs", tabindex: "-1",
      // JupyterLab's own keys, such as D D to delete a cell, are disabled while the focus is in here.
      "data-lm-suppress-shortcuts": "true",
    },
    progress, standing, question, why, trouble, pair,
    el("div", { class: "answers", role: "group", "aria-label": "Other answers" }, tie, skip, undo, shows), best, spoken,
  );
  /** @type {Record<Outcome, HTMLButtonElement>} */
  const buttons = { first: choices[0], second: choices[1], tie, skip };

  /** @type {View["duel"]} */
  let duel = null;
  let shown = 0;
  let busy = false;
  let slow = 0;
  let lost = 0;

  function rest() {
    busy = false;
    clearTimeout(slow);
    clearTimeout(lost);
    pair.removeAttribute("aria-busy");
    root.classList.remove("waiting");
    for (const each of Object.values(buttons)) each.classList.remove("chosen");
  }

  /** @param {string} words */
  function tell(words) {
    trouble.textContent = words;
    trouble.hidden = !words;
  }

  /**
   * @param {object} message
   * @param {string} words
   */
  function send(message, words) {
    if (busy) return;
    busy = true;
    pair.setAttribute("aria-busy", "true");
    slow = setTimeout(() => {
      root.classList.add("waiting");
      why.textContent = words;
    }, SLOW);
    lost = setTimeout(() => {
      rest();
      tell("The kernel does not answer. Is it running? Nothing is lost: try again when it is.");
    }, LOST);
    model.send(message);
  }

  /** @param {Outcome} outcome */
  function choose(outcome) {
    if (busy || !duel || buttons[outcome].hidden || performance.now() - shown < PAUSE) return;
    buttons[outcome].classList.add("chosen");
    send({ type: "answer", duel: duel.id, outcome }, "Choosing the next pair …");
  }

  const takeBack = () => { if (undo.getAttribute("aria-disabled") !== "true") send({ type: "undo" }, "Taking back your answer …"); };
  const toggle = () => send({ type: "recommend", show: shows.getAttribute("aria-expanded") !== "true" }, "Looking for the best …");

  /** @param {View} view */
  function showBest(view) {
    shows.setAttribute("aria-expanded", String(view.shows_best));
    best.hidden = !view.shows_best;
    if (!view.best) {
      best.replaceChildren(el("p", {}, "Nothing is known before the first answer."));
      return;
    }
    const { card, utility, interval: [low, high], p_within, p_within_compared, others } = view.best;
    /** @param {number} probability rounded down, so that 90 % is not shown for less */
    const certainty = (probability) => `${Math.floor(100 * probability + 1e-9)} %`;
    /** @param {number} value */
    const number = (value) => value.toFixed(2).replace("-", "−");
    const more = others === 1 ? "1 other design" : `${others} other designs`;
    best.replaceChildren(
      el("div", { class: "card" }, filling(card, null)),
      el("p", {}, `Utility ${number(utility)}, with 90 % probability from ${number(low)} to ${number(high)}; 0 is the average of the designs compared.`),
      el("p", { title: "Close: within 10 % of the gap between a median design and the best." }, `Close to the best of all designs with ${certainty(p_within)} probability.`),
      el("p", {}, `${certainty(p_within_compared)} sure that nothing you compared is noticeably better${others > 0 ? `; ${more} may be the best of these` : ""}.`),
    );
  }

  function show() {
    const view = model.get("view");
    if (!view?.turn) return;
    rest();
    const before = duel?.id;
    duel = view.duel;
    question.textContent = view.question;
    why.textContent = duel ? duel.why : "";
    tell(view.trouble);
    pair.hidden = !duel;
    question.hidden = !duel;
    if (duel) {
      const [one, other] = duel.cards;
      for (const [i, [card, beside]] of [[one, other], [other, one]].entries()) {
        const lead = el("span", { class: "lead" }, `Choose ${LETTERS[i]}: `);
        const letter = el("span", { class: "letter", "aria-hidden": "true" }, LETTERS[i]);
        choices[i].replaceChildren(lead, letter, ...filling(card, beside).filter((part) => part !== null));
        const link = safe(card.link);
        links[i].hidden = !link;
        if (link) links[i].href = link;
      }
    }
    for (const each of Object.values(buttons)) each.setAttribute("aria-disabled", String(!duel));
    tie.hidden = !view.ties; // hidden if the study's model has no ties
    undo.setAttribute("aria-disabled", String(!view.can_undo));
    const told = view.answers === 1 ? "1 comparison so far." : `${view.answers} comparisons so far.`;
    standing.textContent = view.progress ? `${told} ${view.progress.sentence}` : told;
    progress.value = !view.progress || view.progress.stop ? 1 : view.answers / Math.max(view.answers + view.progress.remaining, 1);
    showBest(view);
    const next = duel && duel.id !== before ? `Comparison ${view.answers + 1}. ${differences(duel.cards)}` : "";
    spoken.textContent = [view.said, next].filter(Boolean).join(" ");
    if (duel?.id !== before) shown = performance.now();
  }

  for (const [outcome, each] of Object.entries(buttons)) each.addEventListener("click", () => choose(/** @type {Outcome} */ (outcome)));
  undo.addEventListener("click", takeBack);
  shows.addEventListener("click", toggle);
  root.addEventListener("keydown", (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const withControl = event.ctrlKey || event.metaKey;
    if (event.altKey || event.shiftKey || (withControl && key !== "z")) return;
    const outcome = KEYS.get(key);
    const action = (key === "u" && !withControl) || (key === "z" && withControl) ? takeBack
      : outcome ? () => choose(outcome) : null;
    if (action === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) action();
  });

  host.append(root);
  model.on("change:view", show);
  show();
  return () => {
    rest();
    model.off("change:view", show);
  };
}

export default { render };
