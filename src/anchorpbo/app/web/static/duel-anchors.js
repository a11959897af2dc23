// "I know A well" on the duel page: marks a design of the pair on screen as an anchor, or unmarks it. The pair stays.

import { attempt, participant, post, remove, say } from "./api.js";
import { judgementOf } from "./anchors-judgements.js";
import { elementsOf } from "./dom.js";
import { same } from "./results-words.js";

/** @import { DuelView } from "../rest" */
/** @import { AnswerQueue } from "./answer-queue.js" */
/** @typedef {"first" | "second"} Side */

const at = elementsOf("duel");
/** @type {Side[]} */
const SIDES = ["first", "second"];
const LETTERS = { first: "A", second: "B" };

export class KnownDesigns {
  changing = false;
  /** @type {Promise<void>} */
  done = Promise.resolve(); // when the last change was answered
  /** @type {Map<string, number | null>} */
  #marks = new Map(); // numbers of the events by which this page marked a design, by the design's JSON
  #buttons = { first: at("first-know"), second: at("second-know") };
  #queue;
  #page;

  /**
   * @param {AnswerQueue} queue
   * @param {{ canAnswer: () => boolean, changed: () => void }} page
   */
  constructor(queue, page) {
    this.#queue = queue;
    this.#page = page;
    for (const side of SIDES) this.#buttons[side].addEventListener("click", () => this.toggle(side));
  }

  // Show which designs of the pair are marked.
  show() {
    const { duel } = this.#queue;
    for (const [n, side] of SIDES.entries()) {
      const button = this.#buttons[side];
      button.hidden = !duel;
      button.setAttribute("aria-pressed", String(Boolean(duel?.known[n])));
      button.setAttribute("aria-disabled", String(!this.#page.canAnswer()));
    }
  }

  /**
   * Whether this event marked a design on this page, so that undo may take it back.
   * @param {number | null} event
   */
  has(event) { return event !== null && [...this.#marks.values()].includes(event); }

  /** @param {Side} side */
  toggle(side) {
    const { duel } = this.#queue;
    if (!duel || !this.#page.canAnswer() || this.changing) return;
    this.changing = true;
    this.done = this.#change(side, duel).finally(() => { this.changing = false; });
  }

  /**
   * @param {Side} side
   * @param {DuelView} duel
   */
  async #change(side, duel) {
    const design = duel[side];
    const marked = duel.known[SIDES.indexOf(side)];
    const key = JSON.stringify(design);
    await attempt(async () => {
      if (!marked) this.#marks.set(key, await this.#send(() => post("/studies/{id}/anchors", { design, participant }), duel));
      else {
        const { last } = this.#queue;
        if (last !== null && this.#marks.get(key) === last) {
          // The newest event is this mark: without it, undo next takes back the answer before it.
          const { pending } = await this.#queue.takeBack(last);
          if (pending) this.#queue.keep(pending);
        } else await this.#send(() => remove("/studies/{id}/anchors", { design, participant }), duel);
        this.#marks.delete(key);
      }
      this.#page.changed();
      say(marked ? `${LETTERS[side]} is no longer marked as well known.` : `${LETTERS[side]} is marked as well known.`);
    });
  }

  /**
   * Send a change and take over its result; return the number of its event.
   * @param {() => ReturnType<typeof post<"/studies/{id}/anchors">>} change
   * @param {DuelView} duel
   */
  async #send(change, duel) {
    const { anchors, last } = await change();
    const shown = this.#queue.duel ?? duel; // the next pair, if this one was answered meanwhile
    this.#queue.keep({ known: SIDES.map((one) => anchors.some((mark) => judgementOf(mark) === "yes" && same(mark.design, shown[one]))), last });
    return last;
  }
}
