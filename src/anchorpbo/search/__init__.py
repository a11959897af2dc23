"""Where an acquisition is largest: over the unit cube, or over a finite list of designs.

::

    maximise         the cube, by screening and gradients: a design (d,) or a duel (2, d)
    maximise_over    a list, exactly: an item, or a pair of items
"""

from anchorpbo.search.cube import CubeInfo, Found, maximise
from anchorpbo.search.listed import Chosen, ListInfo, maximise_over

__all__ = ["Chosen", "CubeInfo", "Found", "ListInfo", "maximise", "maximise_over"]
