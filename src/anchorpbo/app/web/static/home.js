// The home page: list, edit, duplicate, archive, export, delete and import studies; examples.

import { Problem, get, limits, patch, post, remove, say, upload } from "./api.js";
import { messageOf } from "./client.js";
import { closest, elementsOf, find } from "./dom.js";
import { showExamples } from "./new-examples.js";

const byId = elementsOf("home");
const list = byId("lists");

// -- times ---------------------------------------------------------------------------------------------------------

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["week", 604_800], ["day", 86_400], ["hour", 3_600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** @param {Date} date */
function ago(date) {
  const seconds = (date.getTime() - Date.now()) / 1000;
  const found = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (!found) return "just now";
  const [unit, length] = found;
  return relative.format(Math.round(seconds / length), unit);
}

for (const time of list.querySelectorAll("time")) {
  const date = new Date(time.dateTime);
  time.textContent = ago(date);
  time.title = date.toLocaleString();
}

// -- deleting ------------------------------------------------------------------------------------------------------

const dialog = byId("delete-dialog");
const problem = byId("delete-problem");
const yes = byId("delete-yes");

/**
 * The study of a button that was clicked, or null.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLLIElement | null}
 */
const studyOf = (event, selector) => closest(event, selector)?.closest("li") ?? null;

list.addEventListener("click", (event) => {
  const chosen = studyOf(event, "[data-delete]");
  if (!chosen) return;
  dialog.dataset.id = chosen.dataset.id;
  const answers = Number(chosen.dataset.answers);
  const lost = answers ? ` and its ${answers === 1 ? "answer" : `${answers} answers`}` : "";
  byId("delete-words").textContent =
    `“${chosen.dataset.name}”${lost} will be deleted for all participants. Export it first to keep a copy.`;
  problem.hidden = true;
  dialog.showModal();
});

byId("delete-no").addEventListener("click", () => dialog.close());

yes.addEventListener("click", async () => {
  const id = dialog.dataset.id ?? "";
  const chosen = find(list, `li[data-id="${CSS.escape(id)}"]`, HTMLLIElement);
  yes.disabled = true;
  try {
    await remove("/studies/{id}", undefined, { path: { id } });
    dialog.close();
    forget(chosen);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) {
      dialog.close();
      forget(chosen);
    } else {
      problem.textContent = messageOf(error);
      problem.hidden = false;
    }
  } finally {
    yes.disabled = false;
  }
});

/** @param {HTMLLIElement} item */
function forget(item) {
  const next = item.nextElementSibling || item.previousElementSibling;
  item.remove();
  const current = byId("studies");
  const archived = byId("archived");
  const isEmpty = !list.querySelector("li");
  current.hidden = !current.children.length;
  archived.hidden = !archived.querySelector("li");
  byId("archived-count").textContent = String(archived.querySelectorAll("li").length);
  byId("welcome").hidden = !isEmpty;
  byId("new-study").hidden = isEmpty;
  byId("lead").hidden = isEmpty;
  (next?.querySelector("a") ?? byId("main")).focus();
  say(`“${item.dataset.name}” was deleted.`);
}

// -- editing -------------------------------------------------------------------------------------------------------

const editor = byId("edit-dialog");
const editProblem = byId("edit-problem");
const [editName, editQuestion, editDescription] = [byId("edit-name"), byId("edit-question"), byId("edit-description")];
const archive = byId("edit-archive");

list.addEventListener("click", async (event) => {
  const id = studyOf(event, "[data-edit]")?.dataset.id;
  if (!id) return;
  try {
    const study = await get("/studies/{id}", {}, { path: { id } });
    editor.dataset.id = study.id;
    [editName.value, editQuestion.value, editDescription.value] = [study.name, study.question, study.description];
    editor.dataset.archived = study.archived ? "yes" : "no";
    archive.textContent = study.archived ? "Restore" : "Archive";
    editProblem.hidden = true;
    editor.showModal();
  } catch (error) {
    say(messageOf(error), 10);
  }
});

/**
 * Change a study and show the list again; an error stays in the dialog.
 * @param {(study: { path: { id: string } }) => Promise<unknown>} action
 */
async function change(action) {
  if (editor.dataset.busy === "yes") return; // a double click is one change
  editor.dataset.busy = "yes";
  try {
    await action({ path: { id: editor.dataset.id ?? "" } });
    location.reload();
  } catch (error) {
    editProblem.textContent = messageOf(error);
    editProblem.hidden = false;
    editor.dataset.busy = "no";
  }
}

byId("edit-form").addEventListener("submit", (event) => {
  event.preventDefault();
  change((study) => patch("/studies/{id}", { name: editName.value, question: editQuestion.value, description: editDescription.value }, study));
});
byId("edit-cancel").addEventListener("click", () => editor.close());
byId("edit-duplicate").addEventListener("click", () => change((study) => post("/studies/{id}/duplicate", {}, study)));
archive.addEventListener("click", () => change((study) => patch("/studies/{id}", { archived: editor.dataset.archived === "no" }, study)));

// -- importing -----------------------------------------------------------------------------------------------------

const file = byId("import-file");
const message = byId("import-message");

file.addEventListener("change", async () => {
  const given = file.files?.[0];
  file.value = ""; // so that the same file can be chosen again
  if (!given) return;
  message.hidden = true;
  try {
    const made = await (await isArchive(given) ? importArchive(given) : importJSON(given));
    location.assign(`/studies/${made.id}`);
  } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    message.textContent = `${given.name}: ${messageOf(error)}`;
    message.hidden = false;
  }
});

/**
 * Whether a file is a ZIP file, by content: it begins with PK and the signature of a local file.
 * @param {File} given
 */
async function isArchive(given) {
  const [p, k, three, four] = new Uint8Array(await given.slice(0, 4).arrayBuffer());
  return p === 0x50 && k === 0x4b && three === 3 && four === 4;
}

/** @param {File} given */
async function importArchive(given) {
  checkSize(given, "an export with clips", limits.archive_bytes);
  return upload("/studies/import/archive", given, { type: "application/zip" });
}

// The text unparsed: serialised again, 1.0 would become 1, and the checksums would not match.
/** @param {File} given */
async function importJSON(given) {
  checkSize(given, "an export", limits.upload_bytes);
  return upload("/studies/import", await read(given), { type: "application/json" });
}

/**
 * @param {File} given
 * @param {string} name
 * @param {number} largest
 */
function checkSize(given, name, largest) {
  if (given.size > largest) throw new Problem(413, `${name} must not be larger than ${largest / 1e6} MB.`);
}

/** @param {File} given */
async function read(given) {
  const text = await given.text();
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Problem(422, "this is not JSON. Choose a file that Export saved.");
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) {
    throw new Problem(422, "this is JSON, but not an export. Choose a file that Export saved.");
  }
  return text;
}

showExamples(byId("examples"));
