// Steps of numbers: their digits, the nearest value, places on a slider, and a suggestion for a range.

/** @import { IntegerLayout, RealLayout } from "../rest" */

const NICE = [1, 2, 2.5, 5];
const SHARES = [[0.02, 0.05], [0.005, 0.1]]; // of the range: what is preferred, and what is still suggested
const DIVIDES = 1e-6; // largest distance from a whole number of steps
const PLACES = 200; // of a slider over a range without steps

/** @param {number} number */
const decimals = (number) => {
  const [digits, power = "0"] = String(number).split("e");
  return Math.min(Math.max((digits.split(".")[1] || "").length - Number(power), 0), 20);
};

/**
 * @param {number} low
 * @param {number} step
 */
const digitsFor = (low, step) => Math.max(decimals(step), decimals(low));

/**
 * Decimals of the values of a parameter with a step, or null.
 * @param {Pick<RealLayout, "low" | "step">} parameter
 */
export const digitsOf = ({ low, step }) => (step ? digitsFor(low, step) : null);

/** @param {RealLayout | IntegerLayout} parameter */
const stepOf = (parameter) => (parameter.kind === "integer" ? 1 : parameter.step);

/**
 * The value of a parameter that is nearest to a number within its range.
 * @param {number} number
 * @param {RealLayout | IntegerLayout} parameter
 */
export function snap(number, parameter) {
  const { low, high } = parameter;
  const step = stepOf(parameter);
  if (!step || number < low || number > high) return number;
  const place = Math.round((number - low) / step);
  return place >= Math.round((high - low) / step) ? high : Number((low + place * step).toFixed(digitsFor(low, step)));
}

/**
 * Scale between slider positions, 0 to `last`, and values.
 * @param {RealLayout | IntegerLayout} parameter
 */
export function scale(parameter) {
  const { low, high, log } = parameter;
  const step = stepOf(parameter);
  if (step && !(log && high - low > PLACES * step)) {
    const digits = digitsFor(low, step);
    const last = Math.round((high - low) / step);
    return {
      last,
      value: (/** @type {number} */ place) => (place >= last ? high : Number((low + place * step).toFixed(digits))),
      place: (/** @type {number} */ value) => Math.round((value - low) / step),
    };
  }
  const digits = Math.min(Math.max(Math.ceil(-Math.log10((high - low) / PLACES)), 0), 20);
  /** @param {number} value */
  const near = (value) => {
    if (step) return low + Math.round((value - low) / step) * step;
    return log ? Number(value.toPrecision(3)) : Number(value.toFixed(digits));
  };
  /** @type {(number: number) => number} */
  const at = log ? (share) => low * (high / low) ** share : (share) => low + share * (high - low);
  /** @type {(number: number) => number} */
  const share = log ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
  return {
    last: PLACES,
    value: (/** @type {number} */ place) => (place <= 0 ? low : place >= PLACES ? high : Math.min(Math.max(near(at(place / PLACES)), low), high)),
    place: (/** @type {number} */ value) => Math.round(PLACES * share(value)),
  };
}

/**
 * The largest step of 1, 2, 2.5 or 5 times a power of ten that divides a range into parts of 2 to 5 %, or else of 0.5
 * to 10 %; null if none does.
 * @param {number} low
 * @param {number} high
 */
export function suggestStep(low, high) {
  const width = high - low;
  if (!(width > 0) || !Number.isFinite(width)) return null;
  const power = Math.floor(Math.log10(width));
  const steps = [0, -1, -2, -3].flatMap((down) => NICE.map((digit) => Number(`${digit}e${power + down}`)));
  for (const [least, most] of SHARES) {
    const fitting = steps.filter((step) => {
      const parts = width / step;
      return step >= least * width && step <= most * width && Math.abs(parts - Math.round(parts)) < DIVIDES;
    });
    if (fitting.length) return Math.max(...fitting);
  }
  return null;
}
