// Panel of the Anchors page: which clips are missing, and their upload.

import { attempt, get, study } from "./api.js";
import { uploadClips } from "./clip-upload.js";
import { elementsOf } from "./dom.js";

const FEW = 5;
const at = elementsOf("anchors");

/** @param {string[]} names */
const list = (names) => names.slice(0, FEW).join(", ") + (names.length > FEW ? ` and ${names.length - FEW} more` : "");

async function look() {
  const found = await attempt(() => get("/studies/{id}/clips"));
  if (!found) return;
  const { clips, missing } = found;
  const panel = at("clips");
  panel.hidden = panel.hidden && !missing.length;
  const all = clips.length + missing.length;
  at("clips-words").textContent = missing.length ? `${missing.length} of ${all} clips are missing: ${list(missing)}.` : `All ${all} clips are here. Reload the page to play them.`;
}

/** @param {File[]} files */
async function upload(files) {
  const trouble = at("clips-trouble");
  trouble.hidden = true;
  const refused = await uploadClips(study, files, (words) => { at("clips-words").textContent = words; });
  await look();
  trouble.textContent = refused.slice(0, FEW).map(({ message }) => message).join(" ");
  trouble.hidden = !refused.length;
}

export function startClipPanel() {
  const input = at("clips-files");
  input.addEventListener("change", () => {
    const files = [...input.files ?? []];
    input.value = "";
    upload(files);
  });
  return look();
}
