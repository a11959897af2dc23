"""Every formula against an independent way to its number."""

import mpmath
import numpy as np
import pytest
from scipy import integrate

from anchorpbo.acquisition import ANPEI, EI, EUBO, RAEUBO, RAHBO, UCB, lambert_constant
from anchorpbo.errors import InputError
from anchorpbo.numerics.normal import cdf, density


@pytest.mark.parametrize(("mean", "std"), [(0.3, 0.7), (-1.0, 0.4), (2.0, 0.1), (0.5, 1.0), (-3.0, 0.5)])
def test_expected_improvement_is_the_integral_of_the_improvement(mean, std):
    incumbent = 0.5

    def integrand(f):
        return (f - incumbent) * np.exp(-0.5 * ((f - mean) / std) ** 2) / (std * np.sqrt(2.0 * np.pi))

    top = max(mean, incumbent) + 12.0 * std
    truth, _ = integrate.quad(integrand, incumbent, top, epsabs=1e-16, epsrel=1e-11, limit=200)
    ours = EI().partials(np.array([mean]), np.array([std]), np.ones(1), incumbent).value[0]
    assert ours == pytest.approx(truth, rel=1e-8)


def exact_log_improvement(z, std):
    with mpmath.workdps(60):
        # At z = -1e6 the last sum cancels to 1e-12 of its terms, which 60 digits can afford.
        z = mpmath.mpf(z)
        mills = mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(-z / mpmath.sqrt(2)) * mpmath.exp(z * z / 2)
        log_phi = -z * z / 2 - mpmath.log(2 * mpmath.pi) / 2
        return float(mpmath.log(std) + log_phi + mpmath.log(1 + z * mills))


@pytest.mark.parametrize("std", [1e-6, 0.3, 20.0])
@pytest.mark.parametrize("z", [-1e6, -1e5, -1234.5, -100.0, -37.0, -8.0, -4.001, -3.999, -1.0, 0.0, 0.9, 3.0, 10.0])
def test_log_improvement_is_accurate_far_into_the_tail(z, std):
    mean = np.array([z * std])
    ours = EI(log=True).partials(mean, np.array([std]), np.ones(1), 0.0).value[0]
    assert ours == pytest.approx(exact_log_improvement(mean[0] / std, std), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("z", [-1e12, -1e40])
def test_log_improvement_stays_finite_beyond(z):
    partials = EI(log=True).partials(np.array([z]), np.ones(1), np.ones(1), 0.0)
    assert partials.value[0] == pytest.approx(-0.5 * z * z)
    assert partials.by_mean[0] == pytest.approx(-z)
    assert partials.by_std[0] == pytest.approx(z * z)


def test_log_improvement_is_the_logarithm_of_the_improvement():
    rng = np.random.default_rng(3)
    mean, std = rng.normal(0.0, 1.0, 500), rng.uniform(0.1, 2.0, 500)
    plain = EI().partials(mean, std, np.ones(500), 0.2)
    log = EI(log=True).partials(mean, std, np.ones(500), 0.2)
    np.testing.assert_allclose(log.value, np.log(plain.value), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(log.by_mean, plain.by_mean / plain.value, rtol=1e-11)
    np.testing.assert_allclose(log.by_std, plain.by_std / plain.value, rtol=1e-11)


def test_improvement_keeps_its_digits_in_the_tail():
    with mpmath.workdps(60):
        z = mpmath.mpf(-12)
        truth = float(z * mpmath.ncdf(z) + mpmath.npdf(z))
    assert EI().partials(np.array([-12.0]), np.ones(1), np.ones(1), 0.0).value[0] == pytest.approx(truth, rel=1e-13)


def test_penalties_and_bounds_are_what_the_paper_writes():
    mean, std, noise = np.array([0.4, -0.2]), np.array([0.5, 1.5]), np.array([0.36, 0.81])
    z = (mean - 0.1) / std
    improvement = std * (z * cdf(z) + density(z))
    by_std = ANPEI(10.0).partials(mean, std, noise, 0.1).value
    by_variance = ANPEI(10.0, penalty="variance").partials(mean, std, noise, 0.1).value
    np.testing.assert_allclose(EI().partials(mean, std, noise, 0.1).value, improvement)
    np.testing.assert_allclose(by_std, improvement - 10.0 * np.sqrt(noise))
    np.testing.assert_allclose(by_variance, improvement - 10.0 * noise)
    np.testing.assert_allclose(UCB(2.0).partials(mean, std, noise, 0.1).value, mean + 2.0 * std)
    np.testing.assert_allclose(RAHBO(2.0, 5.0).partials(mean, std, noise, 0.1).value, mean + 2.0 * std - 5.0 * noise)


@pytest.mark.parametrize("acquisition", [EUBO(), RAEUBO(2.0)], ids=repr)
@pytest.mark.parametrize("correlation", [-0.8, 0.0, 0.95])
def test_best_option_is_the_expected_maximum_of_two_utilities(acquisition, correlation):
    rng = np.random.default_rng(5)
    means, stds, noises = np.array([0.3, 0.6]), np.array([0.8, 0.5]), np.array([0.2, 0.4])
    z = rng.standard_normal((2, 1_000_000))
    first = means[0] + stds[0] * z[0]
    second = means[1] + stds[1] * (correlation * z[0] + np.sqrt(1.0 - correlation**2) * z[1])
    alpha = getattr(acquisition, "risk_aversion", 0.0)
    draws = np.maximum(first - alpha * noises[0], second - alpha * noises[1])
    std = np.sqrt(stds[0] ** 2 + stds[1] ** 2 - 2.0 * correlation * stds[0] * stds[1])
    ours = acquisition.partials(means[0], means[1], std, noises[0], noises[1]).value
    assert abs(ours - draws.mean()) < 4.0 * draws.std() / 1000.0


def test_best_option_is_the_formula_of_the_paper():
    rng = np.random.default_rng(6)
    m1, m2, s, n1, n2 = (*rng.normal(size=(2, 300)), *rng.uniform(0.1, 2.0, (3, 300)))
    a, b = m1 - 1.5 * n1, m2 - 1.5 * n2
    z = (a - b) / s
    truth = a * cdf(z) + b * cdf(-z) + s * density(z)
    np.testing.assert_allclose(RAEUBO(1.5).partials(m1, m2, s, n1, n2).value, truth, rtol=1e-12, atol=1e-14)


def test_the_constant_of_eubo_is_lamberts():
    assert lambert_constant() == pytest.approx(0.2784645, abs=5e-8)
    for options in (2, 3, 10):
        C = lambert_constant(options)
        assert C * np.exp(C) == pytest.approx((options - 1) / np.e)


def test_a_choice_needs_two_options():
    with pytest.raises(InputError, match="options must be at least 2; received 1; use 2 for a duel"):
        lambert_constant(1)
