"""Effective sample sizes against the closed form of autoregressive chains."""

import numpy as np
import pytest
from scipy.signal import lfilter

from anchorpbo.inference.chain import effective_sample_size
from anchorpbo.typing import Array


def autoregression(phi: float, n: int, columns: int, seed: int = 0) -> Array:
    """x_i = phi x_(i-1) + noise, whose autocorrelation is phi^k and n_eff / n is (1 - phi) / (1 + phi)."""
    noise = np.random.default_rng(seed).normal(size=(n + 1_000, columns))
    return np.asarray(lfilter([1.0], [1.0, -phi], noise, axis=0))[1_000:]


@pytest.mark.parametrize("phi", [-0.5, -0.2, 0.3, 0.6, 0.9, 0.95])
def test_an_autoregression_is_worth_what_the_closed_form_says(phi: float) -> None:
    n = 20_000
    sizes = effective_sample_size(autoregression(phi, n, 20))
    truth = n * (1.0 - phi) / (1.0 + phi)
    assert np.mean(sizes) == pytest.approx(truth, rel=0.05)
    assert np.all(np.abs(sizes / truth - 1.0) < 0.5)


def test_independent_draws_are_worth_their_number() -> None:
    sizes = effective_sample_size(np.random.default_rng(1).normal(size=(5_000, 20)))
    assert np.mean(sizes) == pytest.approx(5_000, rel=0.05)


def test_an_estimate_is_the_initial_monotone_sequence_written_out() -> None:
    x = autoregression(0.7, 101, 1)[:, 0]
    y = x - x.mean()
    rho = [float(y[: y.size - k] @ y[k:]) / float(y @ y) for k in range(y.size)]
    total, last = 0.0, np.inf
    for k in range(0, 100, 2):
        if rho[k] + rho[k + 1] <= 0.0:
            break
        last = min(last, rho[k] + rho[k + 1])
        total += last
    assert float(effective_sample_size(x)) == pytest.approx(101 / (2.0 * total - 1.0), rel=1e-10)


def test_columns_are_judged_apart_and_a_vector_alone() -> None:
    trace = autoregression(0.8, 500, 3)
    sizes = effective_sample_size(trace)
    assert sizes.shape == (3,)
    for column, size in zip(trace.T, sizes, strict=True):
        alone = effective_sample_size(column)
        assert alone.shape == ()
        assert float(alone) == pytest.approx(size, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1e300])
def test_neither_scale_nor_shift_matters(scale: float) -> None:
    trace = autoregression(0.8, 500, 2)
    assert effective_sample_size(scale * trace) == pytest.approx(effective_sample_size(trace), rel=1e-9)
    assert effective_sample_size(trace + 1e5) == pytest.approx(effective_sample_size(trace), rel=1e-6)


def test_a_constant_trace_is_worth_its_length() -> None:
    trace = np.column_stack([np.full(50, 0.1), autoregression(0.9, 50, 1)[:, 0]])
    sizes = effective_sample_size(trace)
    assert sizes[0] == 50.0
    assert sizes[1] < 50.0
    assert float(effective_sample_size(np.full(50, 0.1))) == 50.0


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_short_trace_is_worth_its_length(n: int) -> None:
    assert float(effective_sample_size(np.arange(float(n)))) == n
    assert effective_sample_size(np.ones((n, 2)) * np.arange(2)).tolist() == [n, n]


def test_an_alternating_trace_is_bounded() -> None:
    assert float(effective_sample_size(np.array([1.0, -1.0] * 50))) == pytest.approx(200.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_broken_column_gives_nan_and_spares_the_others(bad: float) -> None:
    trace = autoregression(0.5, 100, 2)
    clean = effective_sample_size(trace)
    trace[7, 0] = bad
    sizes = effective_sample_size(trace)
    assert np.isnan(sizes[0])
    assert sizes[1] == clean[1]
