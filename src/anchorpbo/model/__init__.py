"""Gaussian process model of a utility, learnt from duels: hyper-parameters, inference and posterior."""

from anchorpbo.model.approximation import Approximation
from anchorpbo.model.fitting import FitInfo
from anchorpbo.model.integration import (
    INTEGRATION_RULES,
    MAP,
    CentralComposite,
    HyperparameterNode,
    IntegrationName,
    IntegrationRule,
    QuasiMonteCarlo,
    SphericalSimplex,
    resolve_integration,
)
from anchorpbo.model.node_inference import ModelComponent
from anchorpbo.model.preference_gp import PreferenceGP
from anchorpbo.model.priors import Learn, LogNormal
from anchorpbo.model.skips import SkipEvidence

__all__ = [
    "INTEGRATION_RULES",
    "MAP",
    "Approximation",
    "CentralComposite",
    "FitInfo",
    "HyperparameterNode",
    "IntegrationName",
    "IntegrationRule",
    "Learn",
    "LogNormal",
    "ModelComponent",
    "PreferenceGP",
    "QuasiMonteCarlo",
    "SkipEvidence",
    "SphericalSimplex",
    "resolve_integration",
]
