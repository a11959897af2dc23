// Controls for a design: one per parameter, from the space in `GET /api/studies/{id}`.

import { el } from "./dom.js";

const PLACES = 200; // of a slider over a range without steps

const decimals = (number) => {
  const [digits, power = "0"] = String(number).split("e");
  return Math.max((digits.split(".")[1] || "").length - Number(power), 0);
};

// Scale between slider positions, 0 to `last`, and values.
function scale({ kind, low, high, log, step = kind === "integer" ? 1 : null }) {
  if (step && !(log && high - low > PLACES * step)) {
    const digits = Math.min(Math.max(decimals(step), decimals(low)), 20);
    const last = Math.round((high - low) / step);
    return {
      last,
      value: (place) => (place >= last ? high : Number((low + place * step).toFixed(digits))),
      place: (value) => Math.round((value - low) / step),
    };
  }
  const digits = Math.min(Math.max(Math.ceil(-Math.log10((high - low) / PLACES)), 0), 20);
  const near = (value) => {
    if (step) return low + Math.round((value - low) / step) * step;
    return log ? Number(value.toPrecision(3)) : Number(value.toFixed(digits));
  };
  const at = log ? (share) => low * (high / low) ** share : (share) => low + share * (high - low);
  const share = log ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
  return {
    last: PLACES,
    value: (place) => (place <= 0 ? low : place >= PLACES ? high : Math.min(Math.max(near(at(place / PLACES)), low), high)),
    place: (value) => Math.round(PLACES * share(value)),
  };
}

const inWords = (value) => (value === true ? "yes" : value === false ? "no" : String(value));

function numeric(parameter, id, label, unit, changed) {
  const { low, high, kind } = parameter;
  const places = scale(parameter);
  let value = low;
  const range = el("input", { type: "range", id, min: "0", max: String(places.last), step: "1" });
  const exact = el("input", {
    type: "number", min: String(low), max: String(high), step: kind === "integer" ? "1" : String(parameter.step || "any"),
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
    value = exact.valueAsNumber;
    range.value = String(places.place(Math.min(Math.max(value, low), high)));
    tell();
    changed();
  });
  return {
    element: el("div", { class: "control" },
      el("label", { for: id }, label),
      el("span", { class: "exact" }, exact, unit ? el("span", { class: "quiet", "aria-hidden": "true" }, unit) : null),
      range),
    get: () => value,
    set(given) {
      value = given;
      exact.value = String(given);
      exact.removeAttribute("aria-invalid");
      range.value = String(places.place(given));
      tell();
    },
  };
}

function listed(values, id, label, changed) {
  if (values.length > 4) {
    const select = el("select", { id, onchange: changed }, values.map((value, n) => el("option", { value: String(n) }, inWords(value))));
    return {
      element: el("div", { class: "control" }, el("label", { for: id }, label), select),
      get: () => values[Number(select.value)],
      set: (value) => { select.value = String(values.indexOf(value)); },
    };
  }
  const inputs = values.map((_, n) => el("input", { type: "radio", name: id, id: `${id}-${n}`, class: "sr-only", onchange: changed }));
  const options = values.flatMap((value, n) => [inputs[n], el("label", { for: `${id}-${n}` }, inWords(value))]);
  return {
    element: el("fieldset", { class: "control" }, el("legend", {}, label), el("div", { class: "segments" }, options)),
    get: () => values[Math.max(inputs.findIndex((input) => input.checked), 0)],
    set: (value) => inputs.forEach((input, n) => { input.checked = values[n] === value; }),
  };
}

function control(parameter, id, label, unit, changed) {
  if (parameter.kind === "real" || parameter.kind === "integer") return numeric(parameter, id, label, unit, changed);
  return listed(parameter.kind === "boolean" ? [false, true] : parameter.values, id, label, changed);
}

// Controls of all varying parameters. `changed` is called when the user changes one; `set` does not call it.
export function sliders(words, changed) {
  const made = words.space.parameters
    .filter((parameter) => parameter.kind !== "constant")
    .map((parameter, n) => {
      const { name } = parameter;
      return [name, control(parameter, `control-${n}`, words.label(name), words.unit(name), changed)];
    });
  let rest = {};
  return {
    element: el("div", { class: "controls" }, made.map(([, one]) => one.element)),
    get: () => ({ ...rest, ...Object.fromEntries(made.map(([name, one]) => [name, one.get()])) }),
    set(design) {
      rest = design;
      for (const [name, one] of made) one.set(design[name]);
    },
  };
}
