// Titles and labels of figures fit their place.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fit, shorten, wrap } from "../../src/anchorpbo/app/web/static/plot-texts.js";

const TITLE = "Charge temperature (°C)";

/**
 * @param {Record<string, unknown>} layout
 * @param {number} width
 */
const titleOf = (layout, width, traces = [{}]) =>
  /** @type {{ title: { text: string, font: { size: number } } }} */ (fit({ yaxis: {}, ...layout }, traces, { clientWidth: width, clientHeight: 300 }).xaxis).title;

test("a text is broken between words and shortened in the last line", () => {
  assert.equal(wrap("one two three", 7, 2), "one two<br>three");
  assert.equal(wrap("one two three four", 7, 2), "one two<br>three…");
  assert.equal(shorten("Donaudampfschifffahrt", 6), "Donau…");
  assert.equal(shorten("&lt;&lt;&lt;", 3), "&lt;&lt;&lt;"); // an entity is one letter
});

test("a label at the left keeps its lines, and is broken into more on a phone", () => {
  const layout = { yaxis: { ticktext: ["near your anchors<br>9 of 10", "Donaudampfschifffahrt"] } };
  /** @param {number} width */
  const labels = (width) => /** @type {{ ticktext: string[] }} */ (fit(layout, [], { clientWidth: width, clientHeight: 300 }).yaxis).ticktext;
  assert.deepEqual(labels(540), ["near your anchors<br>9 of 10", "Donaudampfschifffahrt"]);
  assert.deepEqual(labels(250), ["near your<br>anchors<br>9 of 10", "Donaudampf…"]);
});

test("a long title has a smaller font before it is broken or shortened", () => {
  const layout = { xaxis: { title: { text: TITLE } } };
  assert.deepEqual(titleOf(layout, 400), { text: TITLE, font: { size: 13 } });
  assert.equal(titleOf(layout, 140).text, "Charge<br>temperature (°C)");
  assert.equal(titleOf(layout, 100).text, "Charge<br>temperature…");
  assert.equal(titleOf(layout, 100).font.size, 10);
});

test("titles between panels have one line", () => {
  const { text, font } = titleOf({ xaxis: { title: { text: TITLE } }, xaxis2: {} }, 170);
  assert.deepEqual([text, font.size], [TITLE, 10]);
});

test("a scale of colours takes room from the title, tick labels do not", () => {
  const layout = { xaxis: { title: { text: TITLE } }, yaxis: { ticktext: ["a long label of a value"] } };
  assert.equal(titleOf(layout, 250).font.size, 13);
  assert.equal(titleOf({ ...layout, height: 200 }, 250, [{ colorbar: {} }]).font.size, 10);
});
