// The answers of the duel page between the user and the server, without a page.
//
//   choose        give()     unsent: the answer is sent, or kept while the server is away
//   server        send()     answered, refused (409: elsewhere), or kept; a kept answer is sent again with back-off
//   take back     revoke()   an unsent answer is revoked; it may have reached the server, where settle() undoes it
//                 undo()     the last event at the server is undone
//   page loaded   restore()  an answer that was unsent, or revoked, when the page before was left
//
// One answer is sent at a time. Each request is idempotent, so that a repetition changes nothing. An unsent answer is stored in the browser, where any
// tab may find and send it; a revoked one is stored in its tab, which undoes it. The history tells whether an answer arrived that was not confirmed.

import { Problem, messageOf } from "./client.js";

/** @import { Answer, AnswerView, DuelView, Event as StudyEvent, Undo, UndoView } from "../rest" */
/** @typedef {Answer["outcome"]} Outcome */
/**
 * @typedef {object} Server requests of one participant
 * @property {(check?: boolean) => Promise<DuelView>} ask the pair to compare now, or one that checks the anchors
 * @property {(answer: Answer, signal?: AbortSignal) => Promise<AnswerView>} answer
 * @property {(event: Undo) => Promise<UndoView>} undo
 * @property {() => Promise<StudyEvent[]>} history
 */
/**
 * @typedef {object} Slot where a value outlives the page
 * @property {() => any} read null if nothing is stored
 * @property {(value: unknown) => boolean} write null removes the value; false if it could not be stored
 */
/** @typedef {{ answer: Answer, late: boolean }} Revoked an answer that was taken back before it was confirmed; `late` if it may still arrive */
/**
 * @typedef {{ type: "answered", next: DuelView | null } | { type: "elsewhere" } | { type: "undone" } | { type: "revoked" }
 *   | { type: "kept", error: Problem } | { type: "refused", error: unknown }} Delivery
 * what became of an answer: `next` is the next duel, if the server sent it; `elsewhere` is a conflict with another tab, `undone` an undo by one
 */

export const NOT_TAKEN_BACK = "The answer that you took back had arrived, and another tab has gone on since: it stands. The results page shows it in the history.";
/** @type {Slot} */
const NOWHERE = { read: () => null, write: () => false };
/** @type {unknown[]} */
const OUTCOMES = ["first", "second", "tie", "skip"];
const BACKOFF = [1_000, 30_000]; // ms before the first attempt to reach the server again, and at most

/**
 * Whether the server could not be reached, or had trouble of its own.
 * @param {unknown} error
 * @returns {error is Problem}
 */
export const isAway = (error) => error instanceof Problem && error.isAway;

/**
 * Whether the session has ended: the request succeeds after signing in.
 * @param {unknown} error
 * @returns {error is Problem}
 */
export const isSignedOut = (error) => error instanceof Problem && error.status === 401;

/**
 * @param {unknown} error
 * @returns {error is Problem}
 */
const maySucceedLater = (error) => isAway(error) || isSignedOut(error);

/**
 * Whether the participant was removed, or their link was replaced.
 * @param {unknown} error
 */
export const isShutOut = (error) => error instanceof Problem && error.status === 403;

/** @param {unknown} error */
const isConflict = (error) => error instanceof Problem && error.status === 409;

/**
 * Whether a value from the browser's storage is an answer.
 * @param {any} value
 * @returns {value is Answer}
 */
const isAnswer = (value) => typeof value?.duel_id === "string" && OUTCOMES.includes(value.outcome);

/** @param {StudyEvent[]} events of one answer */
const isTakenBack = (events) => events.length > 0 && !events.some((one) => one.stands);

export class AnswerQueue {
  /** @type {DuelView | null} */
  duel = null; // the pair that is shown
  /** @type {Answer | null} */
  #unsent = null; // the answer that the server has yet to confirm
  #since = 0; // when it was given
  #tried = false; // whether it was sent before
  #stored = false; // whether it outlives the page
  /** @type {AbortController | null} */
  #sending = null; // aborts the request that carries it, while there is one
  /** @type {Revoked | null} */
  #revoked = null; // it may have reached the server
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
  #slots;

  /**
   * @param {Server} server
   * @param {{ now?: () => number, random?: () => number, warn?: (text: string) => void, ready?: () => Promise<void>, unsent?: Slot, revoked?: Slot }} [settings]
   *   `ready` resolves when the other changes of this page, which answers count with, are at the server;
   *   `unsent` is shared by the tabs of a participant, `revoked` is of this tab
   */
  constructor(server, { now = () => performance.now(), random = Math.random, warn = () => {}, ready = async () => {}, unsent = NOWHERE, revoked = NOWHERE } = {}) {
    this.#server = server;
    this.#now = now;
    this.#random = random;
    this.#warn = warn;
    this.#ready = ready;
    this.#slots = { unsent, revoked };
  }

  get unsent() { return this.#unsent; }

  // Whether the unsent answer outlives the page.
  get isStored() { return this.#stored; }

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
    this.duel = null;
    this.#forget();
  }

  // Take over what the page before left: an unsent answer, and one that was revoked. Return whether there is an answer to send.
  restore() {
    const { unsent, revoked } = this.#slots;
    const [answer, taken] = [unsent.read(), revoked.read()];
    if (isAnswer(taken?.answer)) this.#revoked = taken;
    if (!isAnswer(answer)) return false;
    this.#unsent = answer;
    this.#since = this.#now();
    this.#tried = this.#stored = true;
    return true;
  }

  /**
   * Ask for the pair to compare now.
   * @param {boolean} check whether it checks the anchors
   */
  async ask(check = false) {
    try {
      await this.settle();
      return await this.#server.ask(check);
    } catch (error) {
      if (!maySucceedLater(error)) this.duel = null; // all items compared, or the study is gone: the old pair no longer counts
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
   * @param {boolean} ask whether the server returns the next pair with its confirmation
   */
  give(outcome, response_ms, ask = true) {
    if (!this.duel) throw new Error("there is nothing to answer");
    this.#unsent = { duel_id: this.duel.id, outcome, response_ms, ask };
    this.#since = this.#now();
    this.#tried = false;
    this.#stored = this.#slots.unsent.write(this.#unsent);
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
    const isRepeated = this.#tried;
    this.#tried = true;
    try {
      await this.settle();
      const isUndone = isRepeated && isTakenBack(await this.#eventsOf(answer)); // in another tab: to send it again would restore it
      const kept = isUndone ? null : await this.#expect(() => this.#server.answer(answer, sending.signal));
      if (this.#unsent !== answer) return { type: "revoked" };
      this.#forget();
      if (!kept) return { type: "undone" };
      this.#setRevoked(null); // another answer to the same pair: one that comes late is refused
      this.#last = kept.event;
      if (answer.outcome === "skip") this.#skipped += 1;
      return { type: "answered", next: kept.next ?? null };
    } catch (error) {
      if (this.#unsent !== answer) return { type: "revoked" };
      this.#sending = null;
      if (maySucceedLater(error)) return { type: "kept", error };
      if (isConflict(error) && this.#revoked) { // the revoked answer came late, and before this one: undo it first
        this.#revoked.late = false;
        return this.send();
      }
      this.#forget();
      return isConflict(error) ? { type: "elsewhere" } : { type: "refused", error };
    }
  }

  // The answer is confirmed, or will not be. Another tab may have stored one of its own.
  #forget() {
    const { unsent } = this.#slots;
    if (this.#unsent && JSON.stringify(unsent.read()) === JSON.stringify(this.#unsent)) unsent.write(null);
    this.#unsent = this.#sending = null;
  }

  /** @param {Revoked | null} revoked */
  #setRevoked(revoked) {
    this.#revoked = revoked;
    this.#slots.revoked.write(revoked);
  }

  /**
   * The events of an answer at the server. The response time tells it from the same answer of another tab.
   * @param {Answer} answer
   */
  async #eventsOf({ duel_id, outcome, response_ms }) {
    const events = await this.#server.history();
    return events.filter((one) => one.type === "answered" && one.duel_id === duel_id && one.outcome === outcome && one.response_ms === response_ms);
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
    const sending = this.#sending;
    this.#setRevoked({ answer: this.#unsent, late: sending !== null }); // the server may read an aborted request
    this.#forget();
    sending?.abort();
  }

  // Wait for the changes that come first, and undo at the server an answer that was revoked here.
  async settle() {
    await this.#ready();
    if (!this.#revoked) return;
    const revoked = this.#revoked;
    const { answer, late } = revoked;
    try {
      const arrived = (await this.#eventsOf(answer)).find((one) => one.stands);
      if (!arrived && late) return; // it may still arrive: the stream will report it
      if (arrived) await this.takeBack(arrived.number);
    } catch (error) {
      if (maySucceedLater(error)) throw error;
      this.#warn(isConflict(error) ? NOT_TAKEN_BACK : messageOf(error));
    }
    if (this.#revoked === revoked) this.#setRevoked(null);
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
