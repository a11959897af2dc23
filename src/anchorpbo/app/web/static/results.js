// The Results page: recommendation, maps, history and downloads.

import { attempt, base, get, isOwner, participant } from "./api.js";
import { el, elementsOf, find } from "./dom.js";
import { showFigure } from "./figures.js";
import { Best } from "./results-best.js";
import { History } from "./results-history.js";
import { Items } from "./results-items.js";
import { drawMap, loadMap, noiseRange, strongest } from "./results-map.js";
import { Thumbnails } from "./thumbnails.js";
import { Trust } from "./results-trust.js";
import { Verdict } from "./results-verdict.js";
import { Words } from "./results-words.js";

/** @import { Map as UtilityMap, RecommendationView } from "../rest" */
/** @import { FigureQuery } from "./figures.js" */
/** @import { Quantity } from "./results-map.js" */
/** @typedef {"axis-x" | "axis-y"} AxisId */

const byId = elementsOf("results");
const AXES = /** @type {const} */ (["axis-x", "axis-y"]);
const MAX_COLUMNS = 3, SLICE_WIDTH = 260; // of the slices; the width is in pixels
const slicesBeside = () => Math.max(1, Math.min(MAX_COLUMNS, Math.floor(byId("slices").clientWidth / SLICE_WIDTH)));
const suffix = isOwner && participant !== "owner" ? `?as=${encodeURIComponent(participant)}` : "";

class Page {
  /** @type {number | null} */
  weight = null;
  /** @type {UtilityMap | null} */
  map = null;
  /** @type {RecommendationView | null} */
  recommendation = null;
  columns = 0; // slices beside each other, once they are shown

  /** @param {Words} words */
  constructor(words) {
    this.words = words;
    const thumbnails = new Thumbnails(words);
    const compare = () => location.assign(byId("to-duel").href);
    this.verdict = new Verdict(words, compare);
    this.best = new Best(words, (weight) => attempt(async () => { this.weight = weight; await this.showBest(); }), thumbnails);
    this.history = new History(words, (what) => this.load(what), thumbnails);
    this.trust = new Trust(() => byId("to-duel").href);
    this.items = new Items(words, thumbnails);
    for (const name of AXES) byId(name).addEventListener("change", () => attempt(() => this.turnAxes(name)));
    for (const box of [byId("quantity"), byId("show-duels"), byId("show-anchors")]) box.addEventListener("change", () => attempt(() => this.showMap()));
    new ResizeObserver(() => attempt(() => this.arrangeSlices())).observe(byId("slices"));
  }

  async load(what = "all") {
    const events = await get("/studies/{id}/history", { participant });
    this.history.show(events);
    if (what === "history") return;
    const some = events.some((one) => one.type === "answered" && one.stands && one.outcome !== "skip");
    byId("empty").hidden = some;
    byId("full").hidden = !some;
    byId("exports").hidden = !some;
    if (some) {
      await Promise.all([attempt(() => this.verdict.load()), attempt(() => this.showBest()), attempt(showGains)]);
    }
    listSections();
    byId("waiting").hidden = true;
    byId("results").setAttribute("aria-busy", "false");
    // Not awaited: it takes longer than the rest, and the page can be used meanwhile.
    if (some) attempt(() => this.trust.load());
  }

  async showBest() {
    this.recommendation = await this.best.load(this.weight);
    byId("waiting").hidden = true;
    await this.loadAxes(this.recommendation);
    byId("slices-panel").hidden = byId("importance-panel").hidden = this.words.isCatalogue;
    await Promise.all([
      showFigure(byId("best-interval"), "interval", { risk_weight: this.recommendation.risk_weight }),
      this.showMap(),
      ...(this.words.isCatalogue ? [] : [
        this.showSlices(this.recommendation),
        showFigure(byId("importance"), "importance"),
      ]),
    ]);
  }

  /** @param {RecommendationView} recommendation */
  async showSlices(recommendation) {
    this.columns = slicesBeside();
    await showFigure(byId("slices"), "slices", { ...this.query(recommendation), columns: this.columns });
  }

  // After a change of the window's width or zoom.
  async arrangeSlices() {
    if (this.recommendation && this.columns && this.columns !== slicesBeside()) await this.showSlices(this.recommendation);
  }

  /**
   * Query of figures through the recommended design.
   * @param {RecommendationView} recommendation
   * @returns {FigureQuery}
   */
  query({ design, risk_weight }) {
    return this.words.isCatalogue ? { risk_weight } : { risk_weight, at: JSON.stringify(design) };
  }

  /**
   * Load the data of the map along the axes that are chosen, at first those of the strongest parameters.
   * @param {RecommendationView} recommendation
   */
  async loadAxes(recommendation) {
    const at = this.words.isCatalogue ? null : recommendation.design;
    const first = !byId("axis-x").value;
    let map = await loadMap(at, byId("axis-x").value, byId("axis-y").value);
    if (first && map.plane) {
      const [x, y] = strongest(map.slices);
      if (x !== map.plane.x.name || y !== map.plane.y.name) map = await loadMap(at, x, y);
    }
    this.map = map;
    const range = noiseRange(map);
    if (range) this.best.noiseRange(...range);
    this.items.show(map, recommendation.design);
    byId("map-panel").hidden = !map.plane && !map.items;
    this.fillAxes(map);
  }

  /** @param {UtilityMap} map */
  fillAxes({ plane, slices }) {
    byId("axes").hidden = !plane;
    if (!plane) return;
    /** @type {[AxisId, string][]} */
    const chosen = [["axis-x", plane.x.name], ["axis-y", plane.y.name]];
    for (const [name, value] of chosen) {
      const options = slices.map(({ axis }) => el("option", { value: axis.name }, this.words.short(axis.name)));
      byId(name).replaceChildren(...options);
      byId(name).value = value;
    }
  }

  /**
   * If both axes have the same parameter, swap them.
   * @param {AxisId} changed
   */
  async turnAxes(changed) {
    if (!this.map?.plane || !this.recommendation) return;
    const { x, y } = this.map.plane;
    const other = changed === "axis-x" ? "axis-y" : "axis-x";
    if (byId(changed).value === byId(other).value) byId(other).value = changed === "axis-x" ? x.name : y.name;
    await this.loadAxes(this.recommendation);
    await this.showMap();
  }

  async showMap() {
    if (!this.recommendation || !this.map || !(this.map.plane || this.map.items)) return;
    const quantity = /** @type {Quantity} */ (find(document, "input[name=quantity]:checked", HTMLInputElement).value);
    const marked = { duels: byId("show-duels").checked, anchors: byId("show-anchors").checked };
    await drawMap(this.map, quantity, marked, this.query(this.recommendation));
  }
}

// Links to the sections that are shown.
function listSections() {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#results section[id]")]);
  const sections = all.filter((one) => one.offsetParent !== null);
  byId("sections").replaceChildren(...sections.map((one) => el("a", { href: `#${one.id}` }, one.querySelector("h2")?.textContent)));
}

// The first comparisons have no expected gain.
async function showGains() {
  byId("gain").hidden = false;
  await showFigure(byId("gain"), "gains", {}, (figure) => {
    const known = figure.data.some(({ type, x }) => type === "bar" && Array.isArray(x) && x.length > 0);
    byId("gain").hidden = byId("gain-words").hidden = !known;
    byId("no-gain").hidden = known;
    return figure;
  });
}

async function start() {
  byId("to-duel").href = `${base}/duel${suffix}`;
  byId("to-anchors").href = `${base}/anchors${suffix}`;
  const page = new Page(new Words(await get("/studies/{id}")));
  await page.load();
}

attempt(start).then(() => { byId("waiting").hidden = true; });
