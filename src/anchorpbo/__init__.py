"""Preferential Bayesian optimisation that knows where its user can judge.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anchorpbo import (
        acquisition,
        analysis,
        errors,
        inference,
        interop,
        kernels,
        likelihoods,
        plots,
        problems,
        reliability,
        search,
        space,
        study,
        testing,
    )
    from anchorpbo.duels import Duels
    from anchorpbo.inference import EP, Hallucination, Laplace, PolyaGamma
    from anchorpbo.kernels import RBF, Hamming, Matern32, Matern52, Tanimoto
    from anchorpbo.likelihoods import Logistic, Probit
    from anchorpbo.model import Learn, LogNormal, PreferenceGP
    from anchorpbo.posterior import Posterior
    from anchorpbo.reliability import NoiseMap
    from anchorpbo.space import Boolean, Catalogue, Categorical, Constant, Integer, Linear, Ordinal, Real, Space
    from anchorpbo.study import (
        AnchorMark,
        AnchorProposal,
        AnchorValidation,
        Assessment,
        Audit,
        BoundedNoise,
        ConstantNoise,
        Duel,
        Estimate,
        Finding,
        LearntNoise,
        Optimizer,
        PaperNoise,
        Progress,
        Recommendation,
        Retest,
        RetestBand,
        Surprise,
    )  # fmt: skip

__version__ = "0.1.0"

# `notebook` is missing from the imports above, because it imports modules that read this module's version.
_MODULES = (
    "acquisition", "analysis", "errors", "inference", "interop", "kernels", "likelihoods", "notebook", "plots",
    "problems", "reliability", "search", "space", "study", "testing",
)  # fmt: skip
_HOMES: dict[str, tuple[str, ...]] = {
    "duels": ("Duels",),
    "inference": ("EP", "Hallucination", "Laplace", "PolyaGamma"),
    "kernels": ("RBF", "Hamming", "Matern32", "Matern52", "Tanimoto"),
    "likelihoods": ("Logistic", "Probit"),
    "model": ("Learn", "LogNormal", "PreferenceGP"),
    "posterior": ("Posterior",),
    "reliability": ("NoiseMap",),
    "space": ("Boolean", "Catalogue", "Categorical", "Constant", "Integer", "Linear", "Ordinal", "Real", "Space"),
    "study": (
        "AnchorMark",
        "AnchorProposal",
        "AnchorValidation",
        "Assessment",
        "Audit",
        "BoundedNoise",
        "ConstantNoise",
        "Duel",
        "Estimate",
        "Finding",
        "LearntNoise",
        "Optimizer",
        "PaperNoise",
        "Progress",
        "Recommendation",
        "Retest",
        "RetestBand",
        "Surprise",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name in _MODULES:
        return import_module(f"anchorpbo.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'anchorpbo' has no attribute {name!r}")
    value = getattr(import_module(f"anchorpbo.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


__all__ = [
    "EP",
    "RBF",
    "AnchorMark",
    "AnchorProposal",
    "AnchorValidation",
    "Assessment",
    "Audit",
    "Boolean",
    "BoundedNoise",
    "Catalogue",
    "Categorical",
    "Constant",
    "ConstantNoise",
    "Duel",
    "Duels",
    "Estimate",
    "Finding",
    "Hallucination",
    "Hamming",
    "Integer",
    "Laplace",
    "Learn",
    "LearntNoise",
    "Linear",
    "LogNormal",
    "Logistic",
    "Matern32",
    "Matern52",
    "NoiseMap",
    "Optimizer",
    "Ordinal",
    "PaperNoise",
    "PolyaGamma",
    "Posterior",
    "PreferenceGP",
    "Probit",
    "Progress",
    "Real",
    "Recommendation",
    "Retest",
    "RetestBand",
    "Space",
    "Surprise",
    "Tanimoto",
    "acquisition",
    "analysis",
    "errors",
    "inference",
    "interop",
    "kernels",
    "likelihoods",
    "plots",
    "problems",
    "reliability",
    "search",
    "space",
    "study",
    "testing",
]
