// Client of the REST interface; errors carry the server's message, its code, and the field that it is about.

export class Problem extends Error {
  constructor(status, detail, { code, field } = {}) {
    super(detail);
    Object.assign(this, { status, code, field });
  }
}

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

async function send(method, path, body, { type = "application/json", attempts = 4, signal } = {}) {
  let response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: body === undefined ? {} : { "Content-Type": type },
      body: body === undefined ? undefined : type === "application/json" ? JSON.stringify(body) : body,
      signal,
    });
  } catch {
    throw new Problem(0, "The server does not answer. What you answered so far is safe; try again in a moment.");
  }
  if (response.status === 503 && method === "GET" && attempts > 1) { // busy: a question may be asked again
    await pause(400);
    return send(method, path, body, { type, attempts: attempts - 1, signal });
  }
  if (response.status === 204) return null;
  const isJSON = (response.headers.get("content-type") || "").includes("json");
  const data = isJSON ? await response.json() : await response.text();
  if (!response.ok) throw new Problem(response.status, data.detail || String(data) || response.statusText, data);
  return data;
}

export const get = (path) => send("GET", path);
export const post = (path, body = {}, signal = undefined) => send("POST", path, body, { signal });
export const remove = (path, body) => send("DELETE", path, body);
export const upload = (path, file) => send("POST", path, file, { type: "text/csv" });

// Study and participant of this page.
export const study = document.body.dataset.study;
export const participant = document.body.dataset.participant;
export const isOwner = document.body.dataset.owner === "yes";
export const base = `/studies/${study}`;
export const as = `participant=${encodeURIComponent(participant || "owner")}`;

let timer;
export function say(text, seconds = 5) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => { toast.hidden = true; }, 1000 * seconds);
}

// Run an action and show its error, if any.
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    say(error.message || "Something went wrong.", 10);
    return undefined;
  }
}
