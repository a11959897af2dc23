// Player of a clip: a large button, the position, and for a video its picture. Starting one stops all others of the page.

import { base } from "./api.js";
import { el } from "./dom.js";

/** @import { Card } from "../rest" */

const STEPS = 1_000; // of the position

/** @param {string} name */
const addressOf = (name) => `${base}/clips/${encodeURIComponent(name)}`;

/** @param {number} seconds */
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/**
 * The button, which a key can press, too, is `.play`.
 * @param {Card} card
 * @param {string} name
 * @param {{ key?: string, preload?: "auto" | "none", loop?: boolean }} [settings]
 */
export function player({ clip, clip_kind }, name, { key, preload = "auto", loop = false } = {}) {
  if (!clip || !clip_kind) return el("p", { class: "no-picture quiet" }, `${clip}: this clip is missing`);
  const media = el(clip_kind, { src: addressOf(clip), preload, loop, playsinline: true });
  if (clip_kind === "video") media.setAttribute("aria-label", `Video ${name}`);
  const word = el("span", {}, `Play ${name}`);
  const play = el("button", { type: "button", class: "play" },
    el("span", { class: "play-sign", "aria-hidden": "true" }), word, key ? el("kbd", { "aria-hidden": "true" }, key) : null);
  const seek = el("input", { type: "range", class: "seek", min: "0", max: String(STEPS), value: "0", "aria-label": `Position in ${name}` });
  const time = el("span", { class: "quiet time", "aria-hidden": "true" });
  const trouble = el("p", { class: "quiet", role: "status" });

  const toggle = () => (media.paused ? media.play().catch(() => {}) : media.pause()); // a refusal is an error of the clip
  function showState() {
    word.textContent = `${media.paused ? "Play" : "Pause"} ${name}`;
    play.classList.toggle("playing", !media.paused);
  }
  function showTime() {
    const length = Number.isFinite(media.duration) ? media.duration : 0;
    seek.value = String(length ? Math.round((STEPS * media.currentTime) / length) : 0);
    time.textContent = `${clock(media.currentTime)} / ${clock(length)}`;
    seek.setAttribute("aria-valuetext", `${clock(media.currentTime)} of ${clock(length)}`);
  }
  play.addEventListener("click", toggle);
  media.addEventListener("click", toggle);
  for (const type of ["play", "pause", "ended"]) media.addEventListener(type, showState);
  for (const type of ["timeupdate", "loadedmetadata", "durationchange", "seeked"]) media.addEventListener(type, showTime);
  seek.addEventListener("input", () => {
    if (Number.isFinite(media.duration)) media.currentTime = (Number(seek.value) / STEPS) * media.duration;
  });
  media.addEventListener("error", () => { trouble.textContent = `This browser cannot play ${clip}.`; });
  showTime();
  return el("div", { class: `clip ${clip_kind}`, role: "group", "aria-label": `Clip ${name}` },
    media, el("div", { class: "clip-controls" }, play, seek, time), trouble);
}

/** @param {HTMLMediaElement} media */
function stop(media) {
  media.pause();
  media.currentTime = 0;
}

// One at a time: the one that is stopped begins again from its start.
document.addEventListener("play", ({ target }) => {
  /** @type {NodeListOf<HTMLMediaElement>} */
  const all = document.querySelectorAll("audio, video");
  for (const one of all) if (one !== target && !one.paused) stop(one);
}, true);
