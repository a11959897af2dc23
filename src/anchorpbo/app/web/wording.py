"""Errors in the words of pages and JSON: the library speaks to people who write Python, the server also to others.

Only the library's own words are changed, by a list of them. A row of a table that came as columns is named as the line
of the file it was on, with the names of the columns in line 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from anchorpbo.errors import AnchorPBOError

_KINDS = {
    "a Real": "a range", "an Integer": "a range of whole numbers", "a Categorical": "a choice",
    "an Ordinal": "an order", "a Boolean": "a yes or no", "a Constant": "a constant", "a Space": "a study",
    "a Linear": "a constraint",
}  # fmt: skip
_PHRASES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r", or use Linear", ""),
    (r"a constraint must be text or a Linear", "a constraint must be text"),
    (r"constraints must be text, a Linear or a list of these", "constraints must be text or a list of texts"),
    (r"Real or Integer without log, Boolean, Constant", "ranges without log, yes or no, constants"),
    (r"use Constant\(.*\) for what never varies", "use a constant for what never varies"),
    (r"or name the column in categories=\[\.\.\.\]", "or let the column be a choice"),
    (
        r"name some of its columns in features=\[\.\.\.\] or categories=\[\.\.\.\]",
        "choose columns that describe a design",
    ),
    (r"or name the features yourself, as in features=\[.*\]", "or choose the columns that describe a design"),
    (r", or use from_csv for a file(; features=\[\] for no features)?", ""),
    (r"give what to_dict of a space returned", "compare it with the examples in /openapi.json"),
    (r"write Space\(.*\) or Space\(.*\)", "describe at least one"),
    (r"write \w+=Real\(0, 1\), say", "say what it is"),
    (r"must be a dict\b", "must be an object"),
    (r"give one dict a row", "give one object a row"),
    (r"acquisition must be a name or an acquisition object", "strategy must be a name"),
    (r"write EI\(\) rather than EI", "write ei, say"),
    (r'\b(\w+)="([\w-]+)"', r"\1 \2"),
    ("|".join(rf"\b{kind}\b" for kind in _KINDS), lambda found: _KINDS[found[0]]),
    (r"\brow (\d+)\b", lambda found: f"line {int(found[1]) + 2}"),
)
_VALUES: tuple[tuple[str, str], ...] = (
    (r"\b(\w+)=(?:Real|Integer|Categorical|Ordinal|Boolean|Constant)\([^()]*\)", r"\1"),
    (r"\{'(\w+)': Constant\([^()]*\)\}", r"the constant \1 alone"),
    (r"^None$", "null"),
    (r"^True$", "true"),
    (r"^False$", "false"),
    (r"^the open file in another encoding$", "a file in another encoding"),
    (r"in the open file", "in the file"),
)


LONGEST = 500
"""Characters of each part of an error that are reworded, and repeated to whoever sent the rest."""


def reworded(error: AnchorPBOError) -> AnchorPBOError:
    """The same error for whoever does not write Python, each part of it cut to some length first."""
    received = error.received
    if received is not None:
        text = str(received)[:LONGEST]
        for pattern, words in _VALUES:
            text = re.sub(pattern, words, text)
        received = text
    return AnchorPBOError(_phrased(error.rule), received, _phrased(error.remedy))


def _phrased(text: str) -> str:
    text = text[:LONGEST]
    for pattern, words in _PHRASES:
        text = re.sub(pattern, words, text)
    return text
