from dataclasses import asdict

import numpy as np
import polars as pl
import pytest
from claim_rows import check_rows, row_of, verdicts
from scipy import integrate, stats

from anchorpbo.reliability import NoiseMap
from anchorpbo.research.experiments.concentration import (
    CALIBRATION_ANCHORS,
    DELTAS,
    BoundConstants,
    ConcentrationExperiment,
    ConcentrationTask,
    calibrate,
    compute_proportion_interval,
    estimate_density,
)
from anchorpbo.research.experiments.experiment import ExperimentSize
from anchorpbo.research.figures import theory_figures


@pytest.fixture(scope="module")
def records():
    frames = []
    for task in ConcentrationExperiment().make_tasks(ExperimentSize(quick=True)):
        settings = asdict(task) | {"kind": task.kind, "key": task.key}
        frames.append(pl.DataFrame(dict(task.run())).with_columns(**{k: pl.lit(v) for k, v in settings.items()}))
    return pl.concat(frames, how="diagonal")


def kernel(r):
    return np.exp(-np.pi * r**2)


@pytest.mark.parametrize("d", [1, 2])
def test_constants_are_those_of_quad(d):
    setting = BoundConstants(100, d)
    surface = {1: 2.0, 2: 2.0 * np.pi}[d]

    def over_space(g):
        return integrate.quad(lambda r: surface * r ** (d - 1) * g(r), 0.0, np.inf)[0]

    assert kernel(0.0) == 1.0
    assert over_space(kernel) == pytest.approx(1.0)
    q_max = stats.multivariate_normal(np.zeros(d)).pdf(np.zeros(d))
    assert setting.c1 == pytest.approx(q_max * over_space(lambda r: kernel(r) ** 2))
    # The Hessian of q is q (x x' - I): its largest norm is q_max, at 0.
    r = np.linspace(0.0, 6.0, 2001)
    q = q_max * np.exp(-(r**2) / 2)
    largest = np.maximum(np.abs(q * (r**2 - 1)), q if d > 1 else 0.0).max()
    assert setting.c2 == pytest.approx(largest * over_space(lambda r: r**2 * kernel(r)))


def test_the_expected_estimate_is_a_convolution():
    setting = BoundConstants(50, 1)
    for x in (0.0, 0.7, 2.0):
        expected, _ = integrate.quad(
            lambda u, x=x: kernel((x - u) / setting.h) / setting.h * stats.norm.pdf(u), -12, 12, points=[x]
        )
        assert setting.smoothed_density(np.array(x**2)) == pytest.approx(expected)


@pytest.mark.parametrize("d", [1, 2])
def test_the_bias_is_within_its_bound(d):
    for n in (20, 2000):
        setting = BoundConstants(n, d)
        squared = np.linspace(0.0, 5.0, 101) ** 2
        assert np.abs(setting.smoothed_density(squared) - setting.density(squared)).max() <= setting.bias


@pytest.mark.parametrize("d", [1, 2])
def test_the_estimate_on_a_grid_is_the_librarys(d):
    anchors, axis = np.random.default_rng(0).normal(size=(6, d)), np.linspace(-1.0, 1.0, 5)
    grid = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    expected = NoiseMap.from_anchors(anchors, 0.8, profile="unit-gaussian").reliability(grid)
    np.testing.assert_allclose(estimate_density(anchors, 0.8, axis).ravel(), expected)


@pytest.mark.parametrize(("k", "n"), [(0, 20), (3, 20), (20, 20), (950, 1000)])
def test_intervals_of_proportions_are_scipys(k, n):
    expected = stats.binomtest(k, n).proportion_ci(0.95, "exact")
    assert compute_proportion_interval(k, n) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_coverage_of_a_bound_known_in_closed_form_is_nominal():
    """A normal mean against its own quantile: the interval of the coverage has 1 - delta in it."""
    draws = np.random.default_rng(1).normal(size=4000)
    held = int((np.abs(draws) <= stats.norm.ppf(0.95)).sum())
    low, high = compute_proportion_interval(held, draws.size)
    assert low < 0.9 < high


def test_an_exponential_tail_is_recovered():
    draws = np.random.default_rng(2).exponential(1 / 3.0, 20_000)
    c3, c4 = calibrate(draws)
    assert c4 == pytest.approx(3.0, rel=0.05)
    assert c3 == pytest.approx(1.0, rel=0.1)
    assert (draws > np.log(c3 / 0.1) / c4).mean() <= 0.1 + 1e-3


def test_errors_are_those_of_plain_loops():
    task = ConcentrationTask(1, 20, 5, draws=2)
    rng, setting = np.random.default_rng([5, 20, 1, 2]), BoundConstants(20, 1)
    rows = pl.DataFrame(dict(task.run()))
    for row in rows.iter_rows(named=True):
        anchors = rng.normal(size=(20, 1))[:, 0]
        for place in (0, 1, 2):
            found = sum(kernel((place - a) / setting.h) / setting.h for a in anchors) / 20
            expected = abs(np.exp(-found) - np.exp(-stats.norm.pdf(place)))
            assert row[f"error_{place}"] == pytest.approx(expected)
            assert row["largest_error"] >= expected - 1e-12


def test_the_task_repeats_itself_and_seeds_differ():
    first, again, other = (ConcentrationTask(2, 20, seed, draws=3).run() for seed in (0, 0, 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["error_0"], other["error_0"])


def test_coverage_counts_draws(records):
    summary = ConcentrationExperiment().summarise(records)
    cell = summary.filter(
        pl.col("bound") == "pointwise",
        pl.col("d") == 1,
        pl.col("n") == 50,
        pl.col("delta") == 0.1,
        pl.col("place") == 1.0,
    ).row(0, named=True)
    setting = BoundConstants(50, 1)
    limit = np.sqrt(4 * setting.c1 * np.log(20) / (50 * setting.h)) + setting.c2 * setting.h**2
    errors = records.filter(pl.col("d") == 1, pl.col("n") == 50)["error_1"].to_numpy()
    assert cell["limit"] == pytest.approx(limit)
    assert cell["coverage"] == (errors <= limit).mean()
    assert cell["draws"] == errors.size == 200
    assert cell["valid"] == (np.sqrt(4 * setting.c1 * np.log(20) / (50 * setting.h)) <= 3 * setting.c1)


def test_constants_hold_on_the_draws_they_were_fitted_to(records):
    own = (
        ConcentrationExperiment()
        .summarise(records)
        .filter(
            pl.col("bound") == "stochastic part",
            pl.col("fitted_on") == CALIBRATION_ANCHORS,
            pl.col("n") == CALIBRATION_ANCHORS,
        )
    )
    assert own.height == 2 * len(DELTAS)
    assert all(row["coverage"] >= 1 - row["delta"] - 0.01 for row in own.iter_rows(named=True))


POINTWISE = "The pointwise bound holds with probability at least 1 - delta"
UNIFORM = "The uniform bound holds with probability at least 1 - delta, with c3 and c4 of another n"
PART = "The stochastic part of the uniform bound does so alone, with c3 and c4 of another n"
PRINTED = "As printed, a bound holds with probability at most 1 - delta"


def test_claims_have_a_row_a_setting(records):
    claims = ConcentrationExperiment().judge_claims(records)
    check_rows("concentration", claims)
    fits = ["constants of n = 100", "constants of n = 200"]
    assert [(claim.text.partition(":")[0], claim.setting) for claim in claims] == [
        (POINTWISE, ""),
        *((UNIFORM, fit) for fit in fits),
        *((PART, fit) for fit in fits),
        (PRINTED, "pointwise bound"),
        *((PRINTED, f"uniform bound, {fit}") for fit in fits),
    ]
    assert {claim.text.partition(":")[0] for claim in claims if claim.reading == "ours"} == {PART}
    found = verdicts(claims)
    assert (found[POINTWISE], found[UNIFORM], found[PRINTED]) == ("agrees", "agrees", "differs")


def test_a_row_counts_cells_on_the_wrong_side_and_shows_the_worst(records):
    """All but one error of d = 1, n = 50 above the bound: 12 cells of 4 deltas and 3 places."""
    wrong = (pl.col("d") == 1) & (pl.col("n") == 50) & (pl.int_range(pl.len()) > 0)
    spoilt = records.with_columns(
        pl.when(wrong).then(9.0).otherwise(f"error_{p}").alias(f"error_{p}") for p in (0, 1, 2)
    )
    claim = row_of(ConcentrationExperiment().judge_claims(spoilt), POINTWISE)
    own = ConcentrationExperiment().summarise(records).filter(pl.col("bound") == "pointwise", "valid")
    cells = own.filter(pl.col("d") == 1, pl.col("n") == 50).height
    assert claim.verdict == "differs"
    assert claim.found == f"{cells} of {own.height} cells, 0.0000 at d = 1, n = 50, delta = 0.05"
    assert claim.interval.startswith("0.0000 to 0.0")


def test_without_a_cell_to_look_at_a_claim_is_open(records):
    few = records.filter(pl.col("n") == CALIBRATION_ANCHORS)  # the calibration draws alone, which are left out
    claims = ConcentrationExperiment().judge_claims(few)
    check_rows("concentration", claims)
    assert verdicts(claims)[UNIFORM] == "open"


def test_the_figure(records):
    assert len(theory_figures.plot_concentration(ConcentrationExperiment().summarise(records)).axes) == 6


def test_sizes():
    tasks = ConcentrationExperiment().make_tasks(ExperimentSize())
    assert len({task.key for task in tasks}) == len(tasks) == 20 * 2 * 7
