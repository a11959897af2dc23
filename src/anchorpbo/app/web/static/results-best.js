// The recommended design, its probabilities, and other candidates.

import { attempt, get, participant } from "./api.js";
import { cards } from "./cards.js";
import { el, elementsOf } from "./dom.js";
import { cardOf } from "./page-card.js";
import { certainty, noise, number, percent, same } from "./results-words.js";

/** @import { Card, Design, RecommendationView } from "../rest" */
/** @import { Words } from "./results-words.js" */
/** @import { Thumbnails } from "./thumbnails.js" */

const WEIGHTS = [0, 0.5, 1, 2, 5, 10, 20, 50, 100];
const FEW = 5;
/** @type {Record<string, string>} */
const ADVERBS = { steady: "steadily", "fairly steady": "fairly steadily", hesitant: "hesitantly" };
const byId = elementsOf("results");

/**
 * Downloads use the risk weight shown on the page.
 * @param {number | null} weight
 */
function carry(weight) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("#exports a[data-risk]");
  for (const link of links) {
    const address = new URL(link.href);
    if (weight === null) address.searchParams.delete("risk_weight");
    else address.searchParams.set("risk_weight", String(weight));
    link.href = address.href;
  }
}

export class Best {
  /** @type {RecommendationView | null} */
  found = null;
  /** @type {{ design: Design, p: number }[]} */
  others = [];
  /** @type {Card[]} */
  drawn = []; // of the recommended design and of others, as far as they are loaded
  /** @type {[number, number] | null} */
  noises = null; // smallest and largest on the map
  turn = 0;

  /**
   * @param {Words} words
   * @param {(weight: number) => void} changed
   * @param {Thumbnails} thumbnails
   */
  constructor(words, changed, thumbnails) {
    this.words = words;
    this.thumbnails = thumbnails;
    this.changed = changed;
    const slider = byId("risk");
    slider.max = String(WEIGHTS.length - 1);
    slider.addEventListener("input", () => this.sayWeight(WEIGHTS[Number(slider.value)]));
    slider.addEventListener("change", () => this.changed(WEIGHTS[Number(slider.value)]));
    byId("others-more").addEventListener("click", () => attempt(() => this.showAll()));
  }

  /**
   * @param {number | null} weight
   * @returns {Promise<RecommendationView>}
   */
  async load(weight = null) {
    const turn = ++this.turn;
    const found = await get("/studies/{id}/recommendation", { participant, risk_weight: weight });
    const others = found.credible_set
      .map((design, n) => ({ design, p: found.credible_probabilities[n] }))
      .filter((one) => !same(one.design, found.design));
    const drawn = await cards([found.design, ...others.slice(0, FEW).map((one) => one.design)]);
    if (turn !== this.turn) return this.found ?? found; // a later one is on its way
    Object.assign(this, { found, others, drawn });
    this.show(found);
    carry(weight);
    return found;
  }

  /** @param {RecommendationView} found */
  show(found) {
    const { drawn } = this;
    byId("best-card").replaceChildren(...cardOf(drawn[0]));
    byId("best-sentence").textContent = sentence(found);
    this.facts();
    const nearest = WEIGHTS.reduce((a, b) => (Math.abs(b - found.risk_weight) < Math.abs(a - found.risk_weight) ? b : a));
    byId("risk").value = String(WEIGHTS.indexOf(nearest));
    this.sayWeight(found.risk_weight);
    this.showOthers();
  }

  /**
   * Compare the noise with its range on the map.
   * @param {number} low
   * @param {number} high
   */
  noiseRange(low, high) {
    this.noises = [low, high];
    this.facts();
  }

  facts() {
    const { found } = this;
    if (!found) return;
    byId("best-facts").replaceChildren(
      fact("Close to the best", certainty(found.p_within), `probability of being within ${percent(found.margin)} of the gap between a median design and the best`),
      fact("Best of those compared", `${certainty(found.p_within_compared)} sure`, "that nothing you compared is noticeably better"),
      fact("Your judgement", this.steadiness(found), this.noiseWords(found)),
      fact("Comparisons", String(found.answers), "without those you skipped"),
    );
  }

  /**
   * How steadily this design is judged, compared with the others of the map.
   * @param {RecommendationView} found
   */
  steadiness(found) {
    if (!this.noises) return "–";
    const [low, high] = this.noises;
    if (noise(low) === noise(high)) return "–";
    const share = (found.noise - low) / (high - low);
    return share < 0.25 ? "steady" : share < 0.6 ? "fairly steady" : "hesitant";
  }

  /** @param {RecommendationView} found */
  noiseWords(found) {
    if (!this.noises) return `noise ${noise(found.noise)}`;
    const [low, high] = this.noises;
    if (noise(low) === noise(high)) return "much the same everywhere: mark anchors to learn where it differs";
    return `you judge this one ${ADVERBS[this.steadiness(found)]}: noise ${noise(found.noise)}, elsewhere ${noise(low)} to ${noise(high)}`;
  }

  /** @param {number} weight */
  sayWeight(weight) {
    const words = weight === 0
      ? "Only utility counts, however hard the design is to judge."
      : "Designs you judge less surely must be clearly better to be recommended.";
    byId("risk-words").textContent = words;
    byId("risk").setAttribute("aria-valuetext", weight === 0 ? "plain best" : `risk weight ${weight}`);
  }

  async showAll() {
    const { turn, others, drawn } = this;
    const rest = await cards(others.slice(drawn.length - 1).map((one) => one.design));
    if (turn !== this.turn) return;
    this.drawn = [...drawn, ...rest];
    this.showOthers();
  }

  // Only those whose cards are loaded.
  showOthers() {
    const { others, drawn, found, words } = this;
    if (!found) return;
    const share = others.reduce((sum, one) => sum + one.p, 0);
    byId("others-words").textContent = others.length
      ? `${others.length === 1 ? "One other design" : `${others.length} others`} could be the best of those compared, with ${percent(share)} probability together.`
      : "No other design you compared is likely to be the best of them.";
    byId("others").replaceChildren(...others.slice(0, drawn.length - 1).map(({ design, p }, n) => {
      const card = drawn[n + 1];
      const fill = el("span", { class: "bar-fill" });
      fill.style.width = `${Math.max(2, 100 * p)}%`;
      const bar = el("span", { class: "bar-track", "aria-hidden": "true" }, fill);
      const text = card.title ? words.line(design) : words.differences(design, found.design);
      return el("li", {},
        this.thumbnails.of(design),
        el("div", { class: "other-words" },
          card.title ? el("strong", {}, card.title) : null,
          el("span", { class: card.title ? "quiet" : null }, text)),
        el("div", { class: "other-share" }, el("span", {}, percent(p)), bar));
    }));
    byId("others-more").hidden = others.length < drawn.length;
    byId("others-more").textContent = `Show all ${others.length}`;
    if (!words.isCatalogue && others.length) byId("others-words").textContent += " The list shows how they differ from the recommended one.";
  }
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} words
 */
function fact(name, value, words) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, el("strong", {}, value), el("small", {}, words)));
}

/** @param {RecommendationView} found */
function sentence({ utility, interval: [low, high], relative_to: reference, answers }) {
  const sure = low > 0 ? "Clearly better" : utility > 0 ? "Probably better" : "Not better";
  const than = reference === "origin" ? "zero" : "the average of the designs you compared";
  const early = answers < 5 ? " It is early: a few more comparisons may change this." : "";
  return `${sure} than ${than}: by ${number(utility, 1)}, with 90 % probability between ${number(low, 1)} and ${number(high, 1)}.${early}`;
}
