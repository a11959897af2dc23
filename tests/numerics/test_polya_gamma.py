"""Polya-Gamma draws against the closed forms of their moments and Laplace transform."""

import math

import mpmath as mp
import numpy as np
import pytest

from anchorpbo.numerics.jit import jit
from anchorpbo.numerics.variates import CUT, _series_keeps, draw_polya_gamma
from anchorpbo.typing import Array

N = 300_000
TILTS = [0.0, 0.5, 2.0, 3.1, 3.2, 10.0, 50.0, 59.0, 61.0, 1000.0]  # the method changes at 3.125 and at 60


@jit
def draw_polya_gamma_vector(rng: np.random.Generator, z: Array, out: Array) -> None:
    for k in range(z.size):
        out[k] = draw_polya_gamma(rng, z[k])


def draws(z: float, n: int = N, seed: int = 17) -> Array:
    out = np.empty(n)
    draw_polya_gamma_vector(np.random.default_rng(seed), np.full(n, z), out)
    return out


def mean_of(z: float) -> float:
    return 0.25 if z == 0.0 else math.tanh(z / 2.0) / (2.0 * z)


def variance_of(z: float) -> float:
    """(sinh z - z) / (4 z^3 cosh(z / 2)^2), and 1/24 at 0."""
    with mp.workdps(50):
        return 1.0 / 24.0 if z == 0.0 else float((mp.sinh(z) - z) / (4 * mp.mpf(z) ** 3 * mp.cosh(mp.mpf(z) / 2) ** 2))


def laplace(z: float, s: float, shift: float) -> float:
    """E exp(-s (w - shift)); a negative s looks at the right tail."""
    with mp.workdps(50):
        transform = mp.cosh(mp.mpf(z) / 2) / mp.cosh(mp.sqrt((mp.mpf(z) ** 2 / 2 + s) / 2))
        return float(mp.re(mp.exp(mp.mpf(s) * shift) * transform))


@pytest.mark.parametrize("z", TILTS)
def test_draws_have_the_exact_mean_and_variance(z: float) -> None:
    w = draws(z)
    mean, variance = mean_of(z), variance_of(z)
    squares = (w - mean) ** 2
    assert abs(w.mean() - mean) < 4.0 * math.sqrt(variance / N)
    assert abs(squares.mean() - variance) < 4.0 * squares.std() / math.sqrt(N)


@pytest.mark.parametrize("z", TILTS)
@pytest.mark.parametrize("scale", [-0.4, 0.3, 1.0, 2.0])
def test_draws_have_the_exact_laplace_transform(z: float, scale: float) -> None:
    # s counts standard deviations around the mean: for large z, w is so nearly constant that nothing else would show.
    s, shift = scale / math.sqrt(variance_of(z)), mean_of(z)
    values = np.exp(-s * (draws(z) - shift))
    assert abs(values.mean() - laplace(z, s, shift)) < 4.0 * values.std() / math.sqrt(N)


@pytest.mark.parametrize("z", [0.0, 0.5, 2.0, 10.0])
@pytest.mark.parametrize("s", [20.0, 100.0])
def test_draws_have_the_exact_left_tail(z: float, s: float) -> None:
    values = np.exp(-s * draws(z))
    assert abs(values.mean() - laplace(z, s, 0.0)) < 4.0 * values.std() / math.sqrt(N)


@jit
def kept(rng: np.random.Generator, x: float, n: int) -> int:
    count = 0
    for _ in range(n):
        count += _series_keeps(rng, x)
    return count


@pytest.mark.parametrize("x", [0.3, 0.5, CUT, 0.66, 0.9])
def test_the_series_keeps_a_proposal_as_often_as_it_should(x: float) -> None:
    # Nearly all are kept, so that draws hardly show it. The density has two series: each is checked by the other.
    with mp.workdps(30):
        odd = [mp.mpf(2 * n + 1) / 2 for n in range(60)]
        left = [mp.pi * k * (2 / (mp.pi * x)) ** mp.mpf(1.5) * mp.exp(-2 * k**2 / x) for k in odd]
        right = [mp.pi * k * mp.exp(-(k**2) * mp.pi**2 * x / 2) for k in odd]
        first, other = (left, right) if x <= CUT else (right, left)
        chance = float(sum((-1) ** n * term for n, term in enumerate(other)) / first[0])
    lost = N - kept(np.random.default_rng(5), x, N)
    assert abs(lost - N * (1.0 - chance)) < 4.0 * math.sqrt(N * chance * (1.0 - chance)) + 0.5


@jit
def landed(rng: np.random.Generator, low: float, high: float, n: int) -> int:
    count = 0
    for _ in range(n):
        count += low < draw_polya_gamma(rng, 0.0) <= high
    return count


def test_draws_leave_out_what_the_series_rejects() -> None:
    # One proposal in 1,250 is rejected, most of them near the cut: only very many draws there can tell.
    def above(w: float) -> float:
        k = np.arange(40) + 0.5
        return float(np.sum((-1.0) ** np.arange(40) * 2.0 / (np.pi * k) * np.exp(-2.0 * (k * np.pi) ** 2 * w)))

    low, high, n = 0.25 * CUT - 0.02, 0.25 * CUT + 0.03, 10_000_000
    chance = above(low) - above(high)
    count = landed(np.random.default_rng(12), low, high, n)
    assert abs(count - n * chance) < 3.0 * math.sqrt(n * chance * (1.0 - chance))


@pytest.mark.parametrize("z", [1e6, 1e8, 1e12])
def test_a_large_tilt_keeps_the_spread_of_the_inverse_gaussian(z: float) -> None:
    # For large z, w has mean 1 / (2 z) and standard deviation 1 / sqrt(2 z^3), a fraction sqrt(2 / z) of it.
    ratio = draws(z, 100_000) * 2.0 * z
    assert ratio.mean() == pytest.approx(1.0, abs=4.0 * math.sqrt(2.0 / z / 100_000))
    assert ratio.std() == pytest.approx(math.sqrt(2.0 / z), rel=0.02)


@pytest.mark.parametrize("z", [0.0, 5e-324, 1e-12, 3.125, 1e6, 1e30, 1e155, 1e300, 1.7e308, math.inf])
def test_draws_and_their_reciprocals_are_positive_and_finite(z: float) -> None:
    w = draws(z, 5_000)
    assert np.all(w > 0.0)
    assert np.all(np.isfinite(w) & np.isfinite(1.0 / w))


@pytest.mark.parametrize("z", [0.3, 4.0, 200.0])
def test_the_sign_of_the_tilt_does_not_matter(z: float) -> None:
    assert np.array_equal(draws(z, 1_000), draws(-z, 1_000))


def test_a_missing_tilt_gives_nan() -> None:
    assert math.isnan(draw_polya_gamma(np.random.default_rng(0), math.nan))


def test_a_vector_is_filled_in_order_with_scalar_draws() -> None:
    z, out = np.linspace(-5.0, 70.0, 40), np.empty(40)
    draw_polya_gamma_vector(np.random.default_rng(6), z, out)
    rng = np.random.default_rng(6)
    assert out.tolist() == [draw_polya_gamma(rng, tilt) for tilt in z]
