"""A constant reliability gives the homoscedastic likelihood exactly: the same bits, not nearly the same."""

from dataclasses import dataclass

import numpy as np
import pytest

from anchorpbo.duels import Duels
from anchorpbo.inference import Laplace
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.posterior import LATENTS
from anchorpbo.reliability import NoiseMap, Reliability
from anchorpbo.typing import Array

RNG = np.random.default_rng(0)
POINTS = RNG.uniform(size=(6, 2))
DUELS = Duels(POINTS, winners=[0, 2, 3, 5], losers=[1, 0, 2, 4], ties=[[3, 1]])
LIKELIHOODS = [Probit(0.3), Logistic(0.5), Logistic(0.5, "difference")]


@dataclass(frozen=True, eq=False)
class EquallySure(Reliability):
    """q(x) is the same number everywhere."""

    q: float
    anchors: None = None
    bandwidth: None = None

    def value(self, X: Array) -> Array:
        return np.full(len(X), self.q)

    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        return self.value(X), np.zeros(X.shape)


def everything(likelihood: Likelihood, noise: NoiseMap) -> list[Array]:
    """Rows, margins, log probabilities, expectations and sites under a noise map."""
    rows = likelihood.rows(DUELS, noise(DUELS.points))
    g = rows.margins(np.sin(7.0 * DUELS.points[:, 0]))
    kernel = RBF(0.4)
    space = LATENTS["duel"](rows, kernel(DUELS.points, DUELS.points))
    sites = Laplace().infer(space, likelihood, np.random.default_rng(0)).sites
    terms = [*likelihood.log_prob(g, rows.tied), *likelihood.log_marginal(g, np.ones_like(g), rows.tied)]
    return [rows.coef_first, rows.coef_second, g, *terms, sites.precision, sites.linear]


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=str)
@pytest.mark.parametrize("q", [0.0, 0.37, 1.0, 8.1])
def test_constant_reliability(likelihood: Likelihood, q: float) -> None:
    varying = NoiseMap(EquallySure(q), scale=1.7)
    constant = NoiseMap.constant(float(1.7 * np.exp(-q)))
    for one, other in zip(everything(likelihood, varying), everything(likelihood, constant), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=str)
def test_reliability_without_strength(likelihood: Likelihood) -> None:
    deaf = NoiseMap.bounded(RNG.uniform(size=(3, 2)), bandwidth=0.3, scale=0.8, strength=0.0)
    for one, other in zip(everything(likelihood, deaf), everything(likelihood, NoiseMap.constant(0.8)), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("noise", [1e-6, 0.1, 1 / 3, 1.0, 7.7])
def test_coefficients_are_the_homoscedastic_ones(noise: float) -> None:
    one = np.full(3, noise)
    for a in Probit().coefficients(one, one):
        np.testing.assert_array_equal(a, 1.0 / np.sqrt(2.0 * one))
    for form in ("paper", "difference"):
        for a in Logistic(form=form).coefficients(one, one):
            np.testing.assert_array_equal(a, 1.0 / one)


def test_both_logistic_forms_are_one_at_constant_noise() -> None:
    noise = NoiseMap.constant(0.3)
    paper, difference = (everything(Logistic(0.5, form), noise) for form in ("paper", "difference"))
    for one, other in zip(paper, difference, strict=True):
        np.testing.assert_array_equal(one, other)
