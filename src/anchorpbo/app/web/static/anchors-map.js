// Map of the reliability of answers: over two parameters, along one, or over the items of a catalogue.

import { as, attempt, base, get } from "./api.js";
import { el } from "./dom.js";
import { plot, ramp } from "./plots.js";

const inWords = (value) => (value === true ? "yes" : value === false ? "no" : String(value));
const PAUSE = 250; // ms without a change of the controls before the map follows
const HINT = "Nothing is marked yet: all answers are taken to be equally uncertain. Mark a design and its surroundings light up here.";

export function reliabilityMap({ words, sameAs, at }) {
  const { space, display } = words;
  const varying = space.kind === "space" ? space.parameters.filter((one) => one.kind !== "constant").map((one) => one.name) : [];
  const label = (name) => words.label(name);
  let anchors = [];
  let onControls = null;
  let chosen = "controls"; // or sameAs of an anchor
  let latest = 0;
  let pause;

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
    at("through").parentElement.hidden = varying.length < 3;
    at("through").addEventListener("change", () => { chosen = at("through").value; redraw(); });
  }

  function offer() {
    const options = anchors.map((anchor, n) => el("option", { value: sameAs(anchor) }, `Anchor ${n + 1}`));
    at("through").replaceChildren(el("option", { value: "controls" }, "The values set"), ...options);
    if (!anchors.some((anchor) => sameAs(anchor) === chosen)) chosen = "controls";
    at("through").value = chosen;
  }

  async function redraw() {
    const mine = ++latest;
    const query = new URLSearchParams();
    if (varying.length > 1) {
      query.set("x", at("axis-x").value);
      query.set("y", at("axis-y").value);
    }
    const here = through();
    if (varying.length && here) query.set("at", JSON.stringify(here));
    const found = await attempt(() => get(`${base}/map?${as}&${query}`));
    if (!found || mine !== latest) return;
    at("map-words").textContent = anchors.length ? explain(found) : HINT;
    await attempt(() => (found.plane ? overTwo(found.plane, here) : found.items ? overItems(found.items) : alongOne(found.slices[0])));
  }

  function explain(found) {
    if (found.items) {
      const some = found.items.shown < found.items.total ? ` ${found.items.shown} of ${found.items.total} items are shown.` : "";
      return `Items that are alike stand close together; the stronger the colour, the more your answers about them count.${some}`;
    }
    if (!found.plane) return "The higher the line, the more your answers there count. Dots are your anchors.";
    return "The stronger the colour, the more your answers there count. Circles are your anchors; the filled one has all its values in this picture.";
  }

  const kept = (axis) => (axis.continuous ? axis.values : axis.values.map(inWords));
  const place = (axis, value) => (axis.continuous ? value : inWords(value));
  const axisOf = (axis) => ({
    title: { text: words.axis(axis.name), standoff: 8 }, type: !axis.continuous ? "category" : axis.log ? "log" : "linear",
    fixedrange: true, showgrid: false, zeroline: false, ticks: "",
  });
  const bar = (colour) => ({
    title: { text: "Reliability", side: "top" }, thickness: 10, outlinewidth: 0, len: 0.9,
    tickvals: [0, 1], ticktext: ["low", "high"], tickfont: { color: colour.quiet },
  });
  const margin = { l: 8, r: 8, t: 12, b: 8 };

  function overTwo({ x, y, grid }, here) {
    at("map").setAttribute("aria-label", `How far answers are trusted over ${label(x.name)} and ${label(y.name)}, with ${anchors.length} anchors`);
    const shown = here ? sameAs(here) : null;
    const [on, off] = [anchors.filter((anchor) => sameAs(anchor) === shown), anchors.filter((anchor) => sameAs(anchor) !== shown)];
    const numbers = new Map(anchors.map((anchor, n) => [anchor, `Anchor ${n + 1}`]));
    const dots = (some, marker) => ({
      type: "scatter", mode: "markers", x: some.map((one) => place(x, one[x.name])), y: some.map((one) => place(y, one[y.name])),
      text: some.map((one) => numbers.get(one)), hovertemplate: "%{text}<extra></extra>", marker, showlegend: false, cliponaxis: false,
    });
    return plot(at("map"), (colour) => [
      {
        type: "heatmap", x: kept(x), y: kept(y), z: grid.reliability, zmin: 0, zmax: 1, colorscale: ramp(colour),
        zsmooth: x.continuous && y.continuous ? "best" : false, colorbar: bar(colour),
        hovertemplate: `${label(x.name)} %{x}<br>${label(y.name)} %{y}<br>trust %{z:.0%}<extra></extra>`,
      },
      dots(off, { size: 11, color: "rgba(0,0,0,0)", line: { color: colour.ink, width: 1.5 } }),
      dots(on, { size: 12, color: colour.ink, line: { color: colour.surface, width: 2 } }),
    ], { xaxis: axisOf(x), yaxis: axisOf(y), margin });
  }

  function alongOne({ axis, grid }) {
    at("map").setAttribute("aria-label", `How far answers are trusted along ${label(axis.name)}, with ${anchors.length} anchors`);
    return plot(at("map"), (colour) => [
      {
        type: "scatter", mode: axis.continuous ? "lines" : "lines+markers", x: kept(axis), y: grid.reliability,
        line: { color: colour.accent, width: 2.5 }, hovertemplate: "%{x}: trust %{y:.0%}<extra></extra>", showlegend: false,
      },
      {
        type: "scatter", mode: "markers", x: anchors.map((one) => place(axis, one[axis.name])), y: anchors.map(() => 1),
        text: anchors.map((_, n) => `Anchor ${n + 1}`), hovertemplate: "%{text}<extra></extra>", showlegend: false,
        marker: { size: 12, color: colour.ink, line: { color: colour.surface, width: 2 } }, cliponaxis: false,
      },
    ], { xaxis: axisOf(axis), yaxis: { title: { text: "Reliability" }, range: [0, 1.08], tickformat: ".0%", fixedrange: true }, margin });
  }

  function overItems({ items, grid }) {
    at("map").setAttribute("aria-label", `How far answers about ${items.length} items are trusted, with ${anchors.length} anchors`);
    const marked = new Set(anchors.map(sameAs));
    const known = items.filter((item) => marked.has(sameAs(item.design)));
    const name = (item) => inWords(item.design[display.title || space.key]);
    const bare = { visible: false, fixedrange: true };
    return plot(at("map"), (colour) => [
      {
        type: "scatter", mode: "markers", x: items.map((item) => item.x), y: items.map((item) => item.y), text: items.map(name),
        customdata: grid.reliability, hovertemplate: "%{text}<br>trust %{customdata:.0%}<extra></extra>", showlegend: false,
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
    // After a change of anchors: a slice through the newest one.
    draw(marked) {
      const before = new Set(anchors.map(sameAs));
      const added = marked.filter((anchor) => !before.has(sameAs(anchor)));
      if (added.length) chosen = sameAs(added.at(-1));
      anchors = marked;
      offer();
      return redraw();
    },
    // After a change of the controls: a slice through their design.
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
