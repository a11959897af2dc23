// History, newest first, with comments and undo.

import { attempt, participant, post, say, base } from "./api.js";
import { el } from "./dom.js";
import { moment, seconds } from "./results-words.js";

const FEW = 12;
const SHOWN = new Set(["answered", "anchor_added", "anchor_removed", "created", "commented"]);
const byId = (name) => document.getElementById(name);

export class History {
  constructor(words, changed) {
    this.words = words;
    this.changed = changed;
    this.all = false;
    byId("history-more").addEventListener("click", () => { this.all = true; this.draw(); });
    byId("undo").addEventListener("click", () => attempt(async () => {
      await post(`${base}/undo`, { participant, event: this.last });
      say("Taken back.");
      await this.changed();
      byId("undo").focus();
    }));
  }

  show(events) {
    this.events = events;
    this.draw();
  }

  draw() {
    const { events } = this;
    const comments = new Map();
    for (const one of events) if (one.type === "commented" && one.event) comments.set(one.event, [...(comments.get(one.event) || []), one]);
    const rows = events.filter((one) => SHOWN.has(one.type) && !(one.type === "commented" && one.event)).reverse();
    const last = rows.find((one) => one.stands && ["answered", "anchor_added", "anchor_removed"].includes(one.type));
    this.last = last?.number; // what is seen is what is taken back
    byId("undo").disabled = !last;
    byId("history-panel").hidden = !rows.some((one) => one.type !== "created");
    const listed = this.all ? rows : rows.slice(0, FEW);
    byId("history").tBodies[0].replaceChildren(...listed.map((one) => this.row(one, comments.get(one.number) || [])));
    byId("history-more").hidden = listed.length === rows.length;
    byId("history-more").textContent = `Show all ${rows.length}`;
  }

  row(event, comments) {
    const answered = event.type === "answered";
    return el("tr", { class: event.stands ? null : "taken-back" },
      cell("Time", "time", el("time", { datetime: event.time }, moment(event.time))),
      cell("What", "what", this.what(event)),
      cell("Outcome", "outcome", answered ? outcome(event) : ""),
      cell("Took", "number", answered && event.response_ms !== null ? seconds(event.response_ms) : ""),
      cell("State", "state", ["created", "commented"].includes(event.type) ? "" : event.stands ? "stands" : "taken back"),
      cell("Comments", "comments", this.comments(event, comments)));
  }

  what(event) {
    const { words } = this;
    if (event.type === "created") return ["Study made"];
    if (event.type === "commented") return [el("q", {}, event.text)];
    if (event.type !== "answered") return [el("span", { class: "kind" }, event.type === "anchor_added" ? "Anchor marked" : "Anchor no longer"), el("span", { class: "design" }, words.brief(event.design))];
    const decided = event.outcome === "first" || event.outcome === "second";
    const [one, other] = event.outcome === "second" ? [event.second, event.first] : [event.first, event.second];
    const [what, than] = [words.beside(one, other), words.beside(other, one)];
    return [
      el("span", { class: "design" }, decided ? el("strong", {}, what) : what),
      el("span", { class: "design" }, el("em", {}, decided ? "over " : "and "), than),
    ];
  }

  comments(event, comments) {
    const place = el("div", { class: "stack tight" }, comments.map((one) => el("q", {}, one.text)));
    const open = el("button", { type: "button", class: "plain small", "aria-label": `Comment on entry ${event.number}` }, "Comment");
    open.addEventListener("click", () => open.replaceWith(this.form(event, open)));
    place.append(open);
    return place;
  }

  form(event, open) {
    const field = el("textarea", { id: `comment-${event.number}`, maxlength: "5000", required: true, rows: "2" });
    const close = () => { form.replaceWith(open); open.focus(); };
    const form = el("form", { class: "stack tight" },
      el("label", { for: field.id, class: "sr-only" }, `Comment on entry ${event.number}`), field,
      el("div", { class: "row" }, el("button", { type: "submit", class: "small" }, "Save"), el("button", { type: "button", class: "plain small", onclick: close }, "Cancel")));
    form.addEventListener("keydown", (press) => { if (press.key === "Escape") close(); });
    form.addEventListener("submit", (submit) => {
      submit.preventDefault();
      if (!field.value.trim()) return;
      attempt(async () => {
        await post(`${base}/comments`, { text: field.value, event: event.number, participant });
        say("Comment kept.");
        await this.changed("history");
      });
    });
    queueMicrotask(() => field.focus());
    return form;
  }
}

const cell = (label, name, ...content) => el("td", { class: name, dataset: { label } }, ...content);

function outcome(event) {
  const words = { first: "first preferred", second: "second preferred", tie: "equal", skip: "skipped" }[event.outcome] || event.outcome;
  return event.imported ? `${words}, imported` : words;
}
