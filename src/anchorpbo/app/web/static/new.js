// The New page: keeps a draft, validates it while the user types, and creates the study.

import { Problem, post } from "./api.js";
import { catalogueDraft, readCatalogue, startCatalogue } from "./new-catalogue.js";
import { hide, ready, sentence, show, tell } from "./new-check.js";
import { showExamples } from "./new-examples.js";
import { optionsDraft, readOptions, startOptions } from "./new-options.js";
import { markSpace, readSpace, spaceDraft, startSpace } from "./new-space.js";
import { tabs } from "./new-tabs.js";

const DRAFT = "anchorpbo-new-study";
const PAUSE = 350; // milliseconds after the last key
const form = document.getElementById("new-study");
const name = document.getElementById("name");
const description = document.getElementById("description");
const create = document.getElementById("create");
const start = readDraft();
let way = "space";

// -- the draft -----------------------------------------------------------------------------------------------------

function readDraft() {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFT)) || {};
  } catch {
    return {};
  }
}

function keepDraft() {
  const draft = {
    way: way === "example" ? "space" : way, name: name.value, description: description.value,
    space: spaceDraft(), catalogue: catalogueDraft(), options: optionsDraft(),
  };
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  } catch {
    // the page works without local storage
  }
}

// -- checking ------------------------------------------------------------------------------------------------------

let timer;
let running = null; // a check that is under way
let checked = null; // {signature, problem, found} of the last one

function changed() {
  keepDraft();
  clearTimeout(timer);
  timer = setTimeout(check, PAUSE);
}

function read() {
  const found = way === "space" ? readSpace() : readCatalogue();
  const options = readOptions();
  if (name.value.trim()) name.removeAttribute("aria-invalid");
  const missing = [...(name.value.trim() ? [] : ["a name for the study"]), ...found.missing];
  const signature = JSON.stringify([way, found.signature || [found.space, found.display], options]);
  return { ...found, missing, options, signature };
}

// Validate the draft at the server; return whether it is valid.
async function check() {
  clearTimeout(timer);
  if (way === "example") return false;
  if (running) {
    await running;
    return check();
  }
  const now = read();
  if (isWanting(now)) return false;
  if (checked?.signature !== now.signature) {
    const slow = setTimeout(() => tell("busy", "Checking …"), 600);
    running = ask(now);
    checked = await running;
    running = null;
    clearTimeout(slow);
    if (read().signature !== now.signature) return check(); // something was written meanwhile
  }
  tellChecked(now);
  return !checked.problem;
}

function isWanting({ missing, space }) {
  if (!missing.length) return false;
  tell("wanting", `Still needed: ${missing.slice(0, 2).join("; ")}${missing.length > 2 ? "; and more" : ""}.`);
  if (space === null) hide();
  return true;
}

async function ask({ signature, space, display, options }) {
  try {
    // The name is checked here, so that the rest can be validated before there is one.
    return { signature, found: await post("/studies/check", { name: name.value.trim() || "A study", space, display, options }) };
  } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    const again = !error.status || error.status >= 500; // no word about what is written: Create may try again
    return { signature: again ? null : signature, problem: error.message, field: error.field, again };
  }
}

function tellChecked({ space, display }) {
  const { problem, field, found } = checked;
  if (way === "space") markSpace(field);
  if (problem) {
    tell("bad", sentence(problem));
    create.disabled = !checked.again;
  } else {
    ready(found, space);
    show(found.card, Boolean(display.template));
  }
}

// -- creating ------------------------------------------------------------------------------------------------------

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (create.disabled) return;
  form.setAttribute("aria-busy", "true");
  try {
    if (!(await check())) return;
    const { space, display, pictures, options } = read();
    const body = { name: name.value, description: description.value, display: { ...display, pictures }, options };
    body.space = way === "space" ? { ...space, constraints: checked.found.constraints } : space;
    const study = await post("/studies", body);
    sessionStorage.removeItem(DRAFT);
    location.assign(`/studies/${study.id}/anchors`);
  } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    if (way === "space") markSpace(error.field);
    tell("bad", sentence(error.message));
    create.disabled = false; // it may work the next time
  } finally {
    form.removeAttribute("aria-busy");
  }
});

// Enter in a one-line field must not create an unfinished study.
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("input:not([type=file])")) event.preventDefault();
});

// -- start-up ------------------------------------------------------------------------------------------------------

let offered = false;

function turnTo(chosen) {
  way = chosen;
  form.hidden = way === "example";
  if (way === "example" && !offered) {
    offered = true;
    showExamples(document.getElementById("examples"), "Use this example");
  }
  hide();
  changed();
}

name.value = start.name || "";
description.value = start.description || "";
startSpace(changed, start.space);
startCatalogue(changed, start.catalogue);
startOptions(start.options);
form.addEventListener("input", changed);
form.addEventListener("change", changed);
name.addEventListener("blur", () => { if (!name.value.trim()) name.setAttribute("aria-invalid", "true"); });
tabs(document.querySelector(".ways"), turnTo)(["space", "catalogue", "example"].includes(start.way) ? start.way : "space");
check();
