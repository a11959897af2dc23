// Slices, the map over two parameters or a catalogue, and the expected gain of each duel.

import { as, base, get } from "./api.js";
import { el } from "./dom.js";
import { plot } from "./plots.js";
import { number, same, shown } from "./results-words.js";

const byId = (name) => document.getElementById(name);
const ENOUGH = 0.02; // a gain below this share is next to nothing
export const QUANTITIES = {
  utility: { title: "Utility", words: "Colour is the expected utility: how much better than the average of what was compared." },
  uncertainty: { title: "Uncertainty", words: "Colour is the width of the 90 % interval of the utility: where it is wide, little is known. Strong colour is where much is known." },
  noise: { title: "Noise", words: "Colour is how unsteady your judgement is: small near anchors. Strong colour is a steady judgement." },
  reliability: { title: "Reliability", words: "Colour is how well you can judge, by the anchors: large near them." },
};

export function values(grid, quantity) {
  if (quantity !== "uncertainty") return grid[quantity];
  const minus = (high, low) => (Array.isArray(high) ? high.map((one, n) => minus(one, low[n])) : high - low);
  return grid.high && minus(grid.high, grid.low);
}

export function noiseRange(map) {
  const grids = [...map.slices.map((one) => one.grid), map.plane && map.plane.grid, map.items && map.items.grid];
  const all = grids.filter(Boolean).flatMap((grid) => (grid.noise || []).flat());
  return all.length ? [Math.min(...all), Math.max(...all)] : null;
}

export async function loadMap(at, x, y) {
  const query = new URLSearchParams();
  if (at) query.set("at", JSON.stringify(at));
  if (x) query.set("x", x);
  if (y) query.set("y", y);
  return get(`${base}/map?${as}&${query}`);
}

const heat = (quantity) => {
  const style = getComputedStyle(document.documentElement);
  const stops = [0, 1, 2, 3, 4].map((n) => [n / 4, style.getPropertyValue(`--heat-${n}`).trim()]);
  return quantity === "noise" || quantity === "uncertainty" ? stops.map(([at], n) => [at, stops[4 - n][1]]) : stops;
};

// -- slices ------------------------------------------------------------------------------------------------------------

export async function drawSlices(map, words) {
  byId("slices-panel").hidden = !map.slices.length;
  const known = map.slices.filter((one) => one.grid.utility);
  if (!known.length) return;
  const range = padded(known.flatMap((one) => one.grid.low), known.flatMap((one) => one.grid.high));
  const noise = [0, 3 * Math.max(...known.flatMap((one) => one.grid.noise))];
  const place = byId("slices");
  if (place.childElementCount !== known.length) {
    place.replaceChildren(...known.map(() => el("figure", {}, el("figcaption", {}), el("div", { class: "slice", role: "img" }))));
  }
  for (const [n, { axis, grid }] of known.entries()) {
    const [caption, element] = place.children[n].children;
    caption.replaceChildren(el("strong", {}, words.label(axis.name)), el("span", {}, words.value(axis.name, map.at[axis.name])));
    element.setAttribute("aria-label", sliceWords(axis, grid, words));
    await plot(element, (colour) => sliceTraces(axis, grid, colour), (colour) => sliceLayout(axis, map.at[axis.name], range, noise, colour, words));
  }
}

function padded(low, high) {
  const from = Math.min(...low), to = Math.max(...high), pad = 0.05 * (to - from || 1);
  return [from - pad, to + pad];
}

function sliceWords(axis, grid, words) {
  const best = grid.utility.indexOf(Math.max(...grid.utility));
  return `${words.label(axis.name)}: expected utility from ${number(Math.min(...grid.utility))} to ${number(grid.utility[best])}, highest at ${words.value(axis.name, axis.values[best])}.`;
}

const ticks = (axis) => (axis.continuous ? axis.values : axis.values.map((value) => plain(shown(value))));

function sliceTraces(axis, grid, colour) {
  const x = ticks(axis);
  const hover = { hovertemplate: "%{x}: %{y:.2f}<extra></extra>" };
  const noise = { x, y: grid.noise, yaxis: "y2", line: { color: colour.quiet, width: 1.5, dash: "dot" }, hovertemplate: "noise %{y:.2f}<extra></extra>" };
  if (!axis.continuous) {
    const error = { type: "data", symmetric: false, array: grid.high.map((one, n) => one - grid.utility[n]), arrayminus: grid.low.map((one, n) => grid.utility[n] - one) };
    return [
      { ...noise, mode: "markers", marker: { color: colour.quiet, size: 7, symbol: "line-ew-open" } },
      { x, y: grid.utility, mode: "markers", marker: { color: colour.accent, size: 9 }, error_y: { ...error, color: colour.accent, thickness: 1.5, width: 4 }, ...hover },
    ];
  }
  const edge = { x, mode: "lines", line: { width: 0 }, hoverinfo: "skip" };
  return [
    { ...edge, y: grid.low },
    { ...edge, y: grid.high, fill: "tonexty", fillcolor: faint(colour.accent, 0.18) },
    { ...noise, mode: "lines" },
    { x, y: grid.utility, mode: "lines", line: { color: colour.accent, width: 2.5 }, ...hover },
  ];
}

function sliceLayout(axis, here, range, noise, colour, words) {
  const place = axis.continuous ? here : axis.values.findIndex((value) => same(value, here));
  const reach = axis.continuous ? { range: [axis.values[0], axis.values.at(-1)].map(axis.log ? Math.log10 : Number) } : {};
  return {
    height: 190,
    showlegend: false,
    margin: { l: 30, r: 8, t: 6, b: 24 },
    font: { size: 12, color: colour.quiet },
    xaxis: { type: axis.continuous ? (axis.log ? "log" : "linear") : "category", nticks: 5, ...reach, ...whole(axis, 6), showgrid: false, fixedrange: true, title: { text: plain(words.unit(axis.name)), font: { size: 12 }, standoff: 4 } },
    yaxis: { range, nticks: 5, fixedrange: true, zeroline: true },
    yaxis2: { range: noise, overlaying: "y", side: "right", visible: false, fixedrange: true },
    shapes: [{ type: "line", xref: "x", yref: "paper", x0: place, x1: place, y0: 0, y1: 1, line: { color: colour.warm, width: 1.5 }, layer: "below" }],
  };
}

// Ticks of integer axes are integers.
function whole({ values: at, continuous, log }, most) {
  if (!continuous || log || at.length > 30 || !at.every(Number.isInteger)) return {};
  const step = Math.ceil(at.length / most);
  return { tickvals: at.filter((_, n) => n % step === 0) };
}

// A colour of the page with transparency.
function faint(hex, share) {
  const value = parseInt(hex.slice(1), 16);
  return `rgba(${value >> 16}, ${(value >> 8) & 255}, ${value & 255}, ${share})`;
}

// -- the map -----------------------------------------------------------------------------------------------------------

export async function drawPlane(map, quantity, words, { duels, anchors }) {
  const { x, y, grid } = map.plane;
  const z = values(grid, quantity);
  const place = (axis) => (design) => (axis.continuous ? design[axis.name] : plain(shown(design[axis.name])));
  const at = { x: place(x), y: place(y) };
  const traces = (colour) => [
    {
      type: "heatmap", x: ticks(x), y: ticks(y), z, colorscale: heat(quantity), ...bar(quantity, colour),
      zsmooth: x.continuous && y.continuous && !x.log && !y.log ? "best" : false,
      hovertemplate: `${plain(words.label(x.name))}: %{x}<br>${plain(words.label(y.name))}: %{y}<br>${QUANTITIES[quantity].title}: %{z:.2f}<extra></extra>`,
    },
    ...marks(map, at, words, colour, { duels, anchors }, map.at),
  ];
  const axis = ({ name, continuous, log, values: at }) => ({
    ...whole({ values: at, continuous, log }, 12),
    title: { text: plain(words.axis(name)), standoff: 8 }, type: continuous ? (log ? "log" : "linear") : "category",
    range: continuous ? edges(at, log) : [-0.5, at.length - 0.5], fixedrange: true, showgrid: false, zeroline: false,
  });
  await plot(byId("map"), traces, () => ({ height: mapHeight(), xaxis: axis(x), yaxis: axis(y), ...legend() }));
  byId("map-words").textContent = `${QUANTITIES[quantity].words} All other parameters are as recommended; anchors and comparisons may differ in them.`;
}

export async function drawItems(map, quantity, words, best, { duels, anchors }) {
  const { items, grid, shown: count, total } = map.items;
  const key = words.space.key;
  const places = new Map(items.map((item) => [item.design[key], item]));
  const of = (axis) => (design) => (places.has(design[key]) ? places.get(design[key])[axis] : null);
  const colour = values(grid, quantity);
  const names = items.map((item) => plain(words.brief(item.design)));
  const traces = (theme) => [
    ...(duels ? [joined(map, { x: of("x"), y: of("y") }, theme)] : []),
    {
      type: "scatter", mode: "markers", name: "Items", showlegend: false, x: items.map((item) => item.x), y: items.map((item) => item.y), text: names,
      marker: { color: colour, size: items.length > 300 ? 8 : 12, colorscale: heat(quantity), line: { color: theme.quiet, width: 1 }, showscale: true, ...bar(quantity, theme) },
      hovertemplate: `%{text}<br>${QUANTITIES[quantity].title}: %{marker.color:.2f}<extra></extra>`,
    },
    ...(anchors ? [anchorMarks(map, { x: of("x"), y: of("y") }, words, theme, true)] : []),
    bestMark({ x: of("x"), y: of("y") }, best, words, theme),
  ];
  const axis = { showticklabels: false, showgrid: false, zeroline: false, fixedrange: true, ticks: "" };
  await plot(byId("map"), traces, () => ({ height: mapHeight(), xaxis: axis, yaxis: axis, hovermode: "closest", ...legend() }));
  const some = count < total ? ` ${count} of ${total} items are shown.` : "";
  byId("map-words").textContent = `${QUANTITIES[quantity].words} Items that are alike lie close together; thin lines join what you compared.${some}`;
}

// Range of an axis from the edge of the first cell to that of the last.
function edges(at, log) {
  const places = log ? at.map(Math.log10) : at, last = places.length - 1;
  if (!last) return [places[0] - 0.5, places[0] + 0.5];
  return [places[0] - (places[1] - places[0]) / 2, places[last] + (places[last] - places[last - 1]) / 2];
}

const mapHeight = () => (innerWidth < 600 ? 420 : 520);
const legend = () => ({ legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" }, margin: { l: 8, r: 8, t: 40, b: 8 } });
const bar = (quantity, colour) => ({ colorbar: { title: { text: "" }, thickness: 10, outlinewidth: 0, len: 1, tickfont: { color: colour.quiet }, nticks: 5, xpad: 6, ypad: 0 } });
// Escape text, since Plotly interprets some HTML.
const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function marks(map, at, words, colour, { duels, anchors }, best) {
  return [
    ...(duels ? [joined(map, at, colour), ...duelMarks(map, at, words, colour)] : []),
    ...(anchors ? [anchorMarks(map, at, words, colour, false)] : []),
    bestMark(at, best, words, colour),
  ];
}

const sides = ({ first, second, outcome }) => (outcome === "second" ? [second, first] : [first, second]);

function joined(map, at, colour) {
  const xs = [], ys = [];
  for (const duel of map.duels) {
    for (const design of sides(duel)) { xs.push(at.x(design)); ys.push(at.y(design)); }
    xs.push(null); ys.push(null);
  }
  return { type: "scatter", mode: "lines", x: xs, y: ys, line: { color: faint(colour.ink, 0.35), width: 1 }, hoverinfo: "skip", showlegend: false };
}

function duelMarks(map, at, words, colour) {
  const decided = map.duels.filter((duel) => duel.outcome === "first" || duel.outcome === "second");
  const rest = map.duels.filter((duel) => !decided.includes(duel)).flatMap(sides);
  const group = (name, designs, marker) => ({
    type: "scatter", mode: "markers", cliponaxis: false, name, x: designs.map(at.x), y: designs.map(at.y), text: designs.map((one) => wrapped(words.brief(one))),
    marker: { size: 9, line: { color: colour.ink, width: 1.25 }, ...marker }, hovertemplate: `${name}<br>%{text}<extra></extra>`,
  });
  return [
    group("Not preferred", decided.map((duel) => sides(duel)[1]), { color: colour.surface, size: 8 }),
    group("Preferred", decided.map((duel) => sides(duel)[0]), { color: colour.ink }),
    ...(rest.length ? [group("Equal or skipped", rest, { color: colour.quiet, symbol: "square", size: 7 })] : []),
  ];
}

function anchorMarks(map, at, words, colour, ring) {
  const text = map.anchors.map((one) => wrapped(words.brief(one)));
  const marker = { symbol: ring ? "circle-open" : "diamond", size: ring ? 19 : 12, color: colour.warm, line: { color: ring ? colour.warm : colour.surface, width: ring ? 2.5 : 1.5 } };
  return { type: "scatter", mode: "markers", cliponaxis: false, name: "Anchors", x: map.anchors.map(at.x), y: map.anchors.map(at.y), text, marker, hovertemplate: "Anchor<br>%{text}<extra></extra>" };
}

function bestMark(at, design, words, colour) {
  return {
    type: "scatter", mode: "markers", cliponaxis: false, name: "Recommended", x: [at.x(design)], y: [at.y(design)], text: [wrapped(words.brief(design))],
    marker: { symbol: "star", size: 18, color: colour.bad, line: { color: colour.surface, width: 1.5 } }, hovertemplate: "Recommended<br>%{text}<extra></extra>",
  };
}

const wrapped = (text) => plain(text).split(" · ").reduce((lines, part, n) => lines + (n ? (n % 3 ? " · " : "<br>") : "") + part, "");

// -- expected gain of duels --------------------------------------------------------------------------------------------

export async function drawGains(gains) {
  const words = byId("gain-words"), place = byId("gain");
  const known = gains.map((gain, n) => [n + 1, gain]).filter(([, gain]) => gain !== null);
  const start = gains.length - known.length;
  place.hidden = !known.length;
  if (!known.length) {
    words.textContent = "The first comparisons only look around; from then on each one's expected gain is shown here.";
    return;
  }
  const last = known[known.length - 1][1], small = last < ENOUGH;
  words.textContent = `Each bar is what a comparison was expected to bring, as a share of the range of utilities seen. The last: ${number(100 * last, 1)} %${small ? ", which is next to nothing" : ""}. The dashed line is at 2 %. You can stop when the recommended design is close to the best with 90 % probability.${start ? ` The first ${start} only looked around.` : ""}`;
  const traces = (colour) => [{
    type: "bar", x: known.map(([n]) => n), y: known.map(([, gain]) => gain), marker: { color: known.map(([, gain]) => (gain < ENOUGH ? colour.quiet : colour.accent)) },
    hovertemplate: "Comparison %{x}: %{y:.1%}<extra></extra>",
  }];
  await plot(place, traces, (colour) => ({
    height: 240, bargap: 0.35, showlegend: false, margin: { l: 8, r: 8, t: 8, b: 8 },
    xaxis: { title: { text: "Comparison", standoff: 6 }, range: [0.4, gains.length + 0.6], fixedrange: true, showgrid: false, nticks: 10, tickformat: "d", tickangle: 0 },
    yaxis: { title: { text: "Expected gain", standoff: 6 }, tickformat: ".0%", rangemode: "tozero", fixedrange: true, nticks: 5 },
    shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: ENOUGH, y1: ENOUGH, line: { color: colour.warm, width: 1.5, dash: "dash" } }],
  }));
}

