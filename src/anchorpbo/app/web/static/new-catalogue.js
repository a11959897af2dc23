// Catalogue of a new study: reads the table and lets the user choose the roles of its columns.

import { Problem, limits, upload } from "./api.js";
import { messageOf } from "./client.js";
import { isClip } from "./clip-upload.js";
import { el, elementsOf } from "./dom.js";
import { addClip, clipsOf, count as clipCount, hasClip } from "./new-clips.js";
import { addPicture, count, hasPicture, isPicture, picturesOf } from "./new-pictures.js";
import { isNumber } from "./new-values.js";

/** @import { CatalogueView, ColumnView, Design, DisplayLayout } from "../rest" */
/** @typedef {Design[string]} Cell */
/** @typedef {"feature" | "category" | "shown" | "hidden" | "title" | "image" | "clip" | "smiles" | "link" | "fingerprint"} Role */
/** @typedef {{ name: string, values: Cell[], kind: ColumnView["kind"], distinct: number }} Column */
/** @typedef {{ view: CatalogueView, columns: Column[], file: string, selects: Map<string, HTMLSelectElement>, version: number }} Table */

const byId = elementsOf("new");
const ROWS = 6;
/** @type {[Role, string][]} */
const ROLES = [
  ["feature", "Feature (number)"], ["category", "Category"], ["shown", "Shown only"], ["hidden", "Hidden"], ["title", "Title of the card"],
  ["image", "Image file"], ["clip", "Audio or video clip"], ["smiles", "Molecule (SMILES)"], ["link", "Link"], ["fingerprint", "Fingerprint (bits)"],
];
const ONCE = new Set(["title", "image", "clip", "smiles", "link", "fingerprint"]);
/** @type {Record<ColumnView["kind"], string>} */
const TAKEN_FOR = { number: "numbers", category: "categories", text: "text", image: "image files", clip: "clips", link: "links", smiles: "molecules",
  fingerprint: "Morgan fingerprint; molecules are compared by it" };

const drop = byId("drop");
const input = byId("table-file");
const message = byId("table-message");

class CatalogueForm {
  /** @type {Table | null} */
  table = null;
  changed = () => {};
  version = 0; // number of tables that were read
  suggested = ""; // the name that the last table gave the study
  selects = 0; // number of lists of roles that were made
}

const form = new CatalogueForm();

export const catalogueDraft = () => ({ suggested: form.suggested });

/**
 * @param {() => void} onchange
 * @param {{ suggested?: string }} [draft]
 */
export function startCatalogue(onchange, draft) {
  form.changed = onchange;
  form.suggested = draft?.suggested || "";
  input.addEventListener("change", () => {
    const files = [...input.files ?? []];
    input.value = "";
    takeAll(files);
  });
  let depth = 0;
  /** @param {number} by */
  const over = (by) => { depth = Math.max(depth + by, 0); drop.classList.toggle("over", depth > 0); };
  drop.addEventListener("dragenter", (event) => { event.preventDefault(); over(1); });
  drop.addEventListener("dragleave", () => over(-1));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    over(-depth);
    takeAll([...event.dataTransfer?.files ?? []]);
  });
  // A file dropped beside the target must not replace the page.
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());
}

/** @param {File[]} files */
async function takeAll(files) {
  const [file] = files.filter((one) => !isPicture(one) && !isClip(one));
  if (file) await take(file);
  else say("");
  await takePictures(files.filter(isPicture));
  takeClips(files.filter(isClip));
}

/**
 * @param {number} n
 * @param {string} one
 * @param {string} several
 */
const many = (n, one, several) => `${n} ${n === 1 ? one : several}`;

/** @param {File[]} files */
function takeClips(files) {
  if (!files.length) return;
  const refused = files.map(addClip).filter(Boolean);
  if (refused.length) say(refused.slice(0, 3).join(" "));
  takeNamed("clip", hasClip, "Now add the table that names these clips", `${many(clipCount(), "clip", "clips")} loaded`);
}

/** @param {File[]} files */
async function takePictures(files) {
  if (!files.length) return;
  drop.setAttribute("aria-busy", "true");
  const refused = [];
  for (const file of files) if (!(await addPicture(file))) refused.push(file.name);
  drop.removeAttribute("aria-busy");
  if (refused.length) say(`${refused.slice(0, 3).join(", ")}${refused.length > 3 ? " and others" : ""} cannot be shown. Use PNG, JPEG, GIF or WebP.`);
  takeNamed("image", hasPicture, "Now add the table that names these pictures", `${many(count(), "picture", "pictures")} loaded`);
}

/**
 * Note the files that were added; without a table, ask for it.
 * @param {"image" | "clip"} role
 * @param {(name: unknown) => boolean} isThere
 * @param {string} strong
 * @param {string} more
 */
function takeNamed(role, isThere, strong, more) {
  const { table } = form;
  if (!table) {
    words(strong, more);
    return;
  }
  chooseRole(table, role, isThere);
  for (const one of table.columns) note(table, one);
  form.changed();
}

/**
 * Guess the column that names the pictures or clips.
 * @param {Table} table
 * @param {"image" | "clip"} role
 * @param {(name: unknown) => boolean} isThere
 */
function chooseRole({ columns, selects }, role, isThere) {
  if ([...selects.values()].some((chosen) => chosen.value === role)) return;
  const chosen = selects.get(columns.find(({ values }) => values.some(isThere))?.name ?? "");
  if (chosen) chosen.value = role;
}

/** @param {File} file */
async function take(file) {
  say("");
  // Check the size before reading the file.
  if (file.size > limits.upload_bytes) return say(`${file.name} has ${size(file.size)}; a table must not be larger than ${size(limits.upload_bytes)}. Leave out rows or columns.`);
  if (!file.size) return say(`${file.name} is empty. Choose a file with column names in its first line.`);
  drop.setAttribute("aria-busy", "true");
  words(`Reading ${file.name} …`, size(file.size));
  try {
    const view = await upload("/catalogue", file);
    checkSize(view.space, file);
    show(view, file);
  } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    say(`${file.name}: ${messageOf(error)}`);
    if (form.table) words(form.table.file, summary(form.table));
    else words("Drop a CSV file here, or choose one", "");
  } finally {
    drop.removeAttribute("aria-busy");
  }
  return undefined;
}

/**
 * A study is sent as JSON, which is larger than the CSV file for a wide table.
 * @param {CatalogueView["space"]} space
 * @param {File} file
 */
function checkSize(space, file) {
  const largest = limits.upload_bytes;
  if (file.size < largest / 8) return;
  const written = new Blob([JSON.stringify(space)]).size;
  if (written < 0.99 * largest) return;
  throw new Problem(413, `a study of this table would have ${size(written)}, and must not be larger than ${size(largest)}. Leave out columns or rows.`);
}

/** @param {number} bytes */
const size = (bytes) => (bytes < 1e5 ? `${Math.max(bytes / 1e3, 0.1).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
/** @param {Table} table */
const summary = (table) => `${table.view.rows.toLocaleString("en")} rows, ${table.columns.length} columns. Choose or drop another to replace it.`;

/**
 * @param {string} strong
 * @param {string} more
 */
function words(strong, more) {
  byId("drop-words").textContent = strong;
  byId("drop-more").textContent = more;
}

/** @param {string} text */
function say(text) {
  message.textContent = text;
  message.hidden = !text;
}

/**
 * @param {CatalogueView} view
 * @param {File} file
 */
function show(view, file) {
  const seen = new Map(view.columns.map((one) => [one.name, one]));
  /** @type {Column[]} */
  const columns = view.space.columns.map(({ name, values }) => ({
    name, values, kind: seen.get(name)?.kind ?? "number", distinct: seen.get(name)?.distinct ?? values.length,
  }));
  form.version += 1;
  /** @type {Table} */
  const table = { view, columns, file: file.name, selects: new Map(), version: form.version };
  for (const one of columns) table.selects.set(one.name, select(table, one, role(one, view)));
  form.table = table;
  say(view.notes.join(" "));
  words(file.name, summary(table));
  byId("columns").replaceChildren(...columns.map((one) => line(table, one)));
  byId("first-rows").replaceChildren(firstRows(columns));
  byId("table-found").hidden = false;
  chooseRole(table, "image", hasPicture);
  chooseRole(table, "clip", hasClip);
  for (const one of columns) note(table, one);
  suggestName(file);
  form.changed();
}

/**
 * Suggest the file name as the study's name, unless the user has typed one.
 * @param {File} file
 */
function suggestName(file) {
  const name = byId("name");
  if (name.value.trim() && name.value !== form.suggested) return;
  form.suggested = file.name.replace(/\.[^.]*$/, "").replaceAll(/[_-]+/g, " ").slice(0, limits.name);
  name.value = form.suggested;
}

/**
 * @param {Column} column
 * @param {CatalogueView} view
 * @returns {Role}
 */
function role(column, view) {
  if (view.space.features.includes(column.name)) return "feature";
  if (view.space.categories.includes(column.name)) return "category";
  if (view.space.fingerprint.includes(column.name)) return "fingerprint";
  // Without the pictures only their names can be shown.
  const keys = /** @type {const} */ (["clip", "smiles", "link", "title"]);
  return keys.find((key) => view.display[key] === column.name) ?? "shown";
}

/**
 * @param {Table} table
 * @param {Column} column
 * @param {Role} chosen
 */
function select(table, column, chosen) {
  const { selects } = table;
  const id = `role${(form.selects += 1)}`;
  const found = el("select", { id, "aria-describedby": `${id}-about ${id}-note` },
    ROLES.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  found.addEventListener("change", () => {
    if (ONCE.has(found.value)) {
      for (const [name, other] of selects) {
        if (other !== found && other.value === found.value) {
          other.value = "shown";
          const one = table.columns.find((column) => column.name === name);
          if (one) note(table, one);
        }
      }
    }
    note(table, column);
    form.changed();
  });
  return found;
}

/**
 * The list of roles of a column.
 * @param {Table} table
 * @param {Column} column
 */
function chosenOf({ selects }, { name }) {
  const chosen = selects.get(name);
  if (!chosen) throw new Error(`the table has no column ${name}`);
  return chosen;
}

/**
 * @param {Table} table
 * @param {Column} column
 */
function line(table, column) {
  const chosen = chosenOf(table, column);
  const examples = [...new Set(column.values.slice(0, 50))].filter((value) => value !== null).slice(0, 3).map((value) => cellText(value, column.kind, 24)).join(", ");
  const about = `${TAKEN_FOR[column.kind] || column.kind} · ${column.distinct.toLocaleString("en")} different · ${examples}`;
  return el("li", {},
    el("div", { class: "column-words" },
      el("label", { for: chosen.id }, column.name),
      el("span", { class: "quiet", id: `${chosen.id}-about` }, about)),
    chosen,
    el("p", { class: "column-note", id: `${chosen.id}-note` }));
}

/**
 * @param {Table} table
 * @param {Column} column
 */
function note(table, column) {
  const chosen = chosenOf(table, column);
  const odd = column.kind === "number" ? undefined : nearlyNumbers(column.values);
  const text = (chosen.value === "image" && pictureWords(column)) || (chosen.value === "clip" && clipWords(column)) || (chosen.value === "smiles" && moleculeWords(table)) || (odd && ["shown", "category", "feature"].includes(chosen.value) ? oddly(odd, column.kind) : "");
  const place = document.getElementById(`${chosen.id}-note`);
  if (place) place.textContent = text;
  chosen.setAttribute("aria-invalid", String(isNoFeature(chosen, column)));
}

/**
 * @param {HTMLSelectElement} chosen
 * @param {Column} column
 */
const isNoFeature = (chosen, column) => chosen.value === "feature" && column.kind !== "number";

/** @param {Column} column */
function pictureWords({ values }) {
  const names = [...new Set(values)].filter((value) => value !== null && value !== "");
  const there = names.filter(hasPicture).length;
  if (!there) return "Drop or choose the image files above, too: PNG, JPEG, GIF or WebP, by the names in this column. Cards without an image show the name of its file.";
  return there === names.length ? `All ${there} pictures are here.` : `${there} of ${names.length} pictures are here. Cards show the names of the others.`;
}

/** @param {Column} column */
function clipWords({ values }) {
  const names = [...new Set(values)].filter((value) => value !== null && value !== "");
  const there = names.filter(hasClip).length;
  if (!there) return "Drop or choose the clips above, too: WAV, MP3, Ogg, MP4 or WebM, by the names in this column.";
  return there === names.length ? `All ${there} clips are here.` : `${there} of ${names.length} clips are here. The others can be uploaded later, on the Anchors page.`;
}

/** @param {Table} table */
const moleculeWords = ({ view }) => (view.draws_molecules ? "" : "The server has no RDKit, so molecules are neither drawn nor compared.");

/**
 * @param {{ row: number, cell: Cell }} odd
 * @param {ColumnView["kind"]} kind
 */
function oddly({ row, cell }, kind) {
  const has = cell === null || cell === "" ? "an empty cell" : `“${brief(cell, 40)}”`;
  return `Most cells are numbers, but row ${row} has ${has}, so the column was taken for ${TAKEN_FOR[kind]}. Correct the file to use it as a feature.`;
}

/**
 * First non-numeric cell of a mostly numeric column.
 * @param {Cell[]} values
 */
function nearlyNumbers(values) {
  const fine = values.map((cell) => typeof cell === "number" || (typeof cell === "string" && isNumber(cell)));
  const count = fine.filter(Boolean).length;
  const at = fine.indexOf(false);
  return 2 * count >= values.length && at >= 0 ? { row: at + 1, cell: values[at] } : undefined;
}

/**
 * @param {Cell} value
 * @param {number} longest
 */
const brief = (value, longest) => {
  const text = value === null ? "" : String(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
};

/**
 * @param {Cell} value
 * @param {ColumnView["kind"]} kind
 * @param {number} longest
 */
const cellText = (value, kind, longest) => (kind === "fingerprint" && typeof value === "string" ? `${value.replaceAll("0", "").length} of ${value.length} bits` : brief(value, longest));

/** @param {Column[]} columns */
function firstRows(columns) {
  const shown = columns[0].values.slice(0, ROWS).map((_, row) => el("tr", {}, columns.map(({ values, kind }) =>
    el("td", { class: kind === "number" ? "number" : null }, cellText(values[row], kind, 60)))));
  const head = el("tr", {}, columns.map(({ name, kind }) => el("th", { scope: "col", class: kind === "number" ? "number" : null }, name)));
  return el("table", {}, el("thead", {}, head), el("tbody", {}, shown));
}

// Mark the column that the server's error is about, such as `space.columns.2.values.17`.
export function markCatalogue(field = "") {
  const { table } = form;
  const at = /^space\.columns\.(\d+)/.exec(field)?.[1];
  table?.columns.forEach((column, n) => {
    const chosen = chosenOf(table, column);
    chosen.setAttribute("aria-invalid", String(n === Number(at) || isNoFeature(chosen, column)));
  });
}

// The space and its display by the roles of the columns.
export function readCatalogue() {
  const { table } = form;
  if (!table) return { missing: ["a table"], space: null, display: /** @type {DisplayLayout} */ ({}), pictures: {}, clips: [], signature: null };
  /** @param {Role} role */
  const of = (role) => [...table.selects].filter(([, chosen]) => chosen.value === role).map(([name]) => name);
  /** @type {DisplayLayout} */
  const display = { hidden: of("hidden") };
  for (const key of /** @type {const} */ (["title", "image", "clip", "smiles", "link"])) if (of(key).length) [display[key]] = of(key);
  if (!display.title && display.smiles) display.title = display.smiles;
  const { columns } = table.view.space;
  const pictures = picturesOf(columns.find((one) => one.name === display.image)?.values ?? []);
  const clips = clipsOf(columns.find((one) => one.name === display.clip)?.values ?? []);
  const roles = { features: of("feature"), categories: of("category"), fingerprint: of("fingerprint") };
  return {
    missing: roles.features.length + roles.categories.length + roles.fingerprint.length ? [] : ["a feature, a category or a fingerprint among the columns"],
    space: { kind: /** @type {const} */ ("catalogue"), columns, ...roles },
    display,
    pictures,
    clips,
    signature: JSON.stringify([table.version, roles, display]),
  };
}
