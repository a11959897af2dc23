"""Validation of the anchors: evidence of the answers for the anchored noise map against a constant one.

::

    M_c          the model with the noise a exp(-c q(x)) of the anchors, strength c
    M_0          the model with constant noise
    Z(M)         evidence of the answers, integrated over the kernel's hyper-parameters
    BF = sum_j u_j Z(M_c_j) / Z(M_0)           the Bayes factor, > 1 in favour of the anchors

The strengths c_j and weights u_j are a Gauss-Hermite rule for log c ~ N(log 3, 0.45^2), whatever the strength of the
study's map: anchors vouch for places, not for a strength. The noise of M_0 is the scale of the study's map. The scale a
of each other map is such that its geometric mean over the designs of the answers is the same, so that the prior of the
output scale, which is in units of the noise, means the same for all of them. Z is Laplace's evidence, with Laplace's
approximation of the integral over the hyper-parameters (`PreferenceGP.integrate_evidence`).

Verdicts: ``"supported"`` if BF is at least 2, ``"contradicted"`` if it is at most 1/3, and ``"open"`` otherwise.
docs/evidence.md shows how often each is reached by simulated users.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import logsumexp

from anchorpbo.duels import Duels
from anchorpbo.formatting import format_significant
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood
from anchorpbo.model import Learn, PreferenceGP
from anchorpbo.reliability import NoiseMap
from anchorpbo.study.retest import Retest
from anchorpbo.typing import Array

Verdict = Literal["supported", "open", "contradicted"]
MEDIAN_STRENGTH = 3.0
"""Median of the strength."""
STRENGTH_SPREAD = 0.45
"""Standard deviation of the logarithm of the strength."""
STRENGTHS = 5
"""Number of strengths of the integral."""
SUPPORTED_FACTOR = 2.0
"""Bayes factor from which anchors are supported; chosen by simulated users, see docs/decisions/0051."""
CONTRADICTED_FACTOR = 1.0 / 3.0
"""Bayes factor up to which anchors are contradicted. It is farther from 1 than the other limit, because the questions
of a study say little about the noise, and each counts a little against a map whose shape is only roughly right."""
ABOUT_EQUAL = 1.05
"""Bayes factor below which, and above whose inverse, two maps are said to explain the answers equally well."""
MAX_LOG_FACTOR = 700.0
"""Largest absolute logarithm of a Bayes factor; a larger one would overflow."""
MIN_ANSWERS = 4
"""Fewer answers than this are not evaluated."""
WITHOUT_ANCHORS = "No anchors are marked, so there is nothing to validate."
TOO_FEW = f"At least {MIN_ANSWERS} answers are needed to validate the anchors."
_VERDICT_SENTENCES: Mapping[Verdict, str] = {
    "supported": "Your answers near your anchors are more consistent than elsewhere",
    "open": "Your answers do not show yet whether you judge better near your anchors than elsewhere",
    "contradicted": "Your answers near your anchors are no more consistent than elsewhere",
}
_JUDGES = ("you judge better near your anchors", "you judge equally well everywhere")
"""Meaning of the anchored noise map and of constant noise, in words."""


@dataclass(frozen=True)
class AnchorValidation:
    """Evidence of the answers for or against the anchors. Plain data, safe to share.

    Parameters
    ----------
    bayes_factor
        Evidence of the anchored noise map, as a multiple of that of a constant one; above 1 it favours the anchors.
    verdict
        ``"supported"``, ``"open"`` or ``"contradicted"``.
    sentence
        The verdict in a sentence.
    strengths, factors
        Bayes factor of each strength of the map alone; empty without anchors or answers.
    retest
        Agreement of answers to the same pair near the anchors and elsewhere.
    """

    bayes_factor: float
    verdict: Verdict
    sentence: str
    strengths: tuple[float, ...]
    factors: tuple[float, ...]
    retest: Retest


@dataclass(frozen=True, eq=False)
class MapComparison:
    """An anchored noise map and a constant one, as rival models of the same answers."""

    noise: NoiseMap
    """The anchored map, of any strength; its scale is the constant noise."""
    kernel: Kernel
    """Kernel at whose hyper-parameters fits start."""
    likelihood: Likelihood
    learn: Mapping[str, Learn | None]
    """Hyper-parameters to learn; those of the noise map are left out."""
    duels: Duels
    """The informative answers."""

    def make_model(self, strength: float) -> PreferenceGP:
        """Create the model with this strength, not yet fitted; strength 0 is constant noise."""
        if strength == 0.0:
            noise = NoiseMap.constant(self.noise.scale)
        else:
            noise = match_mean_log_noise(self.noise.with_parameters(strength=strength), self.duels)
        learn = {name: spec for name, spec in self.learn.items() if not name.startswith("noise_")}
        return PreferenceGP(self.kernel, self.likelihood, "laplace", noise, learn=learn, starts=1)

    def compute_log_factors(self, strengths: Array) -> Array:
        """Return the log Bayes factor, (n,), of each strength, (n,), against constant noise."""
        evidence = np.array([self.make_model(c).integrate_evidence(self.duels) for c in [0.0, *strengths.tolist()]])
        return np.asarray(evidence[1:] - evidence[0])


def validate_anchors(comparison: MapComparison, retest: Retest) -> AnchorValidation:
    """Compare an anchored noise map with a constant one; the result carries the agreement of repeated answers."""
    noise = comparison.noise
    # A map of negative anchors alone has nothing to validate: its verdicts would speak of anchors.
    if not noise.strength_matters or noise.anchors is None or not len(noise.anchors):
        return AnchorValidation(1.0, "open", WITHOUT_ANCHORS, (), (), retest)
    if len(comparison.duels) < MIN_ANSWERS:
        return AnchorValidation(1.0, "open", TOO_FEW, (), (), retest)
    strengths, weights = make_strength_nodes(MEDIAN_STRENGTH)
    logs = np.clip(comparison.compute_log_factors(strengths), -MAX_LOG_FACTOR, MAX_LOG_FACTOR)
    log_factor = float(logsumexp(logs, b=weights))
    verdict, factor = decide_verdict(log_factor), math.exp(log_factor)
    sentence = describe_verdict(verdict, factor)
    return AnchorValidation(factor, verdict, sentence, tuple(strengths.tolist()), tuple(np.exp(logs).tolist()), retest)


def make_strength_nodes(median: float) -> tuple[Array, Array]:
    """Return the Gauss-Hermite nodes of a log-normal strength, (5,), and their weights, (5,), which sum to 1."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(STRENGTHS)
    return median * np.exp(STRENGTH_SPREAD * nodes), weights / weights.sum()


def match_mean_log_noise(noise: NoiseMap, duels: Duels) -> NoiseMap:
    """Return the map at another scale: its geometric mean over both designs of every answer is the present scale."""
    log_ratios = np.log(noise(duels.points) / noise.scale)
    average = 0.5 * float(log_ratios[duels.first].mean() + log_ratios[duels.second].mean())
    return noise.with_parameters(scale=noise.scale * math.exp(-average))


def decide_verdict(log_factor: float) -> Verdict:
    """Return the verdict for the logarithm of a Bayes factor."""
    if log_factor >= math.log(SUPPORTED_FACTOR):
        return "supported"
    return "contradicted" if log_factor <= math.log(CONTRADICTED_FACTOR) else "open"


def describe_verdict(verdict: Verdict, factor: float) -> str:
    """Return the verdict in a sentence."""
    meaning = _VERDICT_SENTENCES[verdict]
    if 1.0 / ABOUT_EQUAL < factor < ABOUT_EQUAL:
        return f"{meaning}. All your answers together are about equally probable either way."
    times = format_significant(factor if factor >= 1.0 else 1.0 / factor, 2)
    likelier, other = _JUDGES if factor >= 1.0 else _JUDGES[::-1]
    return f"{meaning}. All your answers together are {times} times as probable if {likelier} as if {other}."
