"""Figures of a study, each drawn by plotly for the screen or by matplotlib for paper.

::

    utility_slices     expected utility along each parameter, its 90 % band, the noise, anchors and designs compared
    utility_map        expected utility over two parameters, or over the items of a catalogue
    uncertainty_map    uncertainty of the utility
    noise_map          noise of the user's judgement
    reliability_map    how well the user knows designs, given the anchors
    convergence        recommendation after each answer, and expected gain of each duel
    expected_gains     expected gain of each duel
    parameter_importance     share of the variation of the utility that each parameter explains
    recommendation_interval  utility of the recommended design, with its interval
    calibration        predicted probabilities of answers against observed ones
    audit              findings about the answers, one panel each
    anchor_evidence    evidence for the anchors, by the strength of the noise map
    pair_noise         noise of the pairs that were asked
    retest_agreement   agreement of answers to the same pair, by band of reliability

All take an `Optimizer`; those that apply to arrays also take a fitted `PreferenceGP` or a `NoiseMap`. ``backend`` is
``"plotly"`` or ``"matplotlib"``; ``theme`` is ``"auto"``, ``"light"`` or ``"dark"``; ``labels`` and ``units`` map
parameters to the texts shown for them. `anchorpbo.analysis` computes the data of each figure.
"""

from anchorpbo.plots.anchor_evidence_plot import anchor_evidence
from anchorpbo.plots.audit_plot import audit
from anchorpbo.plots.calibration_plot import calibration
from anchorpbo.plots.convergence_plot import convergence
from anchorpbo.plots.gains_plot import expected_gains
from anchorpbo.plots.importance_plot import parameter_importance
from anchorpbo.plots.interval_plot import recommendation_interval
from anchorpbo.plots.maps import noise_map, reliability_map, uncertainty_map, utility_map
from anchorpbo.plots.pair_noise_plot import pair_noise
from anchorpbo.plots.retest_plot import retest_agreement
from anchorpbo.plots.slices import utility_slices

__all__ = [
    "anchor_evidence", "audit", "calibration", "convergence", "expected_gains", "noise_map", "pair_noise",
    "parameter_importance", "recommendation_interval", "reliability_map", "retest_agreement", "uncertainty_map",
    "utility_map", "utility_slices",
]  # fmt: skip
