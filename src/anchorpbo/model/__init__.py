"""The model that learns a utility from duels: hyper-parameters, then inference, then the posterior."""

from anchorpbo.model.approximation import Approximation
from anchorpbo.model.fitting import FitInfo
from anchorpbo.model.preference_gp import PreferenceGP
from anchorpbo.model.priors import Learn, LogNormal

__all__ = ["Approximation", "FitInfo", "Learn", "LogNormal", "PreferenceGP"]
