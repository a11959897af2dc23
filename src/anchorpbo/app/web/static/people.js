// The People page: participants, their agreement, and imported comparisons.

import { attempt, base, get, post, remove, say, upload } from "./api.js";
import { cardOf, cards } from "./card.js";
import { el } from "./dom.js";
import { number } from "./results-words.js";

const byId = (name) => document.getElementById(name);
const called = (name) => (name === "owner" ? "You (owner)" : name);

async function start() {
  // First, since the browser would submit the forms itself otherwise.
  byId("invite").addEventListener("submit", invite);
  byId("upload").addEventListener("submit", takeIn);
  const study = await get(base);
  byId("file").addEventListener("change", () => { byId("upload-problem").hidden = true; byId("upload-done").hidden = true; });
  await refresh();
  const columns = document.querySelector("details");
  columns.addEventListener("toggle", () => attempt(() => explain(study)), { once: true });
}

async function refresh() {
  await showPeople();
  await showAgreement();
}

// -- participants ------------------------------------------------------------------------------------------------------

async function showPeople() {
  const people = await get(`${base}/participants`);
  byId("people").replaceChildren(...people.map(person));
  byId("people").setAttribute("aria-busy", "false");
  const chosen = byId("whose").value;
  byId("whose").replaceChildren(...people.map(({ name }) => el("option", { value: name }, called(name))));
  if (people.some(({ name }) => name === chosen)) byId("whose").value = chosen;
}

// A loopback link does not work on other machines.
byId("only-here").hidden = !["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

function person({ name, answers, anchors, link }) {
  const as = name === "owner" ? "" : `?as=${encodeURIComponent(name)}`;
  const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  return el("li", {},
    el("div", { class: "who-is" }, el("strong", {}, called(name)), el("small", {}, `${count(answers, "answer")}, ${count(anchors, "anchor")}`)),
    el("div", { class: "row" },
      link && name !== "owner" ? copyLink(name, location.origin + link) : null,
      el("a", { class: "button small", href: `${base}/duel${as}`, "aria-label": `Compare as ${called(name)}` }, name === "owner" ? "Compare" : "Compare as"),
      el("a", { class: "button small", href: `${base}/results${as}`, "aria-label": `Results of ${called(name)}` }, "Results"),
      ...(name === "owner" ? [] : [relinking(name), removing(name)])));
}

function relinking(name) {
  const button = el("button", { type: "button", class: "small", "aria-label": `New link for ${name}` }, "New link");
  button.addEventListener("click", () => ask({
    title: `A new link for ${name}?`, yes: "Make a new link",
    words: "The link they have stops working at once. Their answers and anchors stay as they are.",
    act: () => post(`${base}/participants/link`, { name }), done: `${name} has a new link. Send it to them.`,
  }));
  return button;
}

function removing(name) {
  const button = el("button", { type: "button", class: "small danger", "aria-label": `Remove ${name}` }, "Remove");
  button.addEventListener("click", () => ask({
    title: `Remove ${name}?`, yes: "Remove",
    words: "Their link stops working and they no longer count in what everyone agrees on. What they answered stays in the study's history and exports; invite them again and they go on from there.",
    act: () => remove(`${base}/participants?name=${encodeURIComponent(name)}`), done: `${name} no longer takes part.`,
  }));
  return button;
}

// Ask for confirmation before an action that cannot be undone.
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
      byId("sure-problem").textContent = error.message;
      byId("sure-problem").hidden = false;
    } finally {
      byId("sure-yes").disabled = false;
    }
  };
  byId("sure").showModal();
}

byId("sure-no").addEventListener("click", () => byId("sure").close());

function copyLink(name, address) {
  const field = el("input", { class: "link", readonly: "", value: address, "aria-label": `Link for ${name}` });
  field.addEventListener("focus", () => field.select());
  const button = el("button", { type: "button", class: "small", "aria-label": `Copy link for ${name}` }, "Copy link");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(address);
      say(`The link for ${name} is copied. Who has it can answer as ${name}.`);
    } catch { // not every browser lets a page without https do this
      field.focus();
      field.select();
      say("Press Ctrl+C to copy the link.");
    }
  });
  return el("span", { class: "row nowrap" }, field, button);
}

async function invite(submit) {
  submit.preventDefault();
  const name = byId("name").value.trim(), problem = byId("invite-problem");
  problem.hidden = true;
  if (!name) return;
  try {
    const already = (await get(`${base}/participants`)).some((one) => one.name === name);
    if (!already) await post(`${base}/participants`, { name });
    byId("name").value = "";
    say(already ? `${name} takes part already.` : `${name} takes part now. Send them their link.`);
    await showPeople();
    await showAgreement();
  } catch (error) {
    tell(problem, byId("name"), error);
  }
}

function tell(place, field, error) {
  place.textContent = error.message;
  place.hidden = false;
  field.setAttribute("aria-invalid", "true");
  field.addEventListener("input", () => field.removeAttribute("aria-invalid"), { once: true });
  field.focus();
}

// -- agreement ---------------------------------------------------------------------------------------------------------

async function showAgreement() {
  const { opinions, participants, matrix, consensus } = await get(`${base}/agreement`);
  byId("agreement-words").textContent = summary(participants, matrix);
  byId("matrix").hidden = participants.length < 2;
  if (participants.length > 1) drawMatrix(participants, matrix);
  await showOpinions(opinions.filter((one) => one.design), consensus);
}

function summary(participants, matrix) {
  if (!participants.length) return "Nobody has answered yet.";
  if (participants.length === 1) return "As soon as two people have answered, this shows how alike they judge.";
  const pairs = participants.flatMap((_, i) => participants.slice(i + 1).map((__, j) => matrix[i][i + 1 + j]));
  const mean = pairs.reduce((sum, one) => sum + one, 0) / pairs.length;
  const whole = participants.length === 2 ? `They ${words(mean)}.` : `On average they ${words(mean)}.`;
  return `${whole} A number of 1 means that two people put all designs in the same order, 0 that their orders have nothing in common, −1 that they are opposite. With few answers, take it with care.`;
}

function words(value) {
  if (value > 0.7) return "agree";
  if (value > 0.4) return "mostly agree";
  if (value > 0.15) return "agree a little";
  if (value >= -0.15) return "neither agree nor disagree";
  return value > -0.4 ? "disagree a little" : "mostly disagree";
}

function drawMatrix(participants, matrix) {
  const head = el("tr", {}, el("td", {}), participants.map((name) => el("th", { scope: "col" }, called(name))));
  const rows = matrix.map((row, i) => el("tr", {}, el("th", { scope: "row" }, called(participants[i])), row.map((value, j) => {
    if (i === j) return el("td", { class: "self" }, "–");
    const share = Math.round(100 * Math.min(Math.abs(value), 1) * 0.38);
    const cell = el("td", { class: "heat" }, el("strong", {}, number(value)), el("small", {}, words(value)));
    cell.style.background = `color-mix(in srgb, var(${value < 0 ? "--bad" : "--accent"}) ${share}%, var(--surface))`;
    return cell;
  })));
  byId("matrix").replaceChildren(el("thead", {}, head), el("tbody", {}, rows));
}

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
    ? [el("article", { class: "card together" }, el("h3", {}, "All together"), el("small", {}, "Ranked best on average. What differs from it is marked on the other cards."), ...cardOf(best))]
    : [];
  byId("opinions").replaceChildren(...together, ...shownCards);
}

// -- imported comparisons ----------------------------------------------------------------------------------------------

async function takeIn(submit) {
  submit.preventDefault();
  const problem = byId("upload-problem"), done = byId("upload-done");
  problem.hidden = done.hidden = true;
  const [file] = byId("file").files, whose = byId("whose").value;
  if (!file) return;
  const button = submit.target.querySelector("button");
  button.disabled = true;
  try {
    const { imported } = await upload(`${base}/comparisons?participant=${encodeURIComponent(whose)}`, file);
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

// Examples of both kinds of table, with this study's columns and designs.
async function explain({ space }) {
  const line = (cells) => cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");
  const show = (place, table) => { byId(place).textContent = table.map(line).join("\n"); };
  const designs = await get(`${base}/anchors/proposals?n=3`);
  if (space.kind === "catalogue") {
    const [a, b, c = a] = designs.map((one) => String(one[space.key]));
    show("paired", [["winner", "loser"], [a, b], [c, b]]);
    show("ranked", [["rank", space.key], ["1", a], ["2", b]]);
    return;
  }
  const names = Object.keys(designs[0]);
  const cells = (design) => names.map((name) => String(design[name]));
  const heads = ["winner", "loser"].flatMap((side) => names.map((name) => `${side}.${name}`));
  show("paired", [heads, [...cells(designs[0]), ...cells(designs[1])]]);
  show("ranked", [["rank", ...names], ...designs.slice(0, 2).map((design, n) => [String(n + 1), ...cells(design)])]);
}

attempt(start);
