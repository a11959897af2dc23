"""A folder with lines of several calls: what is compared, and what is measured again."""

import pytest
from bench_rows import answer, stopped, timing

from anchorpbo.research.bench import benchmark_tables
from anchorpbo.research.bench.costs import Quantity, Ratio, RoundCosts, compute_ratio
from anchorpbo.research.bench.results import MACHINE_FILE, Results, read_rows
from anchorpbo.research.bench.rounds import RoundTiming
from anchorpbo.research.bench.suite import SuiteExtent, plan_measurements

OURS = ("anchorpbo", "anchorpbo-study")
HERE = {"cores": 2}
BOTH = (Quantity("botorch", "round"), Quantity("anchorpbo", "round"))


def times(rows, quantities=BOTH, m=5, d=3):
    return compute_ratio(*(RoundCosts(rows).cost(quantity, m, d) for quantity in quantities))


def of(extent, step="round"):
    return next(each for each in plan_measurements(["rounds"], extent) if each.step == step)


def test_a_quick_look_at_one_library_is_not_compared_with_another_library_of_a_later_run(tmp_path):
    first = of(SuiteExtent(OURS, (5,), (3,), quick=True))
    Results(tmp_path, HERE).add(first, {"limit": 9.0, "runs": {name: [answer(0, 1e-6)] for name in OURS}})
    second = of(SuiteExtent(("botorch", *OURS), (5,), (3,)))
    results = Results(tmp_path, HERE, resume=True)
    assert not results.has(second)
    assert times(results.rows) is None
    results.add(second, {"limit": 9.0, "runs": {"botorch": [answer(0, 4.0)], "anchorpbo": [answer(0, 0.5)]}})
    assert times(results.rows) == times(results.rows[::-1]) == Ratio(8.0)


def test_ratios_over_two_steps_are_of_one_kind_of_measurement():
    quick = timing("between", m=5, d=3, anchorpbo=[answer(0, 1e-6)])
    both = timing(m=5, d=3, botorch=[answer(0, 4.0)], anchorpbo=[answer(0, 0.5)])
    assert times([quick, both], (BOTH[0], Quantity("anchorpbo", "between"))) is None
    assert "4.00 s" in benchmark_tables.tabulate_rounds([quick, both]).to_markdown()


def test_of_equal_measurements_the_latest_counts():
    rows = [timing(m=5, d=3, botorch=[answer(0, cost)], anchorpbo=[answer(0, 1.0)]) for cost in (2.0, 3.0)]
    assert times(rows) == Ratio(3.0)


UNREADY = {"seed": 0, "status": "failed", "error": "Unready", "message": "", "seconds": 20.0}


@pytest.mark.parametrize("over", [stopped(20.0), UNREADY])
def test_what_was_stopped_is_tried_again_under_a_larger_limit(tmp_path, over):
    measurement = RoundTiming("round", 300, 3, 1, ("botorch",))
    results = Results(tmp_path, HERE)
    results.add(measurement, {"limit": 20.0, "runs": {"botorch": [over]}})
    assert results.has(measurement, 20.0)
    assert results.has(measurement, 10.0)
    assert not results.has(measurement, 40.0)
    larger = RoundTiming("round", 1000, 3, 1, ("botorch",))
    assert larger._hopeless("botorch", results.rows, 20.0)["assumed"]
    assert larger._hopeless("botorch", results.rows, 40.0) is None
    results.add(measurement, {"limit": 40.0, "runs": {"botorch": [answer(0, 30.0)]}})
    assert results.has(measurement, 300.0)
    assert RoundCosts(results.rows).cost(BOTH[0], 300, 3).seconds == 30.0


def test_every_line_and_the_machine_say_what_the_command_was_called_with(tmp_path):
    measurements = [RoundTiming("round", m, 3, 1, OURS) for m in (5, 6)]
    calls = [{"limit": 20.0}, {"limit": 40.0}]
    for measurement, call in zip(measurements, calls, strict=True):
        results = Results(tmp_path, HERE, resume=True, call=call)
        results.add(measurement, {"limit": call["limit"], "runs": {}})
    assert [row["call"] for row in read_rows(tmp_path / "results.jsonl")] == calls
    assert '"calls"' in (tmp_path / MACHINE_FILE).read_text()
    Results(tmp_path, HERE, resume=True, call={"limit": 1.0})  # measures nothing
    assert [text in (tmp_path / MACHINE_FILE).read_text() for text in ("40.0", "1.0")] == [True, False]
