// Titles and labels of figures, broken into lines or shortened until they fit.

/** @import { Data, Layout } from "../plotly" */
/** @typedef {{ text?: string, font?: { size?: number } }} Text */
/** @typedef {{ title?: Text, domain?: [number, number], type?: string, side?: string, ticktext?: string[] }} Axis */

const SIZE = 13; // of the font, in pixels
const LETTER = 0.62; // width of a letter as a share of the font's size
const MARGIN = 90, SCALE = 95; // around the panels, and for a second axis or the scale of colours, roughly
const TICKS = 0.36; // share of the width for labels at the left

/** @param {string} text with Plotly's entities, each of which is one letter */
const lettersOf = (text) => text.match(/&[a-z]+;|./gsu) ?? [];

/**
 * @param {string} text
 * @param {number} most letters
 */
export function shorten(text, most) {
  const letters = lettersOf(text);
  return letters.length <= most ? text : `${letters.slice(0, Math.max(most - 1, 1)).join("").trimEnd()}…`;
}

/**
 * Break a text between words into lines; shorten words and the last line that are too long.
 * @param {string} text
 * @param {number} most letters of a line
 * @param {number} lines
 */
export function wrap(text, most, lines) {
  /** @type {string[]} */
  const found = [];
  for (const word of text.split(/ |<br>/)) {
    const longer = found.length ? `${found[found.length - 1]} ${word}` : word;
    if (found.length && lettersOf(longer).length <= most) found[found.length - 1] = longer;
    else found.push(shorten(word, most));
  }
  if (found.length <= lines) return found.join("<br>");
  return [...found.slice(0, lines - 1), shorten(`${found.slice(lines - 1).join(" ")}`, most)].join("<br>");
}

/**
 * @param {number} room in pixels
 * @param {number | undefined} size of the font
 */
const count = (room, size) => Math.max(Math.floor(room / (LETTER * (size ?? SIZE))), 6);

/**
 * The layout of a figure that fills its place, with texts that fit.
 * @param {Layout} layout
 * @param {Data[]} traces
 * @param {Pick<HTMLElement, "clientWidth" | "clientHeight">} place
 */
export function fit(layout, traces, { clientWidth: width, clientHeight }) {
  if (!width) return layout; // it is not shown yet
  const height = Number(layout.height) || clientHeight;
  const upright = /** @type {Axis[]} */ (Object.entries(layout).filter(([name]) => name.startsWith("yaxis")).map(([, axis]) => axis));
  const isScaled = upright.some(({ side }) => side === "right") || traces.some(({ colorbar, marker }) => colorbar || /** @type {Data | undefined} */ (marker)?.colorbar);
  const longest = Math.max(0, ...upright.flatMap(({ ticktext }) => (ticktext ?? []).map((one) => lettersOf(one).length)));
  const room = width - MARGIN - (isScaled ? SCALE : 0) - Math.min(longest * LETTER * SIZE, TICKS * width);
  const fitted = Object.entries(layout).map(([name, value]) => {
    const along = /^([xy])axis\d*$/.exec(name)?.[1];
    return [name, along ? fitAxis(/** @type {Axis} */ (value), along === "x" ? room : height - MARGIN, along === "x", width, valuesAlong(traces, along)) : value];
  });
  const annotations = /** @type {Text[] | undefined} */ (layout.annotations);
  return {
    ...Object.fromEntries(fitted), width, height,
    ...(annotations ? { annotations: annotations.map((one) => ({ ...one, text: wrap(one.text ?? "", count(room, one.font?.size), 2) })) } : {}),
  };
}

/**
 * @param {Data[]} traces
 * @param {string} along
 */
const valuesAlong = (traces, along) => [...new Set(traces.flatMap((one) => /** @type {unknown[]} */ (one[along] ?? [])))].filter((one) => typeof one === "string");

/**
 * @param {Axis} axis
 * @param {number} length of all panels along the axis
 * @param {boolean} flat
 * @param {number} width
 * @param {string[]} values that the traces have along the axis
 */
function fitAxis(axis, length, flat, width, values) {
  const [from, to] = axis.domain ?? [0, 1];
  const { title } = axis;
  const label = flat ? 16 : count(TICKS * width, undefined);
  const named = axis.type === "category" ? { tickmode: "array", tickvals: values, ticktext: values.map((one) => shorten(one, label)) } : {};
  return {
    ...axis, ...named,
    ...(axis.ticktext && !flat ? { ticktext: axis.ticktext.map((one) => shorten(one, label)) } : {}),
    ...(title?.text ? { title: { ...title, text: wrap(title.text, count((to - from) * length, title.font?.size), flat ? 2 : 1) } } : {}),
  };
}
