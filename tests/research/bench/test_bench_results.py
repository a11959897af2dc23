"""Lines on disk: kept as they come, and after a kill."""

import json
from dataclasses import dataclass

import pytest

from anchorpbo.errors import InputError
from anchorpbo.research.bench.contender import CONTENDER_NAMES
from anchorpbo.research.bench.measurement import Measurement
from anchorpbo.research.bench.results import Results, format_machine, inspect_machine, read_rows
from anchorpbo.research.bench.suite import SuiteExtent, plan_measurements

HERE = {"processor": "some", "cores": 2}


@dataclass(frozen=True)
class Counted(Measurement):
    section = "counted"
    number: int

    def run(self, workers, rows):
        return {"found": len(rows)}


def test_a_line_is_on_disk_at_once(tmp_path):
    results = Results(tmp_path, HERE)
    results.add(Counted(1), {"found": 7})
    assert read_rows(tmp_path / "results.jsonl") == [
        {"key": Counted(1).key, "section": "counted", "number": 1, "found": 7}
    ]
    assert results.has(Counted(1))
    assert not results.has(Counted(2))


def test_after_a_kill_whole_lines_are_kept_and_half_a_line_is_dropped(tmp_path):
    Results(tmp_path, HERE).add(Counted(1), {"found": 7})
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write('{"key": "counted-12", "secti')
    results = Results(tmp_path, HERE, resume=True)
    assert results.has(Counted(1))
    results.add(Counted(2), {"found": 8})
    assert [row["found"] for row in read_rows(tmp_path / "results.jsonl")] == [7, 8]
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 2


def test_results_are_not_written_over(tmp_path):
    Results(tmp_path, HERE).add(Counted(1), {})
    with pytest.raises(InputError, match="add --resume"):
        Results(tmp_path, HERE)


def test_results_of_two_machines_are_not_mixed(tmp_path):
    Results(tmp_path, HERE).add(Counted(1), {})
    with pytest.raises(InputError, match="one machine, the same releases"):
        Results(tmp_path, {**HERE, "cores": 4}, resume=True)


def test_keys_tell_settings_apart():
    assert Counted(1).key == Counted(1).key
    assert Counted(1).key != Counted(2).key


def test_the_machine_is_plain_and_says_what_numbers_depend_on():
    about = inspect_machine()
    assert json.loads(json.dumps(about)) == about
    text = format_machine(about)
    assert f"Python {about['python']}" in text
    assert f"numpy {about['numpy']}" in text
    assert "None" not in text


FIRST_KEYS = {
    "startup": "startup-a0a74197593659b1",
    "growth": "growth-c7ee11582351a7fa",
    "rounds": "rounds-7699279f076e3921",
    "values": "values-b1467cf5532556f3",
    "memory": "memory-712099e03f7d645c",
}
"""By section, the key of the first measurement, as in files of results that exist."""


def test_the_keys_of_existing_results_stay():
    found = {}
    for measurement in plan_measurements([], SuiteExtent(CONTENDER_NAMES)):
        found.setdefault(measurement.section, measurement.key)
    assert found == FIRST_KEYS
