// Catalogue of a new study: reads the table and lets the user choose the roles of its columns.

import { Problem, upload } from "./api.js";
import { el } from "./dom.js";
import { addPicture, count, hasPicture, isPicture, picturesOf } from "./new-pictures.js";
import { isNumber } from "./new-values.js";

const LARGEST = 32_000_000;
const ROWS = 6;
const ROLES = [
  ["feature", "Feature (number)"], ["category", "Category"], ["shown", "Shown only"], ["hidden", "Hidden"], ["title", "Title of the card"],
  ["image", "Image file"], ["smiles", "Molecule (SMILES)"], ["link", "Link"], ["fingerprint", "Fingerprint (bits)"],
];
const ONCE = new Set(["title", "image", "smiles", "link", "fingerprint"]);
const TAKEN_FOR = { number: "numbers", category: "categories", text: "text", image: "image files", link: "links", smiles: "molecules",
  fingerprint: "Morgan fingerprint; molecules are compared by it" };

const drop = document.getElementById("drop");
const input = document.getElementById("table-file");
const message = document.getElementById("table-message");
let table = null; // {space, columns: [{name, values, kind, distinct}], file, version}
let selects = new Map();
let changed = () => {};
let version = 0;
let suggested = ""; // the name that the last table gave the study

export const catalogueDraft = () => ({ suggested });

export function startCatalogue(onchange, draft) {
  changed = onchange;
  suggested = draft?.suggested || "";
  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = "";
    takeAll(files);
  });
  let depth = 0;
  const over = (by) => { depth = Math.max(depth + by, 0); drop.classList.toggle("over", depth > 0); };
  drop.addEventListener("dragenter", (event) => { event.preventDefault(); over(1); });
  drop.addEventListener("dragleave", () => over(-1));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    over(-depth);
    takeAll([...event.dataTransfer.files]);
  });
  // A file dropped beside the target must not replace the page.
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());
}

async function takeAll(files) {
  const [file] = files.filter((one) => !isPicture(one));
  if (file) await take(file);
  else say("");
  await takePictures(files.filter(isPicture));
}

async function takePictures(files) {
  if (!files.length) return;
  drop.setAttribute("aria-busy", "true");
  const refused = [];
  for (const file of files) if (!(await addPicture(file))) refused.push(file.name);
  drop.removeAttribute("aria-busy");
  if (refused.length) say(`${refused.slice(0, 3).join(", ")}${refused.length > 3 ? " and others" : ""}: no pictures that can be shown. Use PNG, JPEG, GIF or WebP.`);
  if (!table) return words("Now the table that names these pictures", `${count()} pictures are kept`);
  choosePictures();
  for (const one of table.columns) note(one);
  changed();
}

// Guess the column that names the pictures.
function choosePictures() {
  if (!count() || [...selects.values()].some((chosen) => chosen.value === "image")) return;
  const column = table.columns.find(({ values }) => values.some(hasPicture));
  if (column) selects.get(column.name).value = "image";
}

async function take(file) {
  say("");
  // Check the size before reading the file.
  if (file.size > LARGEST) return say(`${file.name} has ${size(file.size)}; a table must not be larger than ${size(LARGEST)}. Choose the likely rows first.`);
  if (!file.size) return say(`${file.name} is empty. Choose a file with column names in its first line.`);
  drop.setAttribute("aria-busy", "true");
  words(`Reading ${file.name} …`, size(file.size));
  try {
    const view = await upload("/catalogue", file);
    checkSize(view.space, file);
    show(view, file);
  } catch (error) {
    if (error.status === undefined) console.error(error);
    say(`${file.name}: ${error.message}`);
    if (table) words(table.file, summary());
    else words("Drop a CSV file here, or choose one", "");
  } finally {
    drop.removeAttribute("aria-busy");
  }
  return undefined;
}

// A study is sent as JSON, which is larger than the CSV file for a wide table.
function checkSize(space, file) {
  if (file.size < LARGEST / 8) return;
  const written = new Blob([JSON.stringify(space)]).size;
  if (written < 0.99 * LARGEST) return;
  throw new Problem(413, `a study of this table would have ${size(written)}, and must not be larger than ${size(LARGEST)}. Leave out columns or rows.`);
}

const size = (bytes) => (bytes < 1e5 ? `${Math.max(bytes / 1e3, 0.1).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
const summary = () => `${table.rows.toLocaleString("en")} rows, ${table.columns.length} columns. Choose or drop another to replace it.`;

function words(strong, more) {
  document.getElementById("drop-words").textContent = strong;
  document.getElementById("drop-more").textContent = more;
}

function say(text) {
  message.textContent = text;
  message.hidden = !text;
}

function show(view, file) {
  const seen = new Map(view.columns.map((one) => [one.name, one]));
  const columns = view.space.columns.map(({ name, values }) => ({
    name, values, kind: "number", distinct: values.length, ...(seen.get(name) || {}),
  }));
  version += 1;
  table = { space: view.space, rows: view.rows, columns, file: file.name, drawsMolecules: view.draws_molecules };
  say(view.notes.join(" "));
  words(file.name, summary());
  selects = new Map(columns.map((one) => [one.name, select(one, role(one, view))]));
  document.getElementById("columns").replaceChildren(...columns.map(line));
  document.getElementById("first-rows").replaceChildren(firstRows(columns));
  document.getElementById("table-found").hidden = false;
  choosePictures();
  for (const one of columns) note(one);
  suggestName(file);
  changed();
}

// Suggest the file name as the study's name, unless the user has typed one.
function suggestName(file) {
  const name = document.getElementById("name");
  if (name.value.trim() && name.value !== suggested) return;
  suggested = file.name.replace(/\.[^.]*$/, "").replaceAll(/[_-]+/g, " ").slice(0, 200);
  name.value = suggested;
}

function role(column, view) {
  if (view.space.features.includes(column.name)) return "feature";
  if (view.space.categories.includes(column.name)) return "category";
  if (view.space.fingerprint.includes(column.name)) return "fingerprint";
  // Without the pictures only their names can be shown.
  return ["smiles", "link", "title"].find((key) => view.display[key] === column.name) || "shown";
}

let made = 0;
function select(column, chosen) {
  const id = `role${(made += 1)}`;
  const found = el("select", { id: id, "aria-describedby": `${id}-about ${id}-note` },
    ROLES.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  found.addEventListener("change", () => {
    if (ONCE.has(found.value)) {
      for (const [name, other] of selects) {
        if (other !== found && other.value === found.value) {
          other.value = "shown";
          note(table.columns.find((one) => one.name === name));
        }
      }
    }
    note(column);
    changed();
  });
  return found;
}

function line(column) {
  const chosen = selects.get(column.name);
  const examples = [...new Set(column.values.slice(0, 50))].filter((value) => value !== null).slice(0, 3).map((value) => cellText(value, column.kind, 24)).join(", ");
  const about = `${TAKEN_FOR[column.kind] || column.kind} · ${column.distinct.toLocaleString("en")} different · ${examples}`;
  return el("li", {},
    el("div", { class: "column-words" },
      el("label", { for: chosen.id }, column.name),
      el("span", { class: "quiet", id: `${chosen.id}-about` }, about)),
    chosen,
    el("p", { class: "column-note", id: `${chosen.id}-note` }));
}

function note(column) {
  const chosen = selects.get(column.name);
  const odd = column.kind === "number" ? undefined : nearlyNumbers(column.values);
  const text = (chosen.value === "image" && pictureWords(column)) || (chosen.value === "smiles" && moleculeWords()) || (odd && ["shown", "category", "feature"].includes(chosen.value) ? oddly(odd, column.kind) : "");
  document.getElementById(`${chosen.id}-note`).textContent = text;
  chosen.setAttribute("aria-invalid", String(chosen.value === "feature" && column.kind !== "number"));
}

function pictureWords({ values }) {
  const names = [...new Set(values)].filter((value) => value !== null && value !== "");
  const there = names.filter(hasPicture).length;
  if (!there) return "Drop or choose the image files above, too: PNG, JPEG, GIF or WebP, by the names in this column. Where there is none, cards show its name.";
  return there === names.length ? `All ${there} pictures are here.` : `${there} of ${names.length} pictures are here. Cards show the names of the others.`;
}

const moleculeWords = () => (table.drawsMolecules ? "" : "The server has no RDKit, so molecules are neither drawn nor compared.");

function oddly({ row, cell }, kind) {
  const has = cell === null || cell === "" ? "an empty cell" : `“${brief(cell, 40)}”`;
  return `Most cells are numbers, but row ${row} has ${has}, so the column was taken for ${TAKEN_FOR[kind]}. Correct the file to use it as a feature.`;
}

// First non-numeric cell of a mostly numeric column.
function nearlyNumbers(values) {
  const fine = values.map((cell) => typeof cell === "number" || (typeof cell === "string" && isNumber(cell)));
  const count = fine.filter(Boolean).length;
  const at = fine.indexOf(false);
  return 2 * count >= values.length && at >= 0 ? { row: at + 1, cell: values[at] } : undefined;
}

const brief = (value, longest) => {
  const text = value === null ? "" : String(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
};

const cellText = (value, kind, longest) => (kind === "fingerprint" ? `${value.replaceAll("0", "").length} of ${value.length} bits` : brief(value, longest));

function firstRows(columns) {
  const shown = columns[0].values.slice(0, ROWS).map((_, row) => el("tr", {}, columns.map(({ values, kind }) =>
    el("td", { class: kind === "number" ? "number" : null }, cellText(values[row], kind, 60)))));
  const head = el("tr", {}, columns.map(({ name, kind }) => el("th", { scope: "col", class: kind === "number" ? "number" : null }, name)));
  return el("table", {}, el("thead", {}, head), el("tbody", {}, shown));
}

// The space and its display by the roles of the columns.
export function readCatalogue() {
  if (!table) return { missing: ["a table"], space: null, display: {} };
  const of = (role) => [...selects].filter(([, chosen]) => chosen.value === role).map(([name]) => name);
  const display = { hidden: of("hidden") };
  for (const key of ["title", "image", "smiles", "link"]) if (of(key).length) [display[key]] = of(key);
  if (!display.title && display.smiles) display.title = display.smiles;
  const { columns } = table.space;
  const pictures = display.image ? picturesOf(columns.find((one) => one.name === display.image).values) : {};
  const roles = { features: of("feature"), categories: of("category"), fingerprint: of("fingerprint") };
  return {
    missing: roles.features.length + roles.categories.length + roles.fingerprint.length ? [] : ["a feature, a category or a fingerprint among the columns"],
    space: { kind: "catalogue", columns, ...roles },
    display,
    pictures,
    signature: JSON.stringify([version, roles, display]),
  };
}
