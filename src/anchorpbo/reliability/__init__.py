"""Noise maps from anchors: anchors -> reliability q(x) -> noise n(x).

::

    noise        NoiseMap: the noise at a design, its gradient, and its three constructors. Start here.
    density      q as the paper's kernel density estimate of the anchors (eq. kde)
    bounded      q in [0, 1], 1 at every anchor: recommended in practice
    signed       q in [-1, 1] with negative anchors, designs the user cannot judge
    correction   correction of the noise that a fit learns from the answers
    base         Reliability, the interface of q, and the constant one
    bandwidth    leave-one-out choice of the bandwidth h
    bandwidths   leave-one-out choice of a bandwidth per dimension
    adaptive     local bandwidths: narrow where anchors are dense
    metric       distances between designs: Euclidean, Tanimoto, Hamming, or user-defined
    profile      kernels of the density as functions of the squared distance
"""

from anchorpbo.reliability.adaptive import local_factors
from anchorpbo.reliability.bandwidth import loo_bandwidth, negative_loo, negative_loo_gradient
from anchorpbo.reliability.bandwidths import loo_bandwidths
from anchorpbo.reliability.base import ConstantReliability, Reliability
from anchorpbo.reliability.bounded import BoundedReliability
from anchorpbo.reliability.correction import NoiseCorrection, select_centres
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
from anchorpbo.reliability.signed import SignedReliability

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
    "NoiseCorrection",
    "NoiseMap",
    "ProductMetric",
    "Profile",
    "Reliability",
    "SignedReliability",
    "SmoothMetric",
    "TanimotoMetric",
    "UnitGaussian",
    "local_factors",
    "loo_bandwidth",
    "loo_bandwidths",
    "negative_loo",
    "negative_loo_gradient",
    "select_centres",
]
