// History, newest first, with comments and undo.

import { attempt, limits, participant, post, say } from "./api.js";
import { el, elementsOf } from "./dom.js";
import { moment, seconds } from "./results-words.js";

/** @import { AnsweredLayout, CommentedLayout, Event as StudyEvent } from "../rest" */
/** @import { Child } from "./dom.js" */
/** @import { Words } from "./results-words.js" */
/** @import { Thumbnails } from "./thumbnails.js" */

const FEW = 12;
const SHOWN = new Set(["answered", "anchor_added", "anchor_removed", "anchor_named", "created", "edited", "commented"]);
const ANCHORS = { anchor_added: "Anchor added", anchor_removed: "Anchor removed", anchor_named: "Anchor named" };
const byId = elementsOf("results");

export class History {
  all = false;
  /** @type {StudyEvent[]} */
  events = [];
  /** @type {number | undefined} */
  last = undefined; // number of the event that Undo takes back: what is seen is what is taken back

  /**
   * @param {Words} words
   * @param {(what?: "history") => Promise<void>} changed
   * @param {Thumbnails} thumbnails
   */
  constructor(words, changed, thumbnails) {
    this.words = words;
    this.thumbnails = thumbnails;
    this.changed = changed;
    byId("history-more").addEventListener("click", () => { this.all = true; this.draw(); });
    byId("undo").addEventListener("click", () => attempt(async () => {
      await post("/studies/{id}/undo", { participant, event: this.last });
      say("Taken back.");
      await this.changed();
      byId("undo").focus();
    }));
  }

  /** @param {StudyEvent[]} events */
  show(events) {
    this.events = events;
    this.draw();
  }

  draw() {
    const { events } = this;
    /** @type {Map<number, CommentedLayout[]>} */
    const comments = new Map();
    for (const one of events) if (one.type === "commented" && one.event) comments.set(one.event, [...(comments.get(one.event) || []), one]);
    const rows = events.filter((one) => SHOWN.has(one.type) && !(one.type === "commented" && one.event)).reverse();
    const last = rows.find((one) => one.stands && ["answered", "anchor_added", "anchor_removed"].includes(one.type));
    this.last = last?.number;
    byId("undo").disabled = !last;
    byId("history-panel").hidden = !rows.some((one) => !["created", "edited"].includes(one.type));
    const listed = this.all ? rows : rows.slice(0, FEW);
    byId("history").tBodies[0].replaceChildren(...listed.map((one) => this.row(one, comments.get(one.number) || [])));
    byId("history-more").hidden = listed.length === rows.length;
    byId("history-more").textContent = `Show all ${rows.length}`;
  }

  /**
   * @param {StudyEvent} event
   * @param {CommentedLayout[]} comments
   */
  row(event, comments) {
    return el("tr", { class: event.stands ? null : "taken-back" },
      cell("Time", "time", el("time", { datetime: event.time }, moment(event.time))),
      cell("What", "what", this.what(event)),
      cell("Outcome", "outcome", event.type === "answered" ? outcome(event) : ""),
      cell("Took", "number", event.type === "answered" && event.response_ms !== null ? seconds(event.response_ms) : ""),
      cell("State", "state", ["created", "edited", "commented", "anchor_named"].includes(event.type) ? "" : event.stands ? "stands" : "taken back"),
      cell("Comments", "comments", this.comments(event, comments)));
  }

  /**
   * @param {StudyEvent} event
   * @returns {Child[]}
   */
  what(event) {
    const { words } = this;
    if (event.type === "created") return ["Study created"];
    if (event.type === "edited") return ["Study edited"];
    if (event.type === "commented") return [el("q", {}, event.text)];
    if (event.type === "anchor_added" || event.type === "anchor_removed" || event.type === "anchor_named") {
      return [
        el("span", { class: "kind" }, ANCHORS[event.type]), event.name ? el("q", {}, event.name) : null,
        el("span", { class: "design" }, this.thumbnails.of(event.design), words.brief(event.design)),
      ];
    }
    if (event.type !== "answered") return [];
    const decided = event.outcome === "first" || event.outcome === "second";
    const [one, other] = event.outcome === "second" ? [event.second, event.first] : [event.first, event.second];
    const [what, than] = [words.beside(one, other), words.beside(other, one)];
    return [
      el("span", { class: "design" }, this.thumbnails.of(one), decided ? el("strong", {}, what) : what),
      el("span", { class: "design" }, this.thumbnails.of(other), el("em", {}, decided ? "over " : "and "), than),
    ];
  }

  /**
   * @param {StudyEvent} event
   * @param {CommentedLayout[]} comments
   */
  comments(event, comments) {
    const place = el("div", { class: "stack tight" }, comments.map((one) => el("q", {}, one.text)));
    const open = el("button", { type: "button", class: "plain small", "aria-label": `Comment on entry ${event.number}` }, "Comment");
    open.addEventListener("click", () => open.replaceWith(this.form(event, open)));
    place.append(open);
    return place;
  }

  /**
   * @param {StudyEvent} event
   * @param {HTMLElement} open
   */
  form(event, open) {
    const field = el("textarea", { id: `comment-${event.number}`, maxlength: String(limits.text), required: true, rows: "2" });
    const close = () => { form.replaceWith(open); open.focus(); };
    const form = el("form", { class: "stack tight" },
      el("label", { for: field.id, class: "sr-only" }, `Comment on entry ${event.number}`), field,
      el("div", { class: "row" }, el("button", { type: "submit", class: "small" }, "Save"), el("button", { type: "button", class: "plain small", onclick: close }, "Cancel")));
    form.addEventListener("keydown", (press) => { if (press.key === "Escape") close(); });
    form.addEventListener("submit", (submit) => {
      submit.preventDefault();
      if (!field.value.trim()) return;
      attempt(async () => {
        await post("/studies/{id}/comments", { text: field.value, event: event.number, participant });
        say("Comment saved.");
        await this.changed("history");
      });
    });
    queueMicrotask(() => field.focus());
    return form;
  }
}

/**
 * @param {string} label
 * @param {string} name
 * @param {...(Child | Child[])} content
 */
const cell = (label, name, ...content) => el("td", { class: name, dataset: { label } }, ...content);

/** @param {AnsweredLayout} event */
function outcome(event) {
  const words = { first: "A preferred", second: "B preferred", tie: "equal", skip: "skipped" }[event.outcome];
  return event.imported ? `${words}, imported` : words;
}
