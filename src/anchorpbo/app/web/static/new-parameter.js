// Form of one parameter: fields, hints and marks.

import { limits } from "./api.js";
import { el, find } from "./dom.js";
import { definitionOf, shortcomingsOf, suggestedStepOf } from "./new-parameter-state.js";

/** @import { Field, Kind, ParameterState, Shortcoming, TextField } from "./new-parameter-state.js" */
/** @typedef {"up" | "down" | "remove"} Action */

/** @type {[Kind, string][]} */
const KINDS = [
  ["real", "Number"], ["integer", "Integer"], ["categorical", "Category"],
  ["ordinal", "Ordered"], ["boolean", "Yes or no"], ["constant", "Constant"],
];
/** @type {Record<Kind, Field[]>} */
const FIELDS = {
  real: ["low", "high", "unit", "step", "log"],
  integer: ["low", "high", "unit", "log"],
  categorical: ["values"],
  ordinal: ["values", "unit"],
  boolean: [],
  constant: ["value", "unit"],
};
/** @type {ParameterState} */
const EMPTY = { kind: "real", name: "", low: "", high: "", unit: "", label: "", step: "", log: false, values: "", value: "" };

export class Parameter {
  static #made = 0;

  /**
   * @param {Partial<ParameterState>} state
   * @param {boolean} hinted whether each field has a placeholder
   */
  constructor(state = {}, hinted = false) {
    this.id = `p${(Parameter.#made += 1)}`;
    /** @type {Set<string>} */
    this.left = new Set(); // fields that were left: whatever is missing there may be told
    const given = { ...EMPTY, ...state };
    /** @param {string} text */
    const hint = (text) => (hinted ? { placeholder: text } : {});
    /** @param {TextField} field */
    const text = (field, more = {}) => el("input", {
      id: `${this.id}-${field}`, value: String(given[field]), autocomplete: "off", maxlength: String(limits.text), dataset: { field }, ...more,
    });
    const decimal = { inputmode: "text" }; // a decimal keyboard may lack the minus sign
    this.inputs = {
      name: text("name", { maxlength: String(limits.name), ...hint("temperature"), autocapitalize: "off", spellcheck: "false" }),
      kind: el("select", { id: `${this.id}-kind`, dataset: { field: "kind" } },
        KINDS.map(([value, words]) => el("option", { value, selected: value === given.kind }, words))),
      low: text("low", { ...decimal, ...hint("80") }),
      high: text("high", { ...decimal, ...hint("96") }),
      values: text("values", { placeholder: "Kenya, Brazil, Sumatra" }),
      value: text("value"),
      unit: text("unit", { maxlength: String(limits.label), ...hint("°C") }),
      label: text("label", { maxlength: String(limits.label), ...hint("Water temperature") }),
      step: text("step", { ...decimal, placeholder: "any" }),
      log: el("input", { id: `${this.id}-log`, type: "checkbox", checked: Boolean(given.log), dataset: { field: "log" } }),
    };
    this.problem = el("p", { class: "row-problem", id: `${this.id}-problem` });
    this.more = el("summary");
    /** @param {Action} action @param {string} sign */
    const tool = (action, sign) => el("button", { type: "button", class: "plain tool", dataset: { action } },
      el("span", { "aria-hidden": "true" }, sign));
    this.tools = el("div", { class: "tools" }, tool("up", "↑"), tool("down", "↓"), tool("remove", "✕"));
    this.use = el("button", { type: "button", class: "small use-step", hidden: true });
    this.element = this.#layout(Boolean(given.label || given.step || given.log));
    this.element.addEventListener("focusout", (event) => {
      const { target } = event;
      if (target instanceof HTMLElement && target.dataset.field) this.left.add(target.dataset.field);
    });
    this.inputs.kind.addEventListener("change", () => this.#show());
    this.element.addEventListener("input", () => this.#suggest());
    this.#show();
    this.#suggest();
  }

  // Suggest a step for the range: in the field as long as it is empty, and on a button that fills it in.
  #suggest() {
    const { step } = this.inputs;
    const suggested = suggestedStepOf(this.state);
    step.placeholder = suggested === null ? "any" : `any, or ${suggested}`;
    this.use.hidden = suggested === null || Boolean(step.value.trim());
    this.use.textContent = `Use ${suggested}`;
    this.use.value = String(suggested);
  }

  /** @param {boolean} open whether the details are */
  #layout(open) {
    const { name, kind, low, high, values, value, unit, label, step, log } = this.inputs;
    /** @param {HTMLElement} input @param {string} words */
    const field = (input, words) => el("div", { class: "field", dataset: { of: input.dataset.field } },
      el("label", { for: input.id }, words), input);
    this.use.addEventListener("click", () => {
      step.value = this.use.value;
      step.focus();
      step.dispatchEvent(new Event("input", { bubbles: true }));
    });
    const hint = el("p", { class: "quiet", id: `${step.id}-hint` },
      "The smallest difference that you would notice: designs are rounded to it, and two that differ by no more than it in every parameter count as one in the results.");
    step.setAttribute("aria-describedby", hint.id);
    const suggestion = el("div", { class: "suggestion", dataset: { of: "step" } }, this.use, hint);
    return el("li", { class: "parameter", dataset: { id: this.id } },
      el("div", { class: "parameter-main" },
        field(name, "Name"), field(kind, "Kind"), field(low, "From"), field(high, "To"),
        field(values, "Values (a, b, c)"), field(value, "Value"), field(unit, "Unit"), this.tools),
      el("details", { class: "inner", open },
        this.more,
        el("div", { class: "parameter-more" },
          field(label, "Label on the cards"), field(step, "In steps of"),
          el("div", { class: "check", dataset: { of: "log" } }, log, el("label", { for: log.id }, "Ratios matter (logarithmic)")),
          suggestion)),
      this.problem);
  }

  #show() {
    /** @type {Set<string | undefined>} */
    const shown = new Set(["name", "kind", "label", ...FIELDS[this.kind]]);
    /** @type {NodeListOf<HTMLElement>} */
    const places = this.element.querySelectorAll("[data-of]");
    for (const place of places) place.hidden = !shown.has(place.dataset.of);
    this.element.dataset.kind = this.kind;
    this.more.textContent = "More options";
  }

  /** @param {Action} action */
  tool(action) { return find(this.tools, `[data-action=${action}]`, HTMLButtonElement); }

  /**
   * Number the parameter.
   * @param {number} at
   */
  number(at) {
    this.element.setAttribute("aria-label", `Parameter ${at}`);
    const words = { up: `Move parameter ${at} up`, down: `Move parameter ${at} down`, remove: `Remove parameter ${at}` };
    for (const action of /** @type {const} */ (["up", "down", "remove"])) {
      const tool = this.tool(action);
      tool.setAttribute("aria-label", words[action]);
      tool.title = words[action];
    }
  }

  get kind() { return /** @type {Kind} */ (this.inputs.kind.value); }
  get name() { return this.inputs.name.value.trim(); }

  /**
   * The typed values, for the draft.
   * @returns {ParameterState}
   */
  get state() {
    const entries = Object.entries(this.inputs).map(([field, input]) => [field, input === this.inputs.log ? input.checked : input.value]);
    return /** @type {any} */ (Object.fromEntries(entries));
  }

  get unit() { return FIELDS[this.kind].includes("unit") ? this.inputs.unit.value.trim() : ""; }
  get label() { return this.inputs.label.value.trim(); }

  // The parameter as the server expects it.
  get definition() { return definitionOf(this.state); }

  /**
   * Missing and invalid fields.
   * @param {Set<string>} taken names of the earlier parameters
   */
  problems(taken) { return shortcomingsOf(this.state, taken); }

  /**
   * Mark the field that the server's error is about; the next `mark` removes the mark.
   * @param {string} [field]
   */
  point(field) {
    const input = Object.entries(this.inputs).find(([name]) => name === field)?.[1];
    input?.setAttribute("aria-invalid", "true");
  }

  /**
   * Mark invalid fields; mark missing ones only after the user has left them.
   * @param {Shortcoming[]} problems
   */
  mark(problems) {
    const told = problems.filter(([field, , missing]) => !missing || this.left.has(field));
    /** @type {Set<string>} */
    const wrong = new Set(told.map(([field]) => field));
    for (const [field, input] of Object.entries(this.inputs)) {
      if (wrong.has(field)) {
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", this.problem.id);
      } else {
        input.removeAttribute("aria-invalid");
        if (field === "step") input.setAttribute("aria-describedby", `${input.id}-hint`);
        else input.removeAttribute("aria-describedby");
      }
    }
    if (wrong.has("step")) find(this.element, "details", HTMLDetailsElement).open = true;
    const words = told.map(([, text, missing]) => (missing ? `${text} is needed` : text)).join("; ");
    this.problem.textContent = words && `${words[0].toUpperCase()}${words.slice(1)}.`;
  }
}
