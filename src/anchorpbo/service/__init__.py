"""What people do with studies: use cases, without a web framework and without SQL.

::

    studies        Studies, the use cases: create, ask, answer, undo, mark, recommend, map, export, import ...
    definition     what a study is made with
    display        how its designs are shown; templates, drawings made from a design
    rater          one participant's side of a study, a replay of the journal
    ahead          the next duel, computed before the answer is there
    maps           grids for plots
    agreement      how far participants agree
    exports        the history as CSV; imports, an export read back
    plain          what data from outside must be
    report         the results as one HTML file, with charts of its own
    links          signed links for participants
"""

from anchorpbo.service.studies import Studies

__all__ = ["Studies"]
