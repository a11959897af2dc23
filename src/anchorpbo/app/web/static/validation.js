// Whether the answers support the anchors, and the way to the questions that check them.

import { get, participant, study } from "./api.js";
import { el } from "./dom.js";
import { StoredValue } from "./stored-value.js";

const QUERY = "checks"; // of the address of the Compare page

export const loadValidation = () => get("/studies/{id}/anchors/validation", { participant });

// Whether the pairs of this page check the anchors.
export const isCheckPage = () => new URLSearchParams(location.search).has(QUERY);

/**
 * Where the series of checks of a participant is stored.
 * @param {string} study
 * @param {string} participant
 */
export const seriesKey = (study, participant) => `anchorpbo.checks/${study}/${participant}`;

/**
 * A button that begins a series of questions about the anchors.
 * @param {() => string} address of the Compare page
 */
export function checkButton(address) {
  const button = el("button", { type: "button", class: "check" }, "Check my anchors");
  button.addEventListener("click", () => {
    new StoredValue(seriesKey(study, participant), () => sessionStorage).write(null);
    const url = new URL(address(), location.href);
    url.searchParams.set(QUERY, "yes");
    location.assign(url);
  });
  return button;
}
