"""Tables and figures say what the lines of the results say."""

import copy
import importlib.util
import json
from pathlib import Path

import pytest
from bench_rows import answer, failed, stopped, timing

from anchorpbo.research.bench import benchmark_report, benchmark_tables, cost_figures, power_laws
from anchorpbo.research.bench.benchmark_report import format_headline
from anchorpbo.research.bench.costs import Quantity, Ratio, RoundCosts, compute_ratio

ROWS = [
    timing(
        botorch=[answer(0, 3.0, fit=2.0, ask_pair=1.0), failed(1), answer(2, 5.0, fit=4.0, ask_pair=1.0)],
        anchorpbo=[answer(seed, 0.05, fit=0.04, ask_pair=0.01) for seed in range(5)],
        anchorpbo_study=[answer(seed, 0.1) for seed in range(5)],
    ),
    timing(
        m=1000,
        botorch=[stopped()],
        anchorpbo=[answer(0, 1.0, fit=0.9, ask_pair=0.1)],
        anchorpbo_study=[answer(0, 2.0)],
    ),
]


def row_of(table, *cells):
    lines = [line for line in table.to_markdown().splitlines() if line.startswith("| " + " | ".join(cells) + " |")]
    assert len(lines) == 1
    return [cell.strip().strip("*") for cell in lines[0].strip("|").split("|")]


def test_a_round_is_the_median_and_failures_are_told():
    assert row_of(benchmark_tables.tabulate_rounds(ROWS), "4", "150")[2:] == [
        "5", "4.00 s (1 failed of 3)", "–", "50.0 ms", "100 ms", "80 ×", "40 ×",
    ]  # fmt: skip


def test_what_was_stopped_shows_the_limit_and_a_ratio_of_at_least():
    assert row_of(benchmark_tables.tabulate_rounds(ROWS), "4", "1,000", "1")[3:] == [
        "> 300 s",
        "–",
        "1.00 s",
        "2.00 s",
        "> 300 ×",
        "> 150 ×",
    ]


def test_a_changed_line_changes_the_table():
    changed = copy.deepcopy(ROWS)
    changed[0]["runs"]["botorch"][0]["seconds"] = 9.0
    assert row_of(benchmark_tables.tabulate_rounds(changed), "4", "150")[3] == "7.00 s (1 failed of 3)"


def test_a_ratio_is_over_the_seeds_that_both_have():
    rounds = RoundCosts(
        [timing(botorch=[answer(1, 4.0), failed(0)], anchorpbo=[answer(0, 1e-9), answer(1, 0.5), answer(2, 1e-9)])]
    )
    theirs, ours = (rounds.cost(Quantity(name, "round"), 150, 4) for name in ("botorch", "anchorpbo"))
    assert compute_ratio(theirs, ours) == Ratio(8.0)


def test_a_fit_that_always_fails_has_no_time_and_no_ratio():
    rows = [timing(botorch=[failed(0), failed(1)], anchorpbo=[answer(0, 0.1)])]
    cells = row_of(benchmark_tables.tabulate_rounds(rows), "4", "150")
    assert cells[3] == "failed, all 2"
    assert cells[7] == "–"
    assert row_of(benchmark_tables.tabulate_failures(rows), "150") == ["150", "2", "2", "0"]


def test_sizes_left_out_after_a_stop_are_not_counted_as_tried():
    rows = [timing(m=1000, botorch=[stopped(assumed=True)], anchorpbo=[answer(0, 0.1)])]
    assert row_of(benchmark_tables.tabulate_failures(rows), "1,000") == ["1,000", "0", "0", "1"]
    cells = row_of(benchmark_tables.tabulate_rounds(rows), "4", "1,000")
    assert cells[3] == "(> 300 s)"
    assert cells[7] == "(> 3000 ×)"


def test_of_a_step_that_was_stopped_only_the_part_under_way_is_known_to_be_long():
    stop = stopped(laps={"fit": 100.0}, running="ask_pair")
    rows = [timing(botorch=[stop], anchorpbo=[answer(0, 1.0, fit=0.5, ask_pair=0.5)])]
    assert row_of(benchmark_tables.tabulate_rounds(rows), "4", "150")[3] == "> 300 s"
    cells = row_of(benchmark_tables.tabulate_parts(rows), "4", "150")
    assert cells[3:6] == ["100 s", "500 ms", "200 ×"]
    assert cells[9:12] == ["> 200 s", "500 ms", "> 400 ×"]
    early = [timing(botorch=[stopped()], anchorpbo=[answer(0, 1.0, fit=0.5, ask_pair=0.5)])]
    assert row_of(benchmark_tables.tabulate_parts(early), "4", "150")[9:12] == ["–", "500 ms", "–"]


def test_what_was_not_prepared_in_time_has_no_time():
    unready = {**failed(0), "error": "Unready"}
    rows = [timing(optuna=[unready], anchorpbo=[answer(0, 0.1)])]
    assert row_of(benchmark_tables.tabulate_rounds(rows), "4", "150")[4] == "not ready in time"


def test_parts_are_those_of_the_step_they_belong_to():
    cells = row_of(benchmark_tables.tabulate_parts(ROWS), "4", "150")
    assert cells[3:6] == ["3.00 s (1 failed of 3)", "40.0 ms", "75 ×"]
    assert cells[9:12] == ["1.00 s (1 failed of 3)", "10.0 ms", "100 ×"]


def test_values_are_compared_relative_to_what_botorch_found():
    run = {
        "seed": 0, "status": "ok", "mean_difference": 1e-9, "evidence_ours": -10.0, "evidence_theirs": -10.5,
        "pair_ours": 2.0, "pair_theirs": 2.5, "single_ours": 5.0, "single_theirs": 4.0,
    }  # fmt: skip
    rows = [{"key": "v", "section": "values", "m": 50, "d": 3, "seeds": 2, "runs": [run, failed(1)]}]
    cells = row_of(benchmark_tables.tabulate_values(rows), "3", "50")
    judged = ["1.0e-09", "-2.0e-01", "-2.0e-01", "2.5e-01", "2.5e-01", "+0.50", "+0.50"]
    assert cells[2:] == ["1 of 2, 1 failed", *judged, "–", "–"]
    newer = {**run, "objective_ours": -12.25, "objective_theirs": -12.0}
    later = {**rows[0], "runs": [newer, {**newer, "seed": 1, "objective_ours": -12.75}, stopped(20.0)]}
    cells = row_of(benchmark_tables.tabulate_values([*rows, later]), "3", "50")
    assert cells[2:] == ["2 of 3, 1 out of time at 20 s", *judged, "-0.75", "-0.50"]


def test_laws_are_of_the_medians_and_name_the_steepest_step():
    costs = {**{m: 1e-6 * m**2 for m in (50, 100, 200)}, 400: 4e-6 * 400**2}
    rows = [timing(m=m, botorch=[answer(0, cost, fit=cost, ask_pair=0.1)]) for m, cost in costs.items()]
    cells = row_of(power_laws.tabulate_laws(rows), "BoTorch, whole round", "4")
    assert cells[5:7] == ["50 to 400", "200 to 400"]
    assert float(cells[7]) == 16.0
    assert float(cells[2]) > 2.0
    assert float(cells[3]) == 4.0


def test_the_smallest_and_the_largest_ratios_say_where():
    ours = [answer(0, 1.0, fit=1.0, ask_pair=1.0)]
    rows = [
        timing(m=m, botorch=[answer(0, cost, fit=cost, ask_pair=0.1)], anchorpbo=ours)
        for m, cost in ((10, 0.5), (50, 20.0))
    ]
    cells = row_of(power_laws.tabulate_extremes(rows), "whole round, equal work")
    assert cells[1:] == ["0.5 ×", "10 duels, d = 4", "20 ×", "50 duels, d = 4"]


def test_memory_and_growth_tell_of_limits_and_failures():
    rows = [
        {"key": "1", "section": "memory", "contender": "botorch", "m": 1000, "d": 4, **stopped()},
        {"key": "2", "section": "memory", "contender": "anchorpbo", "m": 1000, "d": 4, **answer(0, 1.0)},
        {"key": "3", "section": "growth", "case": "catalogue", "quick": False, **stopped()},
        {"key": "4", "section": "growth", "case": "many_duels", "quick": False, "status": "ok", "megabytes": None,
         "found": {"duels": 100_000, "fit_seconds": 3.0, "ratio": 1.25}},
    ]  # fmt: skip
    unready = {**failed(0), "error": "Unready", "seconds": 40.0}
    rows.append({"key": "5", "section": "memory", "contender": "optuna", "m": 1000, "d": 4, **unready})
    assert "| 1,000 | > 900 | not ready in 40 s | 100 |" in benchmark_tables.tabulate_memory(rows).to_markdown()
    text = benchmark_tables.tabulate_growth(rows).to_markdown()
    assert "> 300 s" in text
    for cells in ("| duels | 100,000 |", "| fit | 3.00 s |", "| ratio | 1.25 |"):
        assert cells in text


def test_between_fits_the_fair_ratio_comes_before_that_with_their_fit():
    row = timing("between", botorch=[answer(0, 1.0)], anchorpbo=[answer(0, 0.1)], anchorpbo_study=[answer(0, 0.2)])
    assert row_of(benchmark_tables.tabulate_between_fits([row, ROWS[0]]), "4", "150")[6:] == [
        "10 ×",
        "5.0 ×",
        "30 ×",
        "15 ×",
    ]


def test_the_main_numbers_are_those_of_the_tables():
    text = format_headline(ROWS)
    assert "equal work: 80 × (150 duels, d = 4) to 80 × (150 duels, d = 4)" in text
    assert "1,000 duels in 4-D" in text
    assert format_headline([]) is None


def test_a_table_says_which_calls_it_comes_from():
    call = {"sections": ["rounds"], "sizes": [5], "dimensions": [3], "contenders": ["botorch"], "limit": 40.0,
            "quick": True, "date": "2026-01-02"}  # fmt: skip
    (line,) = benchmark_report.describe_calls([{**row, "call": call} for row in ROWS])
    assert line == "2026-01-02, 2 measurements, quick: rounds; sizes 5; dimensions 3; botorch; limit 40 s."
    assert benchmark_report.describe_calls(ROWS) == []


def test_without_lines_there_are_no_tables():
    assert benchmark_report.render_tables([]) == {}


def test_bounds_are_arrows_and_grey_where_nothing_was_tried():
    rows = [*ROWS, timing(m=2000, botorch=[stopped(assumed=True)], anchorpbo=[answer(0, 9.0)])]
    bounds = {
        line.get_gid(): line.get_color() for line in cost_figures.plot_costs(rows).axes[0].get_lines() if line.get_gid()
    }
    assert bounds == {"bound": cost_figures.RED, "assumed bound": cost_figures.GREY}


@pytest.mark.parametrize("draw", [cost_figures.plot_costs, cost_figures.plot_ratios])
def test_figures_have_a_panel_a_dimension(draw):
    drawn = draw([*ROWS, timing(d=6, botorch=[answer(0, 1.0, fit=1.0, ask_pair=0.5)],
                                anchorpbo=[answer(0, 0.1, fit=0.1, ask_pair=0.05)])])  # fmt: skip
    assert [axes.get_title() for axes in drawn.axes] == ["Hartmann 4D", "Hartmann 6D"]


def test_the_script_puts_a_table_between_its_marks(tmp_path):
    path = Path(__file__).parents[3] / "scripts" / "make_performance_page.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    row = {"key": "a", "section": "startup", "seconds": {"numpy": [0.1, 0.3, 0.2], "stack": [0.4]}}
    (tmp_path / "results.jsonl").write_text(json.dumps(row) + "\n")
    page = "before\n<!-- bench/startup -->\nold\n<!-- end -->\nafter <!-- bench/laws -->\nkept\n<!-- end -->"
    filled = script.fill_page(page, tmp_path)
    assert "| import numpy | 200 ms | 0.50 |" in filled
    assert "old" not in filled
    assert filled.startswith("before\n")
    assert "kept" in filled
