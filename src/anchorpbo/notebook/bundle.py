"""One ES module from several: a widget has a single source, and its elements and cards are those of the app.

The modules must be as those of `anchorpbo.app.web` are: named imports of other modules by relative path, named exports
of declarations, and no cycle.
"""

from __future__ import annotations

import re
from pathlib import Path

from anchorpbo.errors import InputError

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*(?:.|\n)*?\*/\n|^ *//.*\n", re.MULTILINE)
"""Comments on lines of their own."""


def bundle(entry: Path) -> str:
    """Return a module and all that it imports as one module, without comments.

    Each imported module becomes the result of a function, so that its own names cannot collide with others.
    """
    done: dict[Path, str] = {}
    parts: list[str] = []
    main = _resolve(entry, done, parts)
    return "\n".join([*parts, main])


def _resolve(path: Path, done: dict[Path, str], parts: list[str]) -> str:
    """Return the source of a module, with its imports replaced by assignments; add what it imports to `parts`."""
    source = _COMMENT.sub("", path.read_text("utf-8"))

    def assign(found: re.Match[str]) -> str:
        imported = (path.parent / found[2]).resolve()
        if imported not in done:
            text = _resolve(imported, done, parts)
            names = [one[1] for one in _EXPORT.finditer(text)]
            done[imported] = f"module{len(done)}"
            body = _EXPORT.sub("", text)
            _check_joined(imported, body)
            parts.append(f"const {done[imported]} = (() => {{\n{body}return {{ {', '.join(names)} }};\n}})();\n")
        return f"const {{{found[1].replace(' as ', ': ')}}} = {done[imported]};\n"

    return _IMPORT.sub(assign, source)


def _check_joined(path: Path, body: str) -> None:
    """Raise if a module has imports or exports of other forms, which would be a syntax error inside a function."""
    left = re.search(r"^(?:import|export)\b.*", body, re.MULTILINE)
    if left:
        rule = "a module of the widget must have named imports by relative path, and named exports of declarations"
        raise InputError(
            rule, f"{left[0]} in {path.name}", "write it so, or move it to a module the widget does not use"
        )
