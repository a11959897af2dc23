// A series of questions that check the anchors, without a page. It outlives the page, so that it goes on after a reload.

/** @import { Slot } from "./answer-queue.js" */
/** @import { AnchorValidationView } from "../rest" */
/** @typedef {AnchorValidationView["verdict"]} Verdict */
/** @typedef {{ total: number, answered: number[], verdict: Verdict | null, end: "decided" | "stopped" | null }} State */

export const CHECKS = 10; // questions of a series

/** @returns {State} */
const begin = () => ({ total: CHECKS, answered: [], verdict: null, end: null });

/**
 * Whether a value from the browser's storage is the state of a series.
 * @param {any} value
 * @returns {value is State}
 */
const isState = (value) => Number.isInteger(value?.total) && Array.isArray(value.answered);

export class CheckSeries {
  /** @type {State} */
  #state;
  #slot;

  /** @param {Slot} slot where the series outlives the page */
  constructor(slot) {
    this.#slot = slot;
    const stored = slot.read();
    this.#state = isState(stored) ? stored : begin();
  }

  get total() { return this.#state.total; }

  // Number of questions that were answered.
  get count() { return this.#state.answered.length; }

  // Whether no further question is asked.
  get isOver() { return this.#state.end !== null || this.count >= this.total; }

  // How many questions were answered, and why no further one is asked.
  get sentence() {
    const { count, total } = this;
    const checks = count === 1 ? "1 check" : `${count} checks`;
    if (this.#state.end === "decided") return `The verdict is clear after ${checks}.`;
    return count < total ? `You answered ${count} of ${total} checks.` : `You answered all ${checks}.`;
  }

  restart() { this.#set(begin()); }

  stop() { this.#set({ ...this.#state, end: "stopped" }); }

  /**
   * Count the answer whose event has this number.
   * @param {number} event
   */
  add(event) {
    const { answered } = this.#state;
    if (!answered.includes(event)) this.#set({ ...this.#state, answered: [...answered, event] });
  }

  /**
   * Go on without an answer that was taken back; return whether it was one of the series.
   * @param {number} event
   */
  remove(event) {
    const { answered, end, verdict } = this.#state;
    const before = end === "decided" ? "open" : verdict; // so that the same verdict ends the series again
    this.#set({ ...this.#state, answered: answered.filter((one) => one !== event), verdict: before, end: null });
    return answered.includes(event);
  }

  /**
   * Take over the verdict after the latest answer: the series ends when it becomes clear, or turns.
   * @param {Verdict} verdict
   */
  judge(verdict) {
    const { verdict: before, end } = this.#state;
    const isClear = before !== null && verdict !== "open" && verdict !== before;
    this.#set({ ...this.#state, verdict, end: isClear ? "decided" : end });
  }

  /** @param {State} state */
  #set(state) {
    this.#state = state;
    this.#slot.write(state);
  }
}
