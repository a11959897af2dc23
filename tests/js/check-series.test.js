// A series of checks of the anchors: counting, its end, undo, and a reload of the page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CHECKS, CheckSeries } from "../../src/anchorpbo/app/web/static/check-series.js";

const makeSlot = (value = null) => ({
  value,
  read() { return this.value; },
  write(value) { this.value = value; return true; },
});

test("a series ends after its last question", () => {
  const series = new CheckSeries(makeSlot());
  series.judge("open");
  for (let event = 1; event <= CHECKS; event += 1) {
    assert.equal(series.isOver, false);
    series.add(event);
    series.judge("open");
  }
  assert.equal(series.isOver, true);
  assert.equal(series.sentence, "You answered all 10 checks.");
});

test("an answer that is confirmed twice counts once", () => {
  const series = new CheckSeries(makeSlot());
  series.add(7);
  series.add(7);
  assert.equal(series.count, 1);
});

for (const [verdicts, isOver] of [
  [["open", "supported"], true],
  [["open", "contradicted"], true],
  [["supported", "supported"], false], // it was clear before: the rest is asked
  [["supported", "open"], false],
  [["supported", "contradicted"], true],
  [["contradicted", "open", "contradicted"], true],
]) {
  test(`the verdicts ${verdicts.join(", ")} ${isOver ? "end" : "do not end"} a series`, () => {
    const series = new CheckSeries(makeSlot());
    for (const [n, verdict] of verdicts.entries()) {
      if (n) series.add(n);
      series.judge(verdict);
    }
    assert.equal(series.isOver, isOver);
    if (isOver) assert.equal(series.sentence, `The verdict is clear after ${verdicts.length === 2 ? "1 check" : "2 checks"}.`);
  });
}

test("a series that was stopped says how far it came, and can be restarted", () => {
  const series = new CheckSeries(makeSlot());
  series.add(1);
  series.stop();
  assert.equal(series.isOver, true);
  assert.equal(series.sentence, "You answered 1 of 10 checks.");
  series.restart();
  assert.deepEqual([series.isOver, series.count], [false, 0]);
});

test("a series goes on when its last answer is taken back", () => {
  const series = new CheckSeries(makeSlot());
  series.judge("open");
  series.add(3);
  series.judge("supported");
  assert.equal(series.isOver, true);
  assert.equal(series.remove(3), true);
  assert.deepEqual([series.isOver, series.count], [false, 0]);
  assert.equal(series.remove(2), false); // of before the series
  series.add(4);
  series.judge("supported");
  assert.equal(series.isOver, true);
});

test("a series outlives its page; what is no series does not", () => {
  const slot = makeSlot();
  const series = new CheckSeries(slot);
  series.add(3);
  series.stop();
  const again = new CheckSeries(slot);
  assert.deepEqual([again.count, again.isOver, again.sentence], [1, true, series.sentence]);
  for (const value of [null, 3, "10", {}, { total: "10", answered: [] }]) assert.equal(new CheckSeries(makeSlot(value)).count, 0);
});
