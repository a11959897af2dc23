// Designs and numbers as text, by the display of the study.

import { digitsOf } from "./steps.js";

/** @import { Design, StudyView } from "../rest" */
/** @typedef {{ coefficients: Record<string, number>, lower: number | null, upper: number | null, total: number }} Violation */

const QUIET = new Set(["svg", "image", "smiles", "clip", "link", "title"]);

/**
 * Halves are rounded away from zero, here and in the report: 12.625 is 12.63.
 * @param {number | null | undefined} value
 */
export function number(value, digits = 2) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1e5) return value.toExponential(1).replace(/^-/, "−");
  const places = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? Math.min(digits, 1) : digits;
  return value.toFixed(places).replace(/^-(?=.*[1-9])/, "−").replace(/^-/, "");
}

/**
 * Noise is always shown as above 0.
 * @param {number} value
 */
export const noise = (value) => (value < 0.01 ? String(Number(value.toPrecision(1))) : number(value));

/** @param {number} share */
export function percent(share) {
  if (share > 0 && share < 0.01) return "under 1 %";
  return `${Math.round(100 * share)} %`;
}

/**
 * Rounded down, so that 90 % is not shown for less.
 * @param {number} probability
 */
export const certainty = (probability) => `${Math.floor(100 * probability + 1e-9)} %`;

/** @param {unknown} value */
export function shown(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** @param {number | null | undefined} ms */
export const seconds = (ms) => {
  if (ms === null || ms === undefined) return "–";
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
};

/** @param {string} iso */
export const moment = (iso) =>
  new Date(iso).toLocaleString(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/**
 * Decimals of the parameters with steps.
 * @param {StudyView["space"]} space
 * @returns {Map<string, number>}
 */
function digitsByName(space) {
  const parameters = space.kind === "space" ? space.parameters : [];
  return new Map(parameters.flatMap((one) => {
    const digits = one.kind === "real" ? digitsOf(one) : null;
    return digits === null ? [] : [[one.name, digits]];
  }));
}

/**
 * A number with the digits of its parameter's step.
 * @param {number} value
 * @param {number} digits
 */
const fixed = (value, digits) => String(Number(value.toFixed(digits)));

// Labels and units of a study's designs.
export class Words {
  /** @param {Pick<StudyView, "space" | "display">} study */
  constructor(study) {
    this.display = study.display || {};
    this.space = study.space;
    // Maps: a parameter may be called "constructor", which every plain object has.
    this.labels = new Map(Object.entries(this.display.labels || {}));
    this.units = new Map(Object.entries(this.display.units || {}));
    this.digits = digitsByName(study.space);
    /** The catalogue, or null. */
    this.catalogue = study.space.kind === "catalogue" ? study.space : null;
    this.isCatalogue = this.catalogue !== null;
    const special = Object.entries(this.display).filter(([key]) => QUIET.has(key)).map(([, column]) => column);
    this.left = new Set([...special, ...(this.display.hidden || []), ...(this.catalogue?.fingerprint || [])]);
  }

  /** @param {string} name */
  label(name) { return this.labels.get(name) || name; }

  /** @param {string} name */
  unit(name) { return this.units.get(name) || ""; }

  /**
   * Whether the unit says which number it is: no other has it.
   * @param {string} name
   */
  isNamedByUnit(name) { return this.unit(name) !== "" && [...this.units.values()].filter((unit) => unit === this.unit(name)).length === 1; }

  /**
   * The label up to its first comma, semicolon or parenthesis.
   * @param {string} name
   */
  short(name) { return this.label(name).split(/[,;(]/)[0].trim() || this.label(name); }

  /** @param {string} name */
  axis(name) { return this.unit(name) ? `${this.label(name)} (${this.unit(name)})` : this.label(name); }

  /**
   * @param {string} name
   * @param {unknown} value
   */
  value(name, value) { return this.unit(name) ? `${this.plain(name, value)} ${this.unit(name)}` : this.plain(name, value); }

  /**
   * A value without its unit.
   * @param {string} name
   * @param {unknown} value
   */
  plain(name, value) {
    const digits = this.digits.get(name);
    return typeof value === "number" && digits !== undefined ? fixed(value, digits) : shown(value);
  }

  /**
   * A violated constraint, in labels and units: "Drying time + Maillard time may be at most 10 min; here it is 12.5."
   * @param {Violation} violation
   */
  violation({ coefficients, lower, upper, total }) {
    const names = Object.keys(coefficients);
    const units = new Set(names.map((name) => this.unit(name)));
    const unit = units.size === 1 && this.unit(names[0]) ? ` ${this.unit(names[0])}` : "";
    const sum = names.map((name, n) => {
      const size = Math.abs(coefficients[name]);
      const sign = coefficients[name] < 0 ? "− " : "+ ";
      return `${n || size !== coefficients[name] ? sign : ""}${size === 1 ? "" : `${shown(size)} × `}${this.short(name)}`;
    }).join(" ");
    const ends = lower === upper ? `must be exactly ${shown(upper)}`
      : lower === null ? `may be at most ${shown(upper)}`
      : upper === null ? `must be at least ${shown(lower)}` : `must be from ${shown(lower)} to ${shown(upper)}`;
    return `${sum} ${ends}${unit}; here it is ${shown(total)}.`;
  }

  /** @param {Design} design */
  title(design) {
    const column = this.display.title || this.catalogue?.key;
    return column && (design[column] ?? null) !== null ? shown(design[column]) : null;
  }

  /** @param {Design} design */
  names(design) { return Object.keys(design).filter((name) => !this.left.has(name)); }

  /**
   * A design on one line: its title, or its values.
   * @param {Design} design
   */
  brief(design) { return this.title(design) ?? this.line(design); }

  /** @param {Design} design */
  line(design) {
    return this.names(design).filter((name) => design[name] !== null).map((name) => {
      const value = design[name];
      if (typeof value === "boolean") return `${value ? "" : "no "}${this.short(name).toLowerCase()}`;
      return typeof value === "number" && !this.isNamedByUnit(name) ? `${this.short(name)} ${this.value(name, value)}` : this.value(name, value);
    }).join(" · ");
  }

  /**
   * One of two designs on one line: its title, or the values that differ.
   * @param {Design} design
   * @param {Design} other
   */
  beside(design, other) { return this.title(design) ?? (this.differences(design, other) || this.line(design)); }

  /**
   * The values of a design that differ, on one line.
   * @param {Design} design
   * @param {Design} other
   */
  differences(design, other) {
    const names = this.names(design).filter((name) => !same(design[name], other[name]));
    return names.map((name) => `${this.short(name)} ${this.value(name, design[name])}`).join(" · ");
  }
}

/**
 * Whether two values are equal, whatever the order of names.
 * @param {unknown} a
 * @param {unknown} b
 */
export const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** @param {unknown} value */
function sorted(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
