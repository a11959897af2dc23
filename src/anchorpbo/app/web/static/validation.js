// Whether the answers support the anchors, and questions that check them.

import { attempt, get, participant, post } from "./api.js";
import { el } from "./dom.js";

export const loadValidation = () => get("/studies/{id}/anchors/validation", { participant });

/**
 * A button that asks a question about the anchors.
 * @param {() => void} go opens the Compare page
 */
export function checkButton(go) {
  const button = el("button", { type: "button", class: "check" }, "Check my anchors");
  button.addEventListener("click", () => attempt(async () => {
    button.disabled = true;
    try {
      await post("/studies/{id}/ask", { participant, check: true });
      go();
    } finally {
      button.disabled = false;
    }
  }));
  return button;
}
