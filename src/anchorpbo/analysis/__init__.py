"""What a study knows, as grids and series: data for whoever draws it, in a page, a notebook or a paper.

::

    known          Known, one view of a study, a model or a noise map
    axes           values of one parameter, in its own units
    grids          along one parameter, over two, over a list
    judged         the designs that were compared, and how they fared
    course         along the search: what was recommended, how noisy the pairs were
    predictions    predicted answers against those that were given

Nothing here draws, and nothing is imported but what the core needs.
"""

from anchorpbo.analysis.course import Convergence, PairNoise, convergence, pair_noise
from anchorpbo.analysis.judged import Seen, seen
from anchorpbo.analysis.known import Known
from anchorpbo.analysis.predictions import Calibration, calibration

__all__ = [
    "Calibration", "Convergence", "Known", "PairNoise", "Seen", "calibration", "convergence", "pair_noise", "seen",
]  # fmt: skip
