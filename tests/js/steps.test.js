// Steps of numbers: digits, the nearest value, places on a slider, and suggestions.

import assert from "node:assert/strict";
import { test } from "node:test";

import { digitsOf, scale, snap, suggestStep } from "../../src/anchorpbo/app/web/static/steps.js";

const real = (low, high, more = {}) => ({ name: "x", kind: "real", low, high, log: false, ...more });

test("a slider with steps has one place per step and ends at the ends", () => {
  const { last, value, place } = scale(real(0.1, 0.7, { step: 0.1 }));
  assert.equal(last, 6);
  assert.deepEqual([0, 1, 2, 6, 7].map(value), [0.1, 0.2, 0.3, 0.7, 0.7]);
  assert.equal(place(0.3), 2);
  assert.equal(scale({ name: "n", kind: "integer", low: 1, high: 10, log: false }).last, 9);
});

test("a slider without steps has 200 places with numbers of few digits", () => {
  const { last, value, place } = scale(real(80, 96));
  assert.equal(last, 200);
  assert.deepEqual([-1, 0, 1, 100, 200, 201].map(value), [80, 80, 80.08, 88, 96, 96]);
  assert.equal(place(88), 100);
});

test("a logarithmic slider has equal ratios between its places", () => {
  const { value, place } = scale(real(1, 10_000, { log: true }));
  assert.deepEqual([0, 50, 100, 150, 200].map(value), [1, 10, 100, 1000, 10_000]);
  assert.equal(place(100), 100);
  const steps = scale({ name: "n", kind: "integer", low: 1, high: 1000, log: true });
  assert.equal(steps.last, 200);
  assert.ok(Number.isInteger(steps.value(77)));
});

test("values have the digits of the step and of the low end, none without a step", () => {
  assert.deepEqual([real(0, 1, { step: 0.05 }), real(0.125, 1.125, { step: 0.5 }), real(0, 1e-6, { step: 1e-7 }), real(0, 1)].map(digitsOf), [2, 3, 7, null]);
});

test("a number is set to the nearest step within the range", () => {
  const grams = real(10, 20, { step: 0.25 });
  assert.deepEqual([10, 10.12, 10.13, 19.9, 20, 9, 21].map((number) => snap(number, grams)), [10, 10, 10.25, 20, 20, 9, 21]);
  assert.equal(snap(0.30000000000000004, real(0.1, 0.7, { step: 0.1 })), 0.3);
  assert.equal(snap(2.4, { name: "n", kind: "integer", low: 1, high: 10, log: false }), 2);
  assert.equal(snap(2.4, real(1, 10)), 2.4);
});

test("the suggested step divides the range into parts of 2 to 5 %, or else of up to 10 %", () => {
  assert.deepEqual([[0, 1], [80, 96], [0, 100], [0, 7], [0, 0.003]].map(([low, high]) => suggestStep(low, high)), [0.05, 0.5, 5, 0.25, 0.0001]);
  assert.deepEqual([[1, 1], [2, 1], [0, Infinity], [0, Math.PI]].map(([low, high]) => suggestStep(low, high)), [null, null, null, null]);
});
