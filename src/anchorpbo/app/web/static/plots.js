// Plotly in the colours of the page, under a content security policy that forbids inline styles.
//
//   draw(element, figure)         draws or redraws a figure of the server, which is legible on any background
//   onClick(element, handler)     calls a function with the point that is clicked

import { fit } from "./plot-texts.js";

/** @import { Figure, PlotElement, Plotly, Point } from "../plotly" */

class Plots {
  /** @type {Promise<Plotly> | undefined} */
  loading = undefined;
  /** @type {Map<HTMLElement, Figure>} */
  drawn = new Map();
  /** @type {WeakMap<Element, number>} */
  widths = new WeakMap(); // for which the texts of a figure were broken into lines
  resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const element = /** @type {HTMLElement} */ (target), figure = this.drawn.get(element);
      if (figure && element.clientWidth && element.clientWidth !== this.widths.get(element)) draw(element, figure);
    }
  });
}

const plots = new Plots();

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

const CONFIG = {
  responsive: false, // it would forget the height of a figure; resized figures are drawn again
  displaylogo: false,
  showSendToCloud: false,
  modeBarButtons: [["toImage"]],
};

// The settings of a layout that follow the page.
function pageLayout() {
  const page = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const colour = (name) => page.getPropertyValue(`--${name}`).trim();
  return {
    font: { size: 13, family: getComputedStyle(document.body).fontFamily, color: colour("ink") },
    hoverlabel: { align: "left", bgcolor: colour("raised"), bordercolor: colour("line"), font: { color: colour("ink") } },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("quiet"), activecolor: colour("accent") },
    dragmode: false,
  };
}

/**
 * @param {HTMLElement} element
 * @param {Figure} figure
 */
export async function draw(element, { data, layout }) {
  const Plotly = await plotly();
  plots.drawn.set(element, { data, layout });
  plots.widths.set(element, element.clientWidth);
  await Plotly.react(element, data, fit({ ...layout, ...pageLayout() }, data, element), CONFIG);
  plots.resized.observe(element);
  // Hide the plot from screen readers, since the element has a label; keep its button reachable.
  for (const layer of element.querySelectorAll(".main-svg")) layer.setAttribute("aria-hidden", "true");
  document.getElementById("js-plotly-tester")?.setAttribute("aria-hidden", "true"); // where it measures texts
}

/**
 * @param {HTMLElement} element which holds a plot
 * @param {(point: Point) => void} handler
 */
export function onClick(element, handler) {
  const plot = /** @type {PlotElement} */ (element);
  plot.removeAllListeners("plotly_click");
  plot.on("plotly_click", ({ points: [point] }) => handler(point));
}

function redraw() {
  for (const [element, figure] of plots.drawn) {
    if (element.isConnected) draw(element, figure);
    else plots.drawn.delete(element);
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
