"""Probit ties against high precision: both ends of a tie's interval may lie far in one tail."""

import mpmath as mp
import numpy as np
import pytest

from anchorpbo.likelihoods import Probit

MARGINS = [0.0, 1e-8, 0.01, 0.5, 1.0, 3.0, 7.9, 8.0, 8.1, 12.0, 20.0, 37.0, 39.0, 60.0]
THRESHOLDS = [1e-3, 0.01, 0.1, 0.3, 1.0, 2.0, 4.0, 8.0]


def truth(g: float, tau: float) -> tuple[float, float, float, float, float]:
    """Log p, its three derivatives in g, and its derivative in tau; the derivatives are cumulants of a cut normal."""
    if g < 0:  # the difference of two erfc is one of small numbers to the right only
        value, d1, d2, d3, by_tau = truth(-g, tau)
        return value, -d1, d2, -d3, by_tau
    with mp.workdps(60):
        g, tau = mp.mpf(g), mp.mpf(tau)
        upper, lower = tau - g, -tau - g
        p = (mp.erfc(-upper / mp.sqrt(2)) - mp.erfc(-lower / mp.sqrt(2))) / 2
        a0, a1, a2 = ((upper**j * mp.npdf(upper) - lower**j * mp.npdf(lower)) / p for j in range(3))
        by_tau = (mp.npdf(upper) + mp.npdf(lower)) / p
        terms = (mp.log(p), -a0, -a1 - a0**2, -a2 + a0 - 3 * a0 * a1 - 2 * a0**3, by_tau)
        return tuple(float(term) for term in terms)  # type: ignore[return-value]


def test_the_oracle_differentiates_the_probability() -> None:
    with mp.workdps(60):

        def log_p(g: mp.mpf, tau: mp.mpf) -> mp.mpf:
            return mp.log((mp.erfc((g - tau) / mp.sqrt(2)) - mp.erfc((g + tau) / mp.sqrt(2))) / 2)

        for g, tau in ((1.3, 0.4), (20.0, 2.0)):
            expected = [log_p(mp.mpf(g), mp.mpf(tau))]
            expected += [mp.diff(lambda x, tau=tau: log_p(x, mp.mpf(tau)), mp.mpf(g), n) for n in (1, 2, 3)]
            expected.append(mp.diff(lambda t, g=g: log_p(mp.mpf(g), t), mp.mpf(tau)))
            np.testing.assert_allclose(truth(g, tau), [float(value) for value in expected], rtol=1e-12)


@pytest.mark.parametrize("tau", THRESHOLDS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_terms(tau: float, side: float) -> None:
    g = side * np.array(MARGINS)
    got = Probit(tau).log_prob(g, np.ones(len(g), dtype=bool))
    value, d1, d2, d3, _ = np.array([truth(x, tau) for x in g]).T
    # The ends are 2 tau apart, so that nothing can be known better than eps / tau; powers of d1 cancel in d2 and d3.
    eps = 4e-15 / min(tau, 1.0)
    size = 1.0 + np.abs(d1)
    np.testing.assert_allclose(got.value, value, rtol=1e-13, atol=2e-14 + eps)
    np.testing.assert_allclose(got.d1, d1, rtol=eps + 1e-13, atol=1e-25)
    assert (np.abs(got.d2 - d2) <= eps * size**2).all()
    assert (np.abs(got.d3 - d3) <= eps * size**3).all()


@pytest.mark.parametrize("tau", THRESHOLDS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_derivative_in_the_threshold(tau: float, side: float) -> None:
    g = side * np.array(MARGINS)
    got = Probit(tau).log_prob_by_threshold(g, np.ones(len(g), dtype=bool)).value
    np.testing.assert_allclose(got, [truth(x, tau)[4] for x in g], rtol=2e-12 + 1e-14 / tau)


@pytest.mark.parametrize("tau", THRESHOLDS)
def test_expected_tie_of_a_known_margin(tau: float) -> None:
    """The compiled formulas, a second implementation, at variance 0."""
    g = np.concatenate([MARGINS, -np.array(MARGINS)])
    got = Probit(tau).log_marginal(g, np.zeros(len(g)), np.ones(len(g), dtype=bool))
    value, d1, d2, *_ = np.array([truth(x, tau) for x in g]).T
    eps = 4e-15 / min(tau, 1.0)
    np.testing.assert_allclose(got.value, value, rtol=1e-13, atol=2e-14 + eps)
    np.testing.assert_allclose(got.d1, d1, rtol=eps + 1e-12, atol=1e-25)
    assert (np.abs(got.d2 - d2) <= eps * (1.0 + np.abs(d1)) ** 2).all()
