"""What people do with studies: use cases, without a web framework and without SQL.

::

    studies        Studies, the use cases: create, ask, answer, undo, mark, recommend, map, export, import ...
    definition     what a study is made with
    display        how its designs are shown; templates, drawings made from a design
    rater          one participant's side of a study, a replay of the journal
    checks         what comes from outside, checked in processes that can be killed; sizes, how large it may be
    people         who takes part, and whose link still counts
    maps           grids for plots
    agreement      how far participants agree
    exports        the history as CSV; imports, an export read back
    plain          what data from outside must be
    report         the results as one HTML file, with charts of its own
    links          signed links for participants
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anchorpbo.app.service.studies import Studies

__all__ = ["Studies"]


def __getattr__(name: str) -> Any:
    # When it is used: a process that only computes duels, or that starts others, needs none of it.
    if name == "Studies":
        from anchorpbo.app.service.studies import Studies

        return Studies
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
