"""What the libraries are given, and the processes they live in."""

import json
import subprocess
import sys

import numpy as np
import pytest

from anchorpbo.errors import UnknownNameError, UnsupportedError
from anchorpbo.research.bench.anchorpbo_contenders import BOTORCH_PRIORS
from anchorpbo.research.bench.benchmark_worker import perform_job
from anchorpbo.research.bench.contender import CONTENDER_NAMES, TIMED_STEPS, load_contender, select_contenders
from anchorpbo.research.bench.dataset import DuelDataset
from anchorpbo.research.bench.growth import GROWTH_CASES
from anchorpbo.research.bench.process_costs import PeakMemory, StartupTime
from anchorpbo.research.bench.process_pool import BenchmarkPool, BenchmarkProcess, make_environment
from anchorpbo.research.bench.rounds import RoundTiming
from anchorpbo.research.bench.simulated_duels import simulate_dataset
from anchorpbo.research.bench.suite import SuiteExtent, plan_measurements

OURS = ("anchorpbo", "anchorpbo-study")


def test_our_prior_of_length_scales_has_the_mode_and_the_curvature_of_botorchs_penalty():
    prior = BOTORCH_PRIORS["lengthscale"].prior
    u, h = np.log(1.4 / 2.7), 1e-3

    def theirs(x):
        return 1.4 * x - 2.7 * np.exp(x)  # log density of Gamma(2.4, 2.7) in l, at l = exp(x)

    assert prior.log_density(u)[1] == pytest.approx(0.0, abs=1e-12)
    second = (theirs(u + h) - 2.0 * theirs(u) + theirs(u - h)) / h**2
    assert (prior.log_density(u + h)[1] - prior.log_density(u)[1]) / h == pytest.approx(second, rel=1e-3)
    assert (prior.median, prior.spread) == (pytest.approx(0.5185, abs=1e-4), pytest.approx(0.845, abs=1e-3))


def test_a_smaller_study_is_the_beginning_of_a_larger_one_and_no_design_comes_twice():
    small, large = simulate_dataset(3, 20, seed=1), simulate_dataset(3, 60, seed=1)
    assert np.array_equal(small.points, large.points[:40])
    assert np.array_equal(small.winners, large.winners[:20])
    assert len(np.unique(large.points, axis=0)) == 120
    assert np.array_equal(np.sort(np.stack([large.winners, large.losers]), axis=0)[0], 2 * np.arange(60))


def test_the_duels_reach_another_process_to_the_last_bit():
    given = simulate_dataset(4, 5, seed=2)
    again = DuelDataset.from_plain(given.to_plain())
    assert again.key == given.key == (4, 5, 2)
    for name in ("points", "winners", "losers", "anchors"):
        assert np.array_equal(getattr(again, name), getattr(given, name))


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("step", TIMED_STEPS)
def test_our_side_has_every_step(name, step):
    job = {"do": "step", "contender": name, "step": step, "dataset": simulate_dataset(3, 6, 0).to_plain()}
    found = perform_job(job)
    assert found["status"] == "ok", found
    assert found["seconds"] == pytest.approx(sum(found["laps"].values()))


@pytest.mark.parametrize("case", [name for name in GROWTH_CASES if name not in {"inferences", "studies_at_once"}])
def test_cases_of_growth_find_numbers(case):
    found = GROWTH_CASES[case](True)
    assert all(np.isfinite(value) for value in found.values())
    assert any(name.endswith("_seconds") for name in found)


def test_an_error_is_an_answer():
    found = perform_job({"do": "growth", "case": "nothing", "quick": True})
    assert (found["status"], found["error"]) == ("failed", "KeyError")


def test_a_library_over_the_limit_is_stopped_and_larger_sizes_are_left_out():
    with BenchmarkPool(limit=60.0) as workers:
        workers.call("anchorpbo", 1, {"do": "load", "contender": "anchorpbo"})
        workers.limit = 0.002
        found = RoundTiming("round", 60, 3, 1, ("anchorpbo",)).run(workers, [])
        (answer,) = found["runs"]["anchorpbo"]
        assert answer["status"] == "limit" or answer["error"] == "Unready"
        row = {"section": "rounds", "step": "round", "m": 60, "d": 3, "threads": 1, **found}
        larger = RoundTiming("round", 90, 3, 1, ("anchorpbo",)).run(workers, [row])
        (assumed,) = larger["runs"]["anchorpbo"]
        assert assumed["assumed"]
        assert assumed["status"] == answer["status"]


def test_the_limit_is_that_of_the_part_under_way_not_of_the_preparation():
    worker = BenchmarkProcess(1)
    given = simulate_dataset(3, 200, 0).to_plain()
    try:
        worker.call({"do": "warm", "contender": "anchorpbo", "dataset": simulate_dataset(3, 6, 0).to_plain()}, 300.0)
        worker._lines.put(json.dumps({"parts": ["fit", "ask_pair"]}))  # as if it had been prepared
        worker._lines.put(json.dumps({"lap": "fit", "seconds": 0.5}))
        answer = worker.call({"do": "step", "contender": "anchorpbo", "step": "round", "dataset": given}, 1e-4)
    finally:
        worker.end()
    assert (answer["status"], answer["laps"], answer["running"]) == ("limit", {"fit": 0.5}, "ask_pair")
    assert not worker.is_alive


def test_a_process_that_dies_is_a_failure_and_the_next_job_has_a_new_one():
    job = {"do": "load", "contender": "anchorpbo"}
    with BenchmarkPool(limit=60.0) as workers:
        assert workers.call("x", 1, {"do": "growth", "case": "nothing", "quick": True})["error"] == "KeyError"
        worker = workers._processes["x", 1]
        worker._process.kill()
        worker._process.wait()
        assert worker.call(job, 60.0)["error"] == "ProcessEnded"
        assert workers.call("x", 1, {"do": "growth", "case": "nothing", "quick": True})["error"] == "KeyError"


def test_memory_and_start_are_measured_in_fresh_processes():
    with BenchmarkPool(limit=120.0) as workers:
        peak = PeakMemory("anchorpbo", 0, 4).run(workers, [])
        assert peak["status"] == "ok"
        seconds = StartupTime(("python",), 2).run(workers, [])["seconds"]
        assert [len(times) for times in seconds.values()] == [2]


def test_another_librarys_process_loads_nothing_of_ours_but_the_duels():
    package = "anchorpbo.research.bench"
    program = f"import sys, {package}.benchmark_worker, {package}.botorch_contender; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {"numba", "scipy", "anchorpbo.model", "torch", "matplotlib"}


def test_one_thread_is_set_and_the_default_is_left_alone(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    assert make_environment(1)["OPENBLAS_NUM_THREADS"] == "1"
    assert "OPENBLAS_NUM_THREADS" not in make_environment(0)


def test_the_slowest_first_call_decides_on_how_many_studies():
    timing = RoundTiming("round", 10, 3, 1, OURS)
    firsts = [[{"seconds": seconds}, {"seconds": 0.01}] for seconds in (0.1, 10.0, 30.0)]
    assert [timing._studies(first) for first in firsts] == [5, 3, 1]
    assert timing._studies([]) == 0


def test_every_contender_says_who_it_is():
    for name in CONTENDER_NAMES:
        kind = load_contender(name)
        assert kind.name == name
        assert kind.title
        assert set(kind.performs) <= set(TIMED_STEPS)


def test_without_the_extra_our_own_side_can_still_be_measured(monkeypatch):
    monkeypatch.setattr("anchorpbo.research.bench.contender.find_spec", lambda name: None)
    assert select_contenders(["anchorpbo"]) == OURS
    with pytest.raises(UnsupportedError, match=r'pip install "anchorpbo\[bench\]"'):
        select_contenders()


def test_the_plan_has_every_step_at_every_size_and_default_threads_where_asked():
    plan = plan_measurements(["rounds"], SuiteExtent(("anchorpbo", "botorch"), (25, 1000), (3, 4)))
    timings = [each for each in plan if isinstance(each, RoundTiming)]
    assert len(timings) == 3 * (2 * 2 + 1)
    assert {(each.m, each.d) for each in timings if each.threads == 0} == {(25, 4)}
    assert {each.m for each in plan if each.section == "values"} == {25}
    assert len({each.key for each in plan}) == len(plan)
    with pytest.raises(UnknownNameError, match="startup"):
        plan_measurements(["speed"], SuiteExtent(OURS))
    with pytest.raises(UnknownNameError, match="3, 4, 6"):
        SuiteExtent(OURS, dimensions=(5,))
