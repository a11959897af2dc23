// The duel page: shows the pair and the state of the answers, see answer-queue.js.

import { AnswerQueue, isAway, isShutOut, isSignedOut } from "./answer-queue.js";
import { Problem, as, attempt, base, get, limits, participant, post, say, study } from "./api.js";
import { differences, picture, rows } from "./card.js";
import { asShown } from "./cards.js";
import { messageOf } from "./client.js";
import { el, elementsOf } from "./dom.js";
import { KnownDesigns } from "./duel-anchors.js";
import { Checks } from "./duel-checks.js";
import { DuelMedia, takesKey } from "./duel-media.js";
import { StoredValue } from "./stored-value.js";

/** @import { Card, DuelView } from "../rest" */
/** @import { Outcome } from "./answer-queue.js" */
/** @import { Side } from "./duel-anchors.js" */

const PAUSE = 250; // ms for which new cards take no answer: a second press was meant for the old ones
const SLOW = 400; // ms after which a wait is told
const LATE = 2_000; // ms after which an answer that is not confirmed may be lost by leaving the page
/** @type {Map<string, Outcome>} */
const KEYS = new Map([
  ["ArrowLeft", "first"], ["a", "first"], ["1", "first"],
  ["ArrowRight", "second"], ["b", "second"], ["d", "second"], ["2", "second"],
  ["ArrowDown", "tie"], ["t", "tie"],
  ["s", "skip"],
]);
/** @type {Map<string, Side>} */
const MARKS = new Map([["j", "first"], ["k", "second"]]);
const LETTERS = { first: "A", second: "B" };
const ANSWERED_ELSEWHERE = "Another tab has answered or replaced this pair. These are the designs to compare now.";
const SENT_LATE = "Your answer from before this page was loaded is saved.";
const NOT_SENT = "Your answer from before this page was loaded was not used: its pair was answered or replaced since.";
const TAKEN_BACK = "Your last answer was taken back.";
const TAKEN_BACK_ELSEWHERE = "Your answer was taken back in another tab.";

const at = elementsOf("duel");
const [pair, why, spoken, help] = [at("pair"), at("why"), at("spoken"), at("help-dialog")];
const buttons = [at("first"), at("second"), at("tie"), at("skip")];

const media = new DuelMedia();
const queue = new AnswerQueue({
  ask: (check) => post("/studies/{id}/ask", check ? { participant, check } : { participant }),
  answer: (answer, signal) => post("/studies/{id}/answers", { ...answer, participant }, { signal }),
  undo: (event) => post("/studies/{id}/undo", { ...event, participant }),
  history: () => get("/studies/{id}/history", { participant }),
}, {
  warn: (words) => { page.warnings += 1; say(words, 10); },
  ready: () => known.done,
  unsent: new StoredValue(`anchorpbo.unsent/${study}/${participant}`, () => localStorage),
  revoked: new StoredValue(`anchorpbo.revoked/${study}/${participant}`, () => sessionStorage),
});

// What the page does at the moment.
class Page {
  shown = 0; // when the cards were shown
  busy = false;
  /** @type {(() => void) | null} */
  again = null; // what to do on Try again
  /** @type {EventSource | null} */
  stream = null;
  waitTimer = 0;
  retryTimer = 0;
  warnings = 0; // of the queue so far: they say more than that another tab did something
}

const page = new Page();

/** @type {KnownDesigns} */
const known = new KnownDesigns(queue, { canAnswer: () => queue.duel !== null && !page.busy && page.again === null, changed: showMarks });

const checks = new Checks({ stop: stopChecks, more: moreChecks });

// -- showing ---------------------------------------------------------------------------------------------------------

/**
 * @param {"first" | "second"} side
 * @param {Card} card
 * @param {Card} other
 */
function fill(side, card, other) {
  const button = at(side);
  const link = at(side === "first" ? "first-link" : "second-link");
  const letter = LETTERS[side];
  const lead = el("span", { class: "sr-only" }, `Choose ${letter}: `);
  const label = el("span", { class: "letter", "aria-hidden": "true" }, letter, el("kbd", {}, side === "first" ? "←" : "→"));
  const head = el("div", { class: "card-head" }, label, card.title ? el("span", { class: "card-title" }, card.title) : null);
  button.replaceChildren(...[lead, head, picture(card), rows(card, other)].filter((part) => part !== null));
  button.classList.remove("chosen");
  link.hidden = !card.link;
  if (card.link) link.href = card.link;
}

/** @param {DuelView} duel */
function show(duel) {
  queue.show(duel);
  const cards = duel.cards.map(asShown);
  const [one, other] = cards;
  fill("first", one, other);
  fill("second", other, one);
  media.show(cards);
  pair.classList.toggle("pictures", cards.some((card) => card.svg || card.image));
  pair.style.setProperty("--rows", String(Math.max(...cards.map((card) => card.rows.length))));
  why.textContent = duel.reason;
  const { progress, answers } = duel;
  const count = answers === 1 ? "1 comparison so far." : `${answers} comparisons so far.`;
  at("progress").textContent = progress.stop ? count : `${count} ${progress.sentence}`;
  at("bar").value = progress.stop ? 1 : answers / Math.max(answers + progress.remaining, 1);
  at("finished").hidden = !progress.stop;
  at("finished-words").textContent = progress.stop ? `${progress.sentence} You can also go on.` : "";
  checks.showNumber();
  spoken.textContent = `${checks.numberWords ?? `Comparison ${answers + 1}.`} ${differences(cards)}`;
  clearTrouble();
  rest();
  if (page.stream?.readyState === EventSource.CLOSED && !document.hidden) listen(); // closed for good by an error
  // The response time starts after the frame in which the cards are painted.
  page.shown = performance.now();
  requestAnimationFrame(() => { page.shown = performance.now(); });
}

// Show what can change while a pair is on screen: its anchors, and whether there is something to take back.
function showMarks() {
  at("undo").setAttribute("aria-disabled", String(!queue.canUndo && !known.has(queue.last)));
  known.show();
}

function rest() {
  page.busy = false;
  clearTimeout(page.waitTimer);
  pair.removeAttribute("aria-busy");
  pair.classList.remove("waiting");
  for (const button of buttons) {
    button.setAttribute("aria-disabled", String(!queue.duel || page.again !== null));
    button.classList.remove("chosen");
  }
  showMarks();
  for (const element of [pair, at("tie"), at("skip")]) element.hidden = queue.duel === null;
}

/** @param {string} words */
function wait(words) {
  page.busy = true;
  known.show();
  pair.setAttribute("aria-busy", "true");
  clearTimeout(page.waitTimer);
  page.waitTimer = setTimeout(() => {
    why.textContent = words;
    pair.classList.add("waiting");
    if (queue.unsent) at("undo").setAttribute("aria-disabled", "false");
  }, SLOW);
}

/**
 * @param {unknown} error
 * @param {() => void} action
 */
function trouble(error, action) {
  if (!(error instanceof Problem)) console.error(error);
  page.again = action;
  if (isAway(error)) retryLater();
  const words = messageOf(error);
  if (at("trouble-text").textContent !== words) at("trouble-text").textContent = words; // told once, however often it fails
  at("trouble").hidden = false;
  at("retry").hidden = isShutOut(error);
  if (isShutOut(error)) {
    queue.clear();
    page.stream?.close();
  }
  rest();
  if (isShutOut(error)) at("undo").setAttribute("aria-disabled", "true");
  why.textContent = queue.duel ? queue.duel.reason : "There is nothing to compare at the moment.";
}

function clearTrouble() {
  const focused = document.activeElement === at("retry");
  page.again = null;
  clearTimeout(page.retryTimer);
  at("trouble").hidden = true;
  at("trouble-text").textContent = "";
  if (focused) at("first").focus();
}

function retryLater() {
  clearTimeout(page.retryTimer);
  page.retryTimer = setTimeout(retry, queue.backOff());
}

function retry() {
  if (page.again && !page.busy) page.again();
}

// The server may be back, or have news.
function resume() {
  if (page.again) retry();
  else refresh();
}

window.addEventListener("online", resume);

// -- asking and answering --------------------------------------------------------------------------------------------

async function ask() {
  wait(checks.isOn ? "Checking your anchors …" : "Choosing the next pair …");
  try {
    if (checks.isOn && await checks.isOver()) showVerdict();
    else show(await queue.ask(checks.isOn));
  } catch (error) {
    trouble(error, ask);
  }
}

/** @param {Outcome} outcome */
function choose(outcome) {
  const now = performance.now();
  if (page.busy || !queue.duel || page.again || now - page.shown < PAUSE) return;
  queue.give(outcome, Math.min(Math.round(now - page.shown), limits.response_ms), !checks.isOn);
  send();
}

// After the last check of the anchors, there is no pair to answer.
function showVerdict() {
  queue.clear();
  clearTrouble();
  rest();
  checks.showVerdict();
}

function stopChecks() {
  if (page.busy || page.again) return;
  checks.stop();
  ask();
}

async function moreChecks() {
  if (page.busy || page.again) return;
  checks.restart();
  await ask();
  if (queue.duel) at("first").focus();
}

window.addEventListener("beforeunload", (event) => {
  if (queue.unsent && (page.again || queue.isPending(LATE))) event.preventDefault();
});

/** @param {Problem} error */
function wordsOfKept(error) {
  const kept = `Your answer is kept ${queue.isStored ? "in this browser" : "on this page"}`;
  return isSignedOut(error) ? `You are signed out. ${kept}, and sent when you have signed in: reload this page, or use another tab.`
    : `The server does not answer. ${kept}, and sent as soon as it does.`;
}

async function send() {
  if (!queue.unsent) return;
  const { outcome } = queue.unsent;
  const isRestored = queue.duel === null;
  const { warnings } = page;
  wait("Choosing the next pair …");
  at(outcome).classList.add("chosen");
  const found = await queue.send();
  switch (found.type) {
    case "answered":
      if (isRestored) say(SENT_LATE, 10);
      checks.add(queue.last);
      if (found.next && !checks.isOn) show(found.next);
      else await ask();
      break;
    case "elsewhere":
      if (page.warnings === warnings) say(isRestored ? NOT_SENT : ANSWERED_ELSEWHERE, isRestored ? 10 : undefined);
      await ask();
      break;
    case "undone":
      say(TAKEN_BACK_ELSEWHERE);
      await ask();
      break;
    case "revoked":
      refresh();
      break;
    case "kept":
      trouble(new Problem(found.error.status, wordsOfKept(found.error)), send);
      at(outcome).classList.add("chosen");
      break;
    default:
      trouble(found.error, ask);
  }
}

function revoke() {
  queue.revoke();
  clearTrouble();
  rest();
  why.textContent = queue.duel?.reason ?? "";
  page.shown = performance.now();
  say(TAKEN_BACK);
  if (!queue.duel) ask();
}

async function undo() {
  if (queue.unsent && (page.again || queue.isPending(SLOW))) {
    revoke();
    return;
  }
  if (page.busy || at("undo").getAttribute("aria-disabled") === "true") return;
  wait("Taking back your answer …");
  let isLost = false; // it may have arrived all the same
  const undone = await attempt(() => queue.undo().catch((error) => {
    isLost = isAway(error);
    throw error;
  }));
  if (!undone) {
    rest();
    why.textContent = queue.duel?.reason ?? "";
    refresh(isLost ? TAKEN_BACK : ANSWERED_ELSEWHERE);
    return;
  }
  if (undone.event.type === "answered") checks.remove(undone.event.number);
  say(undone.event.type === "answered" ? TAKEN_BACK : "Your last change of anchors was taken back.");
  if (undone.pending) show(undone.pending);
  else await ask();
}

// -- keys and buttons ------------------------------------------------------------------------------------------------

for (const button of buttons) button.addEventListener("click", () => choose(/** @type {Outcome} */ (button.dataset.outcome)));
at("undo").addEventListener("click", (event) => { if (event.detail < 2) undo(); }); // the second of a double click would take back another answer
at("help").addEventListener("click", () => help.showModal());
at("retry").addEventListener("click", retry);

const keys = at("keys");
keys.checked = localStorage.getItem("anchorpbo.keys") !== "off";
const showKeys = () => document.body.classList.toggle("no-keys", !keys.checked);
showKeys();
keys.addEventListener("change", () => {
  localStorage.setItem("anchorpbo.keys", keys.checked ? "on" : "off");
  showKeys();
});

document.addEventListener("keydown", (event) => {
  if (event.repeat && event.key === "Enter" && event.target instanceof HTMLButtonElement) event.preventDefault(); // a key that is held down presses once
  if (event.repeat || document.querySelector("dialog[open]") || !keys.checked || takesKey(event)) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const withControl = event.ctrlKey || event.metaKey;
  if (event.altKey || (withControl && (key !== "z" || event.shiftKey))) return;
  const outcome = KEYS.get(key);
  const marked = MARKS.get(key);
  const action = key === "?" ? () => help.showModal()
    : (key === "u" && !withControl) || (key === "z" && withControl) ? undo
    : outcome ? () => choose(outcome)
    : withControl ? null
    : marked ? () => known.toggle(marked) : media.actionOf(key);
  if (action === null) return;
  event.preventDefault();
  action();
});

// -- other tabs ------------------------------------------------------------------------------------------------------

async function refresh(words = ANSWERED_ELSEWHERE) {
  if (page.busy || page.again || checks.isShown) return;
  const hadPair = queue.duel !== null;
  const { warnings } = page;
  try {
    const next = await queue.poll();
    if (page.busy || page.again) return; // an answer was given meanwhile
    if (!next) {
      showMarks();
      return;
    }
    if (checks.isOn) await ask(); // the pair of the other tab need not check the anchors
    else show(next);
    if (hadPair && page.warnings === warnings) say(words);
  } catch {
    // The user did not ask for this: the next answer shows the error.
  }
}

function listen() {
  let first = true;
  const stream = page.stream = new EventSource(`/api${base}/stream?${as}`);
  stream.addEventListener("ready", () => {
    queue.restartReports();
    if (!first) resume();
    else refresh(); // what happened before the stream was there
    first = false;
  });
  for (const type of ["anchor_added", "anchor_removed"]) {
    stream.addEventListener(type, ({ data }) => {
      if (!known.changing && JSON.parse(data).number > (queue.last ?? 0)) refresh(); // of another tab
    });
  }
  for (const type of ["answered", "undone"]) {
    stream.addEventListener(type, () => { if (!queue.isOwnEvent()) refresh(); });
  }
}

// Browsers limit connections per server: hidden tabs close their stream.
document.addEventListener("visibilitychange", () => {
  page.stream?.close();
  if (document.hidden) return;
  resume();
  listen();
});
window.addEventListener("pagehide", () => page.stream?.close());
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

if (queue.restore()) await send();
else await ask();
listen();
