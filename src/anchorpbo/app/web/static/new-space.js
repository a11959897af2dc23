// Design space of a new study: parameters, constraints and a drawing.

import { limits } from "./api.js";
import { closest, elementsOf, find } from "./dom.js";
import { lines } from "./new-values.js";
import { Parameter } from "./new-parameter.js";

/** @import { DisplayLayout } from "../rest" */
/** @import { Action } from "./new-parameter.js" */
/** @import { ParameterState, Shortcoming } from "./new-parameter-state.js" */
/** @typedef {{ parameters?: Partial<ParameterState>[], constraints?: string, template?: string }} SpaceDraft */

const byId = elementsOf("new");
const place = byId("parameters");
const news = byId("parameters-news");
const constraints = byId("constraints");
const template = byId("template");

class SpaceForm {
  /** @type {Parameter[]} */
  parameters = [];
  changed = () => {};
}

const form = new SpaceForm();

function order() {
  const { parameters } = form;
  place.replaceChildren(...parameters.map((one) => one.element));
  parameters.forEach((one, at) => {
    one.tool("up").disabled = at === 0;
    one.tool("down").disabled = at === parameters.length - 1;
    one.tool("remove").disabled = parameters.length === 1;
    one.number(at + 1);
  });
  byId("add-parameter").disabled = parameters.length >= limits.parameters;
}

/**
 * @param {Parameter} one
 * @param {Action} action
 */
function move(one, action) {
  const { parameters } = form;
  const at = parameters.indexOf(one);
  const called = one.name || `Parameter ${at + 1}`;
  if (action === "remove") {
    parameters.splice(at, 1);
    order();
    parameters[Math.min(at, parameters.length - 1)].inputs.name.focus();
    news.textContent = `${called} was removed.`;
  } else {
    const to = action === "up" ? at - 1 : at + 1;
    parameters.splice(at, 1);
    parameters.splice(to, 0, one);
    order();
    const button = one.tool(action);
    (button.disabled ? find(one.tools, "button:not(:disabled)", HTMLElement) : button).focus();
    news.textContent = `${called} is now number ${to + 1} of ${parameters.length}.`;
  }
  form.changed();
}

/**
 * @param {() => void} onchange
 * @param {SpaceDraft} [draft]
 */
export function startSpace(onchange, draft) {
  form.changed = onchange;
  const given = Array.isArray(draft?.parameters) && draft.parameters.length ? draft.parameters : [{}, {}];
  form.parameters = given.map((state, at) => new Parameter(state, at === 0));
  constraints.value = draft?.constraints || "";
  template.value = draft?.template || "";
  byId("drawing-part").open = Boolean(template.value);
  order();
  place.addEventListener("click", (event) => {
    const button = closest(event, "[data-action]");
    const one = form.parameters.find(({ element }) => element.contains(button));
    if (button && one) move(one, /** @type {Action} */ (button.dataset.action));
  });
  // Not while a button is pressed: a message would move the target from under the pointer.
  let pressed = false;
  window.addEventListener("pointerdown", () => { pressed = true; }, true);
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, () => { pressed = false; setTimeout(mark); }, true);
  }
  place.addEventListener("focusout", () => { if (!pressed) mark(); });
  byId("add-parameter").addEventListener("click", () => {
    const one = new Parameter();
    form.parameters.push(one);
    order();
    one.inputs.name.focus();
    form.changed();
  });
}

/**
 * What is wrong with each parameter, given the names of the earlier ones.
 * @returns {[Parameter, Shortcoming[]][]}
 */
function problems() {
  /** @type {Set<string>} */
  const taken = new Set();
  return form.parameters.map((one) => {
    const found = one.problems(taken);
    taken.add(one.name);
    return [one, found];
  });
}

function mark() {
  for (const [one, found] of problems()) one.mark(found);
}

/** @returns {SpaceDraft} */
export const spaceDraft = () => ({
  parameters: form.parameters.map((one) => one.state), constraints: constraints.value, template: template.value,
});

// The space, its display and the missing fields.
export function readSpace() {
  mark();
  const found = problems();
  const missing = found.map(([one, all], at) => {
    const wanted = all.filter(([, , only]) => only).map(([, words]) => words);
    return wanted.length ? `${wanted.join(", ")} for ${one.name || `parameter ${at + 1}`}` : "";
  }).filter(Boolean);
  /** @param {"label" | "unit"} key */
  const words = (key) => Object.fromEntries(form.parameters.filter((one) => one[key]).map((one) => [one.name, one[key]]));
  return {
    missing,
    pictures: {},
    clips: [],
    signature: null,
    space: { kind: /** @type {const} */ ("space"), parameters: form.parameters.map((one) => one.definition), constraints: lines(constraints.value) },
    /** @type {DisplayLayout} */
    display: { labels: words("label"), units: words("unit"), ...(template.value.trim() ? { template: template.value } : {}) },
  };
}

// Mark the parameter's input, the rules or the drawing if the server's error is about them.
export function markSpace(field = "") {
  const [, at, input] = /^space\.parameters\.(\d+)(?:\.(\w+))?/.exec(field) ?? [];
  form.parameters[Number(at)]?.point(input);
  constraints.setAttribute("aria-invalid", String(field.startsWith("space.constraints")));
  template.setAttribute("aria-invalid", String(field.startsWith("display.template")));
}
