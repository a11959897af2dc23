"""The cases of the growth section, by name."""

from __future__ import annotations

from collections.abc import Callable

from anchorpbo.research.bench.growth_cases import (
    Numbers,
    catalogue,
    fingerprints,
    inducing_error,
    many_designs,
    many_duels,
    studies_at_once,
)
from anchorpbo.research.bench.inferences import inferences

CASES: dict[str, Callable[[bool], Numbers]] = {
    each.__name__: each
    for each in (inferences, many_duels, catalogue, fingerprints, many_designs, inducing_error, studies_at_once)
}
"""Each a function of whether to be quick about it."""
