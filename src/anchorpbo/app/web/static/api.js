// The page: its study and participant, the server's limits, and requests about them.

import { Problem, makeClient, messageOf } from "./client.js";
import { elementsOf } from "./dom.js";

/** @import { Limits } from "../rest" */

const { dataset } = document.body;

// Study and participant of this page.
export const study = dataset.study ?? "";
export const participant = dataset.participant || "owner";
export const isOwner = dataset.owner === "yes";
// Whether people judge by eye or ear on this page: only the results show values.
export const hidesValues = dataset.hideValues === "yes";
export const base = `/studies/${study}`;
export const as = `participant=${encodeURIComponent(participant)}`;

/** @type {Limits} */
export const limits = JSON.parse(dataset.limits ?? "{}");

export const { get, post, patch, put, remove, upload } = makeClient(dataset.study === undefined ? {} : { id: study });
export { Problem };

class Toast {
  #timer = 0;

  /**
   * @param {string} text
   * @param {number} seconds
   */
  show(text, seconds) {
    const toast = elementsOf("base")("toast");
    toast.textContent = text;
    toast.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { toast.hidden = true; }, 1000 * seconds);
  }
}

const toast = new Toast();

/** @param {string} text */
export const say = (text, seconds = 5) => toast.show(text, seconds);

/**
 * Run an action and show its error, if any.
 * @template T
 * @param {() => T | Promise<T>} action
 * @returns {Promise<T | undefined>}
 */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    say(messageOf(error), 10);
    return undefined;
  }
}
