// Table of a catalogue's items with their estimates, sortable and searchable.

import { el, elementsOf, find } from "./dom.js";
import { number, same } from "./results-words.js";

/** @import { Design, Map as UtilityMap } from "../rest" */
/** @import { Words } from "./results-words.js" */
/** @import { Thumbnails } from "./thumbnails.js" */
/** @typedef {"utility" | "low" | "high" | "noise" | "reliability"} Quantity */
/** @typedef {{ key: "name" | Quantity, title: string, number?: boolean }} Column */
/**
 * @typedef {Record<Quantity, number | null> & { design: Design, name: string, best: boolean, anchor: boolean, compared: number }} Row
 */

const PAGE = 25;
/** @type {Column[]} */
const COLUMNS = [
  { key: "name", title: "Item" },
  { key: "utility", title: "Utility", number: true },
  { key: "low", title: "90 % from", number: true },
  { key: "high", title: "to", number: true },
  { key: "noise", title: "Noise", number: true },
  { key: "reliability", title: "Reliability", number: true },
];
const byId = elementsOf("results");

export class Items {
  /** @type {{ key: Column["key"], up: boolean }} */
  sort = { key: "utility", up: false };
  shown = PAGE;
  partial = false;
  /** @type {Row[]} */
  rows = [];

  /**
   * @param {Words} words
   * @param {Thumbnails} thumbnails
   */
  constructor(words, thumbnails) {
    this.words = words;
    this.thumbnails = thumbnails;
    byId("items-filter").addEventListener("input", () => { this.shown = PAGE; this.draw(); });
    byId("items-more").addEventListener("click", () => { this.shown += 4 * PAGE; this.draw(); });
  }

  /**
   * @param {UtilityMap} map
   * @param {Design} best
   */
  show(map, best) {
    const { catalogue } = this.words;
    byId("items-panel").hidden = !map.items;
    if (!map.items || !catalogue) return;
    const { items, grid, shown, total } = map.items;
    this.partial = shown < total;
    /** @param {Quantity} quantity @param {number} n */
    const of = (quantity, n) => grid[quantity]?.[n] ?? null;
    const { key } = catalogue;
    const compared = new Map();
    for (const { first, second } of map.duels) for (const one of [first, second]) compared.set(one[key], (compared.get(one[key]) || 0) + 1);
    const anchors = new Set(map.anchors.map((one) => one[key]));
    this.rows = items.map(({ design }, n) => ({
      design, name: this.words.brief(design), utility: of("utility", n), low: of("low", n), high: of("high", n),
      noise: of("noise", n), reliability: of("reliability", n), best: same(design[key], best[key]),
      anchor: anchors.has(design[key]), compared: compared.get(design[key]) || 0,
    }));
    this.draw();
  }

  draw() {
    const wanted = byId("items-filter").value.trim().toLowerCase();
    const found = this.rows.filter((row) => row.name.toLowerCase().includes(wanted));
    const { key, up } = this.sort;
    const way = up ? 1 : -1;
    found.sort((a, b) => way * (key === "name" ? a.name.localeCompare(b.name) : (a[key] ?? 0) - (b[key] ?? 0)));
    const head = el("tr", {}, COLUMNS.map((column) => this.header(column)));
    const body = found.slice(0, this.shown).map((row) => el("tr", { class: row.best ? "chosen" : null },
      el("th", { scope: "row" }, this.thumbnails.of(row.design), row.name,
        row.best ? el("span", { class: "tag" }, "recommended") : null,
        row.anchor ? el("span", { class: "tag quiet" }, "anchor") : null,
        row.compared ? el("small", {}, ` compared ${row.compared === 1 ? "once" : `${row.compared} times`}`) : null),
      COLUMNS.slice(1).map((column) => el("td", { class: "number" }, number(column.key === "name" ? null : row[column.key])))));
    const nothing = el("tr", {}, el("td", { colSpan: COLUMNS.length, class: "quiet" }, this.partial ? "No item shown here has this name; others may." : "No item has this name."));
    byId("items").replaceChildren(el("thead", {}, head), el("tbody", {}, body.length ? body : nothing));
    byId("items-more").hidden = found.length <= this.shown;
    byId("items-more").textContent = `Show more (${found.length - this.shown} left)`;
  }

  /** @param {Column} column */
  header(column) {
    const sorted = this.sort.key === column.key;
    const turn = () => {
      this.sort = { key: column.key, up: sorted ? !this.sort.up : column.key === "name" };
      this.draw();
      find(byId("items"), `[data-key="${column.key}"]`, HTMLElement).focus();
    };
    const button = el("button", { type: "button", class: "sorter", dataset: { key: column.key }, onclick: turn },
      column.title, el("span", { "aria-hidden": "true" }, sorted ? (this.sort.up ? "▲" : "▼") : ""));
    return el("th", { scope: "col", class: column.number ? "number" : null, "aria-sort": sorted ? (this.sort.up ? "ascending" : "descending") : null }, button);
  }
}
