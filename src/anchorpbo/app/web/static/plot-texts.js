// Titles and labels of figures, broken into lines or shortened until they fit.

/** @import { Data, Layout } from "../plotly" */
/** @typedef {{ text?: string, font?: { size?: number } }} Text */
/** @typedef {{ title?: Text, domain?: [number, number], type?: string, ticktext?: string[] }} Axis */

const SIZE = 13, SMALLEST = 10; // of the font, in pixels
const TALL = 240; // height in pixels from which the title below a single panel may have two lines
const LETTER = 0.62; // width of a letter as a share of the font's size
const EDGE = 16, MARGIN = 90, SCALE = 95; // beside a title, above and below the panels, and for the scale of colours, in pixels
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
  const hasColourBar = traces.some(({ colorbar, marker }) => colorbar || /** @type {Data | undefined} */ (marker)?.colorbar);
  const upright = /** @type {Axis[]} */ (Object.entries(layout).filter(([name]) => name.startsWith("yaxis")).map(([, axis]) => axis));
  const labels = upright.flatMap(({ ticktext, type }) => ticktext ?? (type === "category" ? valuesAlong(traces, "y") : []));
  const longest = Math.max(0, ...labels.flatMap((one) => one.split("<br>")).map((one) => lettersOf(one).length));
  // A title below a panel may be wider than the panel, but it is centred on it.
  const below = width - EDGE - (hasColourBar ? SCALE : 0) - Math.min(longest * LETTER * SIZE, TICKS * width);
  const isSingle = Object.keys(layout).filter((name) => name.startsWith("xaxis")).length === 1;
  const lines = isSingle && height >= TALL ? 2 : 1;
  const fitted = Object.entries(layout).map(([name, value]) => {
    const along = /^([xy])axis\d*$/.exec(name)?.[1];
    return [name, along ? fitAxis(/** @type {Axis} */ (value), along === "x" ? below : height - MARGIN, along === "x", width, valuesAlong(traces, along), along === "x" ? lines : 1) : value];
  });
  const annotations = /** @type {Text[] | undefined} */ (layout.annotations);
  return {
    ...Object.fromEntries(fitted), width, height,
    ...(annotations ? { annotations: annotations.map((one) => ({ ...one, text: wrap(one.text ?? "", count(below, one.font?.size), 2) })) } : {}),
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
 * @param {number} lines of its title
 */
function fitAxis(axis, length, flat, width, values, lines) {
  const [from, to] = axis.domain ?? [0, 1];
  const { title } = axis;
  const label = flat ? 16 : count(TICKS * width, undefined);
  const named = axis.type === "category" ? { tickmode: "array", tickvals: values, ticktext: values.map((one) => shorten(one, label)) } : {};
  return {
    ...axis, ...named,
    ...(axis.ticktext && !flat ? { ticktext: axis.ticktext.map((one) => fitLabel(one, label)) } : {}),
    ...(title?.text ? { title: fitTitle(title, (to - from) * length, lines) } : {}),
  };
}

/**
 * A label at the left: one line, or its lines with each broken in two if it is too long.
 * @param {string} text
 * @param {number} most letters of a line
 */
const fitLabel = (text, most) =>
  text.includes("<br>") ? text.split("<br>").map((line) => wrap(line, most, 2)).join("<br>") : shorten(text, most);

/**
 * A title in the largest font in which all of it fits; it is shortened if none does.
 * @param {Text} title
 * @param {number} room in pixels
 * @param {number} lines
 */
function fitTitle(title, room, lines) {
  let size = title.font?.size ?? SIZE;
  const inLines = () => wrap(title.text ?? "", count(room, size), lines);
  while (size > SMALLEST && inLines().includes("…")) size -= 1;
  return { ...title, font: { ...title.font, size }, text: inLines() };
}
