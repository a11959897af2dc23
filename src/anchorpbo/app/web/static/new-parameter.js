// Form of one parameter: fields, hints and validation.

import { el } from "./dom.js";
import { isNumber, list, number } from "./new-values.js";

const KINDS = [
  ["real", "Number"], ["integer", "Integer"], ["categorical", "Category"],
  ["ordinal", "Ordered"], ["boolean", "Yes or no"], ["constant", "Constant"],
];
const FIELDS = {
  real: ["low", "high", "unit", "step", "log"],
  integer: ["low", "high", "unit", "log"],
  categorical: ["values"],
  ordinal: ["values", "unit"],
  boolean: [],
  constant: ["value", "unit"],
};
const EMPTY = { kind: "real", name: "", low: "", high: "", unit: "", label: "", step: "", log: false, values: "", value: "" };
let made = 0;

// Format a number as an example for an error message.
function example(text) {
  const decimal = /^\s*([+-]?\d+),(\d+)\s*$/.exec(text);
  return decimal ? `with a point for decimals: ${decimal[1]}.${decimal[2]}` : "such as 12.5";
}

export class Parameter {
  // `hinted` shows a placeholder in each field.
  constructor(state = {}, hinted = false) {
    this.id = `p${(made += 1)}`;
    this.left = new Set(); // fields that were left: whatever is missing there may be told
    const given = { ...EMPTY, ...state };
    const hint = (text) => (hinted ? { placeholder: text } : {});
    const text = (field, more = {}) => el("input", {
      id: `${this.id}-${field}`, value: String(given[field]), autocomplete: "off", maxlength: "5000", dataset: { field }, ...more,
    });
    const decimal = { inputmode: "text" }; // a decimal keyboard may lack the minus sign
    this.inputs = {
      name: text("name", { maxlength: "200", ...hint("temperature"), autocapitalize: "off", spellcheck: "false" }),
      kind: el("select", { id: `${this.id}-kind`, dataset: { field: "kind" } },
        KINDS.map(([value, words]) => el("option", { value, selected: value === given.kind }, words))),
      low: text("low", { ...decimal, ...hint("80") }),
      high: text("high", { ...decimal, ...hint("96") }),
      values: text("values", { placeholder: "Kenya, Brazil, Sumatra" }),
      value: text("value"),
      unit: text("unit", { maxlength: "200", ...hint("°C") }),
      label: text("label", { maxlength: "200", ...hint("Water temperature") }),
      step: text("step", { ...decimal, placeholder: "any" }),
      log: el("input", { id: `${this.id}-log`, type: "checkbox", checked: Boolean(given.log), dataset: { field: "log" } }),
    };
    this.problem = el("p", { class: "row-problem", id: `${this.id}-problem` });
    this.element = this.#layout(Boolean(given.label || given.step || given.log));
    this.element.addEventListener("focusout", (event) => {
      if (event.target.dataset.field) this.left.add(event.target.dataset.field);
    });
    this.inputs.kind.addEventListener("change", () => this.#show());
    this.#show();
  }

  #layout(open) {
    const { name, kind, low, high, values, value, unit, label, step, log } = this.inputs;
    const field = (input, words) => el("div", { class: "field", dataset: { of: input.dataset.field } },
      el("label", { for: input.id }, words), input);
    const tool = (action, sign) => el("button", { type: "button", class: "plain tool", dataset: { action } },
      el("span", { "aria-hidden": "true" }, sign));
    this.tools = el("div", { class: "tools" }, tool("up", "↑"), tool("down", "↓"), tool("remove", "✕"));
    this.more = el("summary");
    return el("li", { class: "parameter", dataset: { id: this.id } },
      el("div", { class: "parameter-main" },
        field(name, "Name"), field(kind, "Kind"), field(low, "From"), field(high, "To"),
        field(values, "Values (a, b, c)"), field(value, "Value"), field(unit, "Unit"), this.tools),
      el("details", { class: "inner", open },
        this.more,
        el("div", { class: "parameter-more" },
          field(label, "Label on the cards"), field(step, "In steps of"),
          el("div", { class: "check", dataset: { of: "log" } }, log, el("label", { for: log.id }, "Ratios matter (logarithmic)")))),
      this.problem);
  }

  #show() {
    const shown = new Set(["name", "kind", "label", ...FIELDS[this.kind]]);
    for (const place of this.element.querySelectorAll("[data-of]")) place.hidden = !shown.has(place.dataset.of);
    this.element.dataset.kind = this.kind;
    this.more.textContent = "More options";
  }

  // Number the parameter.
  number(at) {
    this.element.setAttribute("aria-label", `Parameter ${at}`);
    const words = { up: `Move parameter ${at} up`, down: `Move parameter ${at} down`, remove: `Remove parameter ${at}` };
    for (const tool of this.tools.children) {
      tool.setAttribute("aria-label", words[tool.dataset.action]);
      tool.title = words[tool.dataset.action];
    }
  }

  get kind() { return this.inputs.kind.value; }
  get name() { return this.inputs.name.value.trim(); }

  // The typed values, for the draft.
  get state() {
    const entries = Object.entries(this.inputs).map(([field, input]) => [field, field === "log" ? input.checked : input.value]);
    return Object.fromEntries(entries);
  }

  has(field) { return FIELDS[this.kind].includes(field) ? this.inputs[field].value.trim() : ""; }
  get unit() { return this.has("unit"); }
  get label() { return this.inputs.label.value.trim(); }

  // The parameter as the server expects it.
  get definition() {
    const { low, high, step, log, values, value } = this.inputs;
    const base = { name: this.name, kind: this.kind };
    const ratio = log.checked ? { log: true } : {};
    switch (this.kind) {
      case "real": return { ...base, low: number(low.value), high: number(high.value), ...ratio, ...(step.value.trim() ? { step: number(step.value) } : {}) };
      case "integer": return { ...base, low: number(low.value), high: number(high.value), ...ratio };
      case "categorical": case "ordinal": return { ...base, values: list(values.value) };
      case "constant": return { ...base, value: number(value.value) };
      default: return base;
    }
  }

  // Missing and invalid fields, as [field, message, whether it is only missing].
  problems(taken) {
    const found = [];
    const { low, high, step, log, values, value } = this.inputs;
    if (!this.name) found.push(["name", "a name", true]);
    else if (taken.has(this.name)) found.push(["name", `another parameter is called ${this.name}`, false]);
    if (["real", "integer"].includes(this.kind)) {
      for (const [field, input, words] of [["low", low, "From"], ["high", high, "To"]]) {
        if (!input.value.trim()) found.push([field, `“${words}”`, true]);
        else if (!isNumber(input.value)) found.push([field, `“${words}” must be a number, ${example(input.value)}`, false]);
        else if (this.kind === "integer" && !Number.isInteger(Number(input.value))) found.push([field, `“${words}” must be a whole number`, false]);
      }
      if (!found.some(([field]) => field === "low" || field === "high")) found.push(...this.#range(Number(low.value), Number(high.value), log.checked, step.value));
    }
    if (["categorical", "ordinal"].includes(this.kind)) {
      const all = list(values.value);
      const twice = all.find((one, at) => all.indexOf(one) < at);
      if (all.length < 2) found.push(["values", "two values or more", true]);
      else if (twice !== undefined) found.push(["values", `“${twice}” is there twice`, false]);
    }
    if (this.kind === "constant" && !value.value.trim()) found.push(["value", "a value", true]);
    return found;
  }

  #range(low, high, log, step) {
    if (low >= high) return [["high", "“To” must be above “From”", false]];
    if (log && low <= 0) return [["low", "where ratios matter, “From” must be above 0", false]];
    if (this.kind !== "real" || !step.trim()) return [];
    const steps = (high - low) / Number(step);
    if (!isNumber(step) || Number(step) <= 0) return [["step", "a step must be a number above 0", false]];
    if (Math.abs(steps - Math.round(steps)) > 1e-6) return [["step", "steps must lead from “From” to “To”", false]];
    return [];
  }

  // Mark invalid fields; mark missing ones only after the user has left them.
  mark(problems) {
    const told = problems.filter(([field, , missing]) => !missing || this.left.has(field));
    const wrong = new Set(told.map(([field]) => field));
    for (const [field, input] of Object.entries(this.inputs)) {
      if (wrong.has(field)) {
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", this.problem.id);
      } else {
        input.removeAttribute("aria-invalid");
        input.removeAttribute("aria-describedby");
      }
    }
    if (wrong.has("step")) this.element.querySelector("details").open = true;
    const words = told.map(([, text, missing]) => (missing ? `${text} is needed` : text)).join("; ");
    this.problem.textContent = words && `${words[0].toUpperCase()}${words.slice(1)}.`;
  }
}
