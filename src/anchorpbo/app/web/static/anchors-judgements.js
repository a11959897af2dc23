// Words about the marks of a study: how well its participant can judge each marked design.

/** @import { AnchorView } from "../rest" */
/** @typedef {NonNullable<AnchorView["judgement"]>} Judgement */

/** @type {{ judgement: Judgement, answer: string }[]} */
export const ANSWERS = [ // to "Could you judge this one well?"
  { judgement: "good", answer: "Yes" },
  { judgement: "poor", answer: "No" },
  { judgement: "unsure", answer: "Not sure" },
];

/** @type {Record<Judgement, string>} */
export const MARKED = { good: "Anchor added.", poor: "Marked as hard to judge.", unsure: "Marked as not sure." };
/** @type {Record<Judgement, string>} */
export const REMOVED = { good: "Anchor removed.", poor: "Mark removed.", unsure: "Mark removed." };

/**
 * The judgement of a mark; marks of older servers are anchors.
 * @param {AnchorView} mark
 * @returns {Judgement}
 */
export const judgementOf = (mark) => mark.judgement ?? "good";

/**
 * How many designs are marked.
 * @param {AnchorView[]} marks
 */
export function countMarks(marks) {
  /** @param {Judgement} judgement */
  const count = (judgement) => marks.filter((mark) => judgementOf(mark) === judgement).length;
  const [good, poor, unsure] = [count("good"), count("poor"), count("unsure")];
  const anchors = good === 0 ? (marks.length ? "No anchor yet." : "None yet. You can compare without any.")
    : good === 1 ? "1 design is marked." : `${good} designs are marked.`;
  return [
    anchors, poor ? `${poor} you cannot judge well.` : "", unsure ? `${unsure} you are not sure about.` : "",
  ].filter(Boolean).join(" ");
}

/**
 * The headings of marks: anchors are numbered, as on the map.
 * @param {AnchorView[]} marks
 */
export function headMarks(marks) {
  let anchors = 0;
  return marks.map((mark) => {
    const judgement = judgementOf(mark);
    if (judgement === "good") return `Anchor ${++anchors}`;
    return judgement === "poor" ? "Hard to judge" : "Not sure";
  });
}
