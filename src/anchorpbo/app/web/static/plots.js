// Plotly in the colours of the page, under a content security policy that forbids inline styles.
//
//   plot(element, traces, layout)    draws or redraws; traces and layout may be functions of the colours
//   draw(element, figure)            the same for a figure of the server, which is legible on any background
//   colours()                        the colours of the page, from CSS
//   plain(text)                      text without the HTML that Plotly interprets
//   ramp(colours)                    a colour scale from the ground to the accent

/** @import { Data, Layout, Plotly } from "../plotly" */
/** @typedef {Record<string, string>} Colours */
/**
 * @template T
 * @typedef {T | ((colour: Colours) => T)} Coloured
 */

class Plots {
  /** @type {Promise<Plotly> | undefined} */
  loading = undefined;
  /** @type {Map<HTMLElement, [Coloured<Data[]>, Coloured<Layout>]>} */
  drawn = new Map();
}

const plots = new Plots();

/** @returns {Colours} */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["ground", "surface", "raised", "line", "ink", "quiet", "accent", "accent-soft", "good", "bad", "warm"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/**
 * Escape text, since Plotly interprets some HTML.
 * @param {string} text
 */
export const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** @param {Colours} colour */
export const ramp = (colour) => [[0, colour.ground], [0.5, colour["accent-soft"]], [1, colour.accent]];

// Load Plotly once. Its style rules are in plots.css: an element with this id and class tells Plotly that they exist.
// Other style elements that it adds while loading are for geographic maps and are disabled.
function plotly() {
  plots.loading ??= new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("link"), {
      id: "plotly.js-style-global", className: "no-inline-styles", rel: "stylesheet", href: "/static/plots.css",
    }));
    allowStyleAttributes();
    const create = document.createElement;
    document.createElement = function (/** @type {string} */ tag, /** @type {ElementCreationOptions} */ options) {
      return create.call(document, tag === "style" ? "template" : tag, options);
    };
    const script = Object.assign(create.call(document, "script"), { src: "/static/plotly.min.js" });
    /**
     * @template T
     * @param {(value: T) => void} then
     * @param {() => T} value
     */
    const settle = (then, value) => () => { Reflect.deleteProperty(document, "createElement"); then(value()); };
    script.addEventListener("load", settle(resolve, () => window.Plotly));
    script.addEventListener("error", settle(reject, () => {
      plots.loading = undefined;
      return new Error("The plot could not be loaded. Reload the page to try again.");
    }));
    document.head.append(script);
  });
  return plots.loading;
}

// The policy forbids style attributes, which Plotly sets on a few elements; setting them through the object model
// is allowed.
function allowStyleAttributes() {
  const set = Element.prototype.setAttribute;
  SVGElement.prototype.setAttribute = function (/** @type {string} */ name, /** @type {string} */ value) {
    if (name === "style") this.style.cssText = value;
    else set.call(this, name, value);
  };
}

/**
 * @param {Colours} colour
 * @param {Layout} layout
 */
function themed(colour, layout) {
  const axis = {
    gridcolor: colour.line, zerolinecolor: colour.line, linecolor: colour.line, tickcolor: colour.line, automargin: true,
  };
  const given = Object.entries(layout).map(([name, value]) => [name, /^[xy]axis/.test(name) ? { ...axis, .../** @type {Record<string, unknown>} */ (value) } : value]);
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: colour.ink },
    margin: { l: 8, r: 8, t: 8, b: 8 },
    colorway: [colour.accent, colour.warm, colour.quiet, colour.good, colour.bad],
    hoverlabel: { bgcolor: colour.raised, bordercolor: colour.line, font: { color: colour.ink } },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour.quiet, activecolor: colour.accent },
    dragmode: false,
    xaxis: axis,
    yaxis: axis,
    ...Object.fromEntries(given),
  };
}

const CONFIG = {
  responsive: true,
  displaylogo: false,
  showSendToCloud: false,
  modeBarButtons: [["toImage"]],
};

/**
 * @param {HTMLElement} element
 * @param {Coloured<Data[]>} traces
 * @param {Coloured<Layout>} layout
 */
export async function plot(element, traces, layout = {}) {
  const Plotly = await plotly();
  plots.drawn.set(element, [traces, layout]);
  const colour = colours();
  /** @template T @param {Coloured<T>} given @returns {T} */
  const made = (given) => (given instanceof Function ? given(colour) : given);
  await Plotly.react(element, made(traces), themed(colour, made(layout)), CONFIG);
  // Hide the plot from screen readers, since the element has a label; keep its button reachable.
  for (const layer of element.querySelectorAll(".main-svg")) layer.setAttribute("aria-hidden", "true");
  document.getElementById("js-plotly-tester")?.setAttribute("aria-hidden", "true"); // where it measures texts
}

/**
 * @param {HTMLElement} element
 * @param {{ data: Data[], layout: Layout }} figure
 */
export function draw(element, { data, layout }) {
  return plot(element, data, (colour) => ({
    ...layout,
    font: { size: 13, family: getComputedStyle(document.body).fontFamily, color: colour.ink },
    hoverlabel: { align: "left", bgcolor: colour.raised, bordercolor: colour.line, font: { color: colour.ink } },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour.quiet, activecolor: colour.accent },
    dragmode: false,
  }));
}

function redraw() {
  for (const [element, [traces, layout]] of plots.drawn) {
    if (element.isConnected) plot(element, traces, layout);
    else plots.drawn.delete(element);
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
