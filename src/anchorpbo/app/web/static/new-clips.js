// Audio and video clips of a catalogue: files kept on the page until the study is created, and uploaded then.

import { limits } from "./api.js";

/** @type {Map<string, File>} */
const clips = new Map(); // by name of the file

/** @param {unknown} name */
export const hasClip = (name) => clips.has(String(name));
export const count = () => clips.size;

/**
 * The files that exist among these names.
 * @param {unknown[]} names
 */
export const clipsOf = (names) => [...new Set(names.map(String))].map((name) => clips.get(name)).filter((file) => file !== undefined);

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/**
 * Keep a file; return what is wrong with it, or nothing.
 * @param {File} file
 */
export function addClip(file) {
  const { clip_bytes: largest, study_clips_bytes: all } = limits;
  if (file.size > largest) return `${file.name} has ${megabytes(file.size)} MB; a clip may have at most ${largest / 1e6} MB. Shorten it, or encode it with a lower bit rate.`;
  const total = [...clips.values()].reduce((sum, one) => sum + (one.name === file.name ? 0 : one.size), file.size);
  if (total > all) return `With ${file.name} the clips would have ${megabytes(total)} MB; those of a study may have at most ${all / 1e6} MB. Encode them with a lower bit rate.`;
  clips.set(file.name, file);
  return "";
}
