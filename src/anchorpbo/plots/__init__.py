"""Figures of a study, each drawn by plotly for the screen or by matplotlib for paper.

::

    utility_slices     along each parameter: expected utility, its 90 % band, anchors and designs compared
    utility_map        over two parameters, or over the items of a catalogue
    uncertainty_map    how little is known there
    noise_map          how noisily designs are judged there
    reliability_map    how well the user knows what is there, by the anchors
    convergence        what was recommended along the way, and what each duel was expected to bring
    calibration        how sure the model was of an answer, and how often it was right
    pair_noise         how noisy the pairs were that were asked

All take an `Optimizer`; what makes sense of arrays also takes a fitted `PreferenceGP` or a `NoiseMap`. ``backend`` is
``"plotly"`` or ``"matplotlib"``, ``theme`` ``"auto"``, ``"light"`` or ``"dark"``, ``labels`` and ``units`` map
parameters to what people call them. The data behind each are in `anchorpbo.analysis`.
"""

from anchorpbo.plots.calibration_plot import calibration
from anchorpbo.plots.convergence_plot import convergence
from anchorpbo.plots.maps import noise_map, reliability_map, uncertainty_map, utility_map
from anchorpbo.plots.pair_noise_plot import pair_noise
from anchorpbo.plots.slices import utility_slices

__all__ = [
    "calibration", "convergence", "noise_map", "pair_noise", "reliability_map", "uncertainty_map", "utility_map",
    "utility_slices",
]  # fmt: skip
