"""Where an acquisition is largest: over the unit cube, or over a finite list of designs.

::

    maximise         the cube or a region of it, by screening, gradients and steps: a design (d,) or a duel (2, d)
    maximise_over    a list, exactly: an item, or a pair of items
"""

from anchorpbo.search.listed import Chosen, ListInfo, maximise_over
from anchorpbo.search.region import Found, SearchInfo, maximise

__all__ = ["Chosen", "Found", "ListInfo", "SearchInfo", "maximise", "maximise_over"]
