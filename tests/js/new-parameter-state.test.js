// One parameter as typed into the form of a new study.

import assert from "node:assert/strict";
import { test } from "node:test";

import { definitionOf, shortcomingsOf, suggestedStepOf } from "../../src/anchorpbo/app/web/static/new-parameter-state.js";

const typed = (more) => ({ name: "heat", kind: "real", low: "80", high: "96", step: "", values: "", value: "", unit: "", label: "", log: false, ...more });
const wrong = (more, taken = []) => shortcomingsOf(typed(more), new Set(taken)).map(([, words]) => words);

test("a parameter is sent with the settings of its kind alone", () => {
  const cases = [
    [{ step: "0.5", log: true, values: "a, b" }, { kind: "real", low: 80, high: 96, log: true, step: 0.5 }],
    [{}, { kind: "real", low: 80, high: 96 }],
    [{ kind: "integer", step: "2" }, { kind: "integer", low: 80, high: 96 }],
    [{ kind: "categorical", values: "Kenya, Brazil" }, { kind: "categorical", values: ["Kenya", "Brazil"] }],
    [{ kind: "ordinal", values: "1, 2, 4" }, { kind: "ordinal", values: [1, 2, 4] }],
    [{ kind: "boolean" }, { kind: "boolean" }],
    [{ kind: "constant", value: "steel" }, { kind: "constant", value: "steel" }],
  ];
  for (const [more, settings] of cases) assert.deepEqual(definitionOf(typed(more)), { name: "heat", ...settings });
});

test("texts that are not numbers are sent as they are, for the server to name them", () => {
  assert.deepEqual(definitionOf(typed({ low: "warm", high: "" })), { name: "heat", kind: "real", low: "warm", high: null });
});

test("a complete parameter has no shortcoming", () => {
  for (const more of [{}, { step: "0.5" }, { low: "-1", high: "1" }, { kind: "integer", low: "1", high: "3" }, { kind: "boolean", low: "", high: "" },
    { kind: "categorical", values: "a, b", low: "" }, { kind: "constant", value: "1", low: "" }]) assert.deepEqual(wrong(more), []);
});

test("what is missing is marked as missing", () => {
  assert.deepEqual(shortcomingsOf(typed({ name: " ", low: "", high: " " }), new Set()),
    [["name", "a name", true], ["low", "“From”", true], ["high", "“To”", true]]);
  assert.deepEqual(shortcomingsOf(typed({ kind: "ordinal", values: "1" }), new Set()), [["values", "two values or more", true]]);
  assert.deepEqual(shortcomingsOf(typed({ kind: "constant" }), new Set()), [["value", "a value", true]]);
});

test("a name must differ from those of the earlier parameters", () => {
  assert.deepEqual(wrong({ name: " dose " }, ["dose"]), ["another parameter is called dose"]);
});

test("ends must be numbers, whole for integers, with a point for decimals", () => {
  assert.deepEqual(wrong({ low: "12,5" }), ["“From” must be a number, with a point for decimals: 12.5"]);
  assert.deepEqual(wrong({ high: "hot" }), ["“To” must be a number, such as 12.5"]);
  assert.deepEqual(wrong({ kind: "integer", low: "80.5" }), ["“From” must be a whole number"]);
});

test("a range must go up, above 0 where ratios matter, in steps that fit", () => {
  assert.deepEqual(wrong({ low: "96" }), ["“To” must be above “From”"]);
  assert.deepEqual(wrong({ low: "0", log: true }), ["where ratios matter, “From” must be above 0"]);
  assert.deepEqual(wrong({ low: "0.1", log: true }), []);
  assert.deepEqual(wrong({ step: "0" }), ["a step must be a number above 0"]);
  assert.deepEqual(wrong({ step: "5" }), ["steps must lead from “From” to “To”"]);
  assert.deepEqual(wrong({ kind: "integer", step: "5" }), []);
});

test("a list must not repeat a value", () => {
  assert.deepEqual(wrong({ kind: "categorical", values: "a, b, a" }), ["“a” is there twice"]);
});

test("a step is suggested for the complete range of a number, where differences matter", () => {
  assert.equal(suggestedStepOf(typed({})), 0.5);
  for (const more of [{ low: "" }, { high: "warm" }, { log: true }, { kind: "integer" }, { low: "96" }]) assert.equal(suggestedStepOf(typed(more)), null);
});
