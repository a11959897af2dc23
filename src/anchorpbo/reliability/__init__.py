"""Noise maps from anchors: anchors -> reliability q(x) -> noise n(x).

::

    noise        NoiseMap: the noise at a design, its gradient, and its three constructors. Start here.
    density      q as the paper's kernel density estimate of the anchors (eq. kde)
    bounded      q in [0, 1], 1 at every anchor: recommended in practice
    base         Reliability, the interface of q, and the constant one
    bandwidth    leave-one-out choice of the bandwidth h
    metric       distances between designs: Euclidean, Tanimoto, Hamming, or user-defined
    profile      kernels of the density as functions of the squared distance
"""

from anchorpbo.reliability.bandwidth import loo_bandwidth, negative_loo, negative_loo_gradient
from anchorpbo.reliability.base import ConstantReliability, Reliability
from anchorpbo.reliability.bounded import BoundedReliability
from anchorpbo.reliability.density import DensityReliability
from anchorpbo.reliability.metric import (
    CallableMetric,
    EuclideanMetric,
    HammingMetric,
    Metric,
    ProductMetric,
    SmoothMetric,
    TanimotoMetric,
)
from anchorpbo.reliability.noise import NoiseMap
from anchorpbo.reliability.profile import Gaussian, GaussianDensity, Profile, UnitGaussian

__all__ = [
    "BoundedReliability",
    "CallableMetric",
    "ConstantReliability",
    "DensityReliability",
    "EuclideanMetric",
    "Gaussian",
    "GaussianDensity",
    "HammingMetric",
    "Metric",
    "NoiseMap",
    "ProductMetric",
    "Profile",
    "Reliability",
    "SmoothMetric",
    "TanimotoMetric",
    "UnitGaussian",
    "loo_bandwidth",
    "negative_loo",
    "negative_loo_gradient",
]
