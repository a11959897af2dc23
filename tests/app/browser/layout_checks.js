// What is wrong with the layout of a page, as a list of words: scrolling, text cut off or overlapping, controls small or covered.
() => {
  const TARGET = 24; // smallest side of a control in CSS pixels, by WCAG 2.2
  const found = new Set();
  const root = document.querySelector("dialog:modal") ?? document.body;
  const seen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false });
  const hidden = (element) => getComputedStyle(element).clipPath.startsWith("inset");
  const named = (element) => {
    const { id, className, tagName } = element;
    const name = `${tagName.toLowerCase()}${id ? `#${id}` : ""} ${String(className.baseVal ?? className)}`.trim();
    return `${name} "${element.textContent.trim().replace(/\s+/g, " ").slice(0, 40)}"`;
  };

  // -- scrolling
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.add(`the page scrolls sideways: ${scrollWidth} of ${clientWidth}`);
  if (root.matches("dialog") && root.scrollWidth > root.clientWidth) found.add(`the dialog scrolls sideways: ${root.scrollWidth} of ${root.clientWidth}`);

  // -- texts within their boxes
  function box(element, { left, right, top, bottom }) {
    for (let one = element; one && one !== document.documentElement; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (style.display === "inline" || style.display === "contents") continue;
      const { left: from, right: to, top: above, bottom: below } = one.getBoundingClientRect();
      if (["auto", "scroll"].includes(style.overflowY) && (bottom > below || top < above)) return null; // scrolled away
      if (["auto", "scroll"].includes(style.overflowX) && one.scrollWidth > one.clientWidth) return "";
      if (right > to + 1 || left < from - 1) return `sticks out sideways of ${named(one)}`;
      if (["auto", "scroll"].includes(style.overflowY)) return "";
      if (["hidden", "clip"].includes(style.overflowY) && (bottom > below + 2 || top < above - 2)) return `cut off by ${named(one)}`;
      if (["absolute", "fixed"].includes(style.position)) return "";
    }
    return "";
  }
  const layer = (element) => {
    for (let one = element; one; one = one.parentElement) if (["sticky", "fixed", "absolute"].includes(getComputedStyle(one).position)) return one;
    return null;
  };
  const lines = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !seen(element) || element.matches("option, script, style, title, .sr-only, .sr-only *, .skip-link")) continue;
    let clipped = false;
    for (let one = element; one; one = one.parentElement) clipped ||= hidden(one);
    if (clipped || element.closest("svg:not(.main-svg)")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const drawn = element.closest("svg");
    for (const place of range.getClientRects()) {
      if (place.width < 2 || place.height < 2) continue;
      if (drawn) {
        const { left, right } = drawn.getBoundingClientRect();
        if (place.left < left - 1 || place.right > right + 1) found.add(`cut off in ${named(drawn.closest("[id]"))}: ${named(element)}`);
      } else {
        const trouble = box(element, place);
        if (trouble === null) continue;
        if (trouble) found.add(`${named(element)} ${trouble}`);
        lines.push({ element, place, layer: layer(element) });
      }
    }
  }

  // -- texts beside each other
  lines.sort((a, b) => a.place.top - b.place.top);
  lines.forEach((one, n) => {
    for (let m = n + 1; m < lines.length && lines[m].place.top < one.place.bottom; m += 1) {
      const other = lines[m];
      if (one.layer !== other.layer || one.element === other.element) continue;
      const wide = Math.min(one.place.right, other.place.right) - Math.max(one.place.left, other.place.left);
      const high = Math.min(one.place.bottom, other.place.bottom) - other.place.top;
      if (wide > 2 && high > 0.4 * Math.min(one.place.height, other.place.height)) found.add(`${named(one.element)} overlaps ${named(other.element)}`);
    }
  });

  // -- controls, in the order of the page
  const controls = [...root.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [role=tab]")]
    .filter((one) => seen(one) && !one.disabled && !one.matches(".skip-link, .modebar-btn"));
  const places = controls.map((one) => one.getBoundingClientRect());
  controls.forEach((control, n) => {
    if (control.tabIndex > 0) found.add(`has a place of its own in the order: ${named(control)}`);
    if (!n || control.parentElement !== controls[n - 1].parentElement) return;
    const [last, here] = [places[n - 1], places[n]];
    if (here.bottom <= last.top || (here.right <= last.left && here.top < last.bottom)) found.add(`stands before its predecessor in the order: ${named(control)}`);
  });

  // -- their size, and whether they are seen when they have the focus
  const before = document.activeElement;
  for (const control of controls) {
    const targets = [control, ...(control.labels ?? [])].filter((one) => !hidden(one));
    const sizes = targets.map((one) => one.getBoundingClientRect());
    const inText = control.matches("a") && getComputedStyle(control).display === "inline" && control.parentElement.textContent.trim() !== control.textContent.trim();
    if (!inText && !sizes.some(({ width, height }) => width >= TARGET - 0.5 && height >= TARGET - 0.5)) {
      found.add(`smaller than ${TARGET} px: ${sizes.map(({ width, height }) => `${width.toFixed(0)} x ${height.toFixed(0)}`)} ${named(control)}`);
    }
    control.focus();
    const reached = targets.some((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.2], [0.5, 0.8]].some(([x, y]) => {
        const hit = document.elementFromPoint(left + x * (right - left), top + y * (bottom - top));
        return hit && targets.some((target) => target.contains(hit) || (hit !== document.body && hit.matches("label") && hit.contains(target)));
      });
    });
    if (!reached) found.add(`covered or out of sight when focused: ${named(control)}`);
  }
  before?.focus();
  return [...found];
}
