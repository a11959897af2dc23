"""Conversion of docstrings to Markdown for the documentation site.

* A `::` before a block is reStructuredText and is removed.
* Parameters that share a description, such as ``kernel, likelihood``, are listed separately, so that each has its type.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_COLONS = re.compile(r"^(?P<words>.*\S)::[ ]*$", flags=re.MULTILINE)
_ALONE = re.compile(r"^::[ ]*$\n?", flags=re.MULTILINE)
_PARAMETERS = re.compile(r"^Parameters\n-{3,}\n(?:.+\n|\n(?=\S+(?:, \w+)*\n[ ]))*", flags=re.MULTILINE)
_SHARED = re.compile(r"^(?P<names>\w+(?:, \w+)+)\n(?P<text>(?:[ ]+.*\n|\n)*)", flags=re.MULTILINE)


class ToMarkdown(griffe.Extension):
    """Rewrites docstrings before they are parsed."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the text of one docstring."""
        if obj.docstring is not None:
            text = _ALONE.sub("", _COLONS.sub(r"\g<words>:", obj.docstring.value))
            obj.docstring.value = _PARAMETERS.sub(lambda part: _SHARED.sub(_one_by_one, part[0]), f"{text}\n").rstrip(
                "\n"
            )


def _one_by_one(match: re.Match[str]) -> str:
    return "".join(f"{name}\n{match['text']}" for name in match["names"].split(", "))
