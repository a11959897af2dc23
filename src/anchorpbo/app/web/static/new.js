// The New page: keeps a draft, validates it while the user types, and creates the study.

import { Problem, patch, post } from "./api.js";
import { uploadClips } from "./clip-upload.js";
import { catalogueDraft, markCatalogue, readCatalogue, startCatalogue } from "./new-catalogue.js";
import { messageOf } from "./client.js";
import { elementsOf, find } from "./dom.js";
import { hide, ready, sentence, show, tell } from "./new-check.js";
import { showExamples } from "./new-examples.js";
import { optionsDraft, readOptions, startOptions } from "./new-options.js";
import { markSpace, readSpace, spaceDraft, startSpace } from "./new-space.js";
import { tabs } from "./new-tabs.js";
import { StoredValue } from "./stored-value.js";

/** @import { DisplayLayout, StudyPreview } from "../rest" */
/** @import { OptionsDraft } from "./new-options.js" */
/** @import { SpaceDraft } from "./new-space.js" */
/** @typedef {"space" | "catalogue" | "example"} Way */
/**
 * @typedef {{ way?: Way, name?: string, question?: string, description?: string, space?: SpaceDraft,
 *   catalogue?: { suggested?: string }, hideValues?: boolean, options?: OptionsDraft }} Draft
 */
/** @typedef {{ signature: string, found: StudyPreview }} Passed a check that succeeded */
/** @typedef {{ signature: string | null, problem: string, field?: string, again: boolean }} Failed */

const byId = elementsOf("new");
const stored = new StoredValue("anchorpbo-new-study", () => sessionStorage);
const PAUSE = 350; // milliseconds after the last key
const form = byId("new-study");
const name = byId("name");
const question = byId("question");
const description = byId("description");
const create = byId("create");
const hideValues = byId("hide_values");
/** @type {Draft} */
const start = stored.read() || {};

class Page {
  /** @type {Way} */
  way = "space";
  timer = 0;
  /** @type {Promise<Passed | Failed> | null} */
  running = null; // a check that is under way
  /** @type {Passed | Failed | null} */
  checked = null; // the result of the last one
  offered = false; // whether the examples are shown
  /** @type {{ id: string, signature: string } | null} */
  made = null; // the study that was created, while some of its clips are not uploaded
}

const page = new Page();

// -- the draft -----------------------------------------------------------------------------------------------------

function keepDraft() {
  const { way } = page;
  stored.write({
    way: way === "example" ? "space" : way, name: name.value, question: question.value, description: description.value,
    space: spaceDraft(), catalogue: catalogueDraft(), hideValues: hideValues.checked, options: optionsDraft(),
  });
}

// -- checking ------------------------------------------------------------------------------------------------------

function changed() {
  keepDraft();
  clearTimeout(page.timer);
  page.timer = setTimeout(check, PAUSE);
}

/** @typedef {ReturnType<typeof read>} Read what is written in the form */

function read() {
  const { way } = page;
  const found = way === "space" ? readSpace() : readCatalogue();
  /** @type {DisplayLayout} */
  const display = hideValues.checked ? { ...found.display, hide_values: true } : found.display;
  const options = readOptions();
  if (name.value.trim()) name.removeAttribute("aria-invalid");
  const missing = [...(name.value.trim() ? [] : ["a name for the study"]), ...found.missing];
  const signature = JSON.stringify([way, found.signature || [found.space, found.display], hideValues.checked, options]);
  return { ...found, display, missing, options, signature };
}

/**
 * Validate the draft at the server; return the preview if it is valid.
 * @returns {Promise<StudyPreview | null>}
 */
async function check() {
  clearTimeout(page.timer);
  if (page.way === "example") return null;
  if (page.running) {
    await page.running;
    return check();
  }
  const now = read();
  const { space } = now;
  if (isWanting(now) || space === null) return null;
  if (page.checked?.signature !== now.signature) {
    const slow = setTimeout(() => tell("busy", "Checking …"), 600);
    page.running = ask(now);
    page.checked = await page.running;
    page.running = null;
    clearTimeout(slow);
    if (read().signature !== now.signature) return check(); // something was written meanwhile
  }
  tellChecked(page.checked, now.display, space);
  return "found" in page.checked ? page.checked.found : null;
}

/** @param {Read} now */
function isWanting({ missing, space }) {
  if (!missing.length) return false;
  tell("wanting", `Still needed: ${missing.slice(0, 2).join("; ")}${missing.length > 2 ? "; and more" : ""}.`);
  if (space === null) hide();
  return true;
}

/**
 * @param {Read} now
 * @returns {Promise<Passed | Failed>}
 */
async function ask({ signature, space, display, options }) {
  try {
    // The name is checked here, so that the rest can be validated before there is one.
    return { signature, found: await post("/studies/check", { name: name.value.trim() || "A study", space: space ?? {}, display, options }) };
  } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    const again = !(error instanceof Problem) || error.isAway; // no word about what is written: Create may try again
    return { signature: again ? null : signature, problem: messageOf(error), field: fieldOf(error), again };
  }
}

/**
 * Mark the input that the server's error is about.
 * @param {string} [field]
 */
function mark(field) {
  if (page.way === "space") markSpace(field);
  else markCatalogue(field);
}

/** @param {unknown} error */
const fieldOf = (error) => (error instanceof Problem ? error.field : undefined);

/**
 * @param {Passed | Failed} checked
 * @param {Read["display"]} display
 * @param {NonNullable<Read["space"]>} space
 */
function tellChecked(checked, display, space) {
  mark("problem" in checked ? checked.field : undefined);
  if ("problem" in checked) {
    tell("bad", sentence(checked.problem, checked.field));
    create.disabled = !checked.again;
  } else {
    ready(checked.found, space);
    show(display.hide_values ? { ...checked.found.card, rows: [] } : checked.found.card, Boolean(display.template));
  }
}

// -- creating ------------------------------------------------------------------------------------------------------

/**
 * Create the study; if that was done and only some of its clips are missing, change its texts.
 * @param {Read} now
 * @param {NonNullable<Read["space"]>} space
 * @param {StudyPreview} preview
 */
async function makeStudy({ display, pictures, options, signature }, space, preview) {
  const texts = { name: name.value, question: question.value, description: description.value };
  if (page.made?.signature === signature) {
    await patch("/studies/{id}", texts, { path: { id: page.made.id } });
    return page.made;
  }
  const { id } = await post("/studies", {
    ...texts, display: { ...display, pictures }, options,
    space: space.kind === "space" ? { ...space, constraints: preview.constraints } : space,
  });
  stored.write(null);
  return { id, signature };
}

/**
 * Upload the clips; return whether all of them have arrived.
 * @param {string} id
 * @param {File[]} clips
 */
async function sendClips(id, clips) {
  const refused = await uploadClips(id, clips, (words) => tell("busy", words));
  if (!refused.length) return true;
  const [{ message }] = refused;
  const more = refused.length > 1 ? ` ${refused.length - 1} more were not uploaded.` : "";
  tell("bad", `${message}${more} The study exists: replace the files and press “Create study” again, or upload them later on its Anchors page.`);
  create.disabled = false;
  return false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (create.disabled || form.hasAttribute("aria-busy")) return;
  form.setAttribute("aria-busy", "true");
  try {
    const preview = await check();
    const now = read();
    if (!preview || !now.space) return;
    const { id } = page.made = await makeStudy(now, now.space, preview);
    if (await sendClips(id, now.clips)) location.assign(`/studies/${id}/anchors`);
  } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    mark(fieldOf(error));
    tell("bad", sentence(messageOf(error), fieldOf(error)));
    create.disabled = false; // it may work the next time
  } finally {
    form.removeAttribute("aria-busy");
  }
});

// Enter in a one-line field must not create an unfinished study.
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target instanceof Element && event.target.matches("input:not([type=file])")) event.preventDefault();
});

// -- start-up ------------------------------------------------------------------------------------------------------

/** @param {Way} chosen */
function turnTo(chosen) {
  page.way = chosen;
  form.hidden = chosen === "example";
  if (chosen === "example" && !page.offered) {
    page.offered = true;
    showExamples(byId("examples"), "Use this example");
  }
  hide();
  changed();
}

// What was written before this script was loaded stays.
name.value ||= start.name || "";
question.value ||= start.question || "";
description.value ||= start.description || "";
startSpace(changed, start.space);
startCatalogue(changed, start.catalogue);
startOptions(start.options);
hideValues.checked = start.hideValues === true;
form.addEventListener("input", changed);
form.addEventListener("change", changed);
name.addEventListener("blur", () => { if (!name.value.trim()) name.setAttribute("aria-invalid", "true"); });
const ways = /** @type {Way[]} */ (["space", "catalogue", "example"]);
const open = tabs(find(document, ".ways", HTMLElement), (chosen) => turnTo(/** @type {Way} */ (chosen)));
open(ways.find((one) => one === start.way) ?? "space");
check();
