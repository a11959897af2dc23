// DOM elements without HTML strings, so that text is never parsed as markup.

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// A drawing validated by the server: only allowed SVG elements and attributes. Without a label it is decorative.
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
