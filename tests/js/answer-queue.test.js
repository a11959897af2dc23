// The answers of the duel page: offline, repeated, taken back, undone while offline, and left by a page. No answer is lost or doubled.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AnswerQueue, NOT_TAKEN_BACK, isAway, isShutOut } from "../../src/anchorpbo/app/web/static/answer-queue.js";
import { Problem } from "../../src/anchorpbo/app/web/static/client.js";

const OFFLINE = () => new Problem(0, "The server does not answer.");

// A server in memory with the rules of the real one: answers and undos are idempotent, a pair is answered once.
class FakeServer {
  answers = []; // {number, duel_id, outcome, response_ms, undone}
  requests = [];
  down = false;
  lost = false; // a request arrives, and its reply does not
  round = 1; // of the pair to compare
  number = 0;
  hold = null; // a promise that the next answer waits for

  get standing() { return this.answers.filter((one) => !one.undone); }
  get duel() {
    return { id: `duel-${this.round}`, answers: this.standing.length, last: this.standing.at(-1)?.number ?? null, why: "", cards: [], progress: {} };
  }

  async #arrive(request) {
    this.requests.push(request);
    if (this.down) throw OFFLINE();
  }

  #reply(value) {
    if (this.lost) throw OFFLINE();
    return value;
  }

  async ask() {
    await this.#arrive("ask");
    return this.#reply(this.duel);
  }

  async history() {
    await this.#arrive("history");
    return this.#reply(this.answers.map(({ undone, ...one }) => ({ type: "answered", ...one, stands: !undone })));
  }

  async answer({ duel_id, outcome, response_ms, ask }, signal) {
    await this.#arrive(`answer ${outcome}`);
    if (this.hold) {
      await this.hold;
      if (signal?.aborted) throw OFFLINE();
    }
    const given = this.standing.find((one) => one.duel_id === duel_id);
    if (given && given.outcome !== outcome) throw new Problem(409, "answered otherwise");
    if (!given && duel_id !== this.duel.id) throw new Problem(409, "another pair");
    if (!given) {
      this.answers.push({ number: (this.number += 1), duel_id, outcome, response_ms, undone: false });
      this.round += 1;
    }
    const { number } = given ?? this.standing.at(-1);
    return this.#reply({ event: number, repeated: Boolean(given), next: ask ? this.duel : null });
  }

  async undo({ event }) {
    await this.#arrive("undo");
    const last = this.answers.find((one) => one.number === event);
    if (!last) throw new Problem(409, "there is nothing to undo");
    if (!last.undone && last !== this.standing.at(-1)) throw new Problem(409, "only the last event can be undone");
    const repeated = last.undone;
    if (!repeated) {
      last.undone = true;
      this.round = Number(last.duel_id.slice(5));
    }
    return this.#reply({ event: { type: "answered", outcome: last.outcome }, pending: this.duel, repeated });
  }
}

// A slot of the browser's storage: it has text, and outlives the queue.
class Slot {
  text = null;
  blocked = false;

  read() { return this.text === null ? null : JSON.parse(this.text); }
  write(value) {
    if (this.blocked) return false;
    this.text = value === null ? null : JSON.stringify(value);
    return true;
  }
}

const makeSlots = () => ({ unsent: new Slot(), revoked: new Slot() });

// Another page of the same participant, which finds what pages before it left in the slots.
function open(server, slots) {
  const warnings = [];
  const queue = new AnswerQueue(server, { now: () => 0, random: () => 0.5, warn: (text) => warnings.push(text), ...slots });
  return { queue, warnings, isRestored: queue.restore() };
}

async function begin(settings = {}) {
  const server = new FakeServer();
  const clock = { now: 0 };
  const warnings = [];
  const queue = new AnswerQueue(server, { now: () => clock.now, random: () => 0.5, warn: (text) => warnings.push(text), ...settings });
  queue.show(await queue.ask());
  return { server, queue, clock, warnings };
}

// A page whose first answer was taken back while it is under way.
async function beginRevoked() {
  const { server, queue } = await begin();
  let release;
  server.hold = new Promise((done) => { release = done; });
  queue.give("first", 900);
  const sending = queue.send();
  await new Promise(setImmediate);
  queue.revoke();
  server.hold = null;
  return { server, queue, release, sending };
}

const outcomes = (server) => server.standing.map((one) => one.outcome);

test("an answer is sent once and brings the next pair", async () => {
  const { server, queue } = await begin();
  queue.give("first", 1200);
  const found = await queue.send();
  assert.equal(found.type, "answered");
  assert.equal(found.next.id, "duel-2");
  assert.equal(queue.unsent, null);
  assert.deepEqual(outcomes(server), ["first"]);
  assert.deepEqual(server.requests, ["ask", "answer first"]);
});

test("without a pair there is nothing to answer", async () => {
  const { queue } = await begin();
  queue.clear();
  assert.throws(() => queue.give("first", 1), /nothing to answer/);
  assert.deepEqual(await queue.send(), { type: "revoked" });
});

test("an answer that is given offline is kept, and sent once when the server is back", async () => {
  const { server, queue } = await begin();
  server.down = true;
  queue.give("second", 900);
  assert.equal((await queue.send()).type, "kept");
  assert.equal((await queue.send()).type, "kept");
  assert.equal(queue.unsent.outcome, "second");
  server.down = false;
  assert.equal((await queue.send()).type, "answered");
  assert.deepEqual(outcomes(server), ["second"]);
});

test("an answer whose reply was lost is recorded once when it is repeated", async () => {
  const { server, queue } = await begin();
  server.lost = true;
  queue.give("first", 900);
  assert.equal((await queue.send()).type, "kept");
  server.lost = false;
  assert.equal((await queue.send()).type, "answered");
  assert.deepEqual(outcomes(server), ["first"]);
});

test("an answer to a pair that another tab has answered is dropped", async () => {
  const { server, queue } = await begin();
  await server.answer({ duel_id: "duel-1", outcome: "second" });
  queue.give("first", 900);
  assert.deepEqual(await queue.send(), { type: "elsewhere" });
  assert.equal(queue.unsent, null);
  assert.deepEqual(outcomes(server), ["second"]);
});

test("an answer that the server refuses for good is not kept", async () => {
  const { server, queue } = await begin();
  server.answer = async () => { throw new Problem(403, "removed"); };
  queue.give("first", 900);
  const found = await queue.send();
  assert.equal(found.type, "refused");
  assert.ok(isShutOut(found.error));
  assert.equal(queue.unsent, null);
});

test("an answer that is taken back offline before it arrived is never sent", async () => {
  const { server, queue } = await begin();
  server.down = true;
  queue.give("first", 900);
  await queue.send();
  queue.revoke();
  server.down = false;
  assert.equal(await queue.poll(), null); // the same pair is asked again
  assert.deepEqual(server.answers, []);
  queue.give("second", 800);
  await queue.send();
  assert.deepEqual(outcomes(server), ["second"]);
});

test("an answer that is taken back offline after it arrived is undone when the server is back", async () => {
  const { server, queue } = await begin();
  server.lost = true;
  queue.give("first", 900);
  await queue.send();
  assert.deepEqual(outcomes(server), ["first"]); // nobody heard
  queue.revoke();
  server.lost = false;
  await queue.settle();
  assert.deepEqual(outcomes(server), []);
  assert.equal(server.answers.length, 1);
  queue.give("second", 700);
  assert.equal((await queue.send()).type, "answered");
  assert.deepEqual(outcomes(server), ["second"]);
});

test("what was taken back is undone before the next answer is sent", async () => {
  const { server, queue } = await begin();
  server.lost = true;
  queue.give("first", 900);
  await queue.send();
  queue.revoke();
  queue.give("tie", 800);
  server.lost = false;
  assert.equal((await queue.send()).type, "answered");
  assert.deepEqual(outcomes(server), ["tie"]);
  assert.deepEqual(server.requests.slice(2), ["history", "undo", "answer tie"]);
});

test("while the server stays away, an answer that was taken back stays to be settled", async () => {
  const { server, queue } = await begin();
  server.lost = true;
  queue.give("first", 900);
  await queue.send();
  queue.revoke();
  await assert.rejects(queue.settle(), isAway);
  server.lost = false;
  await queue.settle();
  assert.deepEqual(outcomes(server), []);
});

test("an answer that is taken back while it is under way is aborted, and settled should it arrive later", async () => {
  const { server, queue, release, sending } = await beginRevoked();
  await queue.settle(); // the pair is still open: the answer may yet arrive
  await server.answer({ duel_id: "duel-1", outcome: "first", response_ms: 900 }); // the server had read the aborted request
  await queue.settle();
  release();
  assert.deepEqual(await sending, { type: "revoked" });
  assert.deepEqual(outcomes(server), []);
});

test("an answer that is taken back offline is not mistaken for the same answer of another tab", async () => {
  const { server, queue } = await begin();
  server.down = true;
  queue.give("first", 900);
  await queue.send();
  queue.revoke();
  server.down = false;
  await server.answer({ duel_id: "duel-1", outcome: "first", response_ms: 1_200 });
  await queue.settle();
  assert.deepEqual(outcomes(server), ["first"]);
});

test("settling tells of errors other than conflicts", async () => {
  const { server, queue, warnings } = await begin();
  server.lost = true;
  queue.give("first", 900);
  await queue.send();
  queue.revoke();
  server.lost = false;
  server.undo = async () => { throw new Problem(422, "odd"); };
  await queue.settle();
  assert.deepEqual(warnings, ["Odd"]);
});

test("undo takes back the last answer and brings back its pair", async () => {
  const { server, queue } = await begin();
  queue.give("skip", 900);
  queue.show((await queue.send()).next);
  assert.equal(queue.canUndo, true);
  const undone = await queue.undo();
  assert.equal(undone.pending.id, "duel-1");
  assert.deepEqual(outcomes(server), []);
});

test("undo without a number that the server knows is an error", async () => {
  const { queue } = await begin();
  assert.equal(queue.canUndo, false);
  await assert.rejects(queue.undo(), { status: 409 });
});

test("an undo that is repeated undoes one answer", async () => {
  const { server, queue } = await begin();
  for (const outcome of ["first", "second"]) {
    queue.give(outcome, 900);
    queue.show((await queue.send()).next);
  }
  server.lost = true;
  await assert.rejects(queue.undo(), isAway);
  server.lost = false;
  assert.equal((await queue.undo()).repeated, true);
  assert.deepEqual(outcomes(server), ["first"]);
});

test("a skipped pair can be undone although it is no answer", async () => {
  const { server, queue } = await begin();
  queue.give("skip", 900);
  await queue.send();
  queue.show({ ...server.duel, answers: 0 });
  assert.equal(queue.canUndo, true);
});

test("polling finds a pair that another tab has asked for, and nothing otherwise", async () => {
  const { server, queue } = await begin();
  assert.equal(await queue.poll(), null);
  await server.answer({ duel_id: "duel-1", outcome: "second" });
  assert.equal((await queue.poll()).id, "duel-2");
});

test("when no pair is left the old one no longer counts; offline it stays", async () => {
  const { server, queue } = await begin();
  server.down = true;
  await assert.rejects(queue.ask(), isAway);
  assert.equal(queue.duel.id, "duel-1");
  server.ask = async () => { throw new Problem(409, "all items are compared"); };
  await assert.rejects(queue.ask(), { status: 409 });
  assert.equal(queue.duel, null);
});

test("an answer is pending from when it was given until it is confirmed", async () => {
  const { queue, clock } = await begin();
  assert.equal(queue.isPending(0), false);
  clock.now = 5_000;
  queue.give("first", 900);
  clock.now = 5_399;
  assert.equal(queue.isPending(400), false);
  clock.now = 5_400;
  assert.equal(queue.isPending(400), true);
  await queue.send();
  assert.equal(queue.isPending(0), false);
});

test("the wait before another attempt doubles up to half a minute, and starts again after a success", async () => {
  const { server, queue } = await begin();
  const waits = Array.from({ length: 7 }, () => queue.backOff());
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  queue.show(server.duel);
  assert.equal(queue.backOff(), 1_000);
});

test("waits differ by up to a quarter, so that pages do not come back at once", () => {
  for (const [random, wait] of [[0, 750], [1, 1_250]]) assert.equal(new AnswerQueue({}, { now: () => 0, random: () => random }).backOff(), wait);
});

test("the stream's reports of own changes are told from those of others", async () => {
  const { server, queue } = await begin();
  assert.equal(queue.isOwnEvent(), false);
  queue.give("first", 900);
  await queue.send();
  assert.deepEqual([queue.isOwnEvent(), queue.isOwnEvent()], [true, false]);
  server.lost = true;
  queue.show(server.duel);
  queue.give("first", 900);
  await queue.send(); // failed: it is not expected
  assert.equal(queue.isOwnEvent(), false);
  server.lost = false;
  await queue.send(); // a repetition: the stream reported it before
  assert.equal(queue.isOwnEvent(), false);
});

test("a new stream reports nothing of before", async () => {
  const { queue } = await begin();
  queue.give("first", 900);
  await queue.send();
  queue.restartReports();
  assert.equal(queue.isOwnEvent(), false);
});

test("an answer waits for the changes that it counts with", async () => {
  let finish;
  let change = Promise.resolve();
  const { server, queue } = await begin({ ready: () => change });
  change = new Promise((resolve) => { finish = resolve; });
  queue.give("first", 900);
  const sending = queue.send();
  await new Promise((resolve) => { setTimeout(resolve); });
  assert.deepEqual(outcomes(server), []);
  finish();
  assert.equal((await sending).type, "answered");
  assert.deepEqual(outcomes(server), ["first"]);
});

test("of the pair that is shown, what has changed is taken over", async () => {
  const { server, queue } = await begin();
  const { duel } = queue;
  server.ask = async () => ({ ...duel, known: [true, false], last: 7 });
  assert.equal(await queue.poll(), null);
  assert.deepEqual(queue.duel.known, [true, false]);
  assert.equal(queue.last, 7);
  queue.clear();
  queue.keep({ known: [false, false], last: 8 });
  assert.equal(queue.duel, null);
});

// -- pages that are left -----------------------------------------------------------------------------------------------

test("an unsent answer is stored until it is confirmed", async () => {
  const slots = makeSlots();
  const { server, queue } = await begin(slots);
  server.down = true;
  queue.give("second", 900);
  await queue.send();
  assert.equal(queue.isStored, true);
  assert.deepEqual(slots.unsent.read(), { duel_id: "duel-1", outcome: "second", response_ms: 900, ask: true });
  server.down = false;
  await queue.send();
  assert.equal(slots.unsent.text, null);
});

test("a page whose storage is full or blocked keeps its answer itself", async () => {
  const slots = makeSlots();
  slots.unsent.blocked = true;
  const { server, queue } = await begin(slots);
  server.down = true;
  queue.give("second", 900);
  assert.equal((await queue.send()).type, "kept");
  assert.equal(queue.isStored, false);
  server.down = false;
  assert.equal((await queue.send()).type, "answered");
  assert.deepEqual(outcomes(server), ["second"]);
});

for (const arrives of [false, true]) {
  test(`the next page sends an answer that ${arrives ? "arrived, although nobody heard" : "did not arrive"}`, async () => {
    const slots = makeSlots();
    const before = await begin(slots);
    const { server } = before;
    server[arrives ? "lost" : "down"] = true;
    before.queue.give("second", 900);
    await before.queue.send();
    server.lost = server.down = false;
    const { queue, isRestored } = open(server, slots);
    assert.equal(isRestored, true);
    assert.equal((await queue.send()).type, "answered");
    assert.deepEqual(outcomes(server), ["second"]);
    assert.equal(server.answers.length, 1);
    assert.equal(slots.unsent.text, null);
    assert.equal(open(server, slots).isRestored, false);
  });
}

test("an answer that was taken back is not sent by the next page, and undone by it if it arrived", async () => {
  const slots = makeSlots();
  const before = await begin(slots);
  const { server } = before;
  server.lost = true;
  before.queue.give("first", 900);
  await before.queue.send();
  before.queue.revoke();
  server.lost = false;
  const { queue, isRestored } = open(server, slots);
  assert.equal(isRestored, false);
  assert.equal((await queue.ask()).id, "duel-1");
  assert.deepEqual(outcomes(server), []);
  assert.equal(slots.revoked.text, null);
});

test("two tabs that give answers offline store the last, and neither forgets the answer of the other", async () => {
  const slots = makeSlots();
  const one = await begin(slots);
  const { server } = one;
  const { queue: other } = open(server, slots);
  other.show(await other.ask());
  server.down = true;
  one.queue.give("first", 900);
  await one.queue.send();
  other.give("second", 800);
  await other.send();
  server.down = false;
  assert.equal((await one.queue.send()).type, "answered");
  assert.equal(slots.unsent.read().outcome, "second");
  assert.equal((await other.send()).type, "elsewhere");
  assert.equal(slots.unsent.text, null);
  assert.deepEqual(outcomes(server), ["first"]);
});

test("what is no answer is not restored", () => {
  for (const text of ["5", "{}", '{"duel_id": "duel-1", "outcome": "third"}', '{"outcome": "first"}', '{"answer": {"duel_id": 1}}']) {
    const slots = makeSlots();
    slots.unsent.text = slots.revoked.text = text;
    assert.equal(open(new FakeServer(), slots).isRestored, false);
  }
});

test("an answer is kept for after signing in", async () => {
  const slots = makeSlots();
  const { server, queue } = await begin(slots);
  const signedOut = async () => { throw new Problem(401, "not signed in"); };
  server.answer = signedOut;
  queue.give("first", 900);
  const found = await queue.send();
  assert.deepEqual([found.type, found.error.status], ["kept", 401]);
  delete server.answer;
  assert.equal((await open(server, slots).queue.send()).type, "answered"); // signing in loads the page anew
  assert.equal((await queue.send()).type, "answered");
  assert.deepEqual(outcomes(server), ["first"]);
  server.ask = signedOut;
  await assert.rejects(queue.ask(), { status: 401 });
  assert.equal(queue.duel.id, "duel-1"); // shown until it can be replaced
});

test("an answer that is refused for good is not stored any longer", async () => {
  const slots = makeSlots();
  const { server, queue } = await begin(slots);
  server.answer = async () => { throw new Problem(403, "removed"); };
  queue.give("first", 900);
  assert.equal((await queue.send()).type, "refused");
  assert.equal(slots.unsent.text, null);
});

// -- other tabs ----------------------------------------------------------------------------------------------------------

test("an answer that arrived unheard and was undone in another tab is not sent again", async () => {
  const slots = makeSlots();
  const { server, queue } = await begin(slots);
  server.lost = true;
  queue.give("first", 900);
  await queue.send();
  server.lost = false;
  const { queue: other } = open(server, makeSlots());
  other.show(await other.ask());
  await other.undo();
  assert.deepEqual(await queue.send(), { type: "undone" });
  assert.deepEqual([queue.unsent, slots.unsent.text], [null, null]);
  assert.deepEqual(server.answers.map((one) => one.undone), [true]);
  queue.give("first", 700); // and may be given again
  assert.equal((await queue.send()).type, "answered");
});

test("an answer that was taken back offline after another tab went on stands, and the page says so", async () => {
  const { server, queue, warnings } = await begin();
  server.lost = true;
  queue.give("first", 900);
  await queue.send();
  server.lost = false;
  await server.answer({ duel_id: "duel-2", outcome: "tie" });
  queue.revoke();
  await queue.settle();
  assert.deepEqual(warnings, [NOT_TAKEN_BACK]);
  assert.deepEqual(outcomes(server), ["first", "tie"]);
});

test("an answer given instead of one that comes late replaces it", async () => {
  const { server, queue, release, sending } = await beginRevoked();
  queue.give("second", 700);
  const { answer } = server;
  server.answer = async (...request) => { // the server had read the aborted request, and records it now
    server.answer = answer;
    await server.answer({ duel_id: "duel-1", outcome: "first", response_ms: 900 });
    return server.answer(...request);
  };
  assert.equal((await queue.send()).type, "answered");
  release();
  assert.deepEqual(await sending, { type: "revoked" });
  assert.deepEqual(outcomes(server), ["second"]);
});

test("a check of the anchors is asked for by itself, not with the confirmation of an answer", async () => {
  const { server, queue } = await begin();
  const asked = [];
  server.ask = async (check) => { asked.push(check); return server.duel; };
  queue.give("first", 900, false);
  assert.equal((await queue.send()).next, null);
  queue.show(await queue.ask(true));
  await queue.poll();
  assert.deepEqual(asked, [true, undefined]); // polling keeps the pair that is pending
});
