"""Gaussian process model of a utility, learnt from duels: hyper-parameters, inference and posterior."""

from anchorpbo.model.approximation import Approximation
from anchorpbo.model.fitting import FitInfo
from anchorpbo.model.preference_gp import PreferenceGP
from anchorpbo.model.priors import Learn, LogNormal

__all__ = ["Approximation", "FitInfo", "Learn", "LogNormal", "PreferenceGP"]
