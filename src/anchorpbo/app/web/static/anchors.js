// The anchors page: three ways to mark a design, the list of marks, and the reliability map.

import { Problem, as, attempt, base, get, isOwner, limits, participant, patch, post, remove, say } from "./api.js";
import { cards as cardsOf } from "./cards.js";
import { messageOf } from "./client.js";
import { startClipPanel } from "./clip-panel.js";
import { el, elementsOf, find } from "./dom.js";
import { ANSWERS, MARKED, REMOVED, countMarks, headMarks, judgementOf } from "./anchors-judgements.js";
import { browse } from "./anchors-list.js";
import { reliabilityMap } from "./anchors-map.js";
import { cardOf } from "./page-card.js";
import { Words } from "./results-words.js";
import { sliders } from "./sliders.js";
import { checkButton, loadValidation } from "./validation.js";

/** @import { ProposalView, AnchorView, AnchorsView, Card, Design } from "../rest" */
/** @import { Judgement } from "./anchors-judgements.js" */
/** @import { Violation } from "./results-words.js" */
/** @typedef {{ button: HTMLElement, refresh: () => void }} Toggle a button that marks a design */

const PAUSE = 120; // ms without a change before the preview is drawn
const VERDICT_PAUSE = 1000; // ms without a change of the marks before the answers are compared with them
const MORE = 6; // suggestions shown at once

const at = elementsOf("anchors");
const words = new Words(await get("/studies/{id}"));
const { space, display, isCatalogue } = words;
const names = space.kind === "catalogue" ? [space.key] : space.parameters.map((parameter) => parameter.name);
/** @param {Design} design */
const sameAs = (design) => JSON.stringify(names.map((name) => design[name]));
/** @param {Design} design @returns {Design} */
const named = (design) => Object.fromEntries(names.map((name) => [name, design[name]]));

class Page {
  /** @type {AnchorView[]} */
  marks = []; // anchors, designs that are hard to judge, and unsure ones
  /** @type {Set<Toggle>} */
  toggles = new Set();
  /** @type {Promise<void>} */
  changes = Promise.resolve(); // to the marks, one at a time and in their order
  working = 0; // changes that are not done
  taken = false; // whether the marks were read
  /** @type {string | null} */
  listed = null; // the designs in the list, with their judgements
  checks = 0; // number of the latest request for the verdict on the anchors
  /** @type {ReturnType<typeof sliders> | null} */
  controls = null;
  /** @type {ReturnType<typeof browse> | null} */
  list = null; // of a catalogue
  draft = 0; // number of the latest preview
  pause = 0;
  /** @type {Map<string, ProposalView>} */
  proposed = new Map();
  /** @type {EventSource | null} */
  stream = null;
}

const page = new Page();

// -- cards -----------------------------------------------------------------------------------------------------------

/** @param {Design[]} designs */
const cards = (designs) => cardsOf(designs.map(named));
/** @param {Card} card */
const title = (card) => card.title || card.rows.map((row) => (row.unit ? `${row.value} ${row.unit}` : row.value)).join(", ") || card.clip || "this design";

// -- marking ---------------------------------------------------------------------------------------------------------

/** @param {Design} design @returns {Judgement | null} */
function markOf(design) {
  const found = page.marks.find((mark) => sameAs(mark.design) === sameAs(design));
  return found ? judgementOf(found) : null;
}

/**
 * @param {Design} design
 * @param {Card} card
 */
function knowButton(design, card) {
  const button = el("button", { type: "button", class: "know", "aria-pressed": "false" }, "I know this one well");
  button.setAttribute("aria-label", `I know this one well: ${title(card)}`);
  toggle(button, () => design);
  return button;
}

/**
 * The answers to "Could you judge this one well?"; the answer that was given is pressed, and a click takes it back.
 * @param {Design} design
 * @param {Card} card
 */
function answerButtons(design, card) {
  const buttons = ANSWERS.map(({ judgement, answer }) => {
    const button = el("button", { type: "button", class: "answer", "aria-pressed": "false" }, answer);
    toggle(button, () => design, () => null, judgement);
    return button;
  });
  for (const button of buttons) { // only one is pressed, also before the server has answered
    button.addEventListener("click", () => {
      for (const other of buttons) if (other !== button) other.setAttribute("aria-pressed", "false");
    });
  }
  return el("div", { class: "answers", role: "group", "aria-label": `Could you judge this one well? ${title(card)}` }, ...buttons);
}

/**
 * @param {HTMLButtonElement} button
 * @param {() => Design} design
 * @param {() => string | null} nameOf name of the design that is marked
 * @param {Judgement} judgement
 */
function toggle(button, design, nameOf = () => null, judgement = "yes") {
  const one = { button, refresh: () => button.setAttribute("aria-pressed", String(markOf(design()) === judgement)) };
  button.addEventListener("click", () => {
    const wanted = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(wanted));
    if (wanted) mark(design(), nameOf(), judgement);
    else unmark(design());
  });
  page.toggles.add(one);
  one.refresh();
}

/**
 * Send changes one at a time, in their order.
 * @param {() => Promise<AnchorsView>} action
 * @param {string} done
 */
function change(action, done) {
  page.working += 1;
  page.changes = page.changes.then(async () => {
    const found = await attempt(action);
    page.working -= 1;
    if (found) say(done, 3);
    await take(found || null);
  });
  return page.changes;
}

/**
 * @param {Design} design
 * @param {string | null} name
 * @param {Judgement} judgement
 */
const mark = (design, name = null, judgement = "yes") =>
  change(() => post("/studies/{id}/anchors", { design: named(design), name, participant, judgement }), MARKED[judgement]);

/** @param {Design} design */
const unmark = (design) =>
  change(() => remove("/studies/{id}/anchors", { design: named(design), participant }), REMOVED[markOf(design) ?? "yes"]);

/**
 * @param {Design} design
 * @param {string | null} name
 */
const rename = (design, name) =>
  change(() => patch("/studies/{id}/anchors", { design: named(design), name, participant }), name ? `Named “${name}”.` : "The name is removed.");

/** The designs that are marked, with their judgements. */
const designs = () => JSON.stringify(page.marks.map((mark) => [sameAs(mark.design), judgementOf(mark)]));
const state = () => JSON.stringify([designs(), page.marks.map((mark) => mark.name)]);

/**
 * Show the marks that the server returned, or again the present ones if a change failed.
 * @param {AnchorsView | null} found
 */
async function take(found) {
  const before = state();
  if (found) page.marks = found.anchors;
  if (found && page.taken && state() === before) return;
  page.taken = true;
  for (const one of page.toggles) {
    if (one.button.isConnected) one.refresh();
    else page.toggles.delete(one);
  }
  await Promise.all([listMarked(), map.draw(page.marks)]);
}

async function listMarked() {
  const { marks } = page;
  const wanted = designs();
  if (wanted === page.listed) { // a new list would take the focus from the name that is being written
    [...at("marked").querySelectorAll("input")].forEach((field, n) => {
      if (field !== document.activeElement) field.value = marks[n].name ?? "";
    });
    return;
  }
  const shown = await attempt(() => cards(marks.map((mark) => mark.design)));
  if (!shown) return;
  const count = marks.filter((mark) => judgementOf(mark) === "yes").length;
  at("marked-words").textContent = countMarks(marks);
  const heads = headMarks(marks);
  at("marked").replaceChildren(...shown.map((card, n) => {
    const head = heads[n].startsWith("Anchor") ? heads[n].toLowerCase() : `“${heads[n]}”`;
    const drop = el("button", { type: "button", "aria-label": `Remove ${head}: ${title(card)}` }, "Remove");
    drop.addEventListener("click", async () => {
      await unmark(marks[n].design);
      at("marked-title").focus();
    });
    const number = el("div", { class: `number quiet ${judgementOf(marks[n])}` }, heads[n]);
    return el("div", { class: "card" }, number, cardOf(card), nameField(n, card, head), drop);
  }));
  page.listed = wanted;
  find(document, ".onward", HTMLElement).hidden = count === 0;
  document.getElementById("of-example")?.toggleAttribute("hidden", count === 0);
  at("start").textContent = count === 0 ? "Skip and start comparing" : "Start comparing";
  at("start").classList.toggle("primary", count > 0);
  at("marked-link").hidden = count === 0;
  at("marked-link").textContent = `${count} marked`;
  attempt(() => showVerdict(count > 0)); // not awaited: it takes longer than the rest
}

/**
 * One line with the verdict of the answers on the anchors.
 * @param {boolean} some whether there are anchors
 */
async function showVerdict(some) {
  const mine = ++page.checks;
  if (page.checks > 1) await new Promise((resolve) => setTimeout(resolve, VERDICT_PAUSE));
  const found = some && mine === page.checks ? await loadValidation() : null;
  if (mine !== page.checks) return;
  at("validation").hidden = !found?.strengths.length;
  at("validation").replaceChildren(...(found ? [el("p", {}, found.sentence), checkButton(compare)] : []));
}

const compare = () => find(document, "#start", HTMLAnchorElement).href;

/**
 * @param {number} n
 * @param {Card} card
 * @param {string} head what the mark is called
 */
function nameField(n, card, head) {
  const { design, name } = page.marks[n];
  const field = el("input", { id: `name-${n}`, maxlength: String(limits.name), autocomplete: "off", value: name ?? "" });
  field.addEventListener("change", () => rename(design, field.value.trim() || null));
  const whose = el("span", { class: "sr-only" }, ` of ${head}: ${title(card)}`);
  return el("div", { class: "anchor-name" }, el("label", { for: field.id }, "Name (optional)", whose), field);
}

// -- anchors by values -----------------------------------------------------------------------------------------------

function changed() {
  clearTimeout(page.pause);
  page.pause = setTimeout(() => preview(true), PAUSE);
}

/** @param {boolean} byHand */
async function preview(byHand) {
  if (!page.controls) return;
  const mine = ++page.draft;
  const problem = at("preview-problem");
  const button = at("know-preview");
  const design = page.controls.get();
  try {
    const [card] = await cards([design]);
    if (mine !== page.draft) return;
    at("preview").replaceChildren(...cardOf(card));
    at("preview").classList.remove("stale");
    problem.hidden = true;
    button.disabled = false;
    for (const one of page.toggles) if (one.button === button) one.refresh();
    map.follow(design, byHand);
  } catch (error) {
    if (mine !== page.draft) return;
    problem.textContent = error instanceof Problem && error.code === "infeasible" && error.value
      ? words.violation(/** @type {Violation} */ (error.value)) : messageOf(error);
    at("preview").classList.add("stale");
    problem.hidden = false;
    button.disabled = true;
  }
}

// The name written beside the preview, for the design that is marked now.
function takeName() {
  const name = at("new-name").value.trim() || null;
  at("new-name").value = "";
  return name;
}

/** @param {Design} design */
function setUpControls(design) {
  const controls = page.controls = sliders(words, changed);
  controls.set(design);
  at("controls").replaceChildren(controls.element);
  toggle(at("know-preview"), () => controls.get(), takeName);
  return preview(false);
}

// -- suggested anchors -----------------------------------------------------------------------------------------------

async function propose() {
  const { proposed } = page;
  const n = Math.min(proposed.size + MORE, limits.proposals);
  const found = await attempt(() => get("/studies/{id}/anchors/proposals", { n, participant }));
  if (!found) return;
  const fresh = found.filter(({ design }) => !proposed.has(sameAs(design))).slice(0, MORE);
  const drawn = await attempt(() => cards(fresh.map((one) => one.design)));
  if (!drawn) return;
  at("proposals").append(...fresh.map((one, n) => {
    proposed.set(sameAs(one.design), one);
    const why = el("p", { class: "why quiet" }, one.sentence);
    return el("div", { class: "card" }, cardOf(drawn[n]), why, answerButtons(one.design, drawn[n]));
  }));
  at("more-proposals").hidden = fresh.length < MORE || proposed.size >= limits.proposals;
}

at("more-proposals").addEventListener("click", propose);

// -- tabs ------------------------------------------------------------------------------------------------------------

at(isCatalogue ? "tab-list" : "tab-controls").hidden = false;
const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[role=tab]")]).filter((tab) => !tab.hidden);

/** @param {HTMLElement} tab */
function open(tab) {
  for (const one of tabs) {
    one.setAttribute("aria-selected", String(one === tab));
    one.tabIndex = one === tab ? 0 : -1;
    document.getElementById(one.getAttribute("aria-controls") ?? "")?.toggleAttribute("hidden", one !== tab);
  }
  if (tab.id === "tab-proposals" && !page.proposed.size) propose();
}

for (const tab of tabs) {
  tab.addEventListener("click", () => open(tab));
  tab.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    open(next);
    next.focus();
  });
}

// -- start-up --------------------------------------------------------------------------------------------------------

const map = reliabilityMap({ words, sameAs, choose });
open(tabs[0]);

/**
 * Show a design that was chosen on the map, where it can be marked.
 * @param {Design} design
 */
function choose(design) {
  open(tabs[0]);
  if (space.kind === "catalogue") page.list?.only(design[space.key]);
  page.controls?.set(design);
  preview(true);
}

async function look() {
  const found = await attempt(() => get("/studies/{id}/anchors", { participant }));
  if (found) await take(found);
}

if (space.kind === "catalogue") {
  page.list = browse({ space, display, cards, draw: (design, card) => el("div", { class: "card" }, cardOf(card), knowButton(design, card)) });
  await look();
} else {
  const start = await attempt(() => get("/studies/{id}/map", { participant }));
  if (start?.at) await setUpControls(start.at);
  await look();
}

if (isOwner && display.clip) startClipPanel();

// Other tabs may change anchors; hidden tabs close their stream.
function listen() {
  page.stream?.close();
  if (document.hidden) return;
  const stream = page.stream = new EventSource(`/api${base}/stream?${as}`);
  // "ready": also refresh after the stream opens, since changes before it were missed.
  for (const type of ["ready", "anchor_added", "anchor_removed", "anchor_named", "undone"]) {
    stream.addEventListener(type, () => { if (!page.working) look(); });
  }
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); listen(); });
window.addEventListener("pagehide", () => page.stream?.close());
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
listen();
