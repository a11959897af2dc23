"""The HTML page of a report: one document with an inline style, without scripts and external resources."""

from __future__ import annotations

from collections.abc import Sequence

from anchorpbo.html import Markup, join, tag

CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Content security policy of a report: only inline styles and embedded pictures are allowed."""


def render_document(title: str, main: Sequence[Markup]) -> str:
    """Render the HTML document."""
    head = join([
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">'),
        tag("title", title),
        Markup(f"<style>{_STYLE}</style>"),
    ])  # fmt: skip
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{tag("main", *main)}</body></html>\n'


def render_section(title: str, *parts: Markup) -> Markup:
    """Render a section with a heading."""
    return tag("section", tag("h2", title), *parts)


def render_table(heads: Sequence[str], rows: Sequence[Sequence[Markup]], numbers: Sequence[str] = ()) -> Markup:
    """Render rows of cells as a table; the columns in `numbers` are aligned right."""
    head = tag("tr", *(tag("th", text, scope="col", class_="number" if text in numbers else None) for text in heads))
    return tag("table", *([tag("thead", head)] if heads else []), tag("tbody", *(tag("tr", *row) for row in rows)))


_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --surface: #fafaf8; --line: #dcdcd6; --ink: #1c1d1f; --quiet: #5b5e63;
  --accent: #0f766e; --warm: #b45309; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ground: #17181a; --surface: #1f2124; --line: #3a3e44; --ink: #ececec;
  --quiet: #a9adb4; --accent: #5eead4; --warm: #fdba74; --bad: #fda29b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); -webkit-text-size-adjust: 100%;
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 0 0 0.5rem; }
h3 { font-size: 1rem; margin: 0 0 0.25rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
p { margin: 0 0 0.75rem; max-width: 44rem; overflow-wrap: anywhere; }
section { border-top: 1px solid var(--line); padding-top: 1.25rem; margin-top: 1.5rem; }
.quiet, small, section > p { color: var(--quiet); }
.lead { font-size: 1.1rem; color: var(--ink); }
.best-of { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); gap: 1.5rem; align-items: start; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: 1rem; min-width: 0;
  overflow-wrap: anywhere; }
.card dl { display: grid; grid-template-columns: fit-content(60%) minmax(0, 1fr); gap: 0.2rem 1rem; margin: 0; }
.card dl > div { display: contents; }
.card dt, .facts dt { color: var(--quiet); }
.card dd { margin: 0; text-align: right; font-weight: 600; overflow-wrap: anywhere; }
.picture svg, .picture img { display: block; width: 100%; max-height: 20rem; margin-bottom: 0.75rem; }
.picture img { object-fit: contain; }
.picture svg, .picture img, .thumbnail { background: #f7f7f4; color: #1c1d1f; border-radius: 6px; }
.thumbnail { vertical-align: middle; margin: 0.1rem 0.5rem 0.1rem 0; }
.definitions { position: absolute; width: 0; height: 0; overflow: hidden; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem 1rem;
  margin: 0.75rem 0 0; }
.facts dd { margin: 0; display: grid; line-height: 1.35; }
.facts dt { font-size: 0.9rem; }
.facts b { font-size: 1.3rem; }
figure { margin: 0; break-inside: avoid; }
.chart img { display: block; max-width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; overflow-wrap: anywhere;
  border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); white-space: nowrap; }
tbody th { font-weight: 550; width: 16rem; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.history, .wide { overflow-x: auto; }
.wide .chart img { min-width: 30rem; }
.history td:nth-child(2) { min-width: 15rem; }
.history td:nth-child(3), .history td:nth-child(5), .time { white-space: nowrap; }
.time { font-variant-numeric: tabular-nums; color: var(--quiet); }
.back { text-decoration: line-through; color: var(--quiet); }
q { display: block; font-style: italic; }
ul { padding-left: 1.2rem; }
li { overflow-wrap: anywhere; }
@media (max-width: 44rem) {
  .best-of { grid-template-columns: minmax(0, 1fr); }
  tbody th { width: auto; }
}
@media print {
  :root { --ground: #fff; --surface: #fff; --line: #ccc; --ink: #000; --quiet: #444; --accent: #0f766e;
    --warm: #b45309; --bad: #b42318; }
  body { font-size: 10.5pt; }
  .wide .chart img { min-width: 0; }
  main { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  tr, .card { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
