"""Accuracy of noise maps: error and loss by hand, the truths, one run, and the tables."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from anchorpbo import NoiseMap
from anchorpbo.reliability import EuclideanMetric
from anchorpbo.research.anchors import map_accuracy
from anchorpbo.research.anchors.map_accuracy import (
    MAPS,
    TRUTHS,
    MapAccuracyTask,
    make_map_tasks,
    measure_error,
    measure_loss,
    summarise_maps,
    tabulate_maps,
)

ANCHORS = np.random.default_rng(0).random((4, 2))
DESIGNS = np.random.default_rng(1).random((50, 2))
TRUTH, MAP = NoiseMap.bounded(ANCHORS, 0.2), NoiseMap.bounded(ANCHORS, 0.4, scale=3.0)


def test_error_is_the_root_mean_square_of_the_log_ratio_after_the_best_offset():
    gaps = [math.log(a) - math.log(b) for a, b in zip(TRUTH(DESIGNS), MAP(DESIGNS), strict=True)]
    error, offset = measure_error(TRUTH, MAP, DESIGNS)
    assert offset == pytest.approx(sum(gaps) / 50)
    assert error == pytest.approx(math.sqrt(sum((gap - offset) ** 2 for gap in gaps) / 50))
    for other in (offset - 0.1, offset + 0.1):
        assert error < math.sqrt(sum((gap - other) ** 2 for gap in gaps) / 50)


def test_a_map_that_is_the_truth_up_to_its_scale_has_neither_error_nor_loss():
    same = TRUTH.with_parameters(scale=7.0)
    error, offset = measure_error(TRUTH, same, DESIGNS)
    pairs = DESIGNS.reshape(25, 2, 2)
    assert error == pytest.approx(0.0, abs=1e-12)
    assert measure_loss(TRUTH, same, offset, pairs, np.linspace(-4, 4, 25)) == pytest.approx(0.0, abs=1e-12)


def test_loss_is_the_divergence_of_the_answers_probabilities():
    pairs, differences = DESIGNS.reshape(25, 2, 2), np.linspace(-4.0, 4.0, 25)
    total = 0.0
    for (x, y), g in zip(pairs, differences, strict=True):
        p = stats.norm.cdf(g / math.sqrt(float(TRUTH([x])[0] + TRUTH([y])[0])))
        q = stats.norm.cdf(g / math.sqrt(math.exp(0.3) * float(MAP([x])[0] + MAP([y])[0])))
        total += p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    assert measure_loss(TRUTH, MAP, 0.3, pairs, differences) == pytest.approx(100 * total / 25, rel=1e-9)


@pytest.mark.parametrize("name", TRUTHS)
def test_truths_have_ten_marks_inside_the_cube_and_follow_from_the_seed(name):
    truth, again = (TRUTHS[name](np.random.default_rng(3)) for _ in range(2))
    marks = np.concatenate([truth.anchors, truth.negative])
    assert len(marks) == 10
    assert (marks >= 0).all()
    assert (marks <= 1).all()
    assert truth.noise == again.noise
    assert truth.lengthscales.shape == (marks.shape[1],)


def test_the_truth_of_irrelevant_dimensions_does_not_vary_in_them():
    truth = TRUTHS["irrelevant"](np.random.default_rng(4))
    X = np.random.default_rng(5).random((30, 6))
    moved = np.column_stack([X[:, :2], 1.0 - X[:, 2:]])
    np.testing.assert_allclose(truth.noise(moved), truth.noise(X), rtol=1e-2)


def test_maps_get_what_the_user_tells_and_no_bandwidth():
    truth = TRUTHS["negative"](np.random.default_rng(6))
    assert MAPS["negative anchors"](truth) == NoiseMap.bounded(truth.anchors, negative=truth.negative)
    assert MAPS["bounded"](truth) == MAPS["learnt metric"](truth) == NoiseMap.bounded(truth.anchors)
    assert MAPS["adaptive"](truth) == NoiseMap.bounded(truth.anchors, adaptive=True)
    irrelevant = TRUTHS["irrelevant"](np.random.default_rng(6))
    metric = EuclideanMetric(lengthscales=(1.0, 1.0, 10.0, 10.0, 10.0, 10.0))
    expected = NoiseMap.bounded(irrelevant.anchors, metric=metric)
    np.testing.assert_allclose(MAPS["learnt metric"](irrelevant).bandwidths, expected.bandwidths, rtol=1e-12)


def run(seeds, monkeypatch):
    monkeypatch.setattr(map_accuracy, "DESIGNS", 200)
    monkeypatch.setattr(map_accuracy, "PAIRS", 100)
    frames = []
    for task in make_map_tasks(seeds):
        rows = task.run()
        about = {"truth": [task.truth] * len(MAPS), "seed": [task.seed] * len(MAPS)}
        frames.append(pl.DataFrame({**about, **rows}))
    return pl.concat(frames)


def test_each_map_is_the_best_one_for_its_own_truth(monkeypatch):
    summary = summarise_maps(run(12, monkeypatch))
    own = {"isotropic": "bounded", "negative": "negative anchors", "irrelevant": "learnt metric"}
    for truth in TRUTHS:
        part = summary.filter(pl.col("truth") == truth, pl.col("measure") == "error")
        means = dict(zip(part["map"], part["mean"], strict=True))
        assert means[own.get(truth, truth)] == min(means.values())


def test_tasks_have_keys_of_their_own_and_equal_results():
    tasks = make_map_tasks(2)
    assert len({task.key for task in tasks}) == len(tasks) == 2 * len(TRUTHS)
    assert MapAccuracyTask("isotropic", 1).run() == MapAccuracyTask("isotropic", 1).run()


def make_records():
    rows = []
    for seed, (ours, other) in enumerate([(1.0, 0.5), (2.0, 1.0), (3.0, 2.5)]):
        for name in MAPS:
            value = ours if name == "bounded" else other if name == "adaptive" else 9.0
            rows.append(("isotropic", seed, name, value, 2.0 * value))
    return pl.DataFrame(rows, schema=["truth", "seed", "map", "error", "loss"], orient="row")


def test_the_summary_has_intervals_and_paired_gaps():
    summary = summarise_maps(make_records())
    row = summary.row(by_predicate=(pl.col("map") == "adaptive") & (pl.col("measure") == "error"), named=True)
    half = stats.t.ppf(0.975, 2) / math.sqrt(3)
    assert (row["seeds"], row["mean"]) == (3, pytest.approx(4 / 3))
    assert row["gap"] == pytest.approx(-2 / 3)
    assert row["gap_low"] == pytest.approx(-2 / 3 - half * np.std([-0.5, -1.0, -0.5], ddof=1))


def test_the_smallest_mean_of_a_row_is_bold():
    table = tabulate_maps(summarise_maps(make_records())).to_markdown()
    assert "| isotropic | 2.00 ± 2.48 | **1.33 ± 2.59** | 9.00 ± 0.00 |" in table
    assert table.startswith("**Error of the log noise**")
    assert "Mean over 3 seeds" in table
