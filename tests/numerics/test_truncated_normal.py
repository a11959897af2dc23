"""Truncated normal draws against closed forms in high precision."""

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
from scipy.special import log_ndtr

from anchorpbo.numerics.jit import jit
from anchorpbo.numerics.variates import TAIL, draw_above, draw_between
from anchorpbo.typing import Array


@jit
def draws_above(rng: np.random.Generator, a: float, n: int) -> Array:
    out = np.empty(n)
    for i in range(n):
        out[i] = draw_above(rng, a)
    return out


@jit
def draws_between(rng: np.random.Generator, a: float, b: float, n: int) -> Array:
    out = np.empty(n)
    for i in range(n):
        out[i] = draw_between(rng, a, b)
    return out


N = 200_000
BOUNDS = [-8.0, -4.0, -2.0, -1.0, -0.5, 0.0, 0.2, TAIL, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 40.0]
INTERVALS = [
    (-1.0, 1.0),
    (-0.3, 2.0),
    (-0.3, 3.0),
    (-5.0, 0.1),
    (-3.0, 8.0),
    (0.0, 1.0),
    (0.1, 0.3),
    (0.1, 4.0),
    (0.5, 1.0),
    (0.5, 3.0),
    (2.0, 2.3),
    (2.0, 3.0),
    (8.0, 8.05),
    (8.0, 9.0),
    (40.0, 40.01),
    (40.0, 41.0),
    (-3.0, -2.0),
    (-2.3, -2.0),
    (-41.0, -40.0),
    (-math.inf, -12.0),
    (-math.inf, 0.5),
    (1.5, math.inf),
]


def central_moments(a: float, b: float) -> tuple[float, float, float]:
    """Mean, variance and fourth central moment of N(0, 1) cut to (a, b).

    E x^k = (k - 1) E x^(k-2) + (a^(k-1) phi(a) - b^(k-1) phi(b)) / Z
    """
    if b <= 0.0:
        mean, variance, fourth = central_moments(-b, -a)
        return -mean, variance, fourth
    with mp.workdps(80):
        lower, upper = mp.mpf(a), mp.mpf(b)
        mass = (mp.erfc(lower / mp.sqrt(2)) - mp.erfc(upper / mp.sqrt(2))) / 2

        def edge(x: mp.mpf, k: int) -> mp.mpf:
            return mp.mpf(0) if mp.isinf(x) else x ** (k - 1) * mp.npdf(x)

        raw = [mp.mpf(1), (edge(lower, 1) - edge(upper, 1)) / mass]
        for k in (2, 3, 4):
            raw.append((k - 1) * raw[k - 2] + (edge(lower, k) - edge(upper, k)) / mass)
        m = raw[1]
        variance = raw[2] - m**2
        fourth = raw[4] - 4 * m * raw[3] + 6 * m**2 * raw[2] - 3 * m**4
        return float(m), float(variance), float(fourth)


def assert_moments(x: Array, a: float, b: float) -> None:
    mean, variance, fourth = central_moments(a, b)
    n = x.size
    assert abs(x.mean() - mean) < 4.0 * math.sqrt(variance / n)
    assert abs(np.mean((x - mean) ** 2) - variance) < 4.0 * math.sqrt((fourth - variance**2) / n)


def kolmogorov(x: Array, cdf: Callable[[Array], Array]) -> float:
    values = cdf(np.sort(x))
    steps = np.arange(x.size + 1) / x.size
    return float(max(np.max(steps[1:] - values), np.max(values - steps[:-1])))


def cut_cdf(a: float, b: float) -> Callable[[Array], Array]:
    """P(x <= t | a < x < b), from upper tails so that it keeps its digits far out on the right."""
    if b <= 0.0:
        mirrored = cut_cdf(-b, -a)
        return lambda t: 1.0 - mirrored(-t)
    return lambda t: np.expm1(log_ndtr(-t) - log_ndtr(-a)) / np.expm1(log_ndtr(-b) - log_ndtr(-a))


@pytest.mark.parametrize("a", BOUNDS)
def test_one_sided_draws_have_the_exact_distribution(a: float) -> None:
    x = draws_above(np.random.default_rng(11), a, N)
    assert x.min() >= a
    assert_moments(x, a, math.inf)
    assert kolmogorov(x, cut_cdf(a, math.inf)) < 1.95 / math.sqrt(N)  # exceeded with probability 0.001


@pytest.mark.parametrize(("a", "mean"), [(0.5, 1.14), (1.0, 1.53), (2.0, 2.37)])
def test_one_sided_means_are_those_that_a_rate_for_a_scale_gets_wrong(a: float, mean: float) -> None:
    assert draws_above(np.random.default_rng(3), a, N).mean() == pytest.approx(mean, abs=0.006)


@pytest.mark.parametrize(("a", "b"), INTERVALS)
def test_interval_draws_have_the_exact_distribution(a: float, b: float) -> None:
    x = draws_between(np.random.default_rng(5), a, b, N)
    assert a <= x.min()
    assert x.max() <= b
    assert_moments(x, a, b)
    assert kolmogorov(x, cut_cdf(a, b)) < 1.95 / math.sqrt(N)


@pytest.mark.parametrize("a", [-40.0, -1.0, 0.0, 3.0, 40.0])
def test_a_sliver_of_an_interval_is_drawn_uniformly(a: float) -> None:
    b = a + 1e-12
    x = draws_between(np.random.default_rng(7), a, b, 20_000)
    assert x.min() >= a
    assert x.max() <= b
    grain = np.spacing(abs(a)) / (b - a)  # floats near 40 are 7e-15 apart
    assert kolmogorov((x - a) / (b - a), lambda t: t) < 1.95 / math.sqrt(x.size) + grain


def test_the_bound_of_a_far_tail_is_left_by_its_reciprocal() -> None:
    x = draws_above(np.random.default_rng(1), 1e4, N)
    assert np.mean(x - 1e4) * 1e4 == pytest.approx(1.0, abs=4.0 / math.sqrt(N))


def test_no_draw_leaves_its_interval_at_any_scale() -> None:
    rng = np.random.default_rng(2)
    for _ in range(3_000):
        a, width = rng.normal() * 10.0 ** rng.uniform(-9, 9), 10.0 ** rng.uniform(-12, 12)
        b = a + width
        assert a <= draw_between(rng, a, b) <= b
        assert draw_above(rng, a) >= a


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (-1e308, 1e308),
        (1e200, 1.1e200),
        (-1.1e200, -1e200),
        (5.0, np.nextafter(5.0, 6.0)),
        (1e-320, 2e-320),
        (-1e-320, 0.0),
        (1e16, math.inf),
        (-math.inf, -1e300),
        (-math.inf, math.inf),
    ],
)
def test_extreme_intervals_end_and_hold(a: float, b: float) -> None:
    x = draws_between(np.random.default_rng(4), a, b, 1_000)
    assert np.all((a <= x) & (x <= b))


@pytest.mark.parametrize("a", [-math.inf, -3.0, 0.0, 7.5, math.inf])
def test_an_interval_of_one_point_gives_that_point(a: float) -> None:
    assert draw_between(np.random.default_rng(0), a, a) == a


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.0), (math.nan, 1.0), (0.0, math.nan)])
def test_an_empty_interval_gives_nan(a: float, b: float) -> None:
    assert math.isnan(draw_between(np.random.default_rng(0), a, b))


def test_one_sided_draws_end_at_infinite_and_missing_bounds() -> None:
    rng = np.random.default_rng(0)
    assert math.isfinite(draw_above(rng, -math.inf))
    assert draw_above(rng, math.inf) == math.inf
    assert math.isnan(draw_above(rng, math.nan))


def test_the_same_seed_gives_the_same_bits_by_any_road() -> None:
    rng, again, looped = (np.random.default_rng(9) for _ in range(3))
    assert np.array_equal(draws_above(rng, 0.7, 50), draws_above(again, 0.7, 50))
    assert np.array_equal(draws_between(rng, -0.2, 0.7, 50), draws_between(again, -0.2, 0.7, 50))
    one_by_one = [draw_above(looped, 0.7) for _ in range(50)] + [draw_between(looped, -0.2, 0.7) for _ in range(50)]
    rng = np.random.default_rng(9)
    assert one_by_one == [*draws_above(rng, 0.7, 50), *draws_between(rng, -0.2, 0.7, 50)]


def test_draws_are_callable_from_compiled_code() -> None:
    @jit
    def total(rng: np.random.Generator) -> float:
        return draw_above(rng, 1.0) + draw_between(rng, 2.0, 3.0)

    assert 3.0 < total(np.random.default_rng(0)) < math.inf
