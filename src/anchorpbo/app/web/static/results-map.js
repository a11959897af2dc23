// The map of the Results page and its data: a plane of two parameters, or the items of a catalogue.

import { get, participant } from "./api.js";
import { elementsOf } from "./dom.js";
import { showFigure } from "./figures.js";

/** @import { Design, Map as UtilityMap, Slice } from "../rest" */
/** @import { Data, Meta } from "../plotly" */
/** @import { FigureQuery } from "./figures.js" */
/** @typedef {"utility" | "uncertainty" | "noise" | "reliability"} Quantity */
/** @typedef {{ duels: boolean, anchors: boolean }} Marked */

const byId = elementsOf("results");
/** @type {Record<Quantity, string>} */
const WORDS = {
  utility: "Colour is the expected utility: how much better than the average of what was compared.",
  uncertainty: "Colour is half the width of the 90 % interval of the utility: where it is large, little is known.",
  noise: "Colour is how unsteady your judgement is: small near anchors.",
  reliability: "Colour is how reliably you can judge: high near anchors.",
};

/**
 * @param {Design | null} at
 * @param {string} x
 * @param {string} y
 */
export const loadMap = (at, x, y) =>
  get("/studies/{id}/map", { participant, at: at ? JSON.stringify(at) : undefined, x: x || undefined, y: y || undefined });

/**
 * Smallest and largest noise along the slices, or of the items: not on the map, whose axes can be changed.
 * @param {UtilityMap} map
 * @returns {[number, number] | null}
 */
export function noiseRange(map) {
  const grids = [...map.slices.map((one) => one.grid), map.items?.grid];
  const all = grids.flatMap((grid) => (grid?.noise || []).flat());
  return all.length ? [Math.min(...all), Math.max(...all)] : null;
}

/**
 * The two parameters that matter most, numbers before categories.
 * @param {Slice[]} slices
 */
export function strongest(slices) {
  /** @param {Slice} slice */
  const reach = ({ grid: { utility } }) => (utility ? Math.max(...utility) - Math.min(...utility) : 0);
  const smooth = slices.filter(({ axis }) => axis.continuous);
  const among = smooth.length > 1 ? smooth : slices;
  const names = among.map(({ axis }) => axis.name);
  const two = [...among].sort((a, b) => reach(b) - reach(a)).slice(0, 2).map(({ axis }) => axis.name);
  return two.sort((a, b) => names.indexOf(a) - names.indexOf(b));
}

/**
 * @param {UtilityMap} map
 * @param {Quantity} quantity
 * @param {Marked} marked
 * @param {FigureQuery} query
 */
export async function drawMap({ plane, items }, quantity, marked, query) {
  /** @param {Data} trace */
  const isShown = ({ meta }) => {
    const marks = /** @type {Meta | undefined} */ (meta)?.marks;
    return !marks || marked[marks];
  };
  const axes = plane ? { x: plane.x.name, y: plane.y.name } : {};
  await showFigure(byId("map"), quantity, { ...query, ...axes }, (figure) => (
    { ...figure, data: figure.data.filter(isShown) }));
  const some = items && items.shown < items.total ? ` ${items.shown} of ${items.total} items are shown.` : "";
  const others = items
    ? `Similar items lie close together; thin lines join what you compared.${some}`
    : "All other parameters are as recommended; anchors and comparisons may differ in them.";
  byId("map-words").textContent = `${WORDS[quantity]} ${others}`;
}
