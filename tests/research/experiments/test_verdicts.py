"""Verdicts on statements and items, from the verdicts on claims."""

from itertools import permutations

import pytest

from anchorpbo.research.experiments.registry import EXPERIMENTS
from anchorpbo.research.experiments.verdicts import (
    PAPER_ITEMS,
    Claim,
    format_counts,
    judge_item,
    judge_items,
    judge_statement,
    judge_statements,
)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], "open"),
        (["agrees"], "agrees"),
        (["agrees", "agrees"], "agrees"),
        (["differs", "differs"], "differs"),
        (["agrees", "differs"], "depends"),
        (["agrees", "depends"], "depends"),
        (["agrees", "open"], "open"),
        (["agrees", "differs", "open"], "depends"),
        (["differs", "open"], "open"),
    ],
)
def test_a_statement_depends_where_settings_turn_it_and_else_is_open_where_one_is(verdicts, expected):
    assert {judge_statement(order) for order in permutations(verdicts)} == {expected}


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], "open"),
        (["open", "open"], "open"),
        (["agrees", "agrees"], "agrees"),
        (["agrees", "open"], "agrees, rest open"),
        (["agrees", "differs"], "mixed"),
        (["agrees", "depends"], "mixed"),
        (["agrees", "differs", "open"], "mixed"),
        (["differs", "open"], "differs"),
        (["depends", "open"], "depends"),
        (["depends", "differs"], "depends"),
    ],
)
def test_an_item_agrees_where_all_of_its_statements_do(verdicts, expected):
    assert {judge_item(order) for order in permutations(verdicts)} == {expected}


def test_statements_are_told_apart_by_text_and_place_and_put_together_over_settings():
    claims = [
        Claim("a", "Figure 1", "1", "-", "agrees", "one"),
        Claim("a", "Figure 1", "2", "-", "differs", "other"),
        Claim("a", "Figure S3", "1", "-", "agrees"),
        Claim("b", "Figure S3", "1", "-", "open"),
    ]
    assert judge_statements(claims) == {
        ("Figure 1", "a"): "depends", ("Figure S3", "a"): "agrees", ("Figure S3", "b"): "open",
    }  # fmt: skip


def test_items_count_what_the_paper_says_and_else_our_readings():
    claims = [
        Claim("a", "Figure S3", "1", "-", "agrees"),
        Claim("b", "Figure S3", "1", "-", "differs", reading="ours"),
        Claim("c", "ours", "1", "-", "differs"),
        Claim("d", "Figure S5", "1", "-", "differs", reading="ours"),
    ]
    found = judge_items(claims)
    assert found["Figure S3"] == ["agrees"]
    assert found["Figure S5"] == ["differs"]
    assert {where for where, verdicts in found.items() if verdicts} == {"Figure S3", "Figure S5"}


def test_counts_are_in_words():
    assert format_counts(["differs", "agrees", "open", "agrees", "depends"]) == "2 agree, 1 open, 1 depend, 1 differ"
    assert format_counts([]) == ""


def test_every_item_has_an_experiment_and_a_place_of_its_own():
    assert len({item.where for item in PAPER_ITEMS}) == len(PAPER_ITEMS)
    assert {item.experiment for item in PAPER_ITEMS} <= set(EXPERIMENTS)
    assert set(EXPERIMENTS) - {item.experiment for item in PAPER_ITEMS} == {
        "anchor-placement",
        "inference",
        "sensitivity",
    }
