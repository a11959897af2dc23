// Map of the reliability of answers, a figure of the server: over two parameters, along one, or over the items of a
// catalogue. A click chooses the design at that place.

import { attempt } from "./api.js";
import { headMarks, judgementOf } from "./anchors-judgements.js";
import { el, elementsOf } from "./dom.js";
import { showFigure } from "./figures.js";
import { onClick } from "./plots.js";

/** @import { AnchorView, Design, FigureView } from "../rest" */
/** @import { Point } from "../plotly" */
/** @import { Words } from "./results-words.js" */

const at = elementsOf("anchors");
const PAUSE = 250; // ms without a change of the controls before the map follows
const HINT = "Nothing is marked yet: all answers count the same. Mark a design, and the map shows where your answers count more.";

/**
 * The figure with the height of its element, which stays in sight beside the controls; these show the other values.
 * @param {FigureView} figure
 * @returns {FigureView}
 */
const fit = (figure) => ({
  ...figure, layout: { ...figure.layout, height: undefined, annotations: [], margin: { l: 50, r: 8, t: 24, b: 84 } },
});

/**
 * @param {object} page
 * @param {Words} page.words
 * @param {(design: Design) => string} page.sameAs
 * @param {(values: Design) => void} page.choose called with the values at the place that was clicked
 */
export function reliabilityMap({ words, sameAs, choose }) {
  const { space } = words;
  const varying = space.kind === "space" ? space.parameters.filter((one) => one.kind !== "constant").map((one) => one.name) : [];
  /** @type {Design[]} */
  let anchors = []; // and designs that are hard to judge
  /** @type {string[]} */
  let names = []; // what each of them is called, or its number
  let negative = 0; // number of designs that are hard to judge
  /** @type {Design | null} */
  let onControls = null;
  let chosen = "controls"; // or sameAs of an anchor
  let pause = 0;

  const through = () => anchors.find((anchor) => sameAs(anchor) === chosen) || onControls;

  if (varying.length > 1) {
    at("axes").hidden = false;
    const options = () => varying.map((name) => el("option", { value: name }, words.label(name)));
    const [x, y] = [at("axis-x"), at("axis-y")];
    x.append(...options());
    y.append(...options());
    [x.value, y.value] = varying;
    // If both axes have the same parameter, swap them.
    let before = [x.value, y.value];
    for (const axis of [x, y]) {
      axis.addEventListener("change", () => {
        if (x.value === y.value) (axis === x ? y : x).value = before[axis === x ? 0 : 1];
        before = [x.value, y.value];
        redraw();
      });
    }
    if (varying.length < 3) at("through").parentElement?.setAttribute("hidden", "");
    at("through").addEventListener("change", () => { chosen = at("through").value; redraw(); });
  }

  function offer() {
    const options = anchors.map((anchor, n) => el("option", { value: sameAs(anchor) }, names[n]));
    at("through").replaceChildren(el("option", { value: "controls" }, "The values set"), ...options);
    if (!anchors.some((anchor) => sameAs(anchor) === chosen)) chosen = "controls";
    at("through").value = chosen;
  }

  async function redraw() {
    const here = through();
    const axes = varying.length > 1 ? { x: at("axis-x").value, y: at("axis-y").value } : {};
    const design = varying.length && here ? { at: JSON.stringify(here) } : {};
    at("map-words").textContent = anchors.length ? explain() : HINT;
    const drawn = await attempt(() => showFigure(at("map"), "anchors", { ...axes, ...design }, fit));
    if (!drawn) return;
    onClick(at("map"), (point) => {
      const values = valuesAt(point);
      if (values) choose({ ...here, ...values });
    });
  }

  function explain() {
    if (negative) return `${explainColours()} Crosses are designs that are hard for you to judge.`;
    if (words.isCatalogue) return "Similar items lie close together; the lighter the colour, the more your answers about them count. Choose an item to see it.";
    if (varying.length < 2) return "The higher the line, the more your answers there count. Click a place to set its value.";
    return "The lighter the colour, the more your answers there count. Hollow anchors lie outside this slice: their other parameters differ. Click a place to set its values.";
  }

  function explainColours() {
    const start = words.isCatalogue ? "Similar items lie close together. " : "";
    return `${start}Where the reliability is above 0, your answers count more; where it is below 0, they count less.`;
  }

  /**
   * The values that a place of the figure stands for; null for a mark without values.
   * @param {Point} point
   * @returns {Design | null}
   */
  function valuesAt({ data, customdata, pointNumber }) {
    if (space.kind === "catalogue") return customdata === undefined ? null : { [space.key]: customdata };
    if (!data.meta?.axes) return null;
    const axes = Object.entries(data.meta.axes);
    const places = Array.isArray(pointNumber) ? [pointNumber[1], pointNumber[0]] : [pointNumber];
    return Object.fromEntries(axes.map(([name, values], n) => [name, values[places[n]]]));
  }

  return {
    /**
     * After a change of marks: a slice through the newest one, an anchor if possible.
     * @param {AnchorView[]} marks
     */
    draw(marks) {
      const before = new Set(anchors.map(sameAs));
      const heads = headMarks(marks);
      const marked = marks.map((mark, n) => ({ mark, name: mark.name ?? heads[n] })).filter(({ mark }) => judgementOf(mark) !== "unsure");
      const added = marked.filter(({ mark }) => !before.has(sameAs(mark.design)));
      const newest = added.findLast(({ mark }) => judgementOf(mark) === "yes") ?? added.at(-1);
      if (newest) chosen = sameAs(newest.mark.design);
      anchors = marked.map(({ mark }) => mark.design);
      names = marked.map(({ name }) => name);
      negative = marks.filter((mark) => judgementOf(mark) === "no").length;
      offer();
      return redraw();
    },
    /**
     * After a change of the controls: a slice through their design.
     * @param {Design} design
     * @param {boolean} byHand
     */
    follow(design, byHand) {
      onControls = design;
      if (!byHand) return;
      chosen = "controls";
      offer();
      clearTimeout(pause);
      if (anchors.length && varying.length > 2) pause = setTimeout(redraw, PAUSE);
    },
  };
}
