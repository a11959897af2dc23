// Map of the reliability of answers: over two parameters, along one, or over the items of a catalogue.

import { attempt, get, participant } from "./api.js";
import { el, elementsOf } from "./dom.js";
import { plain, plot, ramp } from "./plots.js";

/** @import { Axis, Design, ItemProjection, Map as ReliabilityMap, Plane, Slice } from "../rest" */
/** @import { Data } from "../plotly" */
/** @import { Colours } from "./plots.js" */
/** @import { Words } from "./results-words.js" */

const at = elementsOf("anchors");
/** @param {unknown} value */
const inWords = (value) => (value === true ? "yes" : value === false ? "no" : String(value));
const PAUSE = 250; // ms without a change of the controls before the map follows
const HINT = "Nothing is marked yet: all answers count the same. Mark a design, and the map shows where your answers count more.";

/**
 * @param {{ words: Words, sameAs: (design: Design) => string }} page
 */
export function reliabilityMap({ words, sameAs }) {
  const { space, display } = words;
  const varying = space.kind === "space" ? space.parameters.filter((one) => one.kind !== "constant").map((one) => one.name) : [];
  /** @param {string} name */
  const label = (name) => words.label(name);
  /** @type {Design[]} */
  let anchors = [];
  /** @type {string[]} */
  let names = []; // what each anchor is called, or its number
  /** @type {Design | null} */
  let onControls = null;
  let chosen = "controls"; // or sameAs of an anchor
  let latest = 0;
  let pause = 0;

  const through = () => anchors.find((anchor) => sameAs(anchor) === chosen) || onControls;

  if (varying.length > 1) {
    at("axes").hidden = false;
    const options = () => varying.map((name) => el("option", { value: name }, label(name)));
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
    const mine = ++latest;
    const here = through();
    const axes = varying.length > 1 ? { x: at("axis-x").value, y: at("axis-y").value } : {};
    const design = varying.length && here ? { at: JSON.stringify(here) } : {};
    const found = await attempt(() => get("/studies/{id}/map", { participant, ...axes, ...design }));
    if (!found || mine !== latest) return;
    at("map-words").textContent = anchors.length ? explain(found) : HINT;
    await attempt(() => (found.plane ? overTwo(found.plane, here) : found.items ? overItems(found.items) : alongOne(found.slices[0])));
  }

  /** @param {ReliabilityMap} found */
  function explain(found) {
    if (found.items) {
      const some = found.items.shown < found.items.total ? ` ${found.items.shown} of ${found.items.total} items are shown.` : "";
      return `Similar items lie close together; the stronger the colour, the more your answers about them count.${some}`;
    }
    if (!found.plane) return "The higher the line, the more your answers there count. Dots are your anchors.";
    return "The stronger the colour, the more your answers there count. Circles are your anchors; the filled one has all its values in this picture.";
  }

  /** @param {Axis} axis */
  const kept = (axis) => (axis.continuous ? axis.values : axis.values.map(inWords));
  /** @param {Axis} axis @param {Design[string]} value */
  const place = (axis, value) => (axis.continuous ? value : inWords(value));
  /** @param {Axis} axis */
  const axisOf = (axis) => ({
    title: { text: words.axis(axis.name), standoff: 8 }, type: !axis.continuous ? "category" : axis.log ? "log" : "linear",
    fixedrange: true, showgrid: false, zeroline: false, ticks: "",
  });
  /** @param {Colours} colour */
  const bar = (colour) => ({
    title: { text: "Reliability", side: "top" }, thickness: 10, outlinewidth: 0, len: 0.9,
    tickvals: [0, 1], ticktext: ["low", "high"], tickfont: { color: colour.quiet },
  });
  const margin = { l: 8, r: 8, t: 12, b: 8 };

  /**
   * @param {Plane} plane
   * @param {Design | null} here
   */
  function overTwo({ x, y, grid }, here) {
    at("map").setAttribute("aria-label", `Reliability of answers over ${label(x.name)} and ${label(y.name)}, with ${anchors.length} anchors`);
    const shown = here ? sameAs(here) : null;
    const [on, off] = [anchors.filter((anchor) => sameAs(anchor) === shown), anchors.filter((anchor) => sameAs(anchor) !== shown)];
    const numbers = new Map(anchors.map((anchor, n) => [anchor, plain(names[n])]));
    /** @param {Design[]} some @param {Data} marker */
    const dots = (some, marker) => ({
      type: "scatter", mode: "markers", x: some.map((one) => place(x, one[x.name])), y: some.map((one) => place(y, one[y.name])),
      text: some.map((one) => numbers.get(one)), hovertemplate: "%{text}<extra></extra>", marker, showlegend: false, cliponaxis: false,
    });
    return plot(at("map"), (colour) => [
      {
        type: "heatmap", x: kept(x), y: kept(y), z: grid.reliability, zmin: 0, zmax: 1, colorscale: ramp(colour),
        zsmooth: x.continuous && y.continuous ? "best" : false, colorbar: bar(colour),
        hovertemplate: `${label(x.name)} %{x}<br>${label(y.name)} %{y}<br>reliability %{z:.0%}<extra></extra>`,
      },
      dots(off, { size: 11, color: "rgba(0,0,0,0)", line: { color: colour.ink, width: 1.5 } }),
      dots(on, { size: 12, color: colour.ink, line: { color: colour.surface, width: 2 } }),
    ], { xaxis: axisOf(x), yaxis: axisOf(y), margin });
  }

  /** @param {Slice} slice */
  function alongOne({ axis, grid }) {
    at("map").setAttribute("aria-label", `Reliability of answers along ${label(axis.name)}, with ${anchors.length} anchors`);
    return plot(at("map"), (colour) => [
      {
        type: "scatter", mode: axis.continuous ? "lines" : "lines+markers", x: kept(axis), y: grid.reliability,
        line: { color: colour.accent, width: 2.5 }, hovertemplate: "%{x}: reliability %{y:.0%}<extra></extra>", showlegend: false,
      },
      {
        type: "scatter", mode: "markers", x: anchors.map((one) => place(axis, one[axis.name])), y: anchors.map(() => 1),
        text: names.map(plain), hovertemplate: "%{text}<extra></extra>", showlegend: false,
        marker: { size: 12, color: colour.ink, line: { color: colour.surface, width: 2 } }, cliponaxis: false,
      },
    ], { xaxis: axisOf(axis), yaxis: { title: { text: "Reliability" }, range: [0, 1.08], tickformat: ".0%", fixedrange: true }, margin });
  }

  /** @param {ItemProjection} projection */
  function overItems({ items, grid }) {
    at("map").setAttribute("aria-label", `Reliability of answers about ${items.length} items, with ${anchors.length} anchors`);
    const marked = new Set(anchors.map(sameAs));
    const known = items.filter((item) => marked.has(sameAs(item.design)));
    const nameOf = new Map(anchors.map((anchor, n) => [sameAs(anchor), names[n]]));
    const title = display.title || words.catalogue?.key || "";
    /** @param {ItemProjection["items"][number]} item */
    const name = ({ design }) => {
      const own = nameOf.get(sameAs(design));
      return own === undefined ? plain(inWords(design[title])) : `${plain(inWords(design[title]))}<br>${plain(own)}`;
    };
    const bare = { visible: false, fixedrange: true };
    return plot(at("map"), (colour) => [
      {
        type: "scatter", mode: "markers", x: items.map((item) => item.x), y: items.map((item) => item.y), text: items.map(name),
        customdata: grid.reliability, hovertemplate: "%{text}<br>reliability %{customdata:.0%}<extra></extra>", showlegend: false,
        marker: {
          size: 10, color: grid.reliability, cmin: 0, cmax: 1, colorscale: ramp(colour), colorbar: bar(colour),
          line: { color: colour.quiet, width: 1 },
        },
      },
      {
        type: "scatter", mode: "markers", x: known.map((item) => item.x), y: known.map((item) => item.y), hoverinfo: "skip", showlegend: false,
        marker: { size: 17, color: "rgba(0,0,0,0)", line: { color: colour.ink, width: 2 } },
      },
    ], { xaxis: bare, yaxis: bare, margin, hovermode: "closest" });
  }

  return {
    /**
     * After a change of anchors: a slice through the newest one.
     * @param {Design[]} marked
     * @param {(string | null)[]} called
     */
    draw(marked, called) {
      const before = new Set(anchors.map(sameAs));
      const added = marked.filter((anchor) => !before.has(sameAs(anchor)));
      if (added.length) chosen = sameAs(added[added.length - 1]);
      anchors = marked;
      names = marked.map((_, n) => called[n] ?? `Anchor ${n + 1}`);
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
