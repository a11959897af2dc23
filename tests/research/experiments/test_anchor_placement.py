"""Anchors against every corner of the cube, and against naive draws."""

import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.problems import PROBLEMS, Problem, candy_anchors, get_problem, sushi_anchors
from anchorpbo.research.experiments.anchor_placement import (
    ANCHOR_SPREAD,
    DEFAULT_ANCHORS,
    MIN_DISTANCE,
    find_centre,
    list_corners,
    place_anchors,
)

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))


def needs(folder):
    reason = f"ANCHORPBO_DATA is not a folder with {folder}/: the data may not be part of the project"
    return pytest.mark.skipif(not (DATA / folder).is_dir(), reason=reason)


FROM_FILES = [pytest.param(name, marks=needs(name)) for name in ("sushi", "candy")]
NAMES = [*PROBLEMS, "toy", *FROM_FILES]
every_problem = pytest.mark.parametrize("name", NAMES)
drawn = pytest.mark.parametrize("place", ["away", "scattered", "far", "near"])
ends = pytest.mark.parametrize("place", ["far", "near"])


def flat(optimum):
    return Problem("flat", len(optimum), lambda X: X.sum(axis=1), np.array(optimum), 1.0, 0.0)


def farthest_corners(problem):
    """All corners at the largest distance from the optimum, by looking at each."""
    corners = [np.array(corner) for corner in product((0.0, 1.0), repeat=problem.dimension)]
    distances = [((corner - problem.optimum) ** 2).sum() for corner in corners]
    return [corner for corner, r in zip(corners, distances, strict=True) if r >= max(distances) - 1e-12]


@every_problem
def test_far_anchors_are_around_the_corner_farthest_from_the_optimum(name):
    problem = get_problem(name)
    anchors = place_anchors(problem, "far", 4000, 0)
    farthest = farthest_corners(problem)
    assert len(farthest) == 1 or name == "ackley6"  # in the middle: any corner will do
    away = [np.abs(anchors - corner) for corner in farthest]
    steps = min(away, key=lambda each: each.mean())
    # A folded normal: |N(0, SPREAD^2)|.
    np.testing.assert_allclose(steps.mean(axis=0), ANCHOR_SPREAD * np.sqrt(2.0 / np.pi), rtol=0.06)
    np.testing.assert_allclose((steps**2).mean(axis=0), ANCHOR_SPREAD**2, rtol=0.12)
    assert (steps < 0.5).all()  # in the corner's own part of the cube


@pytest.mark.parametrize("optimum", [[0.49, 0.51], [0.0, 1.0, 0.2], [0.9, 0.1, 0.6, 0.4, 0.3]])
def test_the_farthest_corner_is_opposite_in_every_coordinate(optimum):
    problem = flat(optimum)
    (corner,) = farthest_corners(problem)
    assert (np.abs(place_anchors(problem, "far", 50, 1) - corner) < 0.5).all()


@every_problem
def test_near_anchors_are_around_the_optimum(name):
    problem = get_problem(name)
    anchors = place_anchors(problem, "near", 4000, 0)
    # Compared with naive draws that are folded back into the cube.
    draws = np.abs(np.random.default_rng(99).normal(problem.optimum, ANCHOR_SPREAD, (100_000, problem.dimension)))
    draws = 1.0 - np.abs(1.0 - draws)
    np.testing.assert_allclose(anchors.mean(axis=0), draws.mean(axis=0), atol=5 * ANCHOR_SPREAD / np.sqrt(4000))
    np.testing.assert_allclose(anchors.std(axis=0), draws.std(axis=0), rtol=0.1)


@every_problem
@pytest.mark.parametrize("seed", range(5))
def test_anchors_away_from_the_optimum_are_around_a_centre_at_least_half_a_side_from_it(name, seed):
    problem = get_problem(name)
    centre = find_centre(problem, "away", seed)
    assert ((centre >= 0.0) & (centre <= 1.0)).all()
    assert np.linalg.norm(centre - problem.optimum) >= MIN_DISTANCE == 0.5
    anchors = place_anchors(problem, "away", 4000, seed)
    draws = np.abs(np.random.default_rng(98).normal(centre, ANCHOR_SPREAD, (100_000, problem.dimension)))
    draws = 1.0 - np.abs(1.0 - draws)  # folded back into the cube
    np.testing.assert_allclose(anchors.mean(axis=0), draws.mean(axis=0), atol=5 * ANCHOR_SPREAD / np.sqrt(4000))
    np.testing.assert_allclose(anchors.std(axis=0), draws.std(axis=0), rtol=0.1)


def test_centres_away_from_the_optimum_fill_all_of_the_cube_that_is_left():
    problem = flat([0.2, 0.9])
    centres = np.array([find_centre(problem, "away", seed) for seed in range(3000)])
    grid = np.random.default_rng(1).random((200_000, 2))
    left = grid[np.linalg.norm(grid - problem.optimum, axis=1) >= 0.5]
    for column in range(2):
        found, expected = (np.quantile(each[:, column], np.linspace(0.05, 0.95, 10)) for each in (centres, left))
        np.testing.assert_allclose(found, expected, atol=0.05)


@every_problem
def test_scattered_anchors_are_each_at_least_half_a_side_from_the_optimum_and_not_in_a_cluster(name):
    problem = get_problem(name)
    anchors = place_anchors(problem, "scattered", 50, 3)
    assert np.linalg.norm(anchors - problem.optimum, axis=1).min() >= 0.5
    assert anchors.std(axis=0).min() > 1.5 * ANCHOR_SPREAD or name == "toy"  # which is a line with little left


def test_every_corner_has_a_name_and_anchors_around_it():
    problem = get_problem("hartmann3")
    names = list_corners(3)
    assert len(set(names)) == 8
    centres = [find_centre(problem, name, 0) for name in names]
    assert {tuple(centre) for centre in centres} == set(product((0.0, 1.0), repeat=3))
    for name, centre in zip(names, centres, strict=True):
        anchors = place_anchors(problem, name, 4000, 0)
        np.testing.assert_allclose(
            np.abs(anchors - centre).mean(axis=0), ANCHOR_SPREAD * np.sqrt(2.0 / np.pi), rtol=0.06
        )
    farthest = find_centre(problem, "far", 0)
    same = names[[tuple(centre) for centre in centres].index(tuple(farthest))]
    np.testing.assert_array_equal(place_anchors(problem, same, 10, 4), place_anchors(problem, "far", 10, 4))


@drawn
@every_problem
@pytest.mark.parametrize("seed", [0, 1, 29])
def test_drawn_anchors_are_inside_the_cube_and_different_designs(name, place, seed):
    problem = get_problem(name)
    anchors = place_anchors(problem, place, 50, seed)
    assert anchors.shape == (50, problem.dimension)
    assert ((anchors >= 0.0) & (anchors <= 1.0)).all()
    assert len(np.unique(anchors, axis=0)) == 50


@pytest.mark.parametrize("optimum", [[0.0, 1.0], [1.0, 0.0]])
@ends
def test_anchors_stay_inside_the_cube_when_the_optimum_is_a_corner(optimum, place):
    anchors = place_anchors(flat(optimum), place, 5000, 3)
    assert ((anchors >= 0.0) & (anchors <= 1.0)).all()
    target = np.array(optimum) if place == "near" else 1.0 - np.array(optimum)
    assert (np.abs(anchors - target) < 0.5).all()


@ends
def test_far_and_near_are_far_and_near(place):
    for problem in PROBLEMS.values():
        distance = np.linalg.norm(place_anchors(problem, place, DEFAULT_ANCHORS, 0) - problem.optimum, axis=1).mean()
        half = 0.5 * np.sqrt(problem.dimension)
        assert distance > 0.8 * half if place == "far" else distance < 0.6 * half


@drawn
def test_anchors_follow_from_the_seed(place):
    problem = get_problem("hartmann3")
    one, again, other = (place_anchors(problem, place, 10, seed) for seed in (4, 4, 5))
    np.testing.assert_array_equal(one, again)
    assert not np.isin(one, other).any()


@pytest.mark.parametrize("count", [1, 5, 10, 20, 50])
@drawn
def test_there_are_as_many_as_asked_for_and_more_keep_the_first(place, count):
    problem = get_problem("hartmann3")
    anchors = place_anchors(problem, place, count, 2)
    assert anchors.shape == (count, 3)
    np.testing.assert_array_equal(anchors, place_anchors(problem, place, 50, 2)[:count])


@pytest.mark.parametrize(
    ("name", "own", "count"),
    [
        pytest.param("sushi", sushi_anchors, 13, marks=needs("sushi")),
        pytest.param("candy", candy_anchors, 11, marks=needs("candy")),
    ],
)
def test_data_sets_have_their_own_whatever_the_count_and_the_seed(name, own, count):
    for asked, seed in ((10, 0), (3, 7)):
        anchors = place_anchors(get_problem(name), "own", asked, seed)
        # Two of the twelve candies share a place.
        assert {x.tobytes() for x in anchors} == {x.tobytes() for x in own()}
        assert anchors.shape == (count, get_problem(name).dimension)


def test_only_data_sets_have_their_own():
    for name, problem in PROBLEMS.items():
        message = rf'only data sets come with anchors; received {name}; use "away" or "near"'
        with pytest.raises(InputError, match=message):
            place_anchors(problem, "own", 10, 0)


@pytest.mark.parametrize("place", ["middle", "corner", "corner-", "corner-2", "Corner-01", "corner-01 "])
def test_an_unknown_place_is_refused(place):
    known = "away, scattered, far, near, own, corner-010"
    with pytest.raises(UnknownNameError, match=rf"anchors must be one of .*; received {place!r}") as raised:
        place_anchors(get_problem("branin"), place, 10, 0)
    assert all(name in str(raised.value) for name in known.split(", "))


@pytest.mark.parametrize("place", ["corner-0", "corner-010"])
def test_a_corner_of_another_cube_is_refused(place):
    with pytest.raises(InputError, match=rf"a corner of 2 coordinates; received {place}; write corner-00"):
        place_anchors(get_problem("branin"), place, 10, 0)
