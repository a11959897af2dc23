"""Measures against plain loops, on small random records with rows shuffled and runs missing."""

from statistics import mean, stdev

import numpy as np
import polars as pl
import pytest

from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.run_metrics import (
    FINAL_ROUNDS,
    ROUND_METRICS,
    RUNNING_METRICS,
    add_ranks,
    add_running_best,
    average_rounds,
    compare_pairs,
    summarise_final_values,
    summarise_gains,
    summarise_rounds,
)

ROUNDS = 30
SEEDS = {"ei": (0, 1, 2, 3, 5), "anpei": (1, 2, 3, 4, 5), "ucb": (2,)}
"""Runs that there are; seeds 0 and 4 have no partner."""


def rows_of(problems=("p", "q"), variants=("", "v"), rounds=ROUNDS):
    rng = np.random.default_rng(5)
    return [
        {
            "problem": problem, "variant": variant, "strategy": strategy, "seed": seed, "round": number,
            "rounds": rounds,
            **{name: float(rng.normal()) for name in ROUND_METRICS},
            **({"pair_noise": None, "seconds": None} if number == 0 else {}),
        }
        for problem in problems for variant in variants for strategy, seeds in SEEDS.items() for seed in seeds
        for number in range(rounds + 1)
    ]  # fmt: skip


def shuffled(rows):
    order = np.random.default_rng(8).permutation(len(rows))
    return pl.DataFrame([rows[i] for i in order], infer_schema_length=None)


ROWS = rows_of()
RECORDS = shuffled(ROWS)
ONE = [row for row in ROWS if row["problem"] == "p" and row["variant"] == "v"]


def is_in(row, when):
    number = row["round"]
    return {"last": ROUNDS - FINAL_ROUNDS < number <= ROUNDS, "early": number <= ROUNDS / 3, "all": True}[when]


def naive_run(rows, strategy, seed, metric, when):
    values = [r[metric] for r in rows if r["strategy"] == strategy and r["seed"] == seed and is_in(r, when)]
    return mean(value for value in values if value is not None)


def strategy(name):
    return pl.col("strategy") == name


# -- curves ------------------------------------------------------------------------------------------------------------


def test_curves_are_means_and_deviations_over_seeds():
    found = summarise_rounds(RECORDS)
    assert len(found) == 2 * 2 * len(SEEDS) * (ROUNDS + 1)
    for row in found.iter_rows(named=True):
        same = [r for r in ROWS if all(r[name] == row[name] for name in ("problem", "variant", "strategy", "round"))]
        assert row["runs"] == len(same) == len(SEEDS[row["strategy"]])
        for metric in ROUND_METRICS:
            values = [r[metric] for r in same if r[metric] is not None]
            assert row[f"{metric}_mean"] == (pytest.approx(mean(values)) if values else None)
            assert row[f"{metric}_std"] == (pytest.approx(stdev(values)) if len(values) > 1 else None)


def test_curves_are_sorted_and_do_not_heed_the_order_of_rows():
    found = summarise_rounds(RECORDS)
    keys = found.select("problem", "strategy", "variant", "round").rows()
    assert keys == sorted(keys)
    for name, column in summarise_rounds(pl.DataFrame(ROWS, infer_schema_length=None)).to_dict().items():
        assert column.to_list() == pytest.approx(found[name].to_list())


# -- a number a run ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["last", "early", "all"])
@pytest.mark.parametrize("metric", ROUND_METRICS)
def test_a_run_has_the_mean_of_its_rounds(metric, when):
    records = shuffled(ONE)
    for name, seeds in SEEDS.items():
        found = average_rounds(records.filter(strategy(name)), metric, when)
        assert found.columns == ["seed", metric]
        assert found["seed"].to_list() == sorted(seeds)
        expected = [naive_run(ONE, name, seed, metric, when) for seed in sorted(seeds)]
        assert found[metric].to_list() == pytest.approx(expected)


def test_the_last_rounds_are_ten_and_the_first_third_includes_the_start():
    assert FINAL_ROUNDS == 10
    numbers = pl.DataFrame({"round": range(ROUNDS + 1), "rounds": ROUNDS, "seed": 0, "value": range(ROUNDS + 1)})
    assert average_rounds(numbers, "value", "last")["value"].item() == mean(range(21, 31))
    assert average_rounds(numbers, "value")["value"].item() == mean(range(21, 31))
    assert average_rounds(numbers, "value", "early")["value"].item() == mean(range(11))
    assert average_rounds(numbers, "value", "all")["value"].item() == 15.0


def test_a_run_shorter_than_ten_rounds_counts_whole():
    numbers = pl.DataFrame({"round": range(4), "rounds": 3, "seed": 0, "value": [1.0, 2.0, 3.0, 6.0]})
    assert average_rounds(numbers, "value")["value"].item() == 3.0


def test_runs_of_different_lengths_each_have_their_own_last_rounds():
    rows = [{"seed": rounds, "round": number, "rounds": rounds, "value": float(number)}
            for rounds in (15, 40) for number in range(rounds + 1)]  # fmt: skip
    assert average_rounds(shuffled(rows), "value")["value"].to_list() == [mean(range(6, 16)), mean(range(31, 41))]


# -- differences -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["last", "early", "all"])
@pytest.mark.parametrize("metric", ["risk_adjusted", "value", "pair_noise"])
def test_differences_are_paired_and_leave_out_seeds_without_a_partner(metric, when):
    found = compare_pairs(shuffled(ONE), metric, strategy("anpei"), strategy("ei"), when)
    seeds = sorted(set(SEEDS["anpei"]) & set(SEEDS["ei"]))
    assert seeds == [1, 2, 3, 5]
    gaps = [naive_run(ONE, "anpei", s, metric, when) - naive_run(ONE, "ei", s, metric, when) for s in seeds]
    expected = Interval.of_mean(gaps)
    assert (found.mean, found.low, found.high) == pytest.approx((expected.mean, expected.low, expected.high))


def test_a_difference_is_of_the_first_less_the_second():
    rows = [{"strategy": name, "seed": seed, "round": 1, "rounds": 1, "value": value + seed}
            for name, value in (("a", 3.0), ("b", 1.0)) for seed in range(4)]  # fmt: skip
    records = shuffled(rows)
    assert compare_pairs(records, "value", strategy("a"), strategy("b")) == Interval(2.0, 2.0, 2.0)
    assert compare_pairs(records, "value", strategy("b"), strategy("a")) == Interval(-2.0, -2.0, -2.0)


def test_one_shared_seed_gives_no_bounds():
    found = compare_pairs(shuffled(ONE), "value", strategy("ucb"), strategy("ei"))
    assert found.mean == pytest.approx(
        naive_run(ONE, "ucb", 2, "value", "last") - naive_run(ONE, "ei", 2, "value", "last")
    )
    assert (found.low, found.high) == (-np.inf, np.inf)


def test_without_a_shared_seed_there_is_no_difference():
    records = shuffled([row for row in ONE if (row["strategy"], row["seed"]) in {("ei", 0), ("anpei", 4)}])
    assert compare_pairs(records, "value", strategy("anpei"), strategy("ei")) is None
    assert compare_pairs(records, "value", strategy("rahbo"), strategy("ei")) is None


def test_runs_without_the_metric_are_left_out():
    rows = [row | {"pair_noise": None} if row["seed"] == 3 and row["strategy"] == "ei" else row for row in ONE]
    gaps = [
        naive_run(ONE, "anpei", s, "pair_noise", "all") - naive_run(ONE, "ei", s, "pair_noise", "all")
        for s in (1, 2, 5)
    ]
    found = compare_pairs(shuffled(rows), "pair_noise", strategy("anpei"), strategy("ei"), "all")
    assert found.mean == pytest.approx(mean(gaps))


# -- ranks -------------------------------------------------------------------------------------------------------------


def naive_rank(values, value):
    """Those that are better, and half of those that are equal."""
    return sum(each > value for each in values) + (sum(each == value for each in values) - 1) / 2


def test_ranks_count_those_that_are_better():
    rows = rows_of(variants=("",), rounds=5)
    records = shuffled(rows)
    found = add_ranks(records)
    ranked = ("risk_adjusted", "value", *RUNNING_METRICS)
    assert found.drop(f"{metric}_rank" for metric in ranked).equals(records)
    for row in found.iter_rows(named=True):
        rivals = [r for r in rows if all(r[name] == row[name] for name in ("problem", "seed", "round"))]
        for metric in ranked:
            assert row[f"{metric}_rank"] == naive_rank([r[metric] for r in rivals], row[metric])


def test_equals_share_a_rank():
    values = {"a": 1.0, "b": 3.0, "c": 3.0, "d": 0.0, "e": 3.0}
    rows = [{"problem": "p", "seed": 0, "round": 0, "strategy": name, "value": value, "risk_adjusted": -value,
             "running_value": 0.0, "running_risk_adjusted": 0.0} for name, value in values.items()]  # fmt: skip
    found = {row["strategy"]: row for row in add_ranks(shuffled(rows)).iter_rows(named=True)}
    assert {name: found[name]["value_rank"] for name in values} == {"b": 1.0, "c": 1.0, "e": 1.0, "a": 3.0, "d": 4.0}
    assert {name: found[name]["risk_adjusted_rank"] for name in values} == {
        "d": 0.0, "a": 1.0, "b": 3.0, "c": 3.0, "e": 3.0
    }  # fmt: skip


def test_a_strategy_alone_is_first():
    rows = [row for row in ONE if row["strategy"] == "ucb"]
    assert set(add_ranks(shuffled(rows))["value_rank"]) == {0.0}


def test_finals_are_of_each_runs_mean_over_the_last_ten_rounds_and_of_all_for_the_noise():
    rows = [
        {"problem": "p", "strategy": "ei", "variant": "", "seed": seed, "rounds": 15, "round": number,
         **{name: float(100 * seed + number) for name in ROUND_METRICS}}
        for seed in range(3) for number in range(16)
    ]  # fmt: skip
    found = summarise_final_values(pl.DataFrame(rows)).row(0, named=True)
    assert (found["round"], found["runs"]) == (15, 3)
    assert found["value_mean"] == pytest.approx(100.0 + np.mean(range(6, 16)))
    assert found["pair_noise_mean"] == pytest.approx(100.0 + np.mean(range(16)))
    assert found["value_std"] == pytest.approx(100.0)


# -- the running best --------------------------------------------------------------------------------------------------


def test_the_running_best_is_the_largest_of_a_run_so_far_and_rows_stay_where_they_are():
    rows = [
        {**row, "key": f"{row['problem']}-{row['variant']}-{row['strategy']}-{row['seed']}"}
        for row in rows_of(rounds=6)
    ]
    records = shuffled(rows).drop(RUNNING_METRICS)
    found = add_running_best(records)
    assert found.drop(RUNNING_METRICS).equals(records)
    for row in found.iter_rows(named=True):
        before = [r for r in rows if r["key"] == row["key"] and r["round"] <= row["round"]]
        for running, current in RUNNING_METRICS.items():
            assert row[running] == max(r[current] for r in before)


# -- gains -------------------------------------------------------------------------------------------------------------


def test_gains_are_paired_differences_of_twins_by_problem_and_variant():
    rows = [{**row, "anchor_distance": 1.0 + row["seed"]} for row in ROWS]
    found = summarise_gains(shuffled(rows), {"anpei": "ei", "rahbo": "ucb"}, {"value": "last", "pair_noise": "all"})
    assert len(found) == 2 * 2 * 2  # RAHBO has no runs
    for row in found.iter_rows(named=True):
        own = [r for r in ROWS if r["problem"] == row["problem"] and r["variant"] == row["variant"]]
        when = "all" if row["metric"] == "pair_noise" else "last"
        gaps = [
            naive_run(own, "anpei", seed, row["metric"], when) - naive_run(own, "ei", seed, row["metric"], when)
            for seed in (1, 2, 3, 5)
        ]
        expected = Interval.of_mean(gaps)
        assert (row["strategy"], row["seeds"]) == ("anpei", 4)
        assert [row[name] for name in ("mean", "low", "high")] == pytest.approx(
            [expected.mean, expected.low, expected.high]
        )
        distances = [1.0 + r["seed"] for r in own]
        assert row["distance"] == pytest.approx(mean(distances))
