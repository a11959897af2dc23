// Words about marks: how well each marked design can be judged.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ANSWERS, MARKED, REMOVED, countMarks, headMarks, judgementOf } from "../../src/anchorpbo/app/web/static/anchors-judgements.js";

const marks = (...judgements) => judgements.map((judgement) => ({ design: {}, name: null, judgement }));

test("anchors are counted, and other marks beside them", () => {
  const cases = [
    [[], "None yet. You can compare without any."],
    [["yes"], "1 anchor."],
    [["yes", "yes"], "2 anchors."],
    [["no"], "No anchor yet. 1 you cannot judge well."],
    [["yes", "unsure", "no", "unsure"], "1 anchor. 1 you cannot judge well. 2 you are not sure about."],
  ];
  for (const [judgements, words] of cases) assert.equal(countMarks(marks(...judgements)), words);
});

test("anchors are numbered as on the map, where other marks have no number", () => {
  assert.deepEqual(headMarks(marks("yes", "no", "yes", "unsure")), ["Anchor 1", "Hard to judge", "Anchor 2", "Not sure"]);
});

test("a mark without a judgement is an anchor", () => {
  assert.equal(judgementOf({ design: {}, name: null }), "yes");
  assert.deepEqual(headMarks([{ design: {}, name: null }]), ["Anchor 1"]);
});

test("every answer has words for its mark and its removal", () => {
  for (const { judgement } of ANSWERS) assert.ok(MARKED[judgement].endsWith(".") && REMOVED[judgement].endsWith("."));
  assert.deepEqual(ANSWERS.map(({ answer }) => answer), ["Yes", "No", "Not sure"]);
});
