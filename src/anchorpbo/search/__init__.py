"""Maximisation of acquisition functions over the unit cube, a region of it, or a finite list of designs.

::

    maximise             the cube or a region of it, by multi-start local search: a design (d,) or a duel (2, d)
    maximise_discrete    a list, exactly: one candidate, or a pair of candidates
"""

from anchorpbo.search.discrete_search import DiscreteSearchInfo, DiscreteSearchResult, maximise_discrete
from anchorpbo.search.region_search import SearchInfo, SearchResult, maximise

__all__ = [
    "DiscreteSearchInfo",
    "DiscreteSearchResult",
    "SearchInfo",
    "SearchResult",
    "maximise",
    "maximise_discrete",
]
