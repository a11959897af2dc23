"""The cases of the growth section, by name."""

from __future__ import annotations

from collections.abc import Callable

from anchorpbo.research.bench.growth_cases import (
    Numbers,
    measure_catalogue,
    measure_fingerprints,
    measure_inducing_error,
    measure_many_designs,
    measure_many_duels,
    measure_studies_at_once,
)
from anchorpbo.research.bench.inferences import measure_inferences

GROWTH_CASES: dict[str, Callable[[bool], Numbers]] = {
    each.__name__: each
    for each in (
        measure_inferences,
        measure_many_duels,
        measure_catalogue,
        measure_fingerprints,
        measure_many_designs,
        measure_inducing_error,
        measure_studies_at_once,
    )
}
"""Each a function of whether to be quick about it."""
