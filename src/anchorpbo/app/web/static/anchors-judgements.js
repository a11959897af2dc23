// Words about the marks of a study: whether its participant could judge each marked design well.

/** @import { AnchorView } from "../rest" */
/** @typedef {NonNullable<AnchorView["judgement"]>} Judgement */

/** @type {{ judgement: Judgement, answer: string }[]} */
export const ANSWERS = [ // to "Could you judge this one well?"
  { judgement: "yes", answer: "Yes" },
  { judgement: "no", answer: "No" },
  { judgement: "unsure", answer: "Not sure" },
];

/** @type {Record<Judgement, string>} */
export const MARKED = { yes: "Anchor added.", no: "Marked as hard to judge.", unsure: "Marked as not sure." };
/** @type {Record<Judgement, string>} */
export const REMOVED = { yes: "Anchor removed.", no: "Mark removed.", unsure: "Mark removed." };

/**
 * The judgement of a mark; marks of older servers are anchors.
 * @param {AnchorView} mark
 * @returns {Judgement}
 */
export const judgementOf = (mark) => mark.judgement ?? "yes";

/**
 * How many designs are marked.
 * @param {AnchorView[]} marks
 */
export function countMarks(marks) {
  /** @param {Judgement} judgement */
  const count = (judgement) => marks.filter((mark) => judgementOf(mark) === judgement).length;
  const [yes, no, unsure] = [count("yes"), count("no"), count("unsure")];
  const anchors = yes === 0 ? (marks.length ? "No anchor yet." : "None yet. You can compare without any.")
    : yes === 1 ? "1 anchor." : `${yes} anchors.`;
  return [
    anchors, no ? `${no} you cannot judge well.` : "", unsure ? `${unsure} you are not sure about.` : "",
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
    if (judgement === "yes") return `Anchor ${++anchors}`;
    return judgement === "no" ? "Hard to judge" : "Not sure";
  });
}
