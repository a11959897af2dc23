"""Sobol' points: evenness in one dimension, in pairs and in integrals; scrambling; the table."""

import importlib.util
import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest, qmc

from anchorpbo.errors import InputError
from anchorpbo.numerics.sobol import MAX_DIMENSION, SEEDS, WORD_BITS, directions, primitive_polynomials, sobol
from anchorpbo.typing import Array

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_sobol_table.py"


def rngs(scrambled: bool) -> np.random.Generator | None:
    return np.random.default_rng(8) if scrambled else None


def pair_t_value(pair: Array, m: int) -> int:
    """The smallest t such that each elementary box of area 2^(t-m) holds 2^t of the 2^m points, by counting."""
    for t in range(m + 1):
        boxes = ((i, m - t - i) for i in range(m - t + 1))
        if all(box_counts_are_equal(pair, i, j) for i, j in boxes):
            return t
    raise AssertionError("one box of area 1 holds all points")


def box_counts_are_equal(pair: Array, i: int, j: int) -> bool:
    cells = np.floor(pair[:, 0] * 2**i) * 2**j + np.floor(pair[:, 1] * 2**j)
    counts = np.bincount(cells.astype(np.intp), minlength=2 ** (i + j))
    return bool(np.all(counts == counts[0]))


def pair_t_values(points: Array, exponents: range) -> Array:
    """t of every pair of columns, (pairs, exponents)."""
    pairs = itertools.combinations(range(points.shape[1]), 2)
    return np.array([[pair_t_value(points[: 2**m, list(pair)], m) for m in exponents] for pair in pairs], dtype=float)


@pytest.mark.parametrize("scrambled", [False, True])
@pytest.mark.parametrize("dimension", [1, 12, 300])
def test_each_coordinate_of_the_first_powers_of_two_hits_every_interval_once(dimension: int, scrambled: bool) -> None:
    for k in range(12):
        cells = np.floor(sobol(2**k, dimension, rngs(scrambled)) * 2**k)
        assert np.array_equal(np.sort(cells, axis=0), np.tile(np.arange(2**k)[:, None], dimension))


def test_the_last_supported_dimensions_are_even_and_differ() -> None:
    words = directions(MAX_DIMENSION)[-700:]
    # A unit upper triangle (v_k ends in digit k) is what makes a coordinate even at every power of two.
    assert np.all(words & -words.astype(np.int64) == 2 ** (WORD_BITS - 1 - np.arange(WORD_BITS)))
    assert len(np.unique(words[:, :20], axis=0)) == len(words)


def test_the_plain_sequence_starts_with_known_points() -> None:
    expected = [[0, 0], [1 / 2, 1 / 2], [1 / 4, 3 / 4], [3 / 4, 1 / 4], [1 / 8, 5 / 8], [5 / 8, 1 / 8]]
    assert sobol(6, 2).tolist() == expected


@pytest.mark.parametrize("dimension", [2, 5, 9, 12])
def test_as_many_points_as_orthants_lie_one_in_each(dimension: int) -> None:
    orthants = (sobol(2**dimension, dimension) >= 0.5) @ (1 << np.arange(dimension))
    assert np.array_equal(np.sort(orthants), np.arange(2**dimension))


def test_pairs_of_coordinates_are_as_even_as_those_of_scipy() -> None:
    exponents = range(2, 11)
    ours = pair_t_values(sobol(2**10, 16), exponents)
    theirs = pair_t_values(qmc.Sobol(16, scramble=False).random(2**10), exponents)
    assert ours.mean() <= theirs.mean()
    assert (2.0**ours).mean() <= (2.0**theirs).mean()
    assert ours.max() <= 5


def test_scrambling_keeps_the_evenness_of_pairs() -> None:
    plain, scrambled = sobol(2**8, 8), sobol(2**8, 8, np.random.default_rng(1))
    assert np.array_equal(pair_t_values(plain, range(1, 9)), pair_t_values(scrambled, range(1, 9)))


def test_dimensions_past_the_table_seldom_make_correlated_pairs() -> None:
    points = sobol(2**12, len(SEEDS) + 60)[:, len(SEEDS) :]
    correlations = np.abs(np.corrcoef(points.T)[np.triu_indices(60, 1)])
    assert np.mean(correlations < 0.01) > 0.99


def test_integrals_are_closer_than_by_monte_carlo() -> None:
    def average(points: Array) -> float:
        return float(np.mean(np.prod(1.0 + 0.5 * np.sin(2.0 * np.pi * points) + (points - 0.5), axis=1)))

    seeds = range(40)
    quasi = [average(sobol(512, 6, np.random.default_rng(seed))) - 1.0 for seed in seeds]
    plain = [average(np.random.default_rng(seed).random((512, 6))) - 1.0 for seed in seeds]
    assert np.sqrt(np.mean(np.square(quasi))) < 0.35 * np.sqrt(np.mean(np.square(plain)))
    assert abs(np.mean(quasi)) < 4.0 * np.std(quasi) / np.sqrt(len(quasi))


def test_each_scrambled_point_is_uniform() -> None:
    points = np.array([sobol(6, 3, np.random.default_rng(seed)) for seed in range(1_000)])
    for i, j in itertools.product(range(6), range(3)):
        assert kstest(points[:, i, j], "uniform").pvalue > 1e-4


def test_the_difference_of_two_scrambled_points_is_random_past_its_first_digit() -> None:
    # A digital shift alone would leave it at 1/2.
    points = np.array([sobol(2, 1, np.random.default_rng(seed))[:, 0] for seed in range(1_000)]) * 2.0**WORD_BITS
    difference = points[:, 0].astype(np.int64) ^ points[:, 1].astype(np.int64)
    digits = difference[:, None] >> np.arange(WORD_BITS - 1, -1, -1) & 1
    assert np.all(digits[:, 0] == 1)
    assert np.all(np.abs(digits[:, 1:].mean(axis=0) - 0.5) < 4.0 * 0.5 / np.sqrt(1_000))


def test_the_scramble_depends_on_the_generator_alone() -> None:
    first = sobol(64, 5, np.random.default_rng(3))
    np.random.seed(0)  # noqa: NPY002 - the global state must not matter
    assert np.array_equal(first, sobol(64, 5, np.random.default_rng(3)))
    assert not np.array_equal(first, sobol(64, 5, np.random.default_rng(4)))


@pytest.mark.parametrize("scrambled", [False, True])
def test_fewer_points_and_dimensions_are_a_corner_of_more(scrambled: bool) -> None:
    many = sobol(100, 9, rngs(scrambled))
    for n, dimension in [(0, 3), (1, 9), (37, 4), (64, 1), (99, 9)]:
        assert np.array_equal(sobol(n, dimension, rngs(scrambled)), many[:n, :dimension])


def test_points_lie_in_the_half_open_cube() -> None:
    points = sobol(5_000, 40, np.random.default_rng(0))
    assert points.dtype == np.float64
    assert points.min() >= 0.0
    assert points.max() < 1.0


def test_primitive_polynomials_are_as_many_as_there_must_be() -> None:
    for degree in range(1, 13):
        order = 2**degree - 1
        totient = sum(np.gcd(np.arange(1, order + 1), order) == 1)
        assert len(primitive_polynomials(degree)) == totient // degree
    assert primitive_polynomials(5) == (0b100101, 0b101001, 0b101111, 0b110111, 0b111011, 0b111101)


def test_the_script_finds_the_table_again() -> None:
    spec = importlib.util.spec_from_file_location("make_sobol_table", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert tuple(script.search(14)) == SEEDS[:13]


@pytest.mark.parametrize(("n", "dimension"), [(-1, 2), (2**32 + 1, 2)])
def test_an_impossible_number_of_points_is_refused(n: int, dimension: int) -> None:
    with pytest.raises(InputError, match="n must be between 0 and 2\\^32; received"):
        sobol(n, dimension)


@pytest.mark.parametrize("dimension", [0, -3, MAX_DIMENSION + 1])
def test_an_impossible_dimension_is_refused(dimension: int) -> None:
    with pytest.raises(InputError, match=f"between 1 and {MAX_DIMENSION}; received {dimension}; use uniform"):
        sobol(4, dimension)


def test_importing_the_module_does_not_import_scipy_stats() -> None:
    code = "import sys, anchorpbo.numerics.sobol; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
