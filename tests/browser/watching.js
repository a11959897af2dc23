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
  new MutationObserver(() => requestAnimationFrame(() => {
    const now = performance.now();
    if (began !== null && window.shownCards.count) window.shownCards.waits.push(now - began);
    began = null;
    window.shownCards.count += 1;
    window.shownCards.at = now;
  })).observe(pair, { childList: true, subtree: true });
});
