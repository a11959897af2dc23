// Designs and numbers as text, by the display of the study.

const QUIET = new Set(["svg", "image", "smiles", "link", "title"]);

// Halves are rounded away from zero, here and in the report: 12.625 is 12.63.
export function number(value, digits = 2) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1e5) return value.toExponential(1).replace(/^-/, "−");
  const places = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? Math.min(digits, 1) : digits;
  return value.toFixed(places).replace(/^-(?=.*[1-9])/, "−").replace(/^-/, "");
}

// Noise is always shown as above 0.
export const noise = (value) => (value < 0.01 ? String(Number(value.toPrecision(1))) : number(value));

export function percent(share) {
  if (share > 0 && share < 0.01) return "under 1 %";
  return `${Math.round(100 * share)} %`;
}

// Rounded down, so that 90 % is not shown for less.
export const certainty = (probability) => `${Math.floor(100 * probability + 1e-9)} %`;

export function shown(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
  if (value !== null && typeof value === "object") return JSON.stringify(value);
  return String(value);
}

export const seconds = (ms) => {
  if (ms === null || ms === undefined) return "–";
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
};

export const moment = (iso) =>
  new Date(iso).toLocaleString(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

// Labels and units of a study's designs.
export class Words {
  constructor(study) {
    this.display = study.display || {};
    this.space = study.space;
    // Maps: a parameter may be called "constructor", which every plain object has.
    this.labels = new Map(Object.entries(this.display.labels || {}));
    this.units = new Map(Object.entries(this.display.units || {}));
    this.isCatalogue = study.space.kind === "catalogue";
    const special = Object.entries(this.display).filter(([key]) => QUIET.has(key)).map(([, column]) => column);
    this.left = new Set([...special, ...(this.display.hidden || []), ...(study.space.fingerprint || [])]);
  }

  label(name) { return this.labels.get(name) || name; }

  unit(name) { return this.units.get(name) || ""; }

  // The label up to its first comma, semicolon or parenthesis.
  short(name) { return this.label(name).split(/[,;(]/)[0].trim() || this.label(name); }

  axis(name) { return this.unit(name) ? `${this.label(name)} (${this.unit(name)})` : this.label(name); }

  value(name, value) { return this.unit(name) ? `${shown(value)} ${this.unit(name)}` : shown(value); }

  title(design) {
    const column = this.display.title || (this.isCatalogue ? this.space.key : null);
    return column && (design[column] ?? null) !== null ? shown(design[column]) : null;
  }

  names(design) { return Object.keys(design).filter((name) => !this.left.has(name)); }

  // A design on one line: its title, or its values.
  brief(design) { return this.title(design) ?? this.line(design); }

  line(design) {
    return this.names(design).filter((name) => design[name] !== null).map((name) => {
      const value = design[name];
      if (typeof value === "boolean") return `${value ? "" : "no "}${this.short(name).toLowerCase()}`;
      return typeof value === "number" && !this.unit(name) ? `${this.short(name)} ${shown(value)}` : this.value(name, value);
    }).join(" · ");
  }

  // One of two designs on one line: its title, or the values that differ.
  beside(design, other) { return this.title(design) ?? (this.differences(design, other) || this.line(design)); }

  // The values of a design that differ, on one line.
  differences(design, other) {
    const names = this.names(design).filter((name) => !same(design[name], other[name]));
    return names.map((name) => `${this.short(name)} ${this.value(name, design[name])}`).join(" · ");
  }
}

export const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function sorted(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A small drawing of an interval with the mean.
export function intervalPicture(utility, [low, high], zero = "average") {
  const from = Math.min(low, 0), to = Math.max(high, 0), pad = 0.06 * (to - from || 1);
  const x = (value) => 6 + (348 * (value - from + pad)) / (to - from + 2 * pad);
  const within = (place) => Math.min(Math.max(place, 22), 338);
  const words = `Utility ${number(utility)}, with 90 % probability from ${number(low)} to ${number(high)}; 0 is the ${zero}.`;
  const narrow = x(high) - x(low) < 60;
  const text = (value, y, anchor, content) => svg("text", { x: within(x(value)), y, "text-anchor": anchor }, content);
  return svg("svg", { viewBox: "0 0 360 64", role: "img", "aria-label": words, class: "interval" },
    svg("line", { x1: 4, x2: 356, y1: 32, y2: 32, class: "axis" }),
    svg("line", { x1: x(0), x2: x(0), y1: 18, y2: 44, class: "zero" }),
    svg("rect", { x: x(low), y: 26, width: Math.max(x(high) - x(low), 2), height: 12, rx: 6, class: "band" }),
    svg("circle", { cx: x(utility), cy: 32, r: 6, class: "dot" }),
    svg("text", { x: Math.min(Math.max(x(0), 28), 332), y: 12, "text-anchor": "middle" }, zero),
    text(low, 59, narrow ? "end" : "middle", number(low, 1)),
    text(high, 59, narrow ? "start" : "middle", number(high, 1)));
}
