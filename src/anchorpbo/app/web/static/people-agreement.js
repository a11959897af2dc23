// How far participants agree: by their models, by their answers to the same pairs, and how often they get the same pair.

import { attempt, patch, say } from "./api.js";
import { el, elementsOf } from "./dom.js";
import { number } from "./results-words.js";

/** @import { Agreement, PairAgreement, StudyView } from "../rest" */
/** @typedef {PairAgreement["verdict"]} Verdict */
/** @typedef {(name: string) => string} Called what the page calls a participant */

const byId = elementsOf("people");
/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)} %`;

/** @type {Record<Verdict, string>} */
const VERDICTS = { agree: "agree", disagree: "disagree", unrelated: "little in common", unknown: "not known yet" };

/**
 * What a correlation with its interval says.
 * @param {PairAgreement} pair
 */
function words({ verdict, correlation }) {
  if (!["agree", "disagree"].includes(verdict)) return VERDICTS[verdict];
  const size = Math.abs(correlation);
  const much = size > 0.7 ? "" : size > 0.4 ? "mostly " : "partly ";
  return `${much}${verdict}`;
}

/**
 * @param {Pick<Agreement, "participants" | "pairs">} agreement
 * @param {Called} called
 */
export function drawAgreement({ participants, pairs }, called) {
  byId("agreement-words").textContent = summary(participants, pairs);
  byId("matrix").hidden = byId("shared").hidden = participants.length < 2;
  if (participants.length < 2) return;
  drawMatrix(participants, pairs, called);
  drawShared(pairs, called);
}

/**
 * Whether two people agree, by their models or else by their answers to the same pairs.
 * @param {PairAgreement} pair
 */
const verdictOf = ({ verdict, shared }) => (verdict === "unknown" ? shared.verdict : verdict);

/** @param {Verdict[]} verdicts of each two people */
function sentence(verdicts) {
  const found = VERDICT_NAMES.filter((verdict) => verdicts.includes(verdict));
  if (found.length === 1) return SENTENCES[found[0]];
  const counts = found.map((verdict) => {
    const count = verdicts.filter((one) => one === verdict).length;
    return `${count} ${COUNTED[verdict][count === 1 ? 0 : 1]}`;
  });
  return `Of ${verdicts.length} pairs of people, ${new Intl.ListFormat("en-GB").format(counts)}.`;
}

/**
 * @param {string[]} participants
 * @param {PairAgreement[]} pairs
 */
function summary(participants, pairs) {
  if (!participants.length) return "Nobody has answered yet.";
  if (participants.length === 1) return "As soon as two people have answered, this shows how alike they judge.";
  return `${sentence(pairs.map(verdictOf))} A number of 1 means that two people put all designs in the same order, 0 that their orders have nothing in common, −1 that they are opposite. The range holds the number with 90 % probability.`;
}

/** @type {Verdict[]} */
const VERDICT_NAMES = ["agree", "disagree", "unrelated", "unknown"];
/** @type {Record<Verdict, [one: string, several: string]>} */
const COUNTED = {
  agree: ["agrees", "agree"], disagree: ["disagrees", "disagree"],
  unrelated: ["has little in common", "have little in common"], unknown: ["is not known yet", "are not known yet"],
};
/** @type {Record<Verdict, string>} */
const SENTENCES = {
  agree: "They agree.", disagree: "They disagree.", unrelated: "What they like has little in common.",
  unknown: "It is not known yet whether they agree: more answers are needed.",
};

/**
 * @param {string[]} participants
 * @param {PairAgreement[]} pairs
 * @param {Called} called
 */
function drawMatrix(participants, pairs, called) {
  const head = el("tr", {}, el("td", {}), participants.map((name) => el("th", { scope: "col" }, called(name))));
  const rows = participants.map((name) => el("tr", {}, el("th", { scope: "row" }, called(name)), participants.map((other) => {
    if (name === other) return el("td", { class: "self" }, "–");
    const pair = pairs.find((one) => one.participants.includes(name) && one.participants.includes(other));
    if (!pair) return el("td", {});
    const [low, high] = pair.interval;
    const share = Math.round(100 * Math.min(Math.abs(pair.correlation), 1) * 0.38);
    const cell = el("td", { class: "heat" }, el("strong", {}, number(pair.correlation)),
      el("small", {}, `${number(low)} to ${number(high)}`), el("small", {}, words(pair)));
    const known = ["agree", "disagree"].includes(pair.verdict); // no colour for what is not known
    if (known) cell.style.background = `color-mix(in srgb, var(${pair.verdict === "disagree" ? "--bad" : "--accent"}) ${share}%, var(--surface))`;
    return cell;
  })));
  byId("matrix").replaceChildren(el("thead", {}, head), el("tbody", {}, rows));
}

// -- the same pairs ----------------------------------------------------------------------------------------------------

/**
 * @param {PairAgreement[]} pairs
 * @param {Called} called
 */
function drawShared(pairs, called) {
  /** @param {PairAgreement} pair */
  const both = ({ shared }) => shared.same + shared.opposite + shared.undecided;
  const some = pairs.filter((pair) => both(pair) > 0).sort((a, b) => both(b) - both(a));
  byId("shared-words").textContent = some.length
    ? "Pairs that two people both compared. Where one or both found the two designs equal, they neither agree nor disagree."
    : "No two people have compared the same pair yet.";
  byId("shared-table").hidden = !some.length;
  byId("shared-table").tBodies[0].replaceChildren(...some.map((pair) => {
    const { same, opposite, undecided, share, interval: [low, high], verdict } = pair.shared;
    return el("tr", {},
      el("th", { scope: "row" }, pair.participants.map(called).join(" and ")),
      ...[same, opposite, undecided].map((count) => el("td", { class: "number" }, String(count))),
      el("td", { class: "number" }, share === null ? "–" : `${percent(share)} (${percent(low)} to ${percent(high)})`),
      el("td", {}, VERDICTS[verdict]));
  }));
}

/**
 * The share of questions about such pairs, as the owner sets it.
 * @param {StudyView} study
 */
export function choosing({ shared_pairs: share }) {
  const choice = byId("shared-pairs");
  if (![...choice.options].some((option) => Number(option.value) === share)) {
    choice.append(el("option", { value: String(share) }, percent(share)));
  }
  choice.value = String(share);
  choice.addEventListener("change", () => attempt(async () => {
    await patch("/studies/{id}", { shared_pairs: Number(choice.value) });
    say(Number(choice.value) ? "Saved. Applies from the next question." : "Saved. Shared pairs are off.");
  }));
}
