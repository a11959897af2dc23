// Tabs with arrow keys.

import { closest } from "./dom.js";

/**
 * @param {HTMLElement} list
 * @param {(name: string) => void} onchange
 */
export function tabs(list, onchange) {
  const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[role=tab]")]);

  /** @param {HTMLElement} tab */
  function choose(tab, focus = true) {
    for (const one of all) {
      const chosen = one === tab;
      one.setAttribute("aria-selected", String(chosen));
      one.tabIndex = chosen ? 0 : -1;
      const panel = document.getElementById(one.getAttribute("aria-controls") ?? "");
      if (panel) panel.hidden = !chosen;
    }
    if (focus) tab.focus();
    onchange(tab.id.replace("tab-", ""));
  }

  list.addEventListener("click", (event) => {
    const tab = closest(event, "[role=tab]");
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const at = all.findIndex((tab) => tab === event.target);
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 };
    const to = steps[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    choose(all[(to + all.length) % all.length]);
  });
  return (/** @type {string} */ name) => choose(document.getElementById(`tab-${name}`) || all[0], false);
}
