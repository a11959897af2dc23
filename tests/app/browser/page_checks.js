// What is wrong with a page, as a list of words: names, headings, contrast, outlines.
() => {
  const found = [];
  const named = (element) => {
    const { id, className } = element;
    return `${element.tagName.toLowerCase()}${id ? `#${id}` : ""} ${String(className.baseVal ?? className)} "${element.textContent.trim().slice(0, 40)}"`;
  };
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("[aria-hidden=true]");

  // -- structure
  if (!document.documentElement.lang) found.push("no language");
  if (!document.title) found.push("no title");
  for (const tag of ["h1", "main"]) {
    const count = [...document.querySelectorAll(tag)].filter(seen).length;
    if (count !== 1) found.push(`${count} times ${tag}`);
  }
  let level = 0;
  for (const heading of [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(seen)) {
    const here = Number(heading.tagName[1]);
    if (here > level + 1) found.push(`after h${level}: ${named(heading)}`);
    level = here;
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((one, n) => ids.indexOf(one) < n))) found.push(`twice: #${id}`);

  // -- names
  const words = (id) => document.getElementById(id)?.textContent.trim() || "";
  const nameOf = (element) => [
    element.getAttribute("aria-label"), ...(element.getAttribute("aria-labelledby") || "").split(/\s+/).map(words),
    ...[...(element.labels || [])].map((label) => label.textContent), element.getAttribute("alt"),
    element.matches("button, a, summary, [role=button], [role=tab]") ? element.textContent : "",
  ].map((text) => (text || "").trim()).find(Boolean);
  const controls = "input:not([type=hidden]), button, select, textarea, a[href], summary, dialog[open], [role=button], [role=tab], [role=region], [tabindex='0']";
  for (const element of [...document.querySelectorAll(controls)].filter(seen)) {
    if (!nameOf(element) && !element.matches("pre")) found.push(`no name: ${named(element)}`);
  }
  for (const image of [...document.querySelectorAll("img")].filter(seen)) {
    if (!image.hasAttribute("alt")) found.push(`no alt: ${image.src}`);
  }
  for (const svg of [...document.querySelectorAll("svg")].filter(seen)) {
    if (!svg.closest("[role=img][aria-label], [role=img][aria-labelledby]") && !svg.parentElement.closest("svg")
        && !svg.closest("a, button")) found.push(`no label: ${named(svg)} in ${named(svg.parentElement)}`);
  }

  // -- contrast
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = "#000";
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((one, n) => a * one + (1 - a) * below[n]);
  function ground(element) {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(rgba(getComputedStyle(one).backgroundColor));
    const canvasColour = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
    return layers.reverse().reduce((below, layer) => over(layer, below), canvasColour);
  }
  const light = (colour) => {
    const [r, g, b] = colour.map((one) => one / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const opacity = (element) => (element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1);
  function compare(element, colour, what) {
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const below = ground(element);
    const [r, g, b, a] = rgba(colour);
    const ratio = contrast(over([r, g, b, a * opacity(element)], below), below);
    if (ratio < (large ? 3 : 4.5)) found.push(`${what} ${ratio.toFixed(2)}: ${named(element)}`);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = new Set();
  while (walker.nextNode()) if (walker.currentNode.data.trim()) texts.add(walker.currentNode.parentElement);
  for (const element of texts) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.matches("script, style, option, title, .sr-only, .sr-only *")) continue;
    if (element.closest(".picture svg, :disabled, .modebar, .hoverlayer")) continue; // a design itself; what takes no input
    const drawn = element.closest("svg");
    compare(element, drawn ? getComputedStyle(element).fill : getComputedStyle(element).color, "contrast");
  }
  for (const field of document.querySelectorAll("input[placeholder], textarea[placeholder]")) {
    if (seen(field) && field.placeholder && !field.value) compare(field, getComputedStyle(field, "::placeholder").color, "placeholder");
  }

  // -- outlines: the last key was Tab, so that whatever is focused is to show it
  const before = document.activeElement;
  for (const element of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")) {
    if (!seen(element) || element.disabled || element.closest("dialog:not([open])")) continue;
    if (document.querySelector("dialog:modal") && !element.closest("dialog:modal")) continue;
    element.focus();
    if (document.activeElement !== element) continue;
    const trouble = window.focusTrouble();
    if (trouble.startsWith("no outline")) found.push(trouble);
  }
  before?.focus();
  return [...new Set(found)];
}
