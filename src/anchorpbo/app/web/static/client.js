// Client of the REST interface without a page; errors carry the server's message, its code, and the field and value that it is about.

/** @import { Body, Options, PathOf, Query, Reply } from "../client" */

const ATTEMPTS = 4; // of a question that a busy server does not answer
const PAUSE = 400; // ms before the next of them
const AWAY = "The server does not answer. What you answered so far is safe; try again in a moment.";

export class Problem extends Error {
  /**
   * @param {number} status 0 if the server does not answer
   * @param {string} detail
   * @param {{ code?: string, field?: string | null, value?: unknown }} [about]
   */
  constructor(status, detail, { code, field, value } = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.field = field ?? undefined;
    this.value = value;
  }

  // Whether the request may succeed later.
  get isAway() { return this.status === 0 || this.status >= 500; }
}

/** @param {string} text */
export const capitalise = (text) => text && text[0].toUpperCase() + text.slice(1);

/**
 * The message of an error, for the user.
 * @param {unknown} error
 */
export const messageOf = (error) => capitalise((error instanceof Error && error.message) || "Something went wrong.");

/**
 * A path with its names in braces replaced by values, and a query without those that are undefined.
 * @param {string} path
 * @param {Record<string, string>} values
 * @param {Record<string, unknown>} query
 */
export function addressOf(path, values, query = {}) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in values)) throw new TypeError(`${path} needs a value of ${name}`);
    return encodeURIComponent(values[name]);
  });
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return `/api${filled}${given.length ? `?${parameters}` : ""}`;
}

/**
 * Functions that send requests about a study.
 * @param {{ id?: string, send?: typeof fetch, pause?: (ms: number) => Promise<unknown> }} [settings]
 */
export function makeClient({ id, send = (...request) => fetch(...request), pause = wait } = {}) {
  /**
   * @param {string} method
   * @param {string} path
   * @param {BodyInit | undefined} body
   * @param {string} type of the body
   * @param {Options} options
   * @returns {Promise<any>}
   */
  async function request(method, path, body, type, { path: values = {}, query, signal }, attempts = ATTEMPTS) {
    const address = addressOf(path, { ...(id === undefined ? {} : { id }), ...values }, query);
    const headers = body === undefined ? undefined : { "Content-Type": type };
    let response;
    try {
      response = await send(address, { method, headers, body, signal });
    } catch {
      throw new Problem(0, AWAY);
    }
    if (response.status === 503 && method === "GET" && attempts > 1) { // busy: a question may be asked again
      await pause(PAUSE);
      return request(method, path, body, type, { path: values, query, signal }, attempts - 1);
    }
    if (response.status === 204) return null;
    const isJSON = (response.headers.get("content-type") || "").includes("json");
    let data;
    try {
      data = isJSON ? await response.json() : await response.text();
    } catch {
      throw new Problem(0, AWAY); // the connection broke in the middle of the reply
    }
    if (!response.ok) throw new Problem(response.status, data.detail || String(data) || response.statusText, data);
    if (!isJSON) throw new Problem(0, AWAY); // a page of the network, for example the one to sign in to it
    return data;
  }

  const JSON_TYPE = "application/json";
  return {
    /**
     * @template {PathOf<"get">} P
     * @param {P} path
     * @param {Query<"get", P>} [query]
     * @param {Options} [options]
     * @returns {Promise<Reply<"get", P>>}
     */
    get: (path, query, options = {}) => request("GET", path, undefined, JSON_TYPE, { query, ...options }),
    /**
     * @template {PathOf<"post">} P
     * @param {P} path
     * @param {Body<"post", P>} [body]
     * @param {Options} [options]
     * @returns {Promise<Reply<"post", P>>}
     */
    post: (path, body, options = {}) => request("POST", path, JSON.stringify(body ?? {}), JSON_TYPE, options),
    /**
     * @template {PathOf<"patch">} P
     * @param {P} path
     * @param {Body<"patch", P>} body
     * @param {Options} [options]
     * @returns {Promise<Reply<"patch", P>>}
     */
    patch: (path, body, options = {}) => request("PATCH", path, JSON.stringify(body), JSON_TYPE, options),
    /**
     * @template {PathOf<"delete">} P
     * @param {P} path
     * @param {Body<"delete", P>} [body]
     * @param {Options} [options]
     * @returns {Promise<Reply<"delete", P>>}
     */
    remove: (path, body, options = {}) => request("DELETE", path, body && JSON.stringify(body), JSON_TYPE, options),
    /**
     * Send a file that replaces the one at the path.
     * @template {PathOf<"put">} P
     * @param {P} path
     * @param {Blob} file
     * @param {Options} [options]
     * @returns {Promise<Reply<"put", P>>}
     */
    put: (path, file, options = {}) => request("PUT", path, file, "application/octet-stream", options),
    /**
     * Send a file, or a text as it is.
     * @template {PathOf<"post">} P
     * @param {P} path
     * @param {Blob | string} file
     * @param {Options & { type?: string }} [options]
     * @returns {Promise<Reply<"post", P>>}
     */
    upload: (path, file, { type = "text/csv", ...options } = {}) => request("POST", path, file, type, options),
  };
}

/** @param {number} milliseconds */
const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
