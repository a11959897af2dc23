"""Preferential studies of Optuna's dashboard: a sampler, an import and recommendations.

::

    sampler      AnchoredPreferentialSampler: proposes the next trial of a study
    study_import optimizer_from_study, recommend: a study as an Optimizer
    study_data   trials, preferences and skips, as the dashboard stores them
    search_space Optuna's distributions as our parameters, and back
"""

from importlib.util import find_spec

from anchorpbo.errors import UnsupportedError

# Checked before the package's modules are imported, whose errors would only name optuna.
if any(find_spec(package) is None for package in ("optuna", "optuna_dashboard")):
    raise UnsupportedError(
        "the bridge to Optuna needs packages that are not installed", remedy='pip install "anchorpbo[optuna]"'
    )

from anchorpbo.interop.optuna.sampler import AnchoredPreferentialSampler
from anchorpbo.interop.optuna.study_import import optimizer_from_study, recommend

__all__ = ["AnchoredPreferentialSampler", "optimizer_from_study", "recommend"]
