"""Studies of the benchmark: paired, resumable, and never stopped by a contender that fails."""

import numpy as np
import polars as pl
import pytest

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.research.answers import contenders
from anchorpbo.research.answers.contenders import Contender, ContenderEntry
from anchorpbo.research.answers.judges import draw_judge
from anchorpbo.research.answers.plan import QUICK_SEEDS, BenchmarkPart, plan_studies
from anchorpbo.research.answers.problems import CONFIRMATION, get_judged_problem
from anchorpbo.research.answers.study_task import AnswersStudy, draw_uniform, play
from anchorpbo.research.experiments.records import MEASURED_COLUMNS, RecordStore
from anchorpbo.research.experiments.runner import SerialBackend, run_tasks


class Fixed(Contender):
    """Asks for the same pair again and again, and recommends its first design."""

    def __init__(self, space, anchors, seed, fails=()):
        super().__init__(space, anchors, seed)
        self.fails, self.number, self.told = fails, 0, []

    def ask(self):
        self.number += 1
        if ("ask", self.number) in self.fails:
            raise ZeroDivisionError
        return np.array([[0.25, 0.25], [0.75, 0.5]])

    def tell(self, pair, first_won):
        self.told.append((pair, first_won))
        if ("tell", len(self.told)) in self.fails:
            raise ValueError

    def recommend(self):
        if ("recommend", len(self.told)) in self.fails:
            raise RuntimeError
        return np.array([0.1 * len(self.told), 0.5])


def study(fails=(), answers=6, judge="constant-high"):
    problem = get_judged_problem("gp2", 0)
    contender = Fixed(problem.space, None, 0, fails)
    judged, _ = draw_judge(judge, problem, "good", 0)
    return contender, judged, list(play(contender, judged, answers, 0))


def test_a_record_names_the_version_of_the_preset_or_the_releases_of_the_packages():
    versions = {name: contenders.get_contender(name).version for name in ("default", "version-1", "paper", "random")}
    assert versions == {"default": "default 2", "version-1": "default 1", "paper": "paper 1", "random": ""}
    assert set(AnswersStudy("gp2", "sure", "good", "version-1", 0, 2).run()["contender_version"]) == {"default 1"}
    polars = ContenderEntry("Frames", "peer", "own_contenders", "Fixed", packages=("polars",))
    assert polars.version == f"polars {pl.__version__}"


def test_a_row_has_the_share_of_the_recommendation_and_of_the_pair_and_whether_the_answer_was_right():
    contender, judge, rows = study()
    problem = judge.problem
    assert [row["answer"] for row in rows] == [1, 2, 3, 4, 5, 6]
    for number, row in enumerate(rows, 1):
        pair, first_won = contender.told[number - 1]
        assert row["share"] == problem.share(np.array([[0.1 * number, 0.5]]))[0]
        assert [row["first_share"], row["second_share"]] == problem.share(pair).tolist()
        assert first_won == judge.prefers_first(pair, draw_uniform(0, number))
        assert row["right"] == (first_won == (row["first_share"] > row["second_share"]))
        assert row["failures"] == 0
        assert row["stop"] is None
        assert row["seconds"] >= 0.0


def test_the_answers_to_the_same_pairs_are_the_same_for_every_contender():
    one, other = study()[0], study(fails=[("recommend", 2)])[0]
    assert [won for _, won in one.told] == [won for _, won in other.told]
    assert len({won for _, won in study(answers=40)[0].told}) == 2


def test_a_contender_that_fails_keeps_its_last_recommendation_and_the_study_goes_on():
    fails = [("ask", 2), ("recommend", 3), ("tell", 5)]
    contender, _, rows = study(fails)
    assert [row["failures"] for row in rows] == [0, 1, 2, 2, 3, 3]
    assert rows[2]["share"] == rows[1]["share"]
    # Where it could not ask, two designs of the space were compared.
    pair, _ = contender.told[1]
    assert pair.shape == (2, 2)
    assert not np.array_equal(pair, contender.told[0][0])
    assert len(contender.told) == 6


def test_a_contender_that_never_works_has_a_record_too(tmp_path, monkeypatch):
    always = {"fails": [(step, n) for step in ("ask", "tell", "recommend") for n in range(9)]}
    monkeypatch.setattr("anchorpbo.research.answers.own_contenders.Fixed", Fixed, raising=False)
    entry = ContenderEntry("Fixed", "peer", "own_contenders", "Fixed", always)
    monkeypatch.setitem(contenders.CONTENDERS, "fixed", entry)
    task, store = AnswersStudy("gp2", "sure", "good", "fixed", 0, 3), RecordStore(tmp_path)
    (ended,) = run_tasks([task], store, SerialBackend())
    assert ended.failure is None
    assert store.read([task])["failures"].to_list() == [3, 6, 9]


def small_plan():
    return [AnswersStudy("gp2", judge, "good", "random", seed, 6) for judge in ("sure", "slips") for seed in (0, 1)]


def read(store):
    return store.read(small_plan()).drop(MEASURED_COLUMNS, strict=False)


def test_a_killed_run_that_is_resumed_gives_the_same_records(tmp_path):
    whole = RecordStore(tmp_path / "whole")
    list(run_tasks(small_plan(), whole, SerialBackend()))
    killed = RecordStore(tmp_path / "killed")
    running = run_tasks(small_plan(), killed, SerialBackend())
    next(running)
    running.close()
    kept = sorted(killed.records.glob("*.parquet"))
    assert len(kept) == 1
    kept[0].with_name(f"{small_plan()[1].key}.parquet").write_bytes(kept[0].read_bytes()[:100])  # cut off
    resumed = RecordStore(tmp_path / "killed", resume=True)
    assert len(list(run_tasks(small_plan(), resumed, SerialBackend()))) == 3
    assert read(resumed).equals(read(whole))


def test_a_shorter_study_is_the_beginning_of_a_longer_one():
    rows = [pl.DataFrame(AnswersStudy("gp2", "linear", "good", "default", 1, n).run()) for n in (6, 8)]
    same = [frame.drop("seconds", "recommend_seconds").head(6) for frame in rows]
    assert same[0].equals(same[1])


@pytest.mark.parametrize("field", ["problem", "judge", "placement", "contender"])
def test_unknown_names_are_errors_before_anything_runs(field):
    known = {"problem": "gp2", "judge": "sure", "placement": "good", "contender": "default", "seed": 0}
    with pytest.raises(UnknownNameError, match="received 'none'"):
        AnswersStudy(**{**known, field: "none"})


# -- plans -------------------------------------------------------------------------------------------------------------


def arms(**part):
    return {(s.contender, s.judge, s.placement) for s in plan_studies(BenchmarkPart(seeds=1, **part))}


def test_the_whole_benchmark_leaves_out_what_says_nothing():
    found = arms()
    assert {placement for name, _, placement in found if name == "default-anchors"} == {"good", "random", "misleading"}
    assert {placement for name, judge, placement in found if (name, judge) == ("default", "sure")} == {"good"}
    assert len([1 for name, judge, _ in found if (name, judge) == ("default", "linear")]) == 3
    assert {placement for name, _, placement in found if name == "botorch-probit"} == {"good"}
    assert len({judge for name, judge, _ in found if name == "botorch-probit"}) == 6
    assert {judge for name, judge, _ in found if name == "optuna"} == {
        "sure",
        "constant-low",
        "constant-high",
        "linear",
    }


def test_a_contender_that_is_named_meets_every_judge():
    assert ("optuna", "slips", "good") in arms(contenders=("optuna",))


def test_the_studies_of_a_set_are_on_its_problems_seed_by_seed():
    studies = plan_studies(BenchmarkPart("confirmation", seeds=2))
    assert {study.problem for study in studies} == set(CONFIRMATION)
    assert [study.seed for study in studies] == sorted(study.seed for study in studies)
    assert len(studies) == len(set(studies))


def test_a_later_part_of_the_seeds_continues_the_first_one():
    first, second, whole = (
        plan_studies(BenchmarkPart(seeds=seeds, first_seed=first)) for seeds, first in ((2, 0), (3, 2), (5, 0))
    )
    assert {study.seed for study in second} == {2, 3, 4}
    assert first + second == whole


def test_the_default_preset_answers_60_where_its_stopping_rule_is_judged():
    longer = {(s.contender, s.judge) for s in plan_studies(BenchmarkPart(seeds=1)) if s.answers != 40}
    assert longer == {("default", judge) for judge in ("sure", "constant-low", "constant-high")}
    assert {s.answers for s in plan_studies(BenchmarkPart(seeds=1)) if (s.contender, s.judge) in longer} == {60}
    assert BenchmarkPart().horizon == 40
    assert {s.answers for s in plan_studies(BenchmarkPart(seeds=1, answers=45))} == {45}
    assert BenchmarkPart(answers=45).horizon == 40
    assert BenchmarkPart(answers=30).horizon == 30
    assert {s.answers for s in plan_studies(BenchmarkPart(quick=True))} == {8}


def test_a_quick_part_is_small_and_options_override_it():
    quick = plan_studies(BenchmarkPart(quick=True))
    assert len(quick) <= 60
    assert {study.seed for study in quick} == set(range(QUICK_SEEDS))
    assert {s.answers for s in plan_studies(BenchmarkPart(quick=True, answers=3, seeds=1))} == {3}


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ({"problem_set": "test"}, "a set of problems must be one of"),
        ({"problems": ("gp3",)}, "a problem of the tuning set must be one of"),
        ({"contenders": ("ax",)}, "a contender must be one of"),
        ({"judges": ()}, "a judge must be named"),
        ({"seeds": 0}, "seeds must be"),
        ({"first_seed": -1}, "first_seed must be"),
    ],
)
def test_a_mistake_in_a_part_is_an_error(part, says):
    with pytest.raises(InputError, match=says):
        BenchmarkPart(**part)
