// Numbers, designs and typed text as words.

import assert from "node:assert/strict";
import { test } from "node:test";

import { differences } from "../../src/anchorpbo/app/web/static/card.js";
import { isNumber, lines, list, number as parse } from "../../src/anchorpbo/app/web/static/new-values.js";
import { Words, certainty, noise, number, percent, same, seconds, shown } from "../../src/anchorpbo/app/web/static/results-words.js";

test("numbers have digits by their size, and a minus sign unless they are zero", () => {
  const cases = [[1.234, "1.23"], [12.34, "12.3"], [123.4, "123"], [-1.5, "−1.50"], [-0.001, "0.00"], [1e5, "1.0e+5"], [-2e6, "−2.0e+6"]];
  for (const [value, text] of cases) assert.equal(number(value), text);
  for (const nothing of [null, undefined, NaN, Infinity]) assert.equal(number(nothing), "–");
});

test("noise is above 0, and a certainty is never rounded up", () => {
  assert.deepEqual([0.00123, 0.0099, 0.01, 0.5].map(noise), ["0.001", "0.01", "0.01", "0.50"]);
  assert.deepEqual([0.899, 0.9, 0.29, 1].map(certainty), ["89 %", "90 %", "29 %", "100 %"]);
  assert.deepEqual([0, 0.004, 0.0099, 0.01, 0.625].map(percent), ["0 %", "under 1 %", "under 1 %", "1 %", "63 %"]);
});

test("values are shown as a person writes them", () => {
  assert.deepEqual([null, true, false, 3, 3.14159, "text", ["a"]].map(shown), ["–", "yes", "no", "3", "3.142", "text", '["a"]']);
  assert.deepEqual([null, 900, 59_999, 60_000, 3_599_999, 7_200_000].map(seconds), ["–", "0.9 s", "60.0 s", "1 min", "60 min", "2 h"]);
});

test("two values are the same whatever the order of names", () => {
  assert.ok(same({ a: 1, b: "x" }, { b: "x", a: 1 }));
  assert.ok(!same({ a: 1 }, { a: 1, b: null }));
  assert.ok(!same([1, 2], [2, 1]));
});

const SPACE = { kind: "space", parameters: [], constraints: [] };
const CATALOGUE = { kind: "catalogue", columns: [], features: ["price"], categories: [], fingerprint: ["bits"], key: "name" };

test("designs of parameters are told by their values, labels and units", () => {
  const words = new Words({ space: SPACE, display: { labels: { heat: "Heat, of the water" }, units: { heat: "°C" } } });
  const [one, other] = [{ heat: 90, milk: true, cup: 3 }, { heat: 80, milk: true, cup: 3 }];
  assert.equal(words.axis("heat"), "Heat, of the water (°C)");
  assert.equal(words.short("heat"), "Heat");
  assert.equal(words.brief(one), "90 °C · milk · cup 3");
  assert.equal(words.beside(one, other), "Heat 90 °C");
  assert.equal(words.beside(one, one), "90 °C · milk · cup 3");
});

test("numbers with the same unit are told by their labels, too", () => {
  const words = new Words({ space: SPACE, display: { labels: { drying: "Drying, first" }, units: { drying: "min", maillard: "min", heat: "°C" } } });
  assert.equal(words.brief({ drying: 4.5, maillard: 3, heat: 212 }), "Drying 4.5 min · maillard 3 min · 212 °C");
});

test("a violated constraint is told in labels and units", () => {
  const labels = { drying: "Drying time", maillard: "Maillard time, min" };
  const words = new Words({ space: SPACE, display: { labels, units: { drying: "min", maillard: "min" } } });
  const sum = { coefficients: { drying: 1, maillard: 1 }, lower: null, upper: 10, total: 12.5 };
  assert.equal(words.violation(sum), "Drying time + Maillard time may be at most 10 min; here it is 12.5.");
  assert.equal(words.violation({ ...sum, lower: 20, upper: null }), "Drying time + Maillard time must be at least 20 min; here it is 12.5.");
  assert.equal(words.violation({ ...sum, lower: 10 }), "Drying time + Maillard time must be exactly 10 min; here it is 12.5.");
  const mixed = { coefficients: { drying: -2, heat: 0.5 }, lower: 0, upper: 1, total: 3 };
  assert.equal(words.violation(mixed), "− 2 × Drying time + 0.5 × heat must be from 0 to 1; here it is 3.");
});

test("items are told by their title; pictures, links and bits are left out", () => {
  const words = new Words({ space: CATALOGUE, display: { image: "file" } });
  assert.ok(words.isCatalogue);
  assert.equal(words.title({ name: "Ash", price: 5 }), "Ash");
  assert.deepEqual(words.names({ name: "Ash", price: 5, file: "a.png", bits: "01" }), ["name", "price"]);
});

test("a parameter may be called as what every object has", () => {
  const words = new Words({ space: SPACE, display: { labels: { toString: "Text" } } });
  assert.deepEqual([words.label("constructor"), words.unit("constructor"), words.label("toString")], ["constructor", "", "Text"]);
});

test("cards are told apart by the rows that differ", () => {
  const row = (name, value, unit = "") => ({ name, label: name.toUpperCase(), value, unit });
  const card = (title, ...rows) => ({ title, rows, svg: null, image: null, link: null });
  assert.equal(differences([card(null, row("a", "1", "g"), row("b", "x")), card(null, row("a", "2", "g"), row("b", "x"))]), "A 1 g or 2 g");
  assert.equal(differences([card("Ash", row("a", "1")), card("Elm")]), "Ash or Elm; A 1 or nothing");
});

test("typed numbers are numbers, other texts stay texts, nothing is null", () => {
  assert.deepEqual(["12.5", " -3 ", "1e3", ".5", "12,5", "1e999", "0x10", "", " "].map(parse), [12.5, -3, 1000, 0.5, "12,5", "1e999", "0x10", null, null]);
  assert.ok(!isNumber("one"));
});

test("a list is split at commas and lines; quotes keep commas; it has numbers only if all are", () => {
  assert.deepEqual(list("Kenya, Brazil,, Sumatra"), ["Kenya", "Brazil", "Sumatra"]);
  assert.deepEqual(list('a, "b, c", "d ""e"""'), ["a", "b, c", 'd "e"']);
  assert.deepEqual(list("1, 2.5\n3"), [1, 2.5, 3]);
  assert.deepEqual(list("1, two"), ["1", "two"]);
  assert.deepEqual(list(" "), []);
  assert.deepEqual(lines(" a <= 1 \n\n b"), ["a <= 1", "b"]);
});
