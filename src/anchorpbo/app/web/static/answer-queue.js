// The answers of the duel page between the user and the server, without a page.
//
//   choose        give()    unsent: the answer is sent, or kept while the server is away
//   server        send()    answered, refused (409: elsewhere), or kept; a kept answer is sent again with back-off
//   take back     revoke()  an unsent answer is revoked; it may have reached the server, where settle() undoes it
//                 undo()    the last event at the server is undone
//
// One answer is sent at a time. Each request is idempotent, so that a repetition changes nothing.

import { Problem } from "./client.js";

/** @import { Answer, AnswerView, Ask, DuelView, Undo, UndoView } from "../rest" */
/** @typedef {Answer["outcome"]} Outcome */
/**
 * @typedef {object} Server requests of one participant
 * @property {(who?: Ask) => Promise<DuelView>} ask
 * @property {(answer: Answer, signal?: AbortSignal) => Promise<AnswerView>} answer
 * @property {(event: Undo) => Promise<UndoView>} undo
 */
/**
 * @typedef {{ type: "answered", next: DuelView | null } | { type: "elsewhere" } | { type: "revoked" }
 *   | { type: "kept", error: Problem } | { type: "refused", error: unknown }} Delivery
 * what became of an answer: `next` is the next duel, if the server sent it; `elsewhere` is a conflict with another tab
 */

const BACKOFF = [1_000, 30_000]; // ms before the first attempt to reach the server again, and at most

/**
 * Whether the server could not be reached, or had trouble of its own.
 * @param {unknown} error
 * @returns {error is Problem}
 */
export const isAway = (error) => error instanceof Problem && error.isAway;

/**
 * Whether the participant was removed, or their link was replaced.
 * @param {unknown} error
 */
export const isShutOut = (error) => error instanceof Problem && error.status === 403;

/** @param {unknown} error */
const isConflict = (error) => error instanceof Problem && error.status === 409;

export class AnswerQueue {
  /** @type {DuelView | null} */
  duel = null; // the pair that is shown
  /** @type {Answer | null} */
  #unsent = null; // the answer that the server has yet to confirm
  #since = 0; // when it was given
  /** @type {AbortController | null} */
  #sending = null; // aborts the request that carries it, while there is one
  /** @type {{ answer: Answer, late: boolean } | null} */
  #revoked = null; // an answer that was taken back before it was confirmed; it may have reached the server
  #unreported = 0; // answers and undos of this page that the stream has yet to report
  #failures = 0; // attempts in a row that did not reach the server
  #skipped = 0;
  /** @type {number | null} */
  #last = null; // number of the event that undo takes back

  #server;
  #now;
  #random;
  #warn;
  #ready;

  /**
   * @param {Server} server
   * @param {{ now?: () => number, random?: () => number, warn?: (text: string) => void, ready?: () => Promise<void> }} [settings]
   *   `ready` resolves when the other changes of this page, which answers count with, are at the server
   */
  constructor(server, { now = () => performance.now(), random = Math.random, warn = () => {}, ready = async () => {} } = {}) {
    this.#server = server;
    this.#now = now;
    this.#random = random;
    this.#warn = warn;
    this.#ready = ready;
  }

  get unsent() { return this.#unsent; }

  // Number of the event that undo takes back.
  get last() { return this.#last; }

  // Whether there is something to take back, as far as is known.
  get canUndo() { return this.#unsent !== null || this.duel === null || this.duel.answers > 0 || this.#skipped > 0; }

  /**
   * Make a pair the current one.
   * @param {DuelView} duel
   */
  show(duel) {
    this.duel = duel;
    this.#last = duel.last;
    this.#failures = 0;
  }

  /**
   * Take over what can change while a pair is shown.
   * @param {Pick<DuelView, "known" | "last">} same
   */
  keep({ known, last }) {
    if (!this.duel) return;
    this.duel = { ...this.duel, known };
    this.#last = last;
  }

  // Drop the pair and the answer to it.
  clear() {
    this.duel = this.#unsent = null;
  }

  // Ask for the pair to compare now.
  async ask() {
    try {
      await this.settle();
      return await this.#server.ask();
    } catch (error) {
      if (!isAway(error)) this.duel = null; // all items compared, or the study is gone: the old pair no longer counts
      throw error;
    }
  }

  // The pair to compare now if it is another one than shown, else null; of the same one, take over what has changed.
  async poll() {
    const before = this.duel?.id;
    await this.settle();
    const next = await this.#server.ask();
    if (this.duel?.id !== before) return null;
    if (next.id !== before) return next;
    this.keep(next);
    return null;
  }

  /**
   * Answer the pair that is shown.
   * @param {Outcome} outcome
   * @param {number} response_ms
   */
  give(outcome, response_ms) {
    if (!this.duel) throw new Error("there is nothing to answer");
    this.#unsent = { duel_id: this.duel.id, outcome, response_ms, ask: true };
    this.#since = this.#now();
  }

  /**
   * Whether an answer has been pending for this many milliseconds.
   * @param {number} long
   */
  isPending(long) { return this.#unsent !== null && this.#now() - this.#since >= long; }

  /**
   * Send the answer that was given.
   * @returns {Promise<Delivery>}
   */
  async send() {
    const answer = this.#unsent;
    if (!answer) return { type: "revoked" };
    const sending = this.#sending = new AbortController();
    try {
      await this.settle();
      const kept = await this.#expect(() => this.#server.answer(answer, sending.signal));
      if (this.#unsent !== answer) return { type: "revoked" };
      this.#revoked = null; // another answer to the same pair: one that comes late is refused
      this.#last = kept.event;
      if (answer.outcome === "skip") this.#skipped += 1;
      this.#unsent = this.#sending = null;
      return { type: "answered", next: kept.next ?? null };
    } catch (error) {
      if (this.#unsent !== answer) return { type: "revoked" };
      this.#sending = null;
      if (isAway(error)) return { type: "kept", error };
      this.#unsent = null;
      return isConflict(error) ? { type: "elsewhere" } : { type: "refused", error };
    }
  }

  // Milliseconds to wait before the next attempt: exponential back-off with jitter.
  backOff() {
    const [first, most] = BACKOFF;
    const delay = Math.min(first * 2 ** this.#failures, most) * (0.75 + 0.5 * this.#random());
    this.#failures += 1;
    return delay;
  }

  // Cancel an unsent answer. Whether it reached the server is checked when the server responds again.
  revoke() {
    if (!this.#unsent) return;
    this.#revoked = { answer: this.#unsent, late: this.#sending !== null }; // the server may read an aborted request
    this.#unsent = null;
    this.#sending?.abort();
    this.#sending = null;
  }

  // Wait for the changes that come first, and undo at the server an answer that was revoked here.
  async settle() {
    await this.#ready();
    if (!this.#revoked) return;
    const revoked = this.#revoked;
    const { answer, late } = revoked;
    try {
      const out = await this.#server.ask().catch((error) => {
        if (isAway(error)) throw error;
        return null; // nothing is left to ask
      });
      if (out?.id === answer.duel_id) {
        if (late) return; // it may still arrive: the stream will report it
      } else {
        const kept = await this.#expect(() => this.#server.answer({ ...answer, ask: false }));
        await this.takeBack(kept.event);
      }
    } catch (error) {
      if (isAway(error)) throw error;
      if (!isConflict(error)) this.#warn(error instanceof Error ? error.message : String(error)); // 409: answered, or gone on, in another tab
    }
    if (this.#revoked === revoked) this.#revoked = null;
  }

  // Undo the last event at the server.
  async undo() {
    await this.settle();
    const undone = await this.takeBack(this.#last);
    if (undone.event.type === "answered" && undone.event.outcome === "skip") this.#skipped = Math.max(this.#skipped - 1, 0);
    return undone;
  }

  // Whether an event of the stream is one of this page's own; call it once per event.
  isOwnEvent() {
    if (!this.#unreported) return false;
    this.#unreported -= 1;
    return true;
  }

  // Expect no report of earlier changes: the stream begins anew.
  restartReports() { this.#unreported = 0; }

  /**
   * Undo this event at the server if it is the last one.
   * @param {number | null} event
   */
  takeBack(event) { return this.#expect(() => this.#server.undo({ event })); }

  /**
   * Send a change; the stream reports it, unless it was a repetition.
   * @template {{ repeated: boolean }} T
   * @param {() => Promise<T>} change
   */
  async #expect(change) {
    this.#unreported += 1;
    try {
      const found = await change();
      if (found.repeated) this.#unreported = Math.max(this.#unreported - 1, 0);
      return found;
    } catch (error) {
      this.#unreported = Math.max(this.#unreported - 1, 0);
      throw error;
    }
  }
}
