"""Analysis of a study as grids and series: the data behind plots, for pages, notebooks and papers.

::

    model_view          ModelView, the same view of a study, a model or a noise map
    axes                values of one parameter, in its own units
    grids               utility, noise and reliability along one parameter, over two, and over a catalogue
    compared_designs    the designs that were compared, with their wins and losses
    history             convergence of the recommendation, expected gains of duels, and the noise of the pairs asked
    importance          share of the variation of the utility that each parameter explains
    predictions         calibration: predicted answers against those that were given

This package draws nothing, and imports only the dependencies of the core.
"""

from anchorpbo.analysis.compared_designs import ComparedDesign, list_compared_designs
from anchorpbo.analysis.history import Convergence, ExpectedGains, PairNoise, convergence, expected_gains, pair_noise
from anchorpbo.analysis.importance import ParameterImportance, compute_importance
from anchorpbo.analysis.model_view import ModelView
from anchorpbo.analysis.predictions import calibration
from anchorpbo.study.calibration import Calibration

__all__ = [
    "Calibration", "ComparedDesign", "Convergence", "ExpectedGains", "ModelView", "PairNoise", "ParameterImportance",
    "calibration", "compute_importance", "convergence", "expected_gains", "list_compared_designs", "pair_noise",
]  # fmt: skip
