"""Run the tutorials and write their output into the pages and their pictures beside them.

python scripts/make_tutorials.py [PAGE ...]

The ```python blocks of a page run in one namespace; lines of a ```console block that begin with $ run in the shell. A
```text block after a python block, and the other lines of a console block, hold the output. Tests run the same blocks
and compare: words exactly, numbers to a twentieth, and ... matches anything.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
PAGES = sorted(FOLDER.glob("*.md"))
_BLOCKS = re.compile(
    r"^```(?P<kind>python|console)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?",
    flags=re.DOTALL | re.MULTILINE,
)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\w)")
CLOSE = 0.05
"""Tolerance of a number, relative or absolute."""


@dataclass(frozen=True)
class Block:
    """A block of a page with its expected and its actual output."""

    start: int
    end: int
    kind: str
    code: str
    expected: str
    printed: str

    @property
    def holds(self) -> bool:
        """Return whether the output matches the page."""
        return same(self.expected, self.printed)

    def __str__(self) -> str:
        return f"```{self.kind}\n{self.code}```\nexpected\n{self.expected}\nreceived\n{self.printed}"


def run(page: Path, folder: Path) -> list[Block]:
    """Run all blocks of a page, with files written to a folder."""
    text, blocks = page.read_text("utf-8"), []
    # A module, because pickle looks up classes by module.
    sys.modules["tutorial"] = module = ModuleType("tutorial")
    with contextlib.chdir(folder):
        for match in _BLOCKS.finditer(text):
            code, expected = match["code"], match["output"] or ""
            if match["kind"] == "console":
                lines = code.splitlines(keepends=True)
                expected = "".join(line for line in lines if not line.startswith("$ "))
                code = "".join(line for line in lines if line.startswith("$ "))
                printed = "".join(_shell(line[2:], folder) for line in code.splitlines())
            else:
                printed = _python(code, page, module.__dict__)
            blocks.append(Block(match.start(), match.end(), match["kind"], code, expected, printed))
    return blocks


def _python(code: str, page: Path, names: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, str(page), "exec"), names)
    return _trimmed(out.getvalue())


def _shell(command: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    surroundings = os.environ | {"PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=surroundings, capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode:
        raise RuntimeError(f"{command}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return _trimmed(done.stdout)


def _trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())


def same(expected: str, printed: str) -> bool:
    """Return whether outputs match: numbers within the tolerance, runs of spaces as one, ... as anything."""
    expected, printed = " ".join(expected.split()), " ".join(printed.split())
    pattern, wanted, last = "", [], 0
    for match in re.finditer(rf"\.\.\.|{_NUMBER.pattern}", expected):
        pattern += re.escape(expected[last : match.start()])
        if match[0] == "...":
            pattern += ".*?"
        else:
            pattern += rf"({_NUMBER.pattern})"
            wanted.append(float(match[0]))
        last = match.end()
    found = re.fullmatch(pattern + re.escape(expected[last:]), printed)
    return found is not None and all(
        math.isclose(one, float(other), rel_tol=CLOSE, abs_tol=CLOSE)
        for one, other in zip(wanted, found.groups(), strict=True)
    )


def renewed(text: str, blocks: list[Block]) -> str:
    """Return the page with the output of its blocks; output that still matches is left unchanged."""
    for block in reversed(blocks):
        if block.holds:
            continue
        new = f"```{block.kind}\n{block.code}```\n"
        if block.kind == "console":
            new = f"```console\n{block.code}{block.printed}```\n"
        elif block.printed:
            new += f"\n```text\n{block.printed}```\n"
        text = text[: block.start] + new + text[block.end :]
    return text


def main(pages: list[Path]) -> None:
    """Update pages."""
    for page in pages:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            page.write_text(renewed(page.read_text("utf-8"), run(page, folder)), "utf-8")
            for picture in sorted(folder.glob("*.png")):
                (FOLDER / "images").mkdir(exist_ok=True)
                shutil.copy(picture, FOLDER / "images" / picture.name)
        print(f"ran {page.name}")


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]] or PAGES)
