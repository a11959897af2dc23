// The anchors page: three ways to mark an anchor, the list of anchors, and the reliability map.

import { as, attempt, base, get, participant, post, remove, say } from "./api.js";
import { cardOf, cards as cardsOf } from "./card.js";
import { el } from "./dom.js";
import { browse } from "./anchors-list.js";
import { reliabilityMap } from "./anchors-map.js";
import { Words } from "./results-words.js";
import { sliders } from "./sliders.js";

const PAUSE = 120; // ms without a change before the preview is drawn
const MOST_PROPOSALS = 48;

const at = (name) => document.getElementById(name);
const words = new Words(await get(base));
const { space, display, isCatalogue } = words;
const names = isCatalogue ? [space.key] : space.parameters.map((parameter) => parameter.name);
const sameAs = (design) => JSON.stringify(names.map((name) => design[name]));
const named = (design) => Object.fromEntries(names.map((name) => [name, design[name]]));

let anchors = [];
const toggles = new Set(); // buttons that mark a design, with `design` and `refresh`

// -- cards -----------------------------------------------------------------------------------------------------------

const cards = (designs) => cardsOf(designs.map(named));
const title = (card) => card.title || card.rows.map((row) => (row.unit ? `${row.value} ${row.unit}` : row.value)).join(", ");

// -- marking ---------------------------------------------------------------------------------------------------------

const isMarked = (design) => anchors.some((anchor) => sameAs(anchor) === sameAs(design));

function knowButton(design, card) {
  const button = el("button", { type: "button", class: "know", "aria-pressed": "false" }, "I know this one well");
  button.setAttribute("aria-label", `I know this one well: ${title(card)}`);
  toggle(button, () => design);
  return button;
}

function toggle(button, design) {
  const one = { button, refresh: () => button.setAttribute("aria-pressed", String(isMarked(design()))) };
  button.addEventListener("click", () => {
    const wanted = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(wanted));
    (wanted ? mark : unmark)(design());
  });
  toggles.add(one);
  one.refresh();
}

let changes = Promise.resolve();
let working = 0;

// Send changes one at a time, in their order.
function change(action, done) {
  working += 1;
  changes = changes.then(async () => {
    const found = await attempt(action);
    working -= 1;
    if (found) say(done, 3);
    await take(found || anchors, !found);
  });
  return changes;
}

const mark = (design) => change(() => post(`${base}/anchors`, { design: named(design), participant }), "Marked as known.");

const unmark = (design) => change(() => remove(`${base}/anchors`, { design: named(design), participant }), "No longer marked.");

async function take(found, again = false) {
  const unchanged = JSON.stringify(found.map(sameAs)) === JSON.stringify(anchors.map(sameAs));
  if (unchanged && taken && !again) return;
  taken = true;
  anchors = found;
  for (const one of toggles) {
    if (one.button.isConnected) one.refresh();
    else toggles.delete(one);
  }
  await Promise.all([listMarked(), map.draw(anchors)]);
}

let taken = false;

async function listMarked() {
  const shown = await attempt(() => cards(anchors));
  if (!shown) return;
  const count = anchors.length;
  at("marked-words").textContent = count === 0 ? "None yet. You can compare without any."
    : count === 1 ? "1 design is marked." : `${count} designs are marked.`;
  at("marked").replaceChildren(...shown.map((card, n) => {
    const drop = el("button", { type: "button", "aria-label": `Remove anchor ${n + 1}: ${title(card)}` }, "Remove");
    drop.addEventListener("click", async () => {
      await unmark(anchors[n]);
      at("marked-title").focus();
    });
    return el("div", { class: "card" }, el("div", { class: "number quiet" }, `Anchor ${n + 1}`), cardOf(card), drop);
  }));
  document.querySelector(".onward").hidden = count === 0;
  if (at("of-example")) at("of-example").hidden = count === 0;
  at("start").textContent = count === 0 ? "Skip and start comparing" : "Start comparing";
  at("start").classList.toggle("primary", count > 0);
  at("marked-link").hidden = count === 0;
  at("marked-link").textContent = `${count} marked`;
}

// -- anchors by values -----------------------------------------------------------------------------------------------

let controls = null;
let draft = 0;
let pause;

function changed() {
  clearTimeout(pause);
  pause = setTimeout(() => preview(true), PAUSE);
}

async function preview(byHand) {
  const mine = ++draft;
  const problem = at("preview-problem");
  const button = at("know-preview");
  const design = controls.get();
  try {
    const [card] = await cards([design]);
    if (mine !== draft) return;
    at("preview").replaceChildren(...cardOf(card));
    at("preview").classList.remove("stale");
    problem.hidden = true;
    button.disabled = false;
    for (const one of toggles) if (one.button === button) one.refresh();
    map.follow(design, byHand);
  } catch (error) {
    if (mine !== draft) return;
    problem.textContent = error.message[0].toUpperCase() + error.message.slice(1);
    at("preview").classList.add("stale");
    problem.hidden = false;
    button.disabled = true;
  }
}

function setUpControls(design) {
  controls = sliders(words, changed);
  controls.set(design);
  at("controls").replaceChildren(controls.element);
  toggle(at("know-preview"), () => controls.get());
  return preview(false);
}

// -- suggested anchors -----------------------------------------------------------------------------------------------

const proposed = new Map();

async function propose() {
  const wanted = Math.min(proposed.size + 6, MOST_PROPOSALS);
  const found = await attempt(() => get(`${base}/anchors/proposals?n=${wanted}&${as}`));
  if (!found) return;
  const fresh = found.filter((design) => !proposed.has(sameAs(design))).slice(0, 6);
  const drawn = await attempt(() => cards(fresh));
  if (!drawn) return;
  at("proposals").append(...fresh.map((design, n) => {
    proposed.set(sameAs(design), design);
    return el("div", { class: "card" }, cardOf(drawn[n]), knowButton(design, drawn[n]));
  }));
  at("more-proposals").hidden = fresh.length < 6 || proposed.size >= MOST_PROPOSALS;
}

at("more-proposals").addEventListener("click", propose);

// -- tabs ------------------------------------------------------------------------------------------------------------

at(isCatalogue ? "tab-list" : "tab-controls").hidden = false;
const tabs = [...document.querySelectorAll("[role=tab]")].filter((tab) => !tab.hidden);

function open(tab) {
  for (const one of tabs) {
    one.setAttribute("aria-selected", String(one === tab));
    one.tabIndex = one === tab ? 0 : -1;
    at(one.getAttribute("aria-controls")).hidden = one !== tab;
  }
  if (tab.id === "tab-proposals" && !proposed.size) propose();
}

for (const tab of tabs) {
  tab.addEventListener("click", () => open(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    open(next);
    next.focus();
  });
}

// -- start-up --------------------------------------------------------------------------------------------------------

const map = reliabilityMap({ words, sameAs, at });
open(tabs[0]);

async function look() {
  const found = await attempt(() => get(`${base}/anchors?${as}`));
  if (found) await take(found);
}

if (isCatalogue) {
  browse({ space, display, at, cards, draw: (design, card) => el("div", { class: "card" }, cardOf(card), knowButton(design, card)) });
  await look();
} else {
  const start = await attempt(() => get(`${base}/map?${as}`));
  if (start) await setUpControls(start.at);
  await look();
}

// Other tabs may change anchors; hidden tabs close their stream.
let stream = null;
function listen() {
  stream?.close();
  if (document.hidden) return;
  stream = new EventSource(`/api${base}/stream?${as}`);
  // "ready": also refresh after the stream opens, since changes before it were missed.
  for (const type of ["ready", "anchor_added", "anchor_removed", "undone"]) {
    stream.addEventListener(type, () => { if (!working) look(); });
  }
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); listen(); });
window.addEventListener("pagehide", () => stream?.close());
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
listen();
