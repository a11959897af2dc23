"""Example studies with their own data: coffee, a poster, molecules.

::

    coffee       a mixed space of parameters with a constraint
    poster       a small space with designs drawn by a template
    molecules    a catalogue with fingerprints and drawings

`Example.definition` is the definition of a study, ready for JSON::

    {"name": "Pour-over coffee",
     "description": "Two recipes ...",
     "example": "coffee",
     "space": space.to_dict(),          # read by anchorpbo.space.space_from_dict
     "anchors": [],                     # marked by the user; Example.suggested_anchors has some to offer
     "display": {...},                  # how designs are shown
     "options": {"preset": "default", "seed": 0}}    # arguments of the Optimizer, names and numbers only

``display`` sets how a page shows a design. Every key is optional:

    template    SVG with placeholders, rendered per design (`anchorpbo.app.rendering.templates`)
    svg         column of a catalogue with the drawing itself; ``currentColor`` in it is the colour of the text
    image       column with the name of an image file
    smiles      column with a molecule as text, for pages that can draw it
    link        column with a URL
    title       column shown as heading
    labels      {parameter or column: label}; the default is its name
    units       {parameter or column: unit, written after the value}
    hidden      list of columns that are not shown

Columns named by template, svg, image, smiles, link or title are not repeated among the values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from anchorpbo.app.examples.example import Example
from anchorpbo.errors import UnknownNameError

__all__ = ["EXAMPLES", "Example", "get_example"]


def _coffee() -> Example:
    from anchorpbo.app.examples.coffee import make_coffee

    return make_coffee()


def _poster() -> Example:
    from anchorpbo.app.examples.poster import make_poster

    return make_poster()


def _molecules() -> Example:
    from anchorpbo.app.examples.molecules import make_molecules

    return make_molecules()


_MAKERS: dict[str, Callable[[], Example]] = {
    "coffee": cache(_coffee),
    "poster": cache(_poster),
    "molecules": cache(_molecules),
}


class _Examples(Mapping[str, Example]):
    """Examples by key, each created at its first lookup."""

    def __getitem__(self, key: str) -> Example:
        return _MAKERS[key]()

    def __iter__(self) -> Iterator[str]:
        return iter(_MAKERS)

    def __len__(self) -> int:
        return len(_MAKERS)


EXAMPLES: Mapping[str, Example] = _Examples()
"""All examples by key, in the order in which the app offers them."""


def get_example(key: str) -> Example:
    """Return the example with this key; raise if there is none."""
    if not isinstance(key, str) or key not in EXAMPLES:
        raise UnknownNameError.of("an example", key, EXAMPLES)
    return EXAMPLES[key]
