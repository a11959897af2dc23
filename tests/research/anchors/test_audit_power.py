"""Simulated judges with one fault, and the table of what their audits find."""

import polars as pl
import pytest

from anchorpbo import Optimizer, Real, Space
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.numerics.shares import jeffreys_interval
from anchorpbo.research.anchors.audit_power import (
    FAULTS,
    REPORTED,
    AuditSetting,
    AuditTask,
    format_power,
    plan_audits,
    simulate_study,
    summarise_power,
)
from anchorpbo.research.experiments.experiment import ExperimentTask


def frame(task):
    columns = {name: list(values) for name, values in task.run().items()}
    return pl.DataFrame(columns).with_columns(*(pl.lit(value).alias(name) for name, value in task.settings.items()))


def test_the_plan_has_each_fault_with_each_seed():
    tasks = plan_audits((AuditSetting(60, 0.35), AuditSetting(60, 0.35, ("none", "coins"), "asked")), 3)
    assert len(tasks) == len({task.key for task in tasks}) == 3 * (len(FAULTS) + 2)
    assert all(isinstance(task, ExperimentTask) for task in tasks)


def test_judges_with_one_seed_compare_the_same_pairs():
    steady, biased = (simulate_study(AuditTask(fault, 1, 20)).history for fault in ("none", "sides"))
    assert [(one["first"], one["second"]) for one in steady] == [(one["first"], one["second"]) for one in biased]
    firsts = [sum(one["outcome"] == "first" for one in each) for each in (steady, biased)]
    assert firsts[1] > firsts[0]


def test_a_study_of_the_default_preset_asks_its_own_questions():
    task = AuditTask("coins", 1, 6, questions="asked")
    history, study = simulate_study(task).history, Optimizer(Space(x=Real(0, 1), y=Real(0, 1)), seed=1)
    for event in history:
        duel = study.ask()
        assert (duel.first, duel.second) == (event["first"], event["second"])
        study.tell(duel, event["outcome"])
    assert {event["outcome"] for event in history} == {"first", "second"}


def test_a_task_has_one_row_per_finding():
    found = frame(AuditTask("none", 0, 12))
    assert set(REPORTED) < set(found["finding"])
    assert found["level"].is_in(["good", "note", "warning", "unknown"]).all()


def test_the_power_is_the_share_of_warnings_with_its_interval():
    levels = ["warning", "good", "note", "unknown", "warning"]
    rows = [
        {"questions": "asked", "answers": 60, "noise": 0.35}
        | {"fault": fault, "seed": seed, "finding": name, "level": levels[seed]}
        for seed in range(5)
        for fault in ("none", "drift")
        for name in REPORTED
    ]
    power = summarise_power(pl.DataFrame(rows))
    row = power.row(by_predicate=(pl.col("fault") == "drift") & (pl.col("finding") == "drift"), named=True)
    assert (row["studies"], row["warning"], row["warning_or_note"], row["unknown"]) == (5, 0.4, 0.6, 0.2)
    assert (row["low"], row["high"]) == jeffreys_interval(2, 5)
    table = format_power(power)
    assert "| asked | 60 | 0.35 | none | 5 | 40 % (" in table
    assert len(table.splitlines()) == 4


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        (("mood", 0), UnknownNameError),
        (("none", 0, 0), InputError),
        (("none", 0, 60, 0.35, "easy"), UnknownNameError),
    ],
)
def test_impossible_settings_are_rejected(settings, error):
    with pytest.raises(error):
        AuditTask(*settings)
