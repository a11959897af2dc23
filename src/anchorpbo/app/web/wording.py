"""Error messages for readers who do not write Python: Python expressions are replaced by plain words.

Only the library's own phrases are replaced, from a list. A row of a table is given as the line of its file, whose line
1 has the column names.
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
    (r"use Constant\(.*\) for a value that never varies", "use a constant for a value that never varies"),
    (r"or name the column in categories=\[\.\.\.\]", "or let the column be a choice"),
    (
        r"name some of its columns in features=\[\.\.\.\] or categories=\[\.\.\.\]",
        "choose columns that describe a design",
    ),
    (r"or name the features yourself, as in features=\[.*\]", "or choose the columns that describe a design"),
    (r", or use from_csv for a file(; features=\[\] for no features)?", ""),
    (r"give the result of to_dict of a space", "describe it as on the page New study"),
    (r"write Space\(.*\) or Space\(.*\)", "describe at least one"),
    (r"write \w+=Real\(0, 1\), for example", "say what it is"),
    (r"must be a dict\b", "must be an object"),
    (r"give one dict per row", "give one object per row"),
    (r"strategy must be a name or an acquisition function", "strategy must be a name"),
    (r"write EI\(\) rather than EI", "write ei, say"),
    (r'\b(\w+)="([\w-]+)"', r"\1 \2"),
    ("|".join(rf"\b{kind}\b" for kind in _KINDS), lambda found: _KINDS[found[0]]),
    (r"\brow (\d+)\b", lambda found: f"line {int(found[1]) + 2}"),
)
_VALUES: tuple[tuple[str, str], ...] = (
    (r"\b(\w+)=(?:Real|Integer|Categorical|Ordinal|Boolean|Constant)\([^()]*\)", r"\1"),
    (r"\{'(\w+)': Constant\([^()]*\)\}", r"only the constant \1"),
    (r"^None$", "null"),
    (r"^True$", "true"),
    (r"^False$", "false"),
    (r"^the open file in another encoding$", "a file in another encoding"),
    (r"in the open file", "in the file"),
)


MAX_PART_LENGTH = 500
"""Maximum length of each part of an error in a response."""


def reword(error: AnchorPBOError) -> AnchorPBOError:
    """Rewrite an error without Python expressions; each part is truncated first."""
    received = error.received
    if received is not None:
        text = str(received)[:MAX_PART_LENGTH]
        for pattern, words in _VALUES:
            text = re.sub(pattern, words, text)
        received = text
    return AnchorPBOError(_replace_phrases(error.rule), received, _replace_phrases(error.remedy))


def _replace_phrases(text: str) -> str:
    text = text[:MAX_PART_LENGTH]
    for pattern, words in _PHRASES:
        text = re.sub(pattern, words, text)
    return text
