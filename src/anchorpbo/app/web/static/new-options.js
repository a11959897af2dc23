// Advanced options, each with a hint.

import { elementsOf } from "./dom.js";
import { isNumber, number } from "./new-values.js";

const byId = elementsOf("new");
/** @type {Record<string, string>} */
const PRESETS = {
  "": "For real use: how much each parameter matters is learnt from the answers.",
  paper: "The settings of the paper, to reproduce its results.",
};
/** @type {Record<string, string>} */
const STRATEGIES = {
  "": "The default, kg, asks about the pair whose answer is expected to raise the best design most.",
  raeubo: "The pair whose better design promises most, less what its noise costs.",
  eubo: "The pair whose better design promises most, however hard it is to judge.",
  anpei: "A challenger likely to beat the best so far, less what its noise costs.",
  ei: "A challenger likely to beat the best so far.",
  rahbo: "A challenger that may be very good, less what its noise costs.",
  ucb: "A challenger that may be very good.",
  kg: "The pair whose answer is expected to raise the best design most: the knowledge gradient.",
  euco: "The pair whose chosen design promises most, allowing for wrong choices.",
};
const fields = { preset: byId("preset"), strategy: byId("strategy"), risk_weight: byId("risk_weight"), seed: byId("seed") };
const repeats = byId("repeats");
/** @typedef {Record<string, string>} OptionsDraft */

function explain() {
  byId("preset-hint").textContent = PRESETS[fields.preset.value];
  byId("strategy-hint").textContent = STRATEGIES[fields.strategy.value];
  fields.risk_weight.placeholder = fields.preset.value === "paper" ? "10" : "0";
}

/** @returns {OptionsDraft} */
export const optionsDraft = () => ({
  ...Object.fromEntries(Object.entries(fields).map(([id, field]) => [id, field.value])), repeats: repeats.checked ? "" : "off",
});

/** @param {OptionsDraft} [draft] */
export function startOptions(draft = {}) {
  for (const [id, field] of Object.entries(fields)) if (typeof draft[id] === "string") field.value = draft[id];
  repeats.checked = draft.repeats !== "off";
  byId("advanced").open = Object.values(optionsDraft()).some(Boolean);
  fields.preset.addEventListener("change", explain);
  fields.strategy.addEventListener("change", explain);
  explain();
}

export function readOptions() {
  const { risk_weight: risk, seed } = fields;
  risk.setAttribute("aria-invalid", String(Boolean(risk.value.trim()) && !(isNumber(risk.value) && Number(risk.value) >= 0)));
  seed.setAttribute("aria-invalid", String(Boolean(seed.value.trim()) && !/^\s*\d+\s*$/.test(seed.value)));
  const given = {
    preset: fields.preset.value || null, strategy: fields.strategy.value || null,
    risk_weight: number(risk.value), seed: number(seed.value), repeat_rate: repeats.checked ? null : 0,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
