"""Quadrature, which any link can rely on, gives the closed forms of the probit and the logistic link."""

import numpy as np
import pytest

from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.testing import LikelihoodContract


class QuadratureProbit(Probit):
    closed_form = None


class QuadratureLogistic(Logistic):
    closed_form = None


LINKS = {"probit": (QuadratureProbit, Probit), "logistic": (QuadratureLogistic, Logistic)}
G = np.concatenate([np.linspace(-40.0, 40.0, 161), [-1e3, 1e3]])


@pytest.mark.parametrize("variance", [0.0, 1e-6, 0.3, 1.0, 1.6, 3.0, 4.1, 30.0, 1e4])
@pytest.mark.parametrize("outcome", ["win", "shifted win", "tie", "narrow tie"])
@pytest.mark.parametrize("link", LINKS)
def test_log_marginal(link, outcome, variance):
    tau = {"win": 0.0, "shifted win": 0.4, "tie": 0.4, "narrow tie": 0.01}[outcome]
    tied = np.full(len(G), "tie" in outcome)
    by_quadrature, closed = (kind(tau).log_marginal(G, np.full(len(G), variance), tied) for kind in LINKS[link])
    np.testing.assert_allclose(by_quadrature.value, closed.value, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(by_quadrature.d1, closed.d1, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(by_quadrature.d2, closed.d2, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(by_quadrature.variance_ratio, closed.variance_ratio, rtol=1e-8)


@pytest.mark.parametrize("tau", [0.01, 0.4, 2.0, 8.0])
@pytest.mark.parametrize("link", LINKS)
def test_ties(link, tau):
    g = G[np.abs(G) <= 40.0]  # further out the closed form of the third derivative is the one that cancels
    tied = np.ones(len(g), dtype=bool)
    for method in ("log_prob", "log_prob_by_threshold"):
        by_quadrature, closed = (getattr(kind(tau), method)(g, tied) for kind in LINKS[link])
        for one, other in zip(by_quadrature, closed, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("link", LINKS)
def test_a_quarter_of_equals_tie_at_the_default_threshold(link):
    by_quadrature = LINKS[link][0]()
    tau = by_quadrature.default_threshold
    tie = by_quadrature.with_threshold(tau).log_prob(np.zeros(1), np.ones(1, dtype=bool)).value
    assert np.exp(tie)[0] == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize("check", LikelihoodContract.checks())
@pytest.mark.parametrize("link", LINKS)
def test_keeps_the_contract(link, check):
    LikelihoodContract(LINKS[link][0]()).check(check)
