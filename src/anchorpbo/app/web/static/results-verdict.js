// Whether to go on, the evidence for it, and the answers that contradict the others.

import { attempt, get, participant, post } from "./api.js";
import { el, elementsOf } from "./dom.js";

/** @import { AssessmentView, ContradictionView } from "../rest" */
/** @import { Words } from "./results-words.js" */
/** @typedef {AssessmentView["code"]} Code */

const FEW = 3;
const byId = elementsOf("results");
/** @type {Partial<Record<Code, string>>} */
const ADVICE = { contradictory: " Compare the pairs below again, or take a break." };

export class Verdict {
  /**
   * @param {Words} words
   * @param {() => void} go opens the Compare page
   */
  constructor(words, go) {
    this.words = words;
    this.go = go;
  }

  async load() {
    const found = await get("/studies/{id}/assessment", { participant });
    const listed = found.contradictions.slice(0, FEW);
    byId("verdict").dataset.code = found.code;
    const advice = (listed.length && ADVICE[found.code]) || "";
    byId("verdict-sentence").replaceChildren(el("strong", {}, found.headline), ` ${found.sentence}${advice}`);
    byId("verdict-evidence").textContent = found.evidence;
    byId("contradictions-panel").hidden = !listed.length;
    byId("contradictions").replaceChildren(...listed.map((one) => this.row(one)));
  }

  /** @param {ContradictionView} contradiction */
  row({ event, winner, loser, tie, sentence }) {
    const { words } = this;
    const pair = `${words.beside(winner, loser)} ${tie ? "and" : "over"} ${words.beside(loser, winner)}${tie ? " are equal" : ""}`;
    const button = el("button", { type: "button" }, "Compare again");
    button.addEventListener("click", () => attempt(async () => {
      await post("/studies/{id}/ask", { participant, again: event });
      this.go();
    }));
    return el("li", {}, el("div", {}, el("strong", {}, pair), el("small", {}, sentence)), button);
  }
}
