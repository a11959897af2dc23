// Tabs with arrow keys.

export function tabs(list, onchange) {
  const all = [...list.querySelectorAll("[role=tab]")];

  function choose(tab, focus = true) {
    for (const one of all) {
      const chosen = one === tab;
      one.setAttribute("aria-selected", String(chosen));
      one.tabIndex = chosen ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = !chosen;
    }
    if (focus) tab.focus();
    onchange(tab.id.replace("tab-", ""));
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const at = all.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    choose(all[(to + all.length) % all.length]);
  });
  return (name) => choose(document.getElementById(`tab-${name}`) || all[0], false);
}
