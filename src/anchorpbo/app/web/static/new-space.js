// Design space of a new study: parameters, constraints and a drawing.

import { lines } from "./new-values.js";
import { Parameter } from "./new-parameter.js";

const place = document.getElementById("parameters");
const news = document.getElementById("parameters-news");
const constraints = document.getElementById("constraints");
const template = document.getElementById("template");
let parameters = [];
let changed = () => {};

function order() {
  place.replaceChildren(...parameters.map((one) => one.element));
  parameters.forEach((one, at) => {
    one.tools.querySelector("[data-action=up]").disabled = at === 0;
    one.tools.querySelector("[data-action=down]").disabled = at === parameters.length - 1;
    one.tools.querySelector("[data-action=remove]").disabled = parameters.length === 1;
    one.number(at + 1);
  });
}

function move(one, action) {
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
    const button = one.tools.querySelector(`[data-action=${action}]`);
    (button.disabled ? one.tools.querySelector("button:not(:disabled)") : button).focus();
    news.textContent = `${called} is now number ${to + 1} of ${parameters.length}.`;
  }
  changed();
}

export function startSpace(onchange, draft) {
  changed = onchange;
  const given = Array.isArray(draft?.parameters) && draft.parameters.length ? draft.parameters : [{}, {}];
  parameters = given.map((state, at) => new Parameter(state, at === 0));
  constraints.value = draft?.constraints || "";
  template.value = draft?.template || "";
  document.getElementById("drawing-part").open = Boolean(template.value);
  order();
  place.addEventListener("click", (event) => {
    const button = event.target.closest("[data-action]");
    if (button) move(parameters.find((one) => one.element.contains(button)), button.dataset.action);
  });
  // Not while a button is pressed: a message would move the target from under the pointer.
  let pressed = false;
  window.addEventListener("pointerdown", () => { pressed = true; }, true);
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, () => { pressed = false; setTimeout(mark); }, true);
  }
  place.addEventListener("focusout", () => { if (!pressed) mark(); });
  document.getElementById("add-parameter").addEventListener("click", () => {
    const one = new Parameter();
    parameters.push(one);
    order();
    one.inputs.name.focus();
    changed();
  });
}

// Names of the earlier parameters, for each parameter.
function problems() {
  const taken = new Set();
  return parameters.map((one) => {
    const found = one.problems(taken);
    taken.add(one.name);
    return [one, found];
  });
}

function mark() {
  for (const [one, found] of problems()) one.mark(found);
}

export const spaceDraft = () => ({
  parameters: parameters.map((one) => one.state), constraints: constraints.value, template: template.value,
});

// The space, its display and the missing fields.
export function readSpace() {
  mark();
  const found = problems();
  const missing = found.map(([one, all], at) => {
    const wanted = all.filter(([, , only]) => only).map(([, words]) => words);
    return wanted.length ? `${wanted.join(", ")} for ${one.name || `parameter ${at + 1}`}` : "";
  }).filter(Boolean);
  const words = (key) => Object.fromEntries(parameters.filter((one) => one[key]).map((one) => [one.name, one[key]]));
  return {
    missing,
    space: { kind: "space", parameters: parameters.map((one) => one.definition), constraints: lines(constraints.value) },
    display: { labels: words("label"), units: words("unit"), ...(template.value.trim() ? { template: template.value } : {}) },
  };
}

// Mark the constraints or the drawing if the server's error is about them.
export function markSpace(field = "") {
  constraints.setAttribute("aria-invalid", String(field.startsWith("space.constraints")));
  template.setAttribute("aria-invalid", String(field.startsWith("display.template")));
}
