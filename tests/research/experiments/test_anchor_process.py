from dataclasses import asdict

import numpy as np
import polars as pl
import pytest
from claim_rows import check_rows, row_of, verdicts
from scipy import stats

from anchorpbo.research.experiments.anchor_process import (
    POINT_PROCESSES,
    AnchorProcessExperiment,
    AnchorProcessTask,
    draw_anchors,
)
from anchorpbo.research.experiments.confidence_intervals import (
    bootstrap_ratio,
    fit_slope,
    judge_bootstrap_bound,
    summarise_over_seeds,
)
from anchorpbo.research.experiments.consistency import normal_density, squared_errors
from anchorpbo.research.experiments.experiment import ExperimentSize
from anchorpbo.research.figures import theory_figures


def rows_of(tasks):
    frames = [pl.DataFrame(dict(task.run())).with_columns(**asdict_literals(task)) for task in tasks]
    return pl.concat(frames, how="diagonal")


def asdict_literals(task):
    return {name: pl.lit(value) for name, value in (asdict(task) | {"kind": task.kind, "key": task.key}).items()}


def test_the_density_is_scipys():
    X = np.random.default_rng(0).normal(size=(5, 3))
    expected = stats.multivariate_normal(np.full(3, 0.5), 2.0 * np.eye(3)).pdf(X)
    np.testing.assert_allclose(normal_density(X, 0.5, 2.0), expected)


def test_squared_errors_are_those_of_plain_loops():
    rng = np.random.default_rng(1)
    anchors, X, h = rng.normal(size=(4, 2)), rng.normal(size=(3, 2)), 0.7
    truth = normal_density(X, 0.0, 1.0)
    for profile, constant in (("gaussian", 1.0), ("gaussian-density", (2 * np.pi) ** -1.0)):
        expected = []
        for x, q in zip(X, truth, strict=True):
            estimate = sum(constant * np.exp(-((x - a) @ (x - a)) / (2 * h**2)) / h**2 for a in anchors) / len(anchors)
            expected.append((np.exp(-estimate) - np.exp(-q)) ** 2)
        np.testing.assert_allclose(squared_errors(anchors, h, profile, X, truth), expected)


def test_a_hard_core_keeps_its_distance_while_there_is_room():
    anchors, forced = draw_anchors("hard core", 12, 0.1, 10_000, np.random.default_rng(2))
    gaps = np.abs(anchors[:, None] - anchors)[~np.eye(12, dtype=bool)]
    assert forced == 0
    assert gaps.min() >= 0.1


def test_a_full_line_ends_by_patience():
    anchors, forced = draw_anchors("hard core", 200, 1.0, 5, np.random.default_rng(3))
    assert np.isfinite(anchors).all()
    assert forced > 150


def test_clustered_anchors_have_near_neighbours():
    def nearest(process):
        anchors, _ = draw_anchors(process, 20, 0.1, 1000, np.random.default_rng(4))
        gaps = np.abs(anchors[:, None] - anchors) + 9.0 * np.eye(20)
        return np.median(gaps.min(axis=1))

    assert nearest("clustered") < nearest("iid") < nearest("hard core")


def test_without_a_radius_every_process_of_repulsion_is_iid():
    draws = [draw_anchors(name, 30, 0.0, 50, np.random.default_rng(5))[0] for name in ("iid", "hard core", "soft core")]
    np.testing.assert_array_equal(draws[0], draws[1])
    np.testing.assert_array_equal(draws[0], draws[2])


def test_intervals_over_seeds_are_students():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    table = summarise_over_seeds(pl.DataFrame({"n": [5] * 4, "mse": values}), ["n"], ["mse"]).row(0, named=True)
    low, high = stats.t(3, values.mean(), stats.sem(values)).interval(0.95)
    assert (table["mean"], table["std"], table["seeds"]) == (3.75, pytest.approx(values.std(ddof=1)), 4)
    assert (table["low"], table["high"]) == (pytest.approx(low), pytest.approx(high))


def test_the_slope_of_a_power_law_is_its_exponent():
    n = np.array([10, 20, 50, 100])
    rows = pl.concat([pl.DataFrame({"n": n, "y": c * n**-0.8 + 1.0, "seed": [s] * 4}) for s, c in enumerate((1, 2, 5))])
    fit = fit_slope(rows, "n", "y", above=1.0)
    assert fit["mean"] == pytest.approx(-0.8)
    assert fit["low"] == pytest.approx(fit["high"])


def test_the_slope_is_polyfits():
    rng = np.random.default_rng(6)
    values = np.exp(rng.normal(size=(5, 3)))
    rows = pl.DataFrame({"d": np.tile([1, 2, 4], 5), "y": values.ravel(), "seed": np.repeat(np.arange(5), 3)})
    expected = np.polyfit([1, 2, 4], np.log(values.mean(axis=0)), 1)[0]
    fit = fit_slope(rows, "d", "y", log_x=False)
    assert fit["mean"] == pytest.approx(expected)
    assert fit["low"] < expected < fit["high"]


def test_the_slope_of_two_seeds_has_no_interval():
    rows = pl.DataFrame({"n": [1, 2, 1, 2], "y": [1.0, 2.0, 1.0, 3.0], "seed": [0, 0, 1, 1]})
    assert np.isnan(fit_slope(rows, "n", "y")["high"])


def test_a_ratio_of_equals_is_one():
    values = np.array([1.0, 3.0, 2.0])
    assert bootstrap_ratio(values, values) == (1.0, 1.0, 1.0)


def test_a_verdict_needs_seeds_and_an_interval_below_the_limit():
    assert judge_bootstrap_bound(-2.0, -1.0, 0.0, 30) == "agrees"
    assert judge_bootstrap_bound(-2.0, -1.0, 0.0, 10) == "agrees"
    assert judge_bootstrap_bound(-2.0, -1.0, 0.0, 9) == judge_bootstrap_bound(1.0, 2.0, 0.0, 9) == "open"
    assert judge_bootstrap_bound(0.0, 0.0, 0.0, 30) == judge_bootstrap_bound(1.0, 2.0, 0.0, 30) == "differs"
    assert (
        judge_bootstrap_bound(-1.0, 1.0, 0.0, 30) == judge_bootstrap_bound(float("nan"), float("nan"), 0.0, 2) == "open"
    )


def test_what_is_told_to_be_less_than_the_least_that_counts_differs():
    assert judge_bootstrap_bound(-0.09, 0.5, 0.0, 30, 0.1) == "differs"
    assert judge_bootstrap_bound(-0.11, 0.5, 0.0, 30, 0.1) == "open"
    assert judge_bootstrap_bound(-0.09, -0.01, 0.0, 30, 0.1) == "agrees"


FALLS = "The error falls as the number of anchors grows, also when they are not independent"
ALIKE = "The error falls in a similar way as for independent anchors"
TWICE = "At the most anchors the error is less than twice that of independent ones"


def made_up(factor, power):
    """Records of twelve seeds: clustered anchors have an error that is ``factor`` and n^power as large."""
    n, rng = np.array([10.0, 100.0, 1000.0]), np.random.default_rng(0)
    frames = []
    for seed in range(12):
        iid = np.exp(0.01 * rng.normal(size=3)) / n
        for process, radius, mse in (("iid", 0.0, iid), ("clustered", 0.2, factor * iid * n**power)):
            settings = {"process": process, "radius": radius, "seed": seed, "kind": AnchorProcessTask.kind}
            columns = {"n": n.astype(int), "mse": mse, "bandwidth": np.ones(3), "forced": np.zeros(3)}
            frames.append(pl.DataFrame(columns).with_columns(**{k: pl.lit(v) for k, v in settings.items()}))
    return pl.concat(frames)


def test_claims_follow_from_slope_and_ratio():
    same, steep, flat = (
        AnchorProcessExperiment().judge_claims(made_up(*each)) for each in ((1.9, 0.0), (2.1, 0.0), (0.001, 1.0))
    )
    for claims in (same, steep, flat):
        check_rows("anchor-process", claims)
        assert row_of(claims, TWICE, "clustered, r = 0.2").reading == "ours"
        assert row_of(claims, FALLS, "clustered, r = 0.2").reading == "paper"
    assert verdicts(same) == {FALLS: "agrees", ALIKE: "agrees", TWICE: "agrees"}
    assert verdicts(steep) == {FALLS: "agrees", ALIKE: "agrees", TWICE: "differs"}
    assert verdicts(flat) == {FALLS: "differs", ALIKE: "differs", TWICE: "agrees"}
    for power, verdict in ((0.19, "agrees"), (0.21, "differs")):
        row = row_of(AnchorProcessExperiment().judge_claims(made_up(0.1, power)), ALIKE, "clustered, r = 0.2")
        assert (row.found, row.verdict) == (f"{power:+.2f}", verdict)  # seeds are resampled together: no spread
    assert row_of(same, TWICE, "clustered, r = 0.2").found.startswith("1.90 at n = 1000, ")
    # The largest ratio is at the fewest anchors where errors of the process fall faster.
    fast = row_of(AnchorProcessExperiment().judge_claims(made_up(10.0, -0.5)), TWICE, "clustered, r = 0.2")
    assert fast.found == "0.32 at n = 1000, at most 3.2 (n = 10)"


def test_a_task_repeats_itself_and_seeds_differ():
    first, again, other = (AnchorProcessTask("soft core", 0.1, seed, largest=20).run() for seed in (0, 0, 1))
    assert first == again
    assert first["mse"] != other["mse"]


def test_the_experiment_from_tasks_to_figure():
    experiment = AnchorProcessExperiment()
    tasks = [
        AnchorProcessTask(t.process, t.radius, t.seed, largest=50)
        for t in experiment.make_tasks(ExperimentSize(seeds=2, quick=True))
    ]
    assert {task.process for task in tasks} == set(POINT_PROCESSES)
    records = rows_of(tasks)
    summary = experiment.summarise(records)
    assert set(summary["measure"]) == {"mse", "bandwidth", "forced", "slope"}
    claims = experiment.judge_claims(records)
    check_rows("anchor-process", claims)
    assert len(claims) == 3 * 6
    assert verdicts(claims) == {FALLS: "open", ALIKE: "open", TWICE: "open"}
    assert theory_figures.plot_anchor_process(summary).axes


def test_sizes():
    tasks = AnchorProcessExperiment().make_tasks(ExperimentSize())
    assert len({task.key for task in tasks}) == len(tasks) == 30 * 7
    assert max(task.seed for task in AnchorProcessExperiment().make_tasks(ExperimentSize(seeds=4))) == 3
