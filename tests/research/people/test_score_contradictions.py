"""Contradictions of orders and scores: counts by loops, and simulated people."""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anchorpbo.research.people.score_contradictions import (
    GROUPS,
    REGRESSORS,
    SLOPES,
    ContradictionTask,
    ScoredPairs,
    compare_groups,
    estimate_slopes,
    summarise_contradictions,
)

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
KINDS, KNOWN = 30, np.arange(12)


def simulate(people, noise_of_known, seed=0):
    """Orders and scores of people, each with errors of its own; those of known kinds have this standard deviation."""
    rng = np.random.default_rng(seed)
    noise = np.where(np.isin(np.arange(KINDS), KNOWN), noise_of_known, 1.0)
    orders, scores = np.empty((people, 10), dtype=int), np.full((people, KINDS), -1)
    for i in range(people):
        kinds = rng.permutation(KINDS)[:10]
        utility = rng.normal(0, 1.5, 10)
        orders[i] = kinds[np.argsort(-(utility + noise[kinds] * rng.normal(size=10)))]
        seen = utility + noise[kinds] * rng.normal(size=10)
        scores[i, kinds] = np.clip(np.floor(seen + 2.5), 0, 4)
    return orders, scores


@pytest.fixture(scope="module")
def small():
    return simulate(30, 0.3)


def test_the_pairs_are_those_of_unequal_scores(small):
    orders, scores = small
    pairs = ScoredPairs.of(orders, scores)
    naive = []
    for person, order in enumerate(orders.tolist()):
        for first, second in combinations(order, 2):
            a, b = scores[person, first], scores[person, second]
            if a != b:
                naive.append((person, first, second, min(a, b), max(a, b), a < b))
    found = zip(
        pairs.people, pairs.first, pairs.second, pairs.strata // 5, pairs.strata % 5, pairs.contradicted, strict=True
    )
    assert sorted(tuple(map(int, row)) for row in found) == sorted(tuple(map(int, row)) for row in naive)


def test_groups_are_compared_within_pairs_of_scores(small):
    pairs = ScoredPairs.of(*small)
    weights = np.random.default_rng(0).integers(3, size=len(pairs.people)).astype(float)
    found = compare_groups(pairs, np.isin(np.arange(KINDS), KNOWN), weights)
    number = np.isin(pairs.first, KNOWN).astype(int) + np.isin(pairs.second, KNOWN)
    for group, name in enumerate(GROUPS):
        own = number == group
        assert found[name] == pytest.approx((weights * pairs.contradicted)[own].sum() / weights[own].sum())
    above, below, gap, total = 0.0, 0.0, 0.0, 0.0
    for stratum in np.unique(pairs.strata):
        n0, n2 = (weights[(pairs.strata == stratum) & (number == g)].sum() for g in (0, 2))
        c0, c2 = ((weights * pairs.contradicted)[(pairs.strata == stratum) & (number == g)].sum() for g in (0, 2))
        if n0 and n2:
            above, below = above + c2 * n0 / (n0 + n2), below + c0 * n2 / (n0 + n2)
            W = n0 * n2 / (n0 + n2)
            gap, total = gap + W * (c2 / n2 - c0 / n0), total + W
    assert found["ratio"] == pytest.approx(above / below)
    assert found["difference"] == pytest.approx(gap / total)


def test_slopes_are_those_of_a_regression_with_an_intercept_per_pair_of_scores(small):
    pairs = ScoredPairs.of(*small)
    rng = np.random.default_rng(1)
    measures = {"eaten": rng.random(KINDS), "liked": rng.random(KINDS)}
    weights = rng.integers(1, 4, size=len(pairs.people)).astype(float)
    columns = [0.5 * (each[pairs.first] + each[pairs.second]) for each in measures.values()]
    columns = [column / column.std() for column in columns]
    dummies = (pairs.strata[:, None] == np.unique(pairs.strata)).astype(float)
    root = np.sqrt(weights)[:, None]
    solution, *_ = np.linalg.lstsq(root * np.column_stack([*columns, dummies]), root[:, 0] * pairs.contradicted)
    found = estimate_slopes(pairs, measures, ["eaten", "liked"], weights)
    np.testing.assert_allclose(list(found.values()), solution[:2], rtol=1e-8)


def test_a_pair_counts_as_often_as_its_person_and_kinds_are_drawn(small):
    pairs = ScoredPairs.of(*small)
    draws = [pairs.draw_weights(KINDS, np.random.default_rng(seed)) for seed in range(400)]
    # A person is drawn once in the mean, and two kinds with a covariance of -1 / kinds.
    assert np.mean(draws) == pytest.approx(1 - 1 / KINDS, abs=0.05)
    # 1 / e of the people are not drawn.
    absent = np.mean([[not weights[pairs.people == i].any() for i in range(30)] for weights in draws[:50]])
    assert absent == pytest.approx(np.exp(-1), abs=0.06)


@pytest.mark.parametrize(("noise", "supported"), [(0.3, True), (1.0, False)])
def test_simulated_people_contradict_themselves_less_only_where_they_err_less(noise, supported):
    known = np.isin(np.arange(KINDS), KNOWN).astype(float)
    measures = {"eaten": known, "sold": known, "liked": np.random.default_rng(2).random(KINDS)}
    pairs = ScoredPairs.of(*simulate(600, noise, seed=3))
    table = summarise_contradictions(pairs, {"eaten": KNOWN}, measures, resamples=200)
    ratio = table.row(by_predicate=pl.col("measure") == "ratio", named=True)
    slope = table.row(by_predicate=pl.col("measure") == "eaten given eaten, liked", named=True)
    if supported:
        assert ratio["high"] < 0.9
        assert slope["high"] < 0.0
    else:
        assert ratio["low"] < 1.0 < ratio["high"]
        assert slope["low"] < 0.0 < slope["high"]
    assert table.filter(pl.col("anchors") == SLOPES).height == sum(map(len, REGRESSORS))


@pytest.mark.skipif(not (DATA / "sushi").is_dir(), reason="ANCHORPBO_DATA has no sushi/")
def test_a_task_on_few_people_has_all_rows():
    table = pl.DataFrame(ContradictionTask(3).run())
    assert table.height == 4 * 5 + sum(map(len, REGRESSORS))
