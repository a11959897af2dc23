from dataclasses import asdict

import numpy as np
import polars as pl
import pytest
from claim_rows import check_rows, row_of, verdicts
from scipy import integrate, stats

from anchorpbo.research.experiments import consistency
from anchorpbo.research.experiments.consistency import (
    ESTIMATORS,
    AnchorCountTask,
    ConsistencyExperiment,
    DimensionTask,
    IntegratedError,
    compute_rate_bandwidth,
    normal_density,
    squared_errors,
)
from anchorpbo.research.experiments.experiment import ExperimentSize
from anchorpbo.research.figures import theory_figures


def rows_of(tasks):
    frames = []
    for task in tasks:
        settings = asdict(task) | {"kind": task.kind, "key": task.key}
        frames.append(pl.DataFrame(dict(task.run())).with_columns(**{k: pl.lit(v) for k, v in settings.items()}))
    return pl.concat(frames, how="diagonal")


@pytest.fixture(scope="module")
def records():
    return rows_of(ConsistencyExperiment().make_tasks(ExperimentSize(quick=True, seeds=2)))


def test_the_integrated_error_is_quads():
    anchors = np.array([[-3.0], [0.0], [1.0], [6.0]])
    error = IntegratedError(anchors, "gaussian-density", 0.5, 20.0)

    def integrand(x):
        estimate = stats.norm(anchors[:, 0], 1.3).pdf(x).mean()
        return (np.exp(-estimate) - np.exp(-stats.norm(0.5, np.sqrt(20.0)).pdf(x))) ** 2

    expected, _ = integrate.quad(integrand, -40.0, 40.0, limit=500, points=[-3.0, 0.0, 1.0, 6.0])
    assert error(1.3) == pytest.approx(expected, rel=1e-6)


def test_no_bandwidth_has_a_lesser_integrated_error():
    anchors = np.random.default_rng(0).normal(0.5, np.sqrt(20.0), (30, 1))
    error = IntegratedError(anchors, "gaussian-density", 0.5, 20.0)
    least = error.least()
    brute = min(error(float(h)) for h in np.geomspace(0.3, 15.0, 300))
    assert least == pytest.approx(brute, rel=1e-3)
    assert least <= brute * (1 + 1e-6)


def test_the_bandwidth_of_the_proposition():
    assert compute_rate_bandwidth(1, 1, 1.0) == pytest.approx((4 / 3) ** 0.2)
    assert compute_rate_bandwidth(1000, 1, 2.0) / compute_rate_bandwidth(10, 1, 2.0) == pytest.approx(100 ** (-1 / 5))
    assert compute_rate_bandwidth(1000, 3, 1.0) / compute_rate_bandwidth(10, 3, 1.0) == pytest.approx(100 ** (-1 / 7))


def test_the_mean_integrated_error_of_the_density_is_known_in_closed_form():
    """[Wand and Jones 1995, 2.5]: exact for a normal density; exp(-q) is q to first order where q is small."""
    variance, n, h = 2000.0, 40, 20.0

    def phi(v):
        return (2 * np.pi * v) ** -0.5

    expected = phi(2 * h**2) / n + (1 - 1 / n) * phi(2 * h**2 + 2 * variance)
    expected += phi(2 * variance) - 2 * phi(h**2 + 2 * variance)
    rng = np.random.default_rng(1)
    draws = [
        IntegratedError(rng.normal(0.0, np.sqrt(variance), (n, 1)), "gaussian-density", 0.0, variance)(h)
        for _ in range(400)
    ]
    assert abs(np.mean(draws) - expected) < 4 * stats.sem(draws) + 0.03 * expected


def test_leave_one_out_is_blind_to_a_factor_of_the_kernel():
    anchors = np.random.default_rng(2).normal(size=(25, 2))
    density, unit, narrow = (e.bandwidth(anchors, 1.0) for e in ESTIMATORS)
    assert density == pytest.approx(unit)
    assert 1.0 <= narrow <= 2.0


def test_columns_are_those_of_the_formulas():
    task = DimensionTask(3, 1.0, largest=2, anchors=10, samples=50)
    rng = np.random.default_rng([3, 10, 2, 50, 2])
    rows = pl.DataFrame(dict(task.run()))
    for d in (1, 2):
        anchors, X = rng.normal(0.0, 1.0, (10, d)), rng.normal(0.0, 1.0, (50, d))
        truth = normal_density(X, 0.0, 1.0)
        own = rows.filter(pl.col("d") == d, pl.col("estimator") == "density").row(0, named=True)
        mse = squared_errors(anchors, own["bandwidth"], "gaussian-density", X, truth).mean()
        assert own["mse"] == pytest.approx(mse)
        assert own["relative"] == pytest.approx(mse / ((1 - np.exp(-truth)) ** 2).mean())


def test_tasks_repeat_themselves_and_seeds_differ():
    for make in (
        lambda seed: AnchorCountTask(seed, largest=10, largest_by_rate=20),
        lambda seed: DimensionTask(seed, 0.05, largest=2),
    ):
        first, again, other = (make(seed).run() for seed in (0, 0, 1))
        assert first == again
        assert first["mse"] != other["mse"]


def test_ratios_are_at_least_one(records):
    ratios = records["ratio"].drop_nulls()
    assert ratios.len() > 0
    assert ratios.to_numpy().min() >= 1.0


def test_the_summary_has_every_panel(records):
    summary = ConsistencyExperiment().summarise(records)
    assert set(summary["panel"]) == {"anchors", "dimension", "slope"}
    own = summary.filter(pl.col("panel") == "anchors", pl.col("measure") == "mse", pl.col("estimator") == "density")
    picked = records.filter(pl.col("n") == 50, pl.col("estimator") == "density")["mse"].to_numpy()
    assert own.filter(pl.col("x") == 50)["mean"][0] == pytest.approx(picked.mean())


FALLS = "The MSE falls as the number of anchors grows"
RATE = "With the bandwidth of the proposition the MSE falls as n^-0.8 or faster"
GROWS = "The MSE grows with the dimension"
RELATIVE = "The MSE divided by that of a constant map grows with the dimension"
WIDENS = "The optimal bandwidth grows with the dimension"
STONE = "The integrated error at the leave-one-out bandwidth, over the least of any bandwidth, tends to 1"


def test_two_seeds_settle_nothing(records):
    claims = ConsistencyExperiment().judge_claims(records)
    assert verdicts(claims) == dict.fromkeys([FALLS, RATE, GROWS, RELATIVE, WIDENS, STONE], "open")


def test_claims_have_a_row_a_setting(records):
    claims = ConsistencyExperiment().judge_claims(records)
    check_rows("consistency", claims)
    assert len(claims) == 6 + 3 + 4 * 6
    assert row_of(claims, GROWS, "k(0) = 1, h in [1, 2], variance 0.05").where == "Figure S1"
    assert row_of(claims, RATE, "density, n >= 1000").where == "Proposition, MSE"
    assert {claim.text.partition(":")[0] for claim in claims if claim.reading == "ours"} == {RELATIVE}


def test_the_stone_ratio_is_told_at_the_most_anchors():
    claims = ConsistencyExperiment().judge_claims(made_up(-0.5, -0.8))
    stone = row_of(claims, STONE, "density, n >= 50")
    assert stone.where == "Proposition, leave-one-out"
    assert stone.found == "-0.500, ratio 1.01 at n = 20000"
    slope, _, bound = stone.interval.partition(" to ")
    assert float(slope) < -0.5 < float(bound)


def made_up(ratio, mse):
    """Records of twelve seeds in which every estimator has the same powers of n."""
    counts, rng = np.array(consistency.RATE_ANCHOR_COUNTS, float), np.random.default_rng(0)
    frames = []
    for seed in range(12):
        wobble = np.exp(0.01 * rng.normal(size=counts.size))
        for name in (*(e.name for e in ESTIMATORS), consistency.BY_RATE):
            columns = {"n": counts, "mse": counts**mse * wobble, "ratio": 1 + counts**ratio * wobble}
            if name == consistency.BY_RATE:
                del columns["ratio"]
            settings = {"estimator": name, "variance": 20.0, "seed": seed, "kind": AnchorCountTask.kind}
            frames.append(pl.DataFrame(columns).with_columns(**{k: pl.lit(v) for k, v in settings.items()}))
        d = np.array(consistency.DIMENSIONS)
        for e in ESTIMATORS:
            columns = {"d": d, "mse": 2.0**d * wobble[: d.size], "relative": 2.0**-d, "bandwidth": np.ones(d.size)}
            settings = {"estimator": e.name, "variance": 1.0, "seed": seed, "kind": DimensionTask.kind}
            frames.append(pl.DataFrame(columns).with_columns(**{k: pl.lit(v) for k, v in settings.items()}))
    return pl.concat(frames, how="diagonal")


def test_verdicts_follow_the_numbers():
    good = verdicts(ConsistencyExperiment().judge_claims(made_up(-0.5, -0.9)))
    expected = {FALLS: "agrees", RATE: "agrees", GROWS: "agrees", STONE: "agrees"}
    assert good == expected | {RELATIVE: "differs", WIDENS: "differs"}
    assert (
        verdicts(ConsistencyExperiment().judge_claims(made_up(-0.5, -0.8)))[RATE] == "open"
    )  # it cannot be told from the rate
    bad = verdicts(ConsistencyExperiment().judge_claims(made_up(0.2, -0.5)))
    assert (bad[FALLS], bad[RATE], bad[STONE]) == ("agrees", "differs", "differs")


def test_a_verdict_that_turns_on_the_range_of_the_fit_says_so():
    """Errors that level off: they fall if the first counts are fitted too, and not if they are left out."""
    level = pl.when(pl.col("n") < 50).then(1.0).otherwise(0.01)
    records = made_up(-0.5, -0.8).with_columns(
        mse=pl.when(pl.col("kind") == AnchorCountTask.kind).then(level).otherwise("mse")
    )
    claims = ConsistencyExperiment().judge_claims(records)
    assert verdicts(claims)[FALLS] == "depends"
    assert row_of(claims, FALLS, "density, n >= 10").verdict == "agrees"
    assert row_of(claims, FALLS, "density, n >= 50").verdict == "differs"


def test_the_figure(records):
    assert len(theory_figures.plot_consistency(ConsistencyExperiment().summarise(records)).axes) == 6


def test_sizes():
    tasks = ConsistencyExperiment().make_tasks(ExperimentSize())
    assert len({task.key for task in tasks}) == len(tasks) == 30 * 3
