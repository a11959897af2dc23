// The recommended design, its probabilities, and other candidates.

import { as, attempt, base, get } from "./api.js";
import { cardOf, cards, picture } from "./card.js";
import { el } from "./dom.js";
import { certainty, intervalPicture, noise, number, percent, same } from "./results-words.js";

const WEIGHTS = [0, 0.5, 1, 2, 5, 10, 20, 50, 100];
const FEW = 5;
const byId = (name) => document.getElementById(name);

// Downloads use the risk weight shown on the page.
function carry(weight) {
  for (const link of document.querySelectorAll("#exports a[data-risk]")) {
    const address = new URL(link.href);
    if (weight === null) address.searchParams.delete("risk_weight");
    else address.searchParams.set("risk_weight", weight);
    link.href = address.href;
  }
}

export class Best {
  constructor(words, changed) {
    this.words = words;
    this.changed = changed;
    this.noises = null; // smallest and largest on the map
    this.turn = 0;
    const slider = byId("risk");
    slider.max = String(WEIGHTS.length - 1);
    slider.addEventListener("input", () => this.sayWeight(WEIGHTS[Number(slider.value)]));
    slider.addEventListener("change", () => this.changed(WEIGHTS[Number(slider.value)]));
    byId("others-more").addEventListener("click", () => attempt(() => this.showAll()));
  }

  async load(weight = null) {
    const turn = ++this.turn;
    const query = weight === null ? "" : `&risk_weight=${weight}`;
    const found = await get(`${base}/recommendation?${as}${query}`);
    const others = found.credible_set
      .map((design, n) => ({ design, p: found.credible_probabilities[n] }))
      .filter((one) => !same(one.design, found.design));
    const drawn = await cards([found.design, ...others.slice(0, FEW).map((one) => one.design)]);
    if (turn !== this.turn) return this.found; // a later one is on its way
    Object.assign(this, { found, others, drawn });
    this.show();
    carry(weight);
    return found;
  }

  show() {
    const { found, drawn } = this;
    byId("best-card").replaceChildren(...cardOf(drawn[0]));
    byId("best-sentence").textContent = sentence(found);
    byId("best-interval").replaceChildren(intervalPicture(found.utility, found.interval, hasOrigin(found) ? "zero" : "average"));
    this.facts();
    const nearest = WEIGHTS.reduce((a, b) => (Math.abs(b - found.risk_weight) < Math.abs(a - found.risk_weight) ? b : a));
    byId("risk").value = String(WEIGHTS.indexOf(nearest));
    this.sayWeight(found.risk_weight);
    this.showOthers();
  }

  // Compare the noise with its range on the map.
  noiseRange(low, high) {
    this.noises = [low, high];
    this.facts();
  }

  facts() {
    const { found } = this;
    byId("best-facts").replaceChildren(
      fact("Close to the best", certainty(found.p_within), `probability of being within ${percent(found.margin)} of the gap between a median design and the best`),
      fact("Best of those compared", percent(found.p_best), "probability that no design compared is better; designs much alike share it"),
      fact("Your judgement", this.steadiness(), this.noiseWords()),
      fact("Comparisons", String(found.answers), "that said something"),
    );
  }

  // How steadily this design is judged, compared with the others of the map.
  steadiness() {
    const [low, high] = this.noises || [];
    if (!this.noises || noise(low) === noise(high)) return "–";
    const share = (this.found.noise - low) / (high - low);
    return share < 0.25 ? "steady" : share < 0.6 ? "fairly steady" : "hesitant";
  }

  noiseWords() {
    const [low, high] = this.noises || [];
    if (this.noises && noise(low) === noise(high)) return "much the same everywhere: mark anchors to learn where it differs";
    return `how surely you judge this one: noise ${noise(this.found.noise)}${this.noises ? `, around it from ${noise(low)} to ${noise(high)}` : ""}`;
  }

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
    const share = others.reduce((sum, one) => sum + one.p, 0);
    byId("others-words").textContent = others.length
      ? `${others.length === 1 ? "One other design" : `${others.length} others`} could be the best of those compared, with ${percent(share)} probability together.`
      : "No other design you compared is likely to be the best of them.";
    byId("others").replaceChildren(...others.slice(0, drawn.length - 1).map(({ design, p }, n) => {
      const card = drawn[n + 1];
      const bar = el("span", { class: "bar-track", "aria-hidden": "true" }, el("span", { class: "bar-fill" }));
      bar.firstChild.style.width = `${Math.max(2, 100 * p)}%`;
      const text = card.title ? words.line(design) : words.differences(design, found.design);
      return el("li", {},
        picture(card),
        el("div", { class: "other-words" },
          card.title ? el("strong", {}, card.title) : null,
          el("span", { class: card.title ? "quiet" : null }, text)),
        el("div", { class: "other-share" }, el("span", {}, percent(p)), bar));
    }));
    byId("others-more").hidden = others.length < drawn.length;
    byId("others-more").textContent = `Show all ${others.length}`;
    if (!words.isCatalogue && others.length) byId("others-words").textContent += " Listed is where they differ from the recommended one.";
  }
}

const hasOrigin = (found) => found.reference.startsWith("zero");

function fact(name, value, words) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, el("strong", {}, value), el("small", {}, words)));
}

function sentence({ utility, interval: [low, high], reference, answers }) {
  const sure = low > 0 ? "Clearly better" : utility > 0 ? "Probably better" : "Not better";
  const than = hasOrigin({ reference }) ? "zero" : "the average of the designs you compared";
  const early = answers < 5 ? " These are early days: a few more comparisons will change it." : "";
  return `${sure} than ${than}: by ${number(utility, 1)}, with 90 % probability between ${number(low, 1)} and ${number(high, 1)}.${early}`;
}
