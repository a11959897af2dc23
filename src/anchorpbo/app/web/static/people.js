// The People page: participants, their agreement, and imported comparisons.

import { attempt, base, get, post, remove, say, upload } from "./api.js";
import { cards } from "./cards.js";
import { messageOf } from "./client.js";
import { el, elementsOf, find } from "./dom.js";
import { cardOf } from "./page-card.js";
import { choosing, drawAgreement } from "./people-agreement.js";
import { number } from "./results-words.js";

/** @import { Design, Opinion, ParticipantView, StudyView } from "../rest" */

const byId = elementsOf("people");
/** @param {string} name */
const called = (name) => (name === "owner" ? "You (owner)" : name);

async function start() {
  // Disabled before, since the browser would submit the forms itself.
  byId("invite").addEventListener("submit", invite);
  byId("upload").addEventListener("submit", takeIn);
  for (const button of document.querySelectorAll("#invite button, #upload button")) button.removeAttribute("disabled");
  const study = await get("/studies/{id}");
  byId("file").addEventListener("change", () => { byId("upload-problem").hidden = true; byId("upload-done").hidden = true; });
  choosing(study);
  await refresh();
  const columns = find(document, "details", HTMLDetailsElement);
  columns.addEventListener("toggle", () => attempt(() => explain(study)), { once: true });
}

async function refresh() {
  await showPeople();
  await showAgreement();
}

// -- participants ------------------------------------------------------------------------------------------------------

async function showPeople() {
  const people = await get("/studies/{id}/participants");
  byId("people").replaceChildren(...people.map(person));
  byId("people").setAttribute("aria-busy", "false");
  const chosen = byId("whose").value;
  byId("whose").replaceChildren(...people.map(({ name }) => el("option", { value: name }, called(name))));
  if (people.some(({ name }) => name === chosen)) byId("whose").value = chosen;
}

// A loopback link does not work on other machines.
byId("only-here").hidden = !["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** @param {ParticipantView} participant */
function person({ name, answers, anchors, link }) {
  const as = name === "owner" ? "" : `?as=${encodeURIComponent(name)}`;
  /** @param {number} n @param {string} word */
  const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  return el("li", {},
    el("div", { class: "who-is" }, el("strong", {}, called(name)), el("small", {}, `${count(answers, "answer")}, ${count(anchors, "anchor")}`)),
    el("div", { class: "row" },
      link && name !== "owner" ? copyLink(name, location.origin + link) : null,
      el("a", { class: "button small", href: `${base}/duel${as}`, "aria-label": `Compare as ${called(name)}` }, name === "owner" ? "Compare" : "Compare as"),
      el("a", { class: "button small", href: `${base}/results${as}`, "aria-label": `Results of ${called(name)}` }, "Results"),
      ...(name === "owner" ? [] : [relinking(name), removing(name)])));
}

/** @param {string} name */
function relinking(name) {
  const button = el("button", { type: "button", class: "small", "aria-label": `New link for ${name}` }, "New link");
  button.addEventListener("click", () => ask({
    title: `A new link for ${name}?`, yes: "Make a new link",
    words: "The link they have stops working at once. Their answers and anchors stay as they are.",
    act: () => post("/studies/{id}/participants/link", { name }), done: `${name} has a new link. Send it to them.`,
  }));
  return button;
}

/** @param {string} name */
function removing(name) {
  const button = el("button", { type: "button", class: "small danger", "aria-label": `Remove ${name}` }, "Remove");
  button.addEventListener("click", () => ask({
    title: `Remove ${name}?`, yes: "Remove",
    words: "Their link stops working and they are left out of the agreement. What they answered stays in the study's history and exports; invite them again and they go on from there.",
    act: () => remove("/studies/{id}/participants", undefined, { query: { name } }), done: `${name} no longer takes part.`,
  }));
  return button;
}

/**
 * Ask for confirmation before an action that cannot be undone.
 * @param {{ title: string, words: string, yes: string, act: () => Promise<unknown>, done: string }} question
 */
function ask({ title, words, yes, act, done }) {
  byId("sure-title").textContent = title;
  byId("sure-words").textContent = words;
  byId("sure-yes").textContent = yes;
  byId("sure-problem").hidden = true;
  byId("sure-yes").onclick = async () => {
    byId("sure-yes").disabled = true;
    try {
      await act();
      byId("sure").close();
      say(done);
      await attempt(refresh);
    } catch (error) {
      byId("sure-problem").textContent = messageOf(error);
      byId("sure-problem").hidden = false;
    } finally {
      byId("sure-yes").disabled = false;
    }
  };
  byId("sure").showModal();
}

byId("sure-no").addEventListener("click", () => byId("sure").close());

/**
 * @param {string} name
 * @param {string} address
 */
function copyLink(name, address) {
  const field = el("input", { class: "link", readonly: "", value: address, "aria-label": `Link for ${name}` });
  field.addEventListener("focus", () => field.select());
  const button = el("button", { type: "button", class: "small", "aria-label": `Copy link for ${name}` }, "Copy link");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(address);
      say(`The link for ${name} is copied. Anyone who has it can answer as ${name}.`);
    } catch { // not every browser lets a page without https do this
      field.focus();
      field.select();
      say("Press Ctrl+C to copy the link.");
    }
  });
  return el("span", { class: "row nowrap" }, field, button);
}

/** @param {SubmitEvent} submit */
async function invite(submit) {
  submit.preventDefault();
  const name = byId("name").value.trim(), problem = byId("invite-problem");
  problem.hidden = true;
  if (!name) return;
  try {
    const already = (await get("/studies/{id}/participants")).some((one) => one.name === name);
    if (!already) await post("/studies/{id}/participants", { name });
    byId("name").value = "";
    say(already ? `${name} takes part already.` : `${name} takes part now. Send them their link.`);
    await showPeople();
    await showAgreement();
  } catch (error) {
    tell(problem, byId("name"), error);
  }
}

/**
 * @param {HTMLElement} place
 * @param {HTMLInputElement} field
 * @param {unknown} error
 */
function tell(place, field, error) {
  place.textContent = messageOf(error);
  place.hidden = false;
  field.setAttribute("aria-invalid", "true");
  field.addEventListener("input", () => field.removeAttribute("aria-invalid"), { once: true });
  field.focus();
}

// -- agreement ---------------------------------------------------------------------------------------------------------

/** @typedef {Opinion & { design: Design, utility: number, interval: number[] }} InformedOpinion of a participant with answers */
/**
 * @param {Opinion} opinion
 * @returns {opinion is InformedOpinion}
 */
const isInformed = (opinion) => opinion.design !== null;

async function showAgreement() {
  const { opinions, consensus, ...agreement } = await get("/studies/{id}/agreement");
  drawAgreement(agreement, called);
  await showOpinions(opinions.filter(isInformed), consensus);
}

/**
 * @param {InformedOpinion[]} opinions
 * @param {Design | null} consensus
 */
async function showOpinions(opinions, consensus) {
  byId("bests").hidden = !opinions.length;
  if (!opinions.length) return;
  const [best, ...theirs] = await cards([consensus || opinions[0].design, ...opinions.map((one) => one.design)]);
  const shownCards = opinions.map((one, n) => {
    const [low, high] = one.interval;
    const text = `Utility ${number(one.utility, 1)}, ${number(low, 1)} to ${number(high, 1)}, from ${one.answers} answers`;
    return el("article", { class: "card" }, el("h3", {}, called(one.participant)), el("small", {}, text), ...cardOf(theirs[n], consensus ? best : null));
  });
  const together = consensus
    ? [el("article", { class: "card together" }, el("h3", {}, "All together"), el("small", {}, "The best on average. On the other cards, values that differ from it are marked."), ...cardOf(best))]
    : [];
  byId("opinions").replaceChildren(...together, ...shownCards);
}

// -- imported comparisons ----------------------------------------------------------------------------------------------

/** @param {SubmitEvent} submit */
async function takeIn(submit) {
  submit.preventDefault();
  const problem = byId("upload-problem"), done = byId("upload-done");
  problem.hidden = done.hidden = true;
  const file = byId("file").files?.[0], whose = byId("whose").value;
  if (!file) return;
  const button = find(byId("upload"), "button", HTMLButtonElement);
  button.disabled = true;
  try {
    const { imported } = await upload("/studies/{id}/comparisons", file, { query: { participant: whose } });
    done.textContent = `${imported} ${imported === 1 ? "comparison" : "comparisons"} imported for ${called(whose)}.`;
    done.hidden = false;
    byId("upload").reset();
    byId("whose").value = whose;
    await attempt(refresh);
  } catch (error) {
    tell(problem, byId("file"), error);
  } finally {
    button.disabled = false;
  }
}

/**
 * Examples of both kinds of table, with this study's columns and designs.
 * @param {StudyView} study
 */
async function explain({ space }) {
  /** @param {string[]} cells */
  const line = (cells) => cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");
  /** @param {"paired" | "ranked"} place @param {string[][]} table */
  const show = (place, table) => { byId(place).textContent = table.map(line).join("\n"); };
  const designs = (await get("/studies/{id}/anchors/proposals", { n: 3 })).map((one) => one.design);
  if (space.kind === "catalogue") {
    const [a, b, c = a] = designs.map((one) => String(one[space.key]));
    show("paired", [["winner", "loser"], [a, b], [c, b]]);
    show("ranked", [["rank", space.key], ["1", a], ["2", b]]);
    return;
  }
  const names = Object.keys(designs[0]);
  /** @param {Design} design */
  const cells = (design) => names.map((name) => String(design[name]));
  const heads = ["winner", "loser"].flatMap((side) => names.map((name) => `${side}.${name}`));
  show("paired", [heads, [...cells(designs[0]), ...cells(designs[1])]]);
  show("ranked", [["rank", ...names], ...designs.slice(0, 2).map((design, n) => [String(n + 1), ...cells(design)])]);
}

attempt(start);
