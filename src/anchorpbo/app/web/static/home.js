// The home page: list, export, delete and import studies; examples.

import { Problem, remove, say } from "./api.js";
import { showExamples } from "./new-examples.js";

const LARGEST = 32_000_000;
const list = document.getElementById("studies");

// -- times ---------------------------------------------------------------------------------------------------------

const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["week", 604_800], ["day", 86_400], ["hour", 3_600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

function ago(date) {
  const seconds = (date - Date.now()) / 1000;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) || [null, 1];
  return unit ? relative.format(Math.round(seconds / length), unit) : "just now";
}

for (const time of list.querySelectorAll("time")) {
  const date = new Date(time.dateTime);
  time.textContent = ago(date);
  time.title = date.toLocaleString();
}

// -- deleting ------------------------------------------------------------------------------------------------------

const dialog = document.getElementById("delete-dialog");
const problem = document.getElementById("delete-problem");
const yes = document.getElementById("delete-yes");
let chosen = null;

list.addEventListener("click", (event) => {
  if (!event.target.closest("[data-delete]")) return;
  chosen = event.target.closest("li");
  const answers = Number(chosen.dataset.answers);
  const lost = answers ? ` and its ${answers === 1 ? "answer" : `${answers} answers`}` : "";
  document.getElementById("delete-words").textContent =
    `“${chosen.dataset.name}”${lost} will be gone for everyone who takes part. Export it first to keep a copy.`;
  problem.hidden = true;
  dialog.showModal();
});

document.getElementById("delete-no").addEventListener("click", () => dialog.close());

yes.addEventListener("click", async () => {
  yes.disabled = true;
  try {
    await remove(`/studies/${chosen.dataset.id}`);
    dialog.close();
    forget(chosen);
  } catch (error) {
    if (error.status === 404) {
      dialog.close();
      forget(chosen);
    } else {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  } finally {
    yes.disabled = false;
  }
});

function forget(item) {
  const next = item.nextElementSibling || item.previousElementSibling;
  item.remove();
  list.hidden = !list.children.length;
  document.getElementById("welcome").hidden = !list.hidden;
  document.getElementById("new-study").hidden = list.hidden;
  document.getElementById("lead").hidden = list.hidden;
  (next ? next.querySelector("a") : document.getElementById("main")).focus();
  say(`“${item.dataset.name}” was deleted.`);
}

// -- importing -----------------------------------------------------------------------------------------------------

const file = document.getElementById("import-file");
const message = document.getElementById("import-message");

file.addEventListener("change", async () => {
  const [given] = file.files;
  file.value = ""; // so that the same file can be chosen again
  if (!given) return;
  message.hidden = true;
  try {
    const made = await send(await read(given));
    location.assign(`/studies/${made.id}`);
  } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    message.textContent = `${given.name}: ${error.message}`;
    message.hidden = false;
  }
});

async function read(given) {
  if (given.size > LARGEST) throw new Problem(413, `an export must not be larger than ${LARGEST / 1e6} MB.`);
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

// Send the text unparsed: serialised again, 1.0 would become 1, and the checksums would not match.
async function send(text) {
  let response;
  try {
    response = await fetch("/api/studies/import", { method: "POST", headers: { "Content-Type": "application/json" }, body: text });
  } catch {
    throw new Problem(0, "the server does not answer. Try again in a moment.");
  }
  const data = await response.json();
  if (!response.ok) throw new Problem(response.status, data.detail);
  return data;
}

showExamples(document.getElementById("examples"));
