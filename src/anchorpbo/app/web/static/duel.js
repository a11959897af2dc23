// The duel page. One answer is sent at a time; an answer that could not be sent is kept and sent again when the server
// responds.

import { Problem, as, attempt, base, participant, post, say } from "./api.js";
import { picture, rows } from "./card.js";
import { el } from "./dom.js";

const PAUSE = 250; // ms for which new cards take no answer: a second press was meant for the old ones
const SLOW = 400; // ms after which a wait is told
const LATE = 2_000; // ms after which an answer that is not confirmed may be lost by leaving the page
const BACKOFF = [1_000, 30_000]; // ms before the first attempt to reach the server again, and at most
const LONGEST = 7 * 24 * 3600 * 1000;
const KEYS = new Map(Object.entries({
  ArrowLeft: "first", a: "first", 1: "first",
  ArrowRight: "second", d: "second", 2: "second",
  ArrowDown: "tie", t: "tie",
  s: "skip",
}));
const ANSWERED_ELSEWHERE = "Answered in another tab. These are the designs to compare now.";
const TAKEN_BACK = "Your last answer was taken back.";
const KEPT = "The server does not answer. Your answer is kept on this page, and sent as soon as it does.";

const at = (id) => document.getElementById(id);
const [pair, why, spoken, help] = ["pair", "why", "spoken", "help-dialog"].map(at);
const buttons = [...document.querySelectorAll("[data-outcome]")];

let duel = null;
let shown = 0; // when the cards were shown
let busy = false;
let again = null; // what to do on Try again
let failures = 0; // attempts in a row that did not reach the server
let unsent = null; // the answer that the server has yet to confirm
let since = 0; // when it was given
let sending = null; // aborts the request that carries it, while there is one
let revoked = null; // an answer that was taken back before it was confirmed; it may have reached the server
let mine = 0; // answers and undos of this page that the stream has yet to report
let skipped = 0;
let last = null; // number of the event that undo takes back

// -- showing ---------------------------------------------------------------------------------------------------------

const amount = (row) => (row.unit ? `${row.value} ${row.unit}` : row.value);

function differences([one, other]) {
  const values = new Map(other.rows.map((row) => [row.name, amount(row)]));
  const differing = one.rows.filter((row) => values.get(row.name) !== amount(row));
  const named = one.title || other.title ? [`${one.title} or ${other.title}`] : [];
  return [...named, ...differing.map((row) => `${row.label} ${amount(row)} or ${values.get(row.name)}`)].join("; ");
}

function fill(side, card, other) {
  const button = at(side);
  const link = at(`${side}-link`);
  const lead = el("span", { class: "sr-only" }, `Choose the ${side}: `);
  const title = card.title ? el("div", { class: "card-title" }, card.title) : null;
  button.replaceChildren(...[lead, title, picture(card), rows(card, other)].filter(Boolean));
  button.classList.remove("chosen");
  link.hidden = !card.link;
  if (card.link) link.href = card.link;
}

function show(next) {
  duel = next;
  last = duel.last;
  const [one, other] = duel.cards;
  fill("first", one, other);
  fill("second", other, one);
  pair.classList.toggle("pictures", duel.cards.some((card) => card.svg || card.image));
  why.textContent = duel.why;
  const { progress, answers } = duel;
  const count = answers === 1 ? "1 comparison so far." : `${answers} comparisons so far.`;
  at("progress").textContent = progress.stop ? count : `${count} ${progress.sentence}`;
  at("bar").value = progress.stop ? 1 : answers / Math.max(answers + progress.remaining, 1);
  at("finished").hidden = !progress.stop;
  at("finished-words").textContent = progress.stop ? `${progress.sentence} You can also go on.` : "";
  spoken.textContent = `Comparison ${answers + 1}. ${differences(duel.cards)}`;
  failures = 0;
  clearTrouble();
  rest();
  if (stream?.readyState === EventSource.CLOSED && !document.hidden) listen(); // closed for good by an error
  // The response time starts after the frame in which the cards are painted.
  shown = performance.now();
  requestAnimationFrame(() => { shown = performance.now(); });
}

function rest() {
  busy = false;
  clearTimeout(rest.timer);
  pair.removeAttribute("aria-busy");
  pair.classList.remove("waiting");
  for (const button of buttons) {
    button.setAttribute("aria-disabled", String(!duel || again !== null));
    button.classList.remove("chosen");
  }
  at("undo").setAttribute("aria-disabled", String(!unsent && duel !== null && !duel.answers && !skipped));
  for (const element of [pair, at("tie"), at("skip")]) element.hidden = duel === null;
}

function wait(words) {
  busy = true;
  pair.setAttribute("aria-busy", "true");
  clearTimeout(rest.timer);
  rest.timer = setTimeout(() => {
    why.textContent = words;
    pair.classList.add("waiting");
    if (unsent) at("undo").setAttribute("aria-disabled", "false");
  }, SLOW);
}

function trouble(error, action) {
  if (!(error instanceof Problem)) console.error(error);
  again = action;
  if (isAway(error)) retryLater();
  const text = error.message || "Something went wrong.";
  const words = text[0].toUpperCase() + text.slice(1);
  if (at("trouble-text").textContent !== words) at("trouble-text").textContent = words; // told once, however often it fails
  at("trouble").hidden = false;
  at("retry").hidden = isShutOut(error);
  if (isShutOut(error)) {
    duel = unsent = null;
    stream?.close();
  }
  rest();
  if (isShutOut(error)) at("undo").setAttribute("aria-disabled", "true");
  if (duel) why.textContent = duel.why;
  else why.textContent = "There is nothing to compare at the moment.";
}

function clearTrouble() {
  const focused = document.activeElement === at("retry");
  again = null;
  clearTimeout(retryLater.timer);
  at("trouble").hidden = true;
  at("trouble-text").textContent = "";
  if (focused) at("first").focus();
}

// Exponential back-off with jitter.
function retryLater() {
  const [first, most] = BACKOFF;
  clearTimeout(retryLater.timer);
  retryLater.timer = setTimeout(retry, Math.min(first * 2 ** failures, most) * (0.75 + 0.5 * Math.random()));
  failures += 1;
}

function retry() {
  if (again && !busy) again();
}

window.addEventListener("online", () => { if (again) retry(); else refresh(); });

// -- asking and answering --------------------------------------------------------------------------------------------

const isAway = (error) => error instanceof Problem && (error.status === 0 || error.status >= 500);

const isShutOut = (error) => error instanceof Problem && error.status === 403; // removed, or their link was replaced

async function ask() {
  wait("Choosing the next pair …");
  try {
    await settle();
    show(await post(`${base}/ask`, { participant }));
  } catch (error) {
    if (!isAway(error)) duel = null; // all items compared, or the study is gone: the old pair no longer counts
    trouble(error, ask);
  }
}

function choose(outcome) {
  const now = performance.now();
  if (busy || !duel || again || now - shown < PAUSE) return;
  const response_ms = Math.min(Math.round(now - shown), LONGEST);
  unsent = { duel_id: duel.id, outcome, response_ms, participant, ask: true };
  since = now;
  send(unsent);
}

// Whether an answer could not be sent, or has been pending for this many milliseconds.
const isWaiting = (long) => unsent !== null && (again !== null || performance.now() - since >= long);

window.addEventListener("beforeunload", (event) => { if (isWaiting(LATE)) event.preventDefault(); });

async function send(answer) {
  wait("Choosing the next pair …");
  at(answer.outcome).classList.add("chosen");
  let kept = null;
  sending = new AbortController();
  const { signal } = sending;
  try {
    await settle();
    kept = await expecting(() => post(`${base}/answers`, answer, signal));
    if (unsent !== answer) { // taken back meanwhile
      refresh();
      return;
    }
    revoked = null; // another answer to the same pair: one that comes late is refused
    last = kept.event;
    if (answer.outcome === "skip") skipped += 1;
  } catch (error) {
    if (unsent !== answer) { // taken back meanwhile
      refresh();
      return;
    }
    sending = null;
    if (error.status === 409) {
      say(ANSWERED_ELSEWHERE);
    } else {
      const away = isAway(error);
      if (!away) unsent = null;
      trouble(away ? new Problem(error.status, KEPT) : error, away ? () => send(answer) : ask);
      if (away) at(answer.outcome).classList.add("chosen");
      return;
    }
  }
  unsent = sending = null;
  if (kept?.next) show(kept.next);
  else await ask();
}

// Send a change; the stream reports it, unless it was a repetition.
async function expecting(change) {
  mine += 1;
  try {
    const found = await change();
    if (found.repeated) mine = Math.max(mine - 1, 0);
    return found;
  } catch (error) {
    mine = Math.max(mine - 1, 0);
    throw error;
  }
}

const takeBack = (event) => expecting(() => post(`${base}/undo`, { participant, event }));

// Cancel a pending answer. Whether it reached the server is checked when the server responds again.
function revoke() {
  revoked = { ...unsent, late: sending !== null }; // the server may read a request after it was aborted
  unsent = null;
  sending?.abort();
  sending = null;
  clearTrouble();
  rest();
  why.textContent = duel.why;
  shown = performance.now();
  say(TAKEN_BACK);
}

// Undo at the server an answer that was cancelled here.
async function settle() {
  if (!revoked) return;
  const answer = revoked;
  try {
    const out = await post(`${base}/ask`, { participant }).catch((error) => {
      if (isAway(error)) throw error;
      return null; // nothing is left to ask
    });
    if (out?.id === answer.duel_id) {
      if (answer.late) return; // it may still arrive: the stream will report it
    } else {
      const { late, ...given } = answer;
      const kept = await expecting(() => post(`${base}/answers`, { ...given, ask: false }));
      await takeBack(kept.event);
    }
  } catch (error) {
    if (isAway(error)) throw error;
    if (error.status !== 409) say(error.message); // 409: answered, or gone on, in another tab
  }
  if (revoked === answer) revoked = null;
}

async function undo() {
  if (isWaiting(SLOW)) {
    revoke();
    return;
  }
  if (busy || at("undo").getAttribute("aria-disabled") === "true") return;
  wait("Taking back your answer …");
  const undone = await attempt(async () => { await settle(); return takeBack(last); });
  if (!undone) {
    rest();
    why.textContent = duel ? duel.why : "";
    return;
  }
  const { type, outcome } = undone.event;
  if (type === "answered" && outcome === "skip") skipped = Math.max(skipped - 1, 0);
  say(type === "answered" ? TAKEN_BACK : "Your last change of anchors was taken back.");
  if (undone.pending) show(undone.pending);
  else await ask();
}

// -- keys and buttons ------------------------------------------------------------------------------------------------

for (const button of buttons) button.addEventListener("click", () => choose(button.dataset.outcome));
at("undo").addEventListener("click", undo);
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
  if (event.repeat || help.open || !keys.checked || event.target.closest("input, select, textarea")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const withControl = event.ctrlKey || event.metaKey;
  if (event.altKey || (withControl && (key !== "z" || event.shiftKey))) return;
  const action = key === "?" ? () => help.showModal()
    : (key === "u" && !withControl) || (key === "z" && withControl) ? undo
    : KEYS.has(key) ? () => choose(KEYS.get(key)) : null;
  if (action === null) return;
  event.preventDefault();
  action();
});

// -- other tabs ------------------------------------------------------------------------------------------------------

let stream = null;

async function refresh() {
  if (busy || again) return;
  const before = duel?.id;
  try {
    await settle();
    const next = await post(`${base}/ask`, { participant });
    if (busy || duel?.id !== before || next.id === before) return;
    show(next);
    if (before) say(ANSWERED_ELSEWHERE);
  } catch {
    // The user did not ask for this: the next answer shows the error.
  }
}

function listen() {
  let first = true;
  stream = new EventSource(`/api${base}/stream?${as}`);
  stream.addEventListener("ready", () => {
    mine = 0;
    if (!first && again) retry();
    else refresh(); // what happened before the stream was there
    first = false;
  });
  for (const type of ["answered", "undone"]) {
    stream.addEventListener(type, () => {
      if (mine > 0) mine -= 1;
      else refresh();
    });
  }
}

// Browsers limit connections per server: hidden tabs close their stream.
document.addEventListener("visibilitychange", () => {
  stream?.close();
  if (document.hidden) return;
  refresh();
  listen();
});
window.addEventListener("pagehide", () => stream?.close());
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

const asked = /^[^?\n]{1,110}\?/.exec(document.querySelector("#help-dialog h2 + p")?.textContent || "");
if (asked) at("question").textContent = asked[0];

await ask();
listen();
