// DOM elements without HTML strings, so that text is never parsed as markup.

/** @import { Pages } from "../elements" */
/** @typedef {Node | string | null | undefined} Child */

/**
 * Create an element. Attributes that are null, undefined or false are left out; `on...` adds a listener.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} attributes
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = String(value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name in element && typeof value !== "string") Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * A drawing validated by the server: only allowed SVG elements and attributes. Without a label it is decorative.
 * @param {string} text
 * @param {string} [label]
 */
export function drawing(text, label) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = document.adoptNode(parsed.documentElement);
  if (svg.nodeName !== "svg") return null;
  if (label) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
  } else {
    svg.setAttribute("aria-hidden", "true");
  }
  return svg;
}

/**
 * The elements of a page by id, typed by its template.
 * @template {keyof Pages} P
 * @param {P} page
 * @returns {<I extends string & (keyof Pages[P] | keyof Pages["base"])>(id: I) => (Pages[P] & Pages["base"])[I]}
 */
export const elementsOf = (page) => (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page ${page} has no element with the id ${id}`);
  return /** @type {any} */ (found);
};

/**
 * The first element that matches a selector and is of a type.
 * @template {Element} E
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => E} type
 * @returns {E}
 */
export function find(parent, selector, type) {
  const found = parent.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`there is no ${type.name} that matches ${selector}`);
  return found;
}

/**
 * The nearest ancestor of an event's target, or the target, that matches a selector.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export const closest = ({ target }, selector) => (target instanceof Element ? target.closest(selector) : null);
