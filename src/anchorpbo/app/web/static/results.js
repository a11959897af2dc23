// The Results page: recommendation, maps, history and downloads.

import { as, attempt, base, get, isOwner, participant } from "./api.js";
import { el } from "./dom.js";
import { Best } from "./results-best.js";
import { History } from "./results-history.js";
import { Items } from "./results-items.js";
import { drawGains, drawItems, drawPlane, drawSlices, loadMap, noiseRange } from "./results-map.js";
import { Words } from "./results-words.js";

const byId = (name) => document.getElementById(name);
const suffix = isOwner && participant !== "owner" ? `?as=${encodeURIComponent(participant)}` : "";
const page = { weight: null, map: null, best: null, items: null };
let words, best, history, items;

async function start() {
  byId("to-duel").href = `${base}/duel${suffix}`;
  byId("to-anchors").href = `${base}/anchors${suffix}`;
  const study = await get(base);
  words = new Words(study);
  best = new Best(words, (weight) => attempt(async () => { page.weight = weight; await showBest(); }));
  history = new History(words, load);
  items = new Items(words);
  for (const name of ["axis-x", "axis-y"]) byId(name).addEventListener("change", () => attempt(() => turnAxes(name)));
  for (const name of ["quantity", "show-duels", "show-anchors"]) byId(name).addEventListener("change", () => attempt(drawMap));
  await load();
}

async function load(what = "all") {
  const events = await get(`${base}/history?${as}`);
  history.show(events);
  if (what === "history") return;
  const some = events.some((one) => one.type === "answered" && one.stands && one.outcome !== "skip");
  byId("empty").hidden = some;
  byId("full").hidden = !some;
  byId("exports").hidden = !some;
  if (some) {
    await Promise.all([showBest(), get(`${base}/convergence?${as}`).then(drawGains)]);
  }
  byId("waiting").hidden = true;
  byId("results").setAttribute("aria-busy", "false");
}

async function showBest() {
  page.best = await best.load(page.weight);
  byId("waiting").hidden = true;
  await showMap();
  await drawSlices(page.map, words);
}

async function showMap() {
  const at = words.isCatalogue ? null : page.best.design;
  const first = !byId("axis-x").value;
  page.map = await loadMap(at, byId("axis-x").value, byId("axis-y").value);
  const { plane, slices } = page.map;
  if (first && plane) { // the two parameters that matter most, numbers before categories
    const [x, y] = strongest(slices);
    if (x !== plane.x.name || y !== plane.y.name) page.map = await loadMap(at, x, y);
  }
  const range = noiseRange(page.map);
  if (range) best.noiseRange(...range);
  items.show(page.map, page.best.design);
  byId("map-panel").hidden = !page.map.plane && !page.map.items;
  fillAxes();
  await drawMap();
}

function strongest(slices) {
  const reach = ({ grid: { utility } }) => Math.max(...utility) - Math.min(...utility);
  const smooth = slices.filter(({ axis }) => axis.continuous);
  const among = smooth.length > 1 ? smooth : slices;
  const names = among.map(({ axis }) => axis.name);
  const two = [...among].sort((a, b) => reach(b) - reach(a)).slice(0, 2).map(({ axis }) => axis.name);
  return two.sort((a, b) => names.indexOf(a) - names.indexOf(b));
}

function fillAxes() {
  const { plane, slices } = page.map;
  byId("axes").hidden = !plane;
  if (!plane) return;
  for (const [name, chosen] of [["axis-x", plane.x.name], ["axis-y", plane.y.name]]) {
    const options = slices.map(({ axis }) => el("option", { value: axis.name }, words.short(axis.name)));
    byId(name).replaceChildren(...options);
    byId(name).value = chosen;
  }
}

// If both axes have the same parameter, swap them.
async function turnAxes(changed) {
  const { plane } = page.map;
  const other = changed === "axis-x" ? "axis-y" : "axis-x";
  if (byId(changed).value === byId(other).value) byId(other).value = changed === "axis-x" ? plane.x.name : plane.y.name;
  await showMap();
}

async function drawMap() {
  const quantity = document.querySelector("input[name=quantity]:checked").value;
  const marked = { duels: byId("show-duels").checked, anchors: byId("show-anchors").checked };
  if (page.map.plane) await drawPlane(page.map, quantity, words, marked);
  else if (page.map.items) await drawItems(page.map, quantity, words, page.best.design, marked);
}

attempt(start).then(() => { byId("waiting").hidden = true; });
