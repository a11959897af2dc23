// Figures of the server: it computes plotly's data and layout, and this page draws them in its own colours.

import { get, participant } from "./api.js";
import { draw } from "./plots.js";

/** @import { FigureView, paths } from "../rest" */
/** @typedef {paths["/api/studies/{id}/figures/{name}"]["get"]["parameters"]["path"]["name"]} FigureName */
/** @typedef {{ at?: string, x?: string, y?: string, columns?: number, risk_weight?: number, finding?: string }} FigureQuery */

/** @type {WeakMap<HTMLElement, number>} */
const requests = new WeakMap(); // the number of the latest request for each element: an older answer is dropped

/**
 * Draw a figure in an element, and describe it to those who cannot see it; false if a later request replaces it.
 * @param {HTMLElement} element
 * @param {FigureName} name
 * @param {FigureQuery} query
 * @param {(figure: FigureView) => FigureView} change may change the figure first, for example hide some of its traces
 */
export async function showFigure(element, name, query = {}, change = (figure) => figure) {
  const mine = (requests.get(element) ?? 0) + 1;
  requests.set(element, mine);
  const figure = await get("/studies/{id}/figures/{name}", { participant, ...query }, { path: { name } });
  if (mine !== requests.get(element)) return false;
  element.setAttribute("aria-label", figure.description);
  await draw(element, change(figure));
  return true;
}
