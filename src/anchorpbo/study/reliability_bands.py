"""Bands of reliability: pairs of designs grouped by how near they are to the anchors.

Symbols: q the reliability of a design (`NoiseMap.reliability`), q_a its largest value at an anchor, 1 in a bounded map.

::

    reliability of a pair    min(q(x), q(x')) / q_a
    near your anchors        at least 0.5
    in between               at least 0.1
    elsewhere                below 0.1

The smaller of the two counts, because the noise of an answer is the sum of the noise at both designs: an answer about a
familiar and an unfamiliar design is nearly as noisy as one about two unfamiliar designs.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array, IntArray

BANDS = ("near your anchors", "in between", "elsewhere")
"""Names of the bands, from the most to the least reliable."""
ALL_PAIRS = "all pairs"
"""Name of the only band of a map without anchors."""
MIN_RELIABILITIES = (0.5, 0.1)
"""Smallest reliability of a pair in each band but the last, as a share of the reliability at an anchor."""


def list_bands(noise_map: NoiseMap) -> tuple[str, ...]:
    """Return the names of a map's bands: one for all pairs if it has no anchors."""
    return BANDS if _find_peak(noise_map) > 0.0 else (ALL_PAIRS,)


def assign_bands(noise_map: NoiseMap, pairs: Array) -> IntArray:
    """Return the number of the band, (n,), of each pair of designs, (n, 2, d)."""
    peak = _find_peak(noise_map)
    if not len(pairs) or peak <= 0.0:
        return np.zeros(len(pairs), dtype=np.intp)
    share = noise_map.reliability(pairs.reshape(-1, pairs.shape[2])).reshape(-1, 2).min(axis=1) / peak
    return np.asarray(sum((share < limit).astype(np.intp) for limit in MIN_RELIABILITIES))


def _find_peak(noise_map: NoiseMap) -> float:
    """Return the largest reliability at an anchor; 0 without anchors."""
    anchors = noise_map.anchors
    return float(noise_map.reliability(anchors).max()) if anchors is not None and len(anchors) else 0.0
