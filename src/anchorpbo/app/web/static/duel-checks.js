// Checks of the anchors on the duel page: "Check 3 of 10" above the pair, and the verdict after the last one.

import { participant, study } from "./api.js";
import { CheckSeries } from "./check-series.js";
import { elementsOf } from "./dom.js";
import { StoredValue } from "./stored-value.js";
import { isCheckPage, loadValidation, seriesKey } from "./validation.js";

const at = elementsOf("duel");

export class Checks {
  isOn = isCheckPage(); // whether the pairs on this page check the anchors
  #series = new CheckSeries(new StoredValue(seriesKey(study, participant), () => sessionStorage));
  /** @type {Awaited<ReturnType<typeof loadValidation>> | null} */
  #found = null;

  /** @param {{ stop: () => void, more: () => void }} page what to do on the buttons */
  constructor({ stop, more }) {
    at("stop-checks").addEventListener("click", stop);
    at("more-checks").addEventListener("click", more);
  }

  // Whether the verdict is shown instead of a pair.
  get isShown() { return !at("check-verdict").hidden; }

  // Load the verdict; return whether no further question is asked.
  async isOver() {
    this.#found = await loadValidation();
    this.#series.judge(this.#found.verdict);
    return this.#series.isOver;
  }

  /** @param {number | null} event number of an answer */
  add(event) { if (this.isOn && event !== null) this.#series.add(event); }

  /**
   * An answer was taken back; one from before the series ends the checks.
   * @param {number} event
   */
  remove(event) { if (this.isOn && !this.#series.remove(event)) this.leave(); }

  stop() { this.#series.stop(); }

  restart() { this.#series.restart(); }

  // Go on with the questions of the study.
  leave() {
    this.isOn = false;
    const { href } = at("check-leave");
    history.replaceState(null, "", href);
  }

  // Show the number of the question on screen.
  showNumber() {
    const { count, total } = this.#series;
    at("check-verdict").hidden = true;
    at("question-part").hidden = false;
    at("stop-checks").hidden = !this.isOn;
    if (!this.isOn) return;
    at("progress").textContent = `Check ${count + 1} of ${total}`;
    at("bar").value = count / total;
    at("finished").hidden = true;
  }

  // Words for the number of the question on screen; null if the pairs are not checks.
  get numberWords() { return this.isOn ? `Check ${this.#series.count + 1} of ${this.#series.total}.` : null; }

  showVerdict() {
    const found = this.#found;
    if (!found) return;
    at("progress").textContent = this.#series.sentence;
    at("bar").value = this.#series.count / this.#series.total;
    at("stop-checks").hidden = at("question-part").hidden = at("finished").hidden = true;
    at("check-sentence").textContent = found.sentence;
    at("check-sentence").dataset.verdict = found.verdict;
    at("check-explanation").textContent = found.explanation;
    at("check-advice").textContent = found.advice;
    at("check-verdict").hidden = false;
    at("check-title").focus();
  }
}
