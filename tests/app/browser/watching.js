// In every page of the tests: tells of what the content security policy stopped, and of when cards were shown.
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`Content Security Policy: ${event.violatedDirective} ${event.blockedURI}`);
});
window.shownCards = { count: 0, at: 0, waits: [] };
document.addEventListener("DOMContentLoaded", () => {
  const pair = document.getElementById("pair");
  if (!pair) return;
  let began = null;
  for (const kind of ["click", "keydown"]) window.addEventListener(kind, () => { began ??= performance.now(); }, true);
  // After the frame in which they are painted.
  const observer = new MutationObserver(() => requestAnimationFrame(() => {
    const now = performance.now();
    if (began !== null && window.shownCards.count) window.shownCards.waits.push(now - began);
    began = null;
    window.shownCards.count += 1;
    window.shownCards.at = now;
  }));
  // The cards, and not the clips beside them, which change while they play.
  for (const card of pair.querySelectorAll(".choice")) observer.observe(card, { childList: true, subtree: true });
});

// What is wrong with the focus: it must be somewhere in the window, and have an outline, or what stands for it.
window.focusTrouble = () => {
  const element = document.activeElement;
  if (!element || element === document.body) return "nothing has the focus";
  const outlined = (one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  };
  const name = `${element.tagName} ${element.id} ${element.textContent.trim().slice(0, 40)}`;
  const stands = [...(element.labels || []), element.nextElementSibling, element].filter(Boolean);
  const seen = stands.find(outlined);
  if (!seen && !element.matches("main, [tabindex='-1']")) return `no outline: ${name}`;
  const { top, bottom, left, right, width } = (seen || element).getBoundingClientRect();
  const inside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth && width > 1;
  return inside ? "" : `out of sight: ${name}`;
};
