// Controls for a design: one per parameter, from the space in `GET /api/studies/{id}`.

import { say } from "./api.js";
import { el } from "./dom.js";
import { scale, snap } from "./steps.js";

/** @import { BooleanLayout, ChoiceLayout, Design, IntegerLayout, RealLayout } from "../rest" */
/** @import { Words } from "./results-words.js" */
/** @typedef {Design[string]} Value */
/** @typedef {{ element: HTMLElement, get: () => Value, set: (value: Value) => void }} Control */

/** @param {Value} value */
const inWords = (value) => (value === true ? "yes" : value === false ? "no" : String(value));

// The browser scrolls to the input, which is not at the place of its label.
/** @param {FocusEvent} event */
const showLabel = ({ target }) => /** @type {HTMLInputElement} */ (target).labels?.[0]?.scrollIntoView({ block: "nearest" });

/**
 * @param {RealLayout | IntegerLayout} parameter
 * @param {string} id
 * @param {string} label
 * @param {string} unit
 * @param {() => void} changed
 * @returns {Control}
 */
function numeric(parameter, id, label, unit, changed) {
  const { low, high } = parameter;
  const places = scale(parameter);
  let value = low;
  const range = el("input", { type: "range", id, min: "0", max: String(places.last), step: "1" });
  const exact = el("input", {
    type: "number", min: String(low), max: String(high), step: parameter.kind === "integer" ? "1" : String(parameter.step || "any"),
    "aria-label": `${label}, exact${unit ? `, in ${unit}` : ""}`, required: true,
  });
  const tell = () => range.setAttribute("aria-valuetext", unit ? `${value} ${unit}` : String(value));
  range.addEventListener("input", () => {
    value = places.value(Number(range.value));
    exact.value = String(value);
    exact.removeAttribute("aria-invalid");
    tell();
    changed();
  });
  exact.addEventListener("input", () => {
    const valid = exact.value !== "" && Number.isFinite(exact.valueAsNumber);
    exact.setAttribute("aria-invalid", String(!valid || exact.valueAsNumber < low || exact.valueAsNumber > high));
    if (!valid) return;
    value = snap(exact.valueAsNumber, parameter);
    range.value = String(places.place(Math.min(Math.max(value, low), high)));
    tell();
    changed();
  });
  exact.addEventListener("change", () => {
    if (exact.value === "" || exact.valueAsNumber === value) return;
    exact.value = String(value);
    say(`${label} set to ${unit ? `${value} ${unit}` : value}, the nearest step.`);
  });
  return {
    element: el("div", { class: "control" },
      el("label", { for: id }, label),
      el("span", { class: "exact" }, exact, unit ? el("span", { class: "quiet", "aria-hidden": "true" }, unit) : null),
      range),
    get: () => value,
    set(given) {
      value = Number(given);
      exact.value = String(given);
      exact.removeAttribute("aria-invalid");
      range.value = String(places.place(value));
      tell();
    },
  };
}

/**
 * @param {Value[]} values
 * @param {string} id
 * @param {string} label
 * @param {() => void} changed
 * @returns {Control}
 */
function listed(values, id, label, changed) {
  if (values.length > 4) {
    const select = el("select", { id, onchange: changed }, values.map((value, n) => el("option", { value: String(n) }, inWords(value))));
    return {
      element: el("div", { class: "control" }, el("label", { for: id }, label), select),
      get: () => values[Number(select.value)],
      set: (value) => { select.value = String(values.indexOf(value)); },
    };
  }
  const inputs = values.map((_, n) => el("input", { type: "radio", name: id, id: `${id}-${n}`, class: "sr-only", onchange: changed, onfocus: showLabel }));
  const options = values.flatMap((value, n) => [inputs[n], el("label", { for: `${id}-${n}` }, inWords(value))]);
  return {
    element: el("fieldset", { class: "control" }, el("legend", {}, label), el("div", { class: "segments" }, options)),
    get: () => values[Math.max(inputs.findIndex((input) => input.checked), 0)],
    set: (value) => inputs.forEach((input, n) => { input.checked = values[n] === value; }),
  };
}

/**
 * @param {RealLayout | IntegerLayout | ChoiceLayout | BooleanLayout} parameter
 * @param {string} id
 * @param {string} label
 * @param {string} unit
 * @param {() => void} changed
 */
function control(parameter, id, label, unit, changed) {
  if (parameter.kind === "real" || parameter.kind === "integer") return numeric(parameter, id, label, unit, changed);
  return listed(parameter.kind === "boolean" ? [false, true] : parameter.values, id, label, changed);
}

/**
 * Controls of all varying parameters. `changed` is called when the user changes one; `set` does not call it.
 * @param {Words} words
 * @param {() => void} changed
 */
export function sliders(words, changed) {
  const parameters = words.space.kind === "space" ? words.space.parameters : [];
  const made = parameters
    .filter((parameter) => parameter.kind !== "constant")
    .map((parameter, n) => {
      const { name } = parameter;
      return /** @type {const} */ ([name, control(parameter, `control-${n}`, words.label(name), words.unit(name), changed)]);
    });
  /** @type {Design} */
  let rest = {};
  return {
    element: el("div", { class: "controls" }, made.map(([, one]) => one.element)),
    get: () => ({ ...rest, ...Object.fromEntries(made.map(([name, one]) => [name, one.get()])) }),
    /** @param {Design} design */
    set(design) {
      rest = design;
      for (const [name, one] of made) one.set(design[name]);
    },
  };
}
