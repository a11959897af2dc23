"""Consistency of repeated answers: shares of small tables by hand, and the lapse of simulated listeners."""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, ndtr

from anchorpbo.problems import PairAnswers, RepeatedAnswers, soundquality_answers, soundquality_modes
from anchorpbo.research.people.answer_consistency import (
    LAPSES,
    UTILITY_STDS,
    compute_lapse_evidence,
    convert_to_error,
    score_majority,
    share_differing,
    share_differing_later,
    share_odd,
    summarise_consistency,
    tabulate_repeats,
)

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
TABLES = np.array([[1, 1, 1], [1, 0, 1], [0, 0, 1.0]]), np.array([[1, 1], [1, 1], [0, 1.0]])
"""Three pairs: answered before, three times each, and after, twice each."""


def make_block(listener, tables, material="m"):
    """A listener's block with these tables, for the first pairs of modes."""
    modes, rows = soundquality_modes().points, []
    pairs = list(combinations(range(8), 2))
    for late, table in enumerate(tables):
        for k, repetition in np.ndindex(table.shape):
            rows.append((k, late, repetition + 1, table[k, repetition]))
    rows = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    numbers, after, repetitions, won = map(np.array, zip(*rows, strict=True))
    designs = np.array([[modes[i] for i in pairs[k]] for k in numbers])
    answers = PairAnswers(listener, soundquality_modes(), designs, won == 1)
    return RepeatedAnswers(material, answers, after == 1, repetitions, numbers)


def test_repeats_are_tabulated_whatever_their_order():
    for table, expected in zip(tabulate_repeats(make_block("l", TABLES)), TABLES, strict=True):
        np.testing.assert_array_equal(table, expected)


def test_shares_of_three_pairs():
    # Before: 0, 2 and 2 of 3 combinations differ. Before against after: 0 of 6, 2 of 6, and 0-0, 0-0, 1-0 against 0, 1.
    assert share_differing(TABLES) == pytest.approx(4 / 9)
    assert share_differing_later(TABLES) == pytest.approx((0 + 2 + 3) / 18)
    # All five agree (five answers), four of five agree (one answer), two of five (none).
    assert share_odd(TABLES) == pytest.approx(1 / 6)
    # Others of the second pair: its 0 has four 1s, its 1s have three 1s; of the third, 2 ones among 5 answers.
    third = (3 * 0.5 + 2 * 0.0) / 5  # a 0 has two 1s and two 0s; a 1 has one 1 and three 0s
    assert score_majority(TABLES) == pytest.approx((1.0 + 4 / 5 + third) / 3)


def test_without_answers_after_there_is_no_later_share():
    early = TABLES[0], np.empty((3, 0))
    assert np.isnan(share_differing_later(early))
    assert share_differing(early) == pytest.approx(4 / 9)


@pytest.mark.parametrize("error", [0.0, 0.1, 0.3, 0.5])
def test_the_error_makes_two_answers_differ(error):
    assert convert_to_error(2 * error * (1 - error)) == pytest.approx(error)


def test_more_disagreement_than_chance_is_an_error_of_one_half():
    assert convert_to_error(0.6) == 0.5


@pytest.mark.parametrize(("link", "F"), [("logistic", expit), ("normal", ndtr)])
@pytest.mark.parametrize("lapse", [0.0, 0.15])
def test_the_evidence_finds_the_lapse_of_simulated_listeners(link, F, lapse):
    rng, pairs = np.random.default_rng(1), list(combinations(range(6), 2))
    signs = np.zeros((len(pairs), 6))
    for k, (i, j) in enumerate(pairs):
        signs[k, i], signs[k, j] = 1.0, -1.0
    p = 0.5 * lapse + (1 - lapse) * F(rng.normal(0, 2.0, (80, 6)) @ signs.T)
    wins = rng.binomial(5, p).astype(float)
    evidence = compute_lapse_evidence(wins, np.full(80, 5), signs, link).sum(axis=0)
    std, found = np.unravel_index(evidence.argmax(), evidence.shape)
    assert LAPSES[found] == pytest.approx(lapse, abs=0.05)
    # The scale of the utilities is confounded with the lapse: one step of the grid, a factor of 1.4.
    assert abs(int(std) - UTILITY_STDS.tolist().index(2.0)) <= 1


@pytest.mark.parametrize(("link", "F"), [("logistic", expit), ("normal", ndtr)])
def test_the_evidence_agrees_with_quadrature_for_one_pair(link, F):
    signs, u = np.array([[1.0, -1.0]]), np.linspace(-20.0, 20.0, 40001)
    for wins in (2.0, 4.0):
        evidence = compute_lapse_evidence(np.array([[wins]]), np.array([5]), signs, link)[0]
        for i, j in [(0, 0), (1, 10), (2, 0), (2, 20)]:
            p, std = 0.5 * LAPSES[j] + (1 - LAPSES[j]) * F(u), np.sqrt(2) * UTILITY_STDS[i]
            density = np.exp(-0.5 * (u / std) ** 2) / (std * np.sqrt(2 * np.pi))
            exact = np.log(np.sum(p**wins * (1 - p) ** (5 - wins) * density) * (u[1] - u[0]))
            assert evidence[i, j] == pytest.approx(exact, abs=0.03)


def test_the_summary_averages_pieces_of_a_listener_and_then_listeners():
    same = np.ones((28, 3)), np.ones((28, 2))
    flips = np.tile([1.0, 0.0, 1.0], (28, 1)), np.ones((28, 2))
    blocks = [make_block("1", same), make_block("1", flips, "n"), make_block("2", same)]
    table = {row["measure"]: row for row in summarise_consistency(blocks).to_dicts()}
    assert table["differing, same session"]["mean"] == pytest.approx((2 / 3 / 2 + 0) / 2)
    assert table["differing, same session"]["people"] == 2
    assert table["error, same session"]["mean"] == pytest.approx(convert_to_error(1 / 6))
    assert set(table) >= {"lapse, logistic noise", "lapse, normal noise", "odd one", "majority"}


@pytest.mark.skipif(not (DATA / "soundquality").is_dir(), reason="ANCHORPBO_DATA has no soundquality/")
def test_real_listeners_answer_three_in_ten_repeated_pairs_differently():
    shares = [share_differing(tabulate_repeats(block)) for block in soundquality_answers()]
    assert 0.29 < np.mean(shares) < 0.32
    naive = []
    for block in soundquality_answers()[:3]:
        rows = [k for k in range(len(block.answers)) if not block.after[k]]
        for i, j in combinations(rows, 2):
            if block.pair_numbers[i] == block.pair_numbers[j]:
                naive.append(block.answers.first_won[i] != block.answers.first_won[j])
    assert np.mean(naive) == pytest.approx(np.mean(shares[:3]))
