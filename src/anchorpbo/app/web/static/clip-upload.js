// Upload of clips, one request each. A request that does not arrive is repeated: an upload has the same effect twice.

import { Problem, put } from "./api.js";
import { messageOf } from "./client.js";

/** @typedef {{ file: File, message: string }} Refused a file that was not uploaded, and why, in one sentence */

const ATTEMPTS = 3;
const PAUSE = 1_000; // ms before the first repetition; doubled with each

const CLIP = /\.(wav|mp3|ogg|oga|ogv|opus|mp4|m4a|m4v|webm|flac|aiff?|aac|wma|mov|avi|mkv|wmv)$/i;

/**
 * Whether a file is audio or video, also of other formats: the server says by name what is wrong with them.
 * @param {File} file
 */
export const isClip = (file) => /^(audio|video)\//.test(file.type) || CLIP.test(file.name);

/**
 * Whether the server did not read the request.
 * @param {unknown} error
 */
const isUnread = (error) => error instanceof Problem && (error.status === 0 || error.status === 503);

/**
 * @param {string} id
 * @param {File} file
 */
async function send(id, file) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await put("/studies/{id}/clips/{name}", file, { path: { id, name: file.name } });
    } catch (error) {
      if (!isUnread(error) || attempt === ATTEMPTS) throw error;
      await new Promise((done) => { setTimeout(done, PAUSE * 2 ** (attempt - 1)); });
    }
  }
}

/**
 * Upload files and return those that were refused.
 * @param {string} id of the study
 * @param {File[]} files
 * @param {(words: string) => void} tell
 */
export async function uploadClips(id, files, tell) {
  /** @type {Refused[]} */
  const refused = [];
  for (const [n, file] of files.entries()) {
    tell(`Uploading ${n + 1} of ${files.length}: ${file.name} …`);
    try {
      await send(id, file);
    } catch (error) {
      if (!(error instanceof Problem)) console.error(error);
      refused.push({ file, message: isUnread(error) ? `${file.name} did not reach the server` : messageOf(error) });
    }
  }
  return refused;
}
