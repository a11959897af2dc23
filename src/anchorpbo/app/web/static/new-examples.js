// Cards of the examples, each with a button that creates its study.

import { get, post, attempt } from "./api.js";
/** @import { ExampleLine } from "../rest" */

import { el } from "./dom.js";

/** @param {HTMLElement} place */
export async function showExamples(place, words = "Try it") {
  const examples = await attempt(() => get("/examples"));
  place.removeAttribute("aria-busy");
  if (!examples) {
    place.replaceChildren(el("p", { class: "quiet" }, "The examples could not be loaded. Load the page again to retry."));
    return;
  }
  place.replaceChildren(...examples.map((one) => example(one, words)));
}

/**
 * @param {ExampleLine} one
 * @param {string} words
 */
function example(one, words) {
  const button = el("button", { type: "button" }, words, el("span", { class: "sr-only" }, `: ${one.title}`));
  button.addEventListener("click", async () => {
    button.disabled = true;
    const made = await attempt(() => post("/examples/{key}", {}, { path: { key: one.key } }));
    if (made) location.assign(`/studies/${made.id}/anchors`);
    button.disabled = false;
  });
  return el("article", { class: "example" }, el("h3", {}, one.title), el("p", {}, one.description), button);
}
