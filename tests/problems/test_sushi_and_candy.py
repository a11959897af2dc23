"""Sushi and candy against plain loops over the files; the nearest-neighbour mean on small lists as well."""

import csv
import os
import pickle
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from anchorpbo.problems import (
    candy,
    candy_anchors,
    candy_items,
    get_problem,
    sushi,
    sushi_anchors,
    sushi_items,
)
from anchorpbo.problems.nearest_neighbours import NearestNeighbourMean, RatedItems, find_best_centre, scale_min_max
from anchorpbo.problems.sushi import copeland

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))


def needs(folder):
    reason = f"ANCHORPBO_DATA is not a folder with {folder}/: the data may not be part of the project"
    return pytest.mark.skipif(not (DATA / folder).is_dir(), reason=reason)


needs_sushi, needs_candy = needs("sushi"), needs("candy")
both = pytest.mark.parametrize(
    ("problem", "items"),
    [pytest.param(sushi, sushi_items, marks=needs_sushi), pytest.param(candy, candy_items, marks=needs_candy)],
    ids=["sushi", "candy"],
)


def naive_mean(points, values, x):
    nearest = sorted(range(len(points)), key=lambda i: (sum((x - points[i]) ** 2), i))[:3]
    return sum(values[i] for i in nearest) / 3


def naive_min_max(column):
    return [(value - min(column)) / (max(column) - min(column)) for value in column]


def naive_copeland(users, items):
    above = [[0] * items for _ in range(items)]
    for scores in users:
        rated = [(i, score) for i, score in enumerate(scores) if score >= 0]
        for i, one in rated:
            for j, other in rated:
                above[i][j] += one > other
    return [sum(above[i][j] > above[j][i] for j in range(items)) / items for i in range(items)]


def sushi_table():
    return [line.split("\t") for line in (DATA / "sushi/sushi3.idata").read_text().splitlines()]


def candy_table():
    with (DATA / "candy/candy-data.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


# -- the mean of the three nearest -------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_mean_is_that_of_the_first_three_of_a_sorted_list(d):
    rng = np.random.default_rng(d)
    points, values = rng.integers(0, 4, (30, d)) / 3.0, rng.random(30)  # a coarse grid: many ties
    X = np.vstack([rng.integers(0, 7, (150, d)) / 6.0, rng.random((150, d))])
    expected = [naive_mean(points, values, x) for x in X]
    np.testing.assert_allclose(NearestNeighbourMean(points, values)(X), expected, rtol=1e-14)


def test_of_items_equally_far_the_lower_number_is_nearer():
    mean = NearestNeighbourMean(np.array([[0.5], [0.4], [0.6], [0.5], [0.5]]), np.array([1.0, 10.0, 100.0, 1e3, 1e4]))
    assert mean(np.array([[0.5]])) == (1.0 + 1e3 + 1e4) / 3
    tied = NearestNeighbourMean(np.array([[0.0], [1.0], [0.25], [0.75]]), np.array([1.0, 10.0, 100.0, 1e3]))
    assert tied(np.array([[0.5]])) == (1.0 + 100.0 + 1e3) / 3


def test_a_cell_has_one_value_to_the_last_bit_and_many_designs_are_as_few():
    mean = NearestNeighbourMean(np.array([[0.1, 0.1], [0.9, 0.2], [0.5, 0.8]]), np.array([0.1, 0.2, 0.7]))
    X = np.random.default_rng(0).random((10_000, 2))
    assert len(np.unique(mean(X))) == 1
    assert mean(X).shape == (10_000,)
    assert mean(X[:0]).shape == (0,)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_cell_is_the_best_of_a_fine_grid(seed):
    rng = np.random.default_rng(seed)
    points, values = rng.random((14, 2)), rng.random(14)
    points[8:11] = points[:3]  # three places with two items each
    mean = NearestNeighbourMean(points, values)
    # Off the items and their walls, for what a tie gives on a wall does not count.
    steps = (np.arange(500) + 0.5 + 0.1 * rng.random()) / 501.0
    grid = mean(np.array(np.meshgrid(steps, steps)).reshape(2, -1).T)
    best, worst = find_best_centre(points, values), find_best_centre(points, -values)
    assert mean(best[None])[0] == pytest.approx(grid.max(), abs=1e-12)
    assert mean(worst[None])[0] == pytest.approx(grid.min(), abs=1e-12)


def test_the_best_design_is_in_the_middle_of_its_cell():
    # Three items in one corner of the square, three in another: their cells meet on the diagonal.
    points = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    best = find_best_centre(points, np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(best, [1.0 - 0.5**0.5] * 2)  # as far from the diagonal as from two sides


def test_min_max_brings_each_column_to_the_unit_interval():
    values = np.array([[1.0, -3.0], [2.0, 5.0], [5.0, 1.0]])
    np.testing.assert_array_equal(scale_min_max(values), [[0.0, 0.0], [0.25, 1.0], [1.0, 0.5]])


def test_a_small_list_makes_a_problem():
    rng = np.random.default_rng(3)
    problem = RatedItems(tuple("abcdefgh"), rng.random((8, 3)), rng.random(8)).problem("small")
    share = problem.share(rng.random((20_000, 3)))
    assert (problem.name, problem.dimension) == ("small", 3)
    assert share.min() >= 0.0
    assert share.max() <= 1.0


def test_copeland_counts_the_items_beaten_among_users_who_scored_both():
    #         a   b   c   d
    users = [[4, 2, -1, -1], [4, 3, -1, 0], [0, 1, -1, 0], [-1, 2, 2, -1]]
    # a beats b (2 to 1) and d (1 to 0), b beats d (2 to 0), c only ever ties with b and met no other.
    np.testing.assert_array_equal(copeland(np.array(users)), [0.5, 0.25, 0.0, 0.0])
    users = np.random.default_rng(0).integers(-1, 5, (60, 9))
    np.testing.assert_array_equal(copeland(users), naive_copeland(users.tolist(), 9))


# -- the data sets -----------------------------------------------------------------------------------------------------


@needs_sushi
def test_sushi_has_the_scores_of_the_file():
    lines = (DATA / "sushi/sushi3b.5000.10.score").read_text().splitlines()
    wins = naive_copeland([[int(score) for score in line.split()] for line in lines], 100)
    np.testing.assert_allclose(sushi_items().utilities, naive_min_max(wins), atol=1e-15)
    liked = np.argsort(-sushi_items().utilities)[:2]
    assert {sushi_items().names[i] for i in liked} == {"toro", "chu_toro"}


@needs_sushi
def test_sushi_has_eating_frequency_oiliness_price_and_sold_frequency_as_coordinates():
    columns = list(zip(*sushi_table(), strict=True))
    expected = [naive_min_max([float(value) for value in columns[c]]) for c in (6, 5, 7, 8)]
    np.testing.assert_allclose(sushi_items().points, np.transpose(expected), atol=1e-15)
    assert sushi_items().names == columns[1]
    assert len(np.unique(sushi_items().points, axis=0)) == 100


@needs_candy
def test_candy_has_the_columns_of_the_file():
    table = candy_table()
    sugar, price, won = (
        naive_min_max([float(row[f"{name}percent"]) for row in table]) for name in ("sugar", "price", "win")
    )
    np.testing.assert_allclose(candy_items().points, np.transpose([sugar, price]), atol=1e-15)
    np.testing.assert_allclose(candy_items().utilities, won, atol=1e-15)
    assert candy_items().points.shape == (85, 2)
    assert len(np.unique(candy_items().points, axis=0)) == 68
    assert candy_items().names[:2] == ("100 Grand", "3 Musketeers")


@both
def test_the_utility_is_the_mean_of_the_three_nearest_items(problem, items):
    points, values = items().points, items().utilities
    X = np.vstack([points, np.random.default_rng(0).random((100, points.shape[1]))])
    np.testing.assert_allclose(problem()(X), [naive_mean(points, values, x) for x in X], rtol=1e-13)


@both
def test_no_random_design_is_better_than_the_best_or_worse_than_the_worst(problem, items):
    found = problem()
    assert found([found.optimum])[0] == found.maximum
    X = np.random.default_rng(1).random((200_000, found.dimension))
    values = found(X)
    assert found.minimum <= values.min()
    assert values.max() <= found.maximum
    assert values.max() > found.maximum - 0.02  # the best cell is large enough to be found
    around = found.optimum + 1e-3 * np.random.default_rng(2).uniform(-1.0, 1.0, (100, found.dimension))
    assert (found(around) == found.maximum).all()


@both
def test_items_themselves_are_within_the_range(problem, items):
    share = problem().share(items().points)
    assert share.min() >= 0.0
    assert share.max() <= 1.0


@needs_sushi
def test_sushi_has_its_known_range():
    assert sushi().maximum == pytest.approx(89 / 92, abs=1e-15)
    assert sushi().minimum == pytest.approx(1 / 276, abs=1e-15)
    assert sushi().dimension == 4


@needs_candy
def test_candy_has_its_known_range():
    assert candy().maximum == pytest.approx(0.8384286076486972, abs=1e-14)
    assert candy().minimum == pytest.approx(0.1337071054085318, abs=1e-14)
    assert candy().dimension == 2


def room(points, triple):
    """How much nearer, in squared distance, a design of the cube can have the triple than all the others."""
    rows, limits = [], []
    for t in triple:
        for j in set(range(len(points))) - set(triple):
            if (points[j] != points[t]).any():
                rows.append([*(2.0 * (points[j] - points[t])), 1.0])
                limits.append(sum(points[j] ** 2) - sum(points[t] ** 2))
            elif j < t:
                return -1.0  # the tie goes to j
    box = [(0.0, 1.0)] * points.shape[1] + [(None, None)]
    return -linprog([0.0] * points.shape[1] + [-1.0], rows, limits, bounds=box).fun


@both
def test_no_three_items_of_a_better_mean_are_nearest_anywhere_but_on_a_line(problem, items):
    points, values = items().points, items().utilities
    triples = np.array(list(combinations(range(len(points)), 3)))
    better = triples[values[triples].mean(axis=1) > problem().maximum + 1e-12]
    rooms = np.array([room(points, triple.tolist()) for triple in better])
    assert rooms.max() < 1e-12
    on_lines = better[rooms > -1e-12]
    assert on_lines.tolist() == ([[1, 36, 52], [32, 36, 52]] if problem is candy else [])
    assert values[on_lines].mean(axis=1).max(initial=0.0) < 0.8716


@both
def test_a_problem_from_files_is_read_once_found_by_name_and_travels_to_other_processes(problem, items):
    found = problem()
    assert problem() is found is get_problem(found.name)
    X = np.random.default_rng(0).random((50, found.dimension))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found))(X), found(X))


@needs_candy
def test_candy_anchors_have_chocolate_and_nuts():
    nutty = [i for i, row in enumerate(candy_table()) if int(row["chocolate"]) and int(row["peanutyalmondy"])]
    assert candy_anchors().shape == (12, 2)
    np.testing.assert_array_equal(candy_anchors(), candy_items().points[nutty])


@needs_sushi
def test_sushi_anchors_are_the_most_eaten_of_thirteen_groups():
    table = sushi_table()
    groups = {tuple(row[2:5]) for row in table}
    most = [max((row for row in table if tuple(row[2:5]) == group), key=lambda row: float(row[6])) for group in groups]
    most.sort(key=lambda row: -float(row[6]))
    assert len(groups) == 17
    assert [row[1] for row in most[:3]] == ["maguro", "ebi", "ika"]
    np.testing.assert_array_equal(sushi_anchors(), sushi_items().points[[int(row[0]) for row in most[:13]]])
