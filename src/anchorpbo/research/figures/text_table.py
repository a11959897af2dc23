r"""A table as Markdown and as LaTeX.

Cells hold plain text: special characters are escaped for each format, and ``±`` or ``+-`` becomes ``$\pm$`` in LaTeX.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from anchorpbo.errors import ShapeError
from anchorpbo.research.figures.output_files import add_ending, write_files

MISSING_TEXT = "–"
"""Text of a cell without a value."""

_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "_%&#${}"},
    "<": "$<$", ">": "$>$", "|": "$|$", "±": r"$\pm$", "−": "$-$", "×": r"$\times$", "≤": r"$\le$", "≥": r"$\ge$",
    "–": "--", "—": "---", "…": r"\dots{}", "\N{NO-BREAK SPACE}": "~",
}  # fmt: skip
# A hyphen before a number is a minus sign, unless it joins two numbers or words, as in "5-10".
_LATEX_SPECIAL = re.compile(r"(?<![\w.)-])-(?=[\d.])|[" + re.escape("".join(_LATEX)) + "]")
_MARKDOWN_SPECIAL = re.compile(r"[\\|*_`<]")


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class TextTable:
    """Headings and rows of cells."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    align: tuple[str | float, ...]
    """Alignment per column: ``"l"``, ``"r"``, or the share of the text width at which the column wraps."""
    note: str = ""
    """Note shown below the table."""

    def __post_init__(self) -> None:
        for cells in chain([self.align], self.rows):
            if len(cells) != len(self.headings):
                rule = f"each row of a table must have {len(self.headings)} cells, one per heading"
                raise ShapeError(rule, cells, "fill the gaps with empty cells")

    def to_markdown(self) -> str:
        """Return the title, the table in GitHub's Markdown, and the note."""
        marks = ["---:" if align == "r" else "---" for align in self.align]
        body = [[_format_markdown_cell(cell) for cell in row] for row in self.rows]
        lines = [f"| {' | '.join(cells)} |" for cells in ([*map(escape_markdown, self.headings)], marks, *body)]
        parts = [f"**{escape_markdown(self.title)}**", "\n".join(lines), escape_markdown(self.note)]
        return "\n\n".join(part for part in parts if part) + "\n"

    def to_latex(self) -> str:
        """Return a table environment no wider than the text; it needs the packages array, booktabs and graphicx."""
        columns = "".join(align if isinstance(align, str) else _format_paragraph_column(align) for align in self.align)
        body = [[_format_latex_cell(cell) for cell in row] for row in self.rows]
        lines = [
            r"\begin{table}",
            r"\centering\small",
            rf"\caption{{{escape_latex(self.title)}}}",
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
            r"\toprule",
            _format_latex_row([*map(escape_latex, self.headings)]),
            r"\midrule",
            *map(_format_latex_row, body),
            r"\bottomrule",
            r"\end{tabular}}",
            *([rf"\par\smallskip {escape_latex(self.note)}"] if self.note else []),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"


def save_table(table: TextTable, stem: Path) -> list[Path]:
    """Write a table as .md and .tex, and return their paths.

    Parameters
    ----------
    stem
        Folder and name without the ending.
    """
    texts = {"md": table.to_markdown(), "tex": table.to_latex()}
    return write_files({add_ending(stem, ending): text.encode() for ending, text in texts.items()})


def escape_latex(text: str) -> str:
    """Escape plain text for LaTeX."""
    return _LATEX_SPECIAL.sub(lambda found: _LATEX.get(found[0], "$-$"), _normalise_spaces(text))


def keep_together(text: str) -> str:
    """Return a text inside of which a line does not break."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def escape_markdown(text: str) -> str:
    """Escape plain text for Markdown, including table cells."""
    return _MARKDOWN_SPECIAL.sub(lambda found: "\\" + found[0], _normalise_spaces(text))


def _normalise_spaces(text: str) -> str:
    # A no-break space stays one.
    return re.sub(r"[ \t\r\n\f\v]+", " ", text.replace("+-", "±")).strip(" ")


def _format_markdown_cell(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    return f"**{text}**" if cell.bold else text


def _format_latex_cell(cell: Cell) -> str:
    # \boldmath, because minus and plus-minus signs are set in math mode.
    text = escape_latex(cell.text)
    return rf"\textbf{{\boldmath {text}}}" if cell.bold else text


def _format_latex_row(cells: list[str]) -> str:
    # An empty group before a bracket; otherwise the \\ of the previous row would read it as its option.
    first = "{}" + cells[0] if cells[0].startswith(("[", "*")) else cells[0]
    return " & ".join([first, *cells[1:]]) + r" \\"


def _format_paragraph_column(share: float) -> str:
    return rf">{{\raggedright\arraybackslash}}p{{{share:g}\linewidth}}"
