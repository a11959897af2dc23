// Whether the answers can be trusted: findings, each with a figure that is loaded when it is opened.

import { attempt, get, participant } from "./api.js";
import { el, elementsOf } from "./dom.js";
import { showFigure } from "./figures.js";
import { checkButton, loadValidation } from "./validation.js";

/** @import { AnchorValidationView, FindingView } from "../rest" */
/** @import { FigureName, FigureQuery } from "./figures.js" */

const byId = elementsOf("results");

export class Trust {
  turn = 0;

  /** @param {() => string} compare address of the Compare page */
  constructor(compare) {
    this.compare = compare;
  }

  async load() {
    const turn = ++this.turn;
    byId("trust").setAttribute("aria-busy", "true");
    const found = await get("/studies/{id}/audit", { participant });
    if (turn !== this.turn) return; // a later one is on its way
    byId("trust-sentence").textContent = found.sentence;
    byId("trust-findings").replaceChildren(...found.findings.map(row));
    const validation = await loadValidation();
    if (turn !== this.turn) return;
    this.showValidation(validation);
    byId("trust").setAttribute("aria-busy", "false");
  }

  /** @param {AnchorValidationView} found */
  showValidation(found) {
    const parts = [...this.anchorParts(found), ...repeatParts(found)];
    byId("validation").hidden = !parts.length;
    byId("validation").replaceChildren(...parts);
  }

  /**
   * What the answers say about the anchors; nothing without anchors.
   * @param {AnchorValidationView} found
   */
  anchorParts({ anchors, strengths, verdict, sentence, explanation, advice }) {
    if (!anchors && !strengths.length) return [];
    const more = [explanation, advice].filter(Boolean).join(" ");
    return [
      el("h3", {}, "Are my anchors right?"),
      el("p", { class: "verdict", dataset: { verdict } }, sentence),
      ...(more ? [el("p", { class: "quiet" }, more)] : []),
      ...(strengths.length ? [lazyFigure("Figure of the evidence", "Figure of the evidence for your anchors", "anchor_evidence")] : []),
      ...(anchors && strengths.length && verdict === "open" ? [el("p", {}, checkButton(this.compare))] : []),
    ];
  }
}

/**
 * How often answers to the same pair agree; nothing without repeated pairs.
 * @param {AnchorValidationView} found
 */
function repeatParts({ retest }) {
  if (!retest.retests) return [];
  return [
    el("h3", {}, "Repeated pairs"),
    el("p", {}, retest.sentence),
    lazyFigure("Figure of the repeats", "Figure of the repeats: agreement of answers to the same pair", "retest"),
  ];
}

/**
 * A figure that is loaded when it is opened.
 * @param {string} text
 * @param {string} label the text for those who cannot see what is above it; it begins with the text
 * @param {FigureName} name
 * @param {FigureQuery} query
 */
function lazyFigure(text, label, name, query = {}) {
  const place = el("div", { class: "finding-figure", role: "figure" });
  const details = el("details", {}, el("summary", { class: "plain small", "aria-label": label }, text), place);
  details.addEventListener("toggle", () => {
    if (details.open && !place.hasChildNodes()) attempt(() => showFigure(place, name, query));
  });
  return details;
}

/** @param {FindingView} finding */
function row({ name, title, sentence, level, level_text, figure }) {
  const head = [el("span", { class: "level" }, level_text), el("strong", {}, title)];
  if (!figure) return el("li", { dataset: { level, name } }, el("div", { class: "finding" }, head), el("p", {}, sentence));
  const details = lazyFigure("Figure", `Figure: ${title}`, "audit", { finding: name });
  return el("li", { dataset: { level, name } }, el("div", { class: "finding" }, head), el("p", {}, sentence), details);
}
