// Two designs, one answer, the next two. One answer is on its way at a time; what could not be sent is kept.

import { Problem, as, attempt, base, participant, post, say, study } from "./api.js";
import { picture, rows } from "./card.js";
import { el } from "./dom.js";

const PAUSE = 250; // ms for which new cards take no answer: a second press was meant for the old ones
const SLOW = 400; // ms after which a wait is told
const LONGEST = 7 * 24 * 3600 * 1000;
const KEYS = new Map(Object.entries({
  ArrowLeft: "first", a: "first", 1: "first",
  ArrowRight: "second", d: "second", 2: "second",
  ArrowDown: "tie", t: "tie",
  s: "skip",
}));
const ANSWERED_ELSEWHERE = "Answered in another tab. These are the designs to compare now.";
const KEPT = "The server does not answer. Your answer is kept on this page until it does: try again in a moment.";

const at = (id) => document.getElementById(id);
const [pair, why, spoken, help] = ["pair", "why", "spoken", "help-dialog"].map(at);
const buttons = [...document.querySelectorAll("[data-outcome]")];

let duel = null;
let shown = 0; // when the cards were shown
let busy = false;
let again = null; // what to do on Try again
let mine = 0; // answers and undos of this page that the stream has yet to report
let skipped = 0;
let last = null; // number of the event that undo takes back

// -- showing ---------------------------------------------------------------------------------------------------------

const amount = (row) => (row.unit ? `${row.value} ${row.unit}` : row.value);
const heading = (card) => (card.title ? [card.title] : []);
const inWords = (card) => [...heading(card), ...card.rows.map((row) => `${row.label} ${amount(row)}`)].join(", ");

function differences([one, other]) {
  const values = new Map(other.rows.map((row) => [row.name, amount(row)]));
  const differing = one.rows.filter((row) => values.get(row.name) !== amount(row));
  const named = one.title || other.title ? [`${one.title} or ${other.title}`] : [];
  return [...named, ...differing.map((row) => `${row.label} ${amount(row)} or ${values.get(row.name)}`)].join("; ");
}

function fill(side, card, other) {
  const button = at(side);
  const link = at(`${side}-link`);
  const title = card.title ? el("div", { class: "card-title" }, card.title) : null;
  button.replaceChildren(...[title, picture(card, study), rows(card, other)].filter(Boolean));
  button.setAttribute("aria-label", `Choose the ${side}: ${inWords(card) || "see the picture"}`);
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
  spoken.textContent = `Comparison ${answers + 1}. ${differences(duel.cards)}`;
  clearTrouble();
  rest();
  // From when they can be seen: after the frame in which they are painted.
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
  at("undo").setAttribute("aria-disabled", String(duel !== null && !duel.answers && !skipped));
  for (const element of [pair, at("tie"), at("skip")]) element.hidden = duel === null;
}

function wait(words) {
  busy = true;
  pair.setAttribute("aria-busy", "true");
  clearTimeout(rest.timer);
  rest.timer = setTimeout(() => {
    why.textContent = words;
    pair.classList.add("waiting");
  }, SLOW);
}

function trouble(error, retry) {
  if (!(error instanceof Problem)) console.error(error);
  again = retry;
  const text = error.message || "Something went wrong.";
  at("trouble-text").textContent = text[0].toUpperCase() + text.slice(1);
  at("retry").hidden = retry === null;
  at("trouble").hidden = false;
  rest();
  if (duel) why.textContent = duel.why;
  else why.textContent = "There is nothing to compare at the moment.";
}

function clearTrouble() {
  const focused = document.activeElement === at("retry");
  again = null;
  at("trouble").hidden = true;
  if (focused) at("first").focus();
}

// -- asking and answering --------------------------------------------------------------------------------------------

const isAway = (error) => error instanceof Problem && (error.status === 0 || error.status >= 500);

async function ask() {
  wait("Choosing the next pair …");
  try {
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
  send({ duel_id: duel.id, outcome, response_ms, participant, ask: true });
}

async function send(answer) {
  wait("Choosing the next pair …");
  at(answer.outcome).classList.add("chosen");
  let kept = null;
  try {
    mine += 1;
    kept = await post(`${base}/answers`, answer);
    last = kept.event;
    if (kept.repeated) mine = Math.max(mine - 1, 0);
    if (answer.outcome === "skip") skipped += 1;
  } catch (error) {
    mine = Math.max(mine - 1, 0);
    if (error.status === 409) {
      say(ANSWERED_ELSEWHERE);
    } else {
      const away = isAway(error);
      trouble(away ? new Problem(error.status, KEPT) : error, away ? () => send(answer) : ask);
      if (away) at(answer.outcome).classList.add("chosen");
      return;
    }
  }
  if (kept?.next) show(kept.next);
  else await ask();
}

async function undo() {
  if (busy || at("undo").getAttribute("aria-disabled") === "true") return;
  wait("Taking back your answer …");
  const undone = await attempt(async () => {
    mine += 1;
    try {
      const undone = await post(`${base}/undo`, { participant, event: last });
      if (undone.repeated) mine = Math.max(mine - 1, 0);
      return undone;
    } catch (error) {
      mine = Math.max(mine - 1, 0);
      throw error;
    }
  });
  if (!undone) {
    rest();
    why.textContent = duel ? duel.why : "";
    return;
  }
  const { type, outcome } = undone.event;
  if (type === "answered" && outcome === "skip") skipped = Math.max(skipped - 1, 0);
  say(type === "answered" ? "Your last answer was taken back." : "Your last change of anchors was taken back.");
  if (undone.pending) show(undone.pending);
  else await ask();
}

// -- keys and buttons ------------------------------------------------------------------------------------------------

for (const button of buttons) button.addEventListener("click", () => choose(button.dataset.outcome));
at("undo").addEventListener("click", undo);
at("help").addEventListener("click", () => help.showModal());
at("retry").addEventListener("click", () => again?.());

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
    const next = await post(`${base}/ask`, { participant });
    if (busy || duel?.id !== before || next.id === before) return;
    show(next);
    if (before) say(ANSWERED_ELSEWHERE);
  } catch {
    // Nothing was asked for by hand: the next answer will tell.
  }
}

function listen() {
  let first = true;
  stream = new EventSource(`/api${base}/stream?${as}`);
  stream.addEventListener("ready", () => {
    mine = 0;
    if (!first && again) again();
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

// Browsers keep few connections to one server: a tab nobody looks at gives its own back.
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
