"""ProperDocs hooks, so that the same pages can be read in the repository and on the site.

* Pages and pictures outside docs/ are added to the site, and links to and from them are adapted.
* A link to a folder of docs/ becomes plain text, because a site does not list folders.
* The output of a tutorial is styled differently from its code.
* Decisions, and pages that the settings do not name, are added to the navigation.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from properdocs.config.defaults import ProperDocsConfig
from properdocs.structure.files import File, Files
from properdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "benchmarks/README.md": "benchmarks/results.md",
    "benchmarks/table.md": "benchmarks/table.md",
}
"""Paths of repository files on the site. The README has its own page there."""
ASSETS = (
    "benchmarks/*.png",
    "benchmarks/answers/*.png",
    "benchmarks/answers/anchors/*.png",
    "benchmarks/answers/people/*.png",
    "benchmarks/*.jsonl",
    "benchmarks/*.json",
    "CITATION.cff",
    "LICENSE",
)
"""Files that pages embed or link to."""
REST = "Developers"
"""Navigation section for pages that the settings do not name."""
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```|`[^`\n]+`)", flags=re.DOTALL | re.MULTILINE)
_COPIED = {name: place for name, place in PAGES.items() if place != "index.md"}
_ORIGINS = {place: name for name, place in _COPIED.items()}


def on_config(config: ProperDocsConfig) -> ProperDocsConfig:
    """Complete the navigation."""
    nav: list[Any] = config.nav or []
    decisions: list[Any] = _section(_section(nav, "Project"), "Decisions")
    decisions += [f"decisions/{path.name}" for path in sorted(DOCS.glob("decisions/[0-9]*.md"))]
    listed = set(re.findall(r"[\w/.-]+\.md", str(nav)))
    found = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))]
    _section(nav, REST).extend(name for name in found if name not in listed and not name.startswith("reproduction/"))
    return config


def _section(nav: list[Any], title: str) -> list[Any]:
    found: list[Any] = next(item[title] for item in nav if isinstance(item, dict) and title in item)
    return found


def on_files(files: Files, config: ProperDocsConfig) -> Files:
    """Add files from outside docs/; leave out tables that a page includes and records that are not for browsers."""
    for file in list(files):
        if file.src_uri.startswith("reproduction/") and not file.src_uri.endswith(".png"):
            files.remove(file)
    for name, place in _COPIED.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / name)))
    icon = ROOT / "src" / "anchorpbo" / "app" / "web" / "static" / "icon.svg"
    files.append(File.generated(config, "images/icon.svg", abs_src_path=str(icon)))
    for pattern in ASSETS:
        for path in sorted(ROOT.glob(pattern)):
            files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: ProperDocsConfig, files: Files) -> str:
    """Rewrite links for the site."""
    here = page.file.src_uri
    folder = posixpath.dirname(_ORIGINS.get(here, f"docs/{here}"))

    def led(match: re.Match[str]) -> str:
        mark, text, target, anchor = match[1], match[2], match[3], match[4] or ""
        origin = posixpath.normpath(posixpath.join(folder, target))
        if (ROOT / origin).is_dir():
            return str(text)
        place = PAGES.get(origin, origin.removeprefix("docs/"))
        return f"{mark}[{text}]({posixpath.relpath(place, posixpath.dirname(here) or '.')}{anchor})"

    parts = _FENCE.split(markdown)
    return "".join(part if index % 2 else _LINK.sub(led, part) for index, part in enumerate(parts))


def on_page_content(html: str, page: Page, config: ProperDocsConfig, files: Files) -> str:
    """Mark the output blocks of tutorials; on other pages such blocks are formulas and drawings."""
    if not page.file.src_uri.startswith("tutorials/"):
        return html
    return html.replace('<div class="language-text highlight">', '<div class="language-text output highlight">')
