// One parameter as typed into the form: its definition for the server, and what is missing or wrong.

import { isNumber, list, number } from "./new-values.js";
import { suggestStep } from "./steps.js";

/** @typedef {"real" | "integer" | "categorical" | "ordinal" | "boolean" | "constant"} Kind */
/** @typedef {"name" | "low" | "high" | "unit" | "label" | "step" | "values" | "value"} TextField */
/** @typedef {TextField | "kind" | "log"} Field */
/** @typedef {Record<TextField, string> & { kind: Kind, log: boolean }} ParameterState */
/** @typedef {[field: Field, words: string, isMissing: boolean]} Shortcoming */

/**
 * The parameter as the server expects it.
 * @param {ParameterState} state
 */
export function definitionOf({ name, kind, low, high, step, log, values, value }) {
  const base = { name: name.trim(), kind };
  const ratio = log ? { log: true } : {};
  switch (kind) {
    case "real": return { ...base, low: number(low), high: number(high), ...ratio, ...(step.trim() ? { step: number(step) } : {}) };
    case "integer": return { ...base, low: number(low), high: number(high), ...ratio };
    case "categorical": case "ordinal": return { ...base, values: list(values) };
    case "constant": return { ...base, value: number(value) };
    default: return base;
  }
}

/**
 * A step for the range, or null without a range that has one.
 * @param {ParameterState} state
 */
export function suggestedStepOf({ kind, low, high, log }) {
  const typed = kind === "real" && !log && [low, high].every((text) => text.trim() && isNumber(text));
  return typed ? suggestStep(Number(low), Number(high)) : null;
}

/**
 * Missing and invalid fields.
 * @param {ParameterState} state
 * @param {Set<string>} taken names of the earlier parameters
 */
export function shortcomingsOf(state, taken) {
  /** @type {Shortcoming[]} */
  const found = [];
  const { kind, low, high, log, step, values, value } = state;
  const name = state.name.trim();
  if (!name) found.push(["name", "a name", true]);
  else if (taken.has(name)) found.push(["name", `another parameter is called ${name}`, false]);
  if (kind === "real" || kind === "integer") {
    for (const [field, text, words] of /** @type {const} */ ([["low", low, "From"], ["high", high, "To"]])) {
      if (!text.trim()) found.push([field, `“${words}”`, true]);
      else if (!isNumber(text)) found.push([field, `“${words}” must be a number, ${example(text)}`, false]);
      else if (kind === "integer" && !Number.isInteger(Number(text))) found.push([field, `“${words}” must be a whole number`, false]);
    }
    if (!found.some(([field]) => field === "low" || field === "high")) {
      found.push(...shortcomingsOfRange(Number(low), Number(high), log, kind === "real" ? step : ""));
    }
  }
  if (kind === "categorical" || kind === "ordinal") {
    /** @type {(string | number)[]} */
    const all = list(values);
    const twice = all.find((one, at) => all.indexOf(one) < at);
    if (all.length < 2) found.push(["values", "two values or more", true]);
    else if (twice !== undefined) found.push(["values", `“${twice}” is there twice`, false]);
  }
  if (kind === "constant" && !value.trim()) found.push(["value", "a value", true]);
  return found;
}

/**
 * @param {number} low
 * @param {number} high
 * @param {boolean} log
 * @param {string} step
 * @returns {Shortcoming[]}
 */
function shortcomingsOfRange(low, high, log, step) {
  if (low >= high) return [["high", "“To” must be above “From”", false]];
  if (log && low <= 0) return [["low", "where ratios matter, “From” must be above 0", false]];
  if (!step.trim()) return [];
  if (!isNumber(step) || Number(step) <= 0) return [["step", "a step must be a number above 0", false]];
  const steps = (high - low) / Number(step);
  if (Math.abs(steps - Math.round(steps)) > 1e-6) return [["step", "steps must lead from “From” to “To”", false]];
  return [];
}

/**
 * Format a number as an example for an error message.
 * @param {string} text
 */
function example(text) {
  const decimal = /^\s*([+-]?\d+),(\d+)\s*$/.exec(text);
  return decimal ? `with a point for decimals: ${decimal[1]}.${decimal[2]}` : "such as 12.5";
}
