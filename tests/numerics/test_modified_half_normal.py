"""Draws of a scale against its density, integrated numerically."""

import math

import numpy as np
import pytest

from anchorpbo.numerics.jit import jit
from anchorpbo.numerics.variates import draw_modified_half_normal

CASES = [
    (1, 1.0, 0.0),
    (1, 1.0, 3.0),
    (1, 1.0, -3.0),
    (1, 1.0, 0.28),
    (1, 1.0, 0.3),
    (2, 0.3, 40.0),
    (2, 1e-6, 5.0),
    (5, 2.0, -20.0),
    (3, 1.0, -1e4),
    (40, 1.0, -5.0),
    (40, 1e6, 1e-3),
    (20, 7.0, 0.0),
    (150, 140.0, 10.0),
    (150, 900.0, -600.0),
    (150, 1e-3, 1e3),
]


@jit
def draws(rng, k, A, B):
    """One for each entry of A, (n,)."""
    out = np.empty(len(A))
    for i in range(len(A)):
        out[i] = draw_modified_half_normal(rng, k, A[i], B)
    return out


def distribution(k, A, B):
    """Its distribution function on a grid of c, written out."""
    mode = (-B + math.sqrt(B * B + 4 * A * k)) / (2 * A)
    std = 1 / math.sqrt(2 * A * mode**2 + B * mode)  # of log c, about
    grid = mode * np.exp(np.linspace(-20 * std, 8 * std, 40_001))
    log_density = k * np.log(grid) - A * grid**2 / 2 - B * grid  # of log c
    mass = np.cumsum(np.exp(log_density - log_density.max()))
    return grid, mass / mass[-1]


@pytest.mark.parametrize(("k", "A", "B"), CASES)
def test_scales_have_the_exact_distribution(k, A, B):
    c = np.sort(draws(np.random.default_rng(0), k, np.full(20_000, A), B))
    below, n = np.interp(c, *distribution(k, A, B)), len(c)
    gap = max(np.max(np.arange(1, n + 1) / n - below), np.max(below - np.arange(n) / n))
    assert gap < 1.95 / math.sqrt(n)  # exceeded with probability 0.001


def test_a_stretched_gaussian_keeps_its_distribution():
    """From z ~ N(0, Q^-1) in a cone, c z is from there again: here, whether |z| keeps its mean in the positive cone."""
    rng = np.random.default_rng(1)
    covariance = np.array([[1.0, 0.6, 0.2], [0.6, 2.0, 0.9], [0.2, 0.9, 1.5]])
    Q = np.linalg.inv(covariance)
    z = rng.multivariate_normal(np.zeros(3), covariance, size=100_000)
    z = z[(z > 0).all(axis=1)]
    A = np.einsum("ni,ij,nj->n", z, Q, z)
    stretched = z * draws(rng, 3, A, 0.0)[:, None]
    error = np.sqrt(2 * z.var(axis=0) / len(z))
    assert np.all(np.abs(stretched.mean(axis=0) - z.mean(axis=0)) < 4 * error)


def test_a_nan_comes_back():
    rng = np.random.default_rng(0)
    assert math.isnan(draw_modified_half_normal(rng, 3, math.nan, 0.0))
    assert math.isnan(draw_modified_half_normal(rng, 3, 1.0, math.nan))


@pytest.mark.parametrize(("k", "A", "B"), CASES)
def test_a_third_of_the_proposals_are_kept(k, A, B):
    rng, n = np.random.default_rng(2), 50_000
    mode = (-B + math.sqrt(B * B + 4 * A * k)) / (2 * A)
    if B * mode > k / 4:
        c = mode * rng.gamma(k, size=n) / k
        kept = np.exp(-A * (c - mode) ** 2 / 2)
    else:
        r = rng.normal(((k - 1) / mode - B) / A, A**-0.5, size=n) / mode
        kept = np.where(r > 0, (np.maximum(r, 0) * np.exp(1 - r)) ** (k - 1), 0)
    assert kept.mean() > 1 / 3
