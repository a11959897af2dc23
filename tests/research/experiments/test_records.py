"""Records on disk: whole or not there, and read by the release that wrote them."""

import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from plans import Draw, results

from anchorpbo import __version__
from anchorpbo.errors import InputError
from anchorpbo.research.experiments import records
from anchorpbo.research.experiments.experiment import ExperimentSize
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.experiments.registry import EXPERIMENTS
from anchorpbo.research.experiments.runner import run_task
from anchorpbo.study import files


@pytest.fixture
def store(tmp_path):
    return RecordStore(tmp_path / "out")


def test_a_record_gives_back_every_bit(store):
    task = Draw(7)
    store.put(run_task(task))
    rows, found = store.read([task]), task.run()
    assert np.array_equal(rows["x"].to_numpy(), found["x"])
    assert np.array_equal(np.array(rows["pair"].to_list()), found["pair"])


def test_a_record_carries_version_settings_seed_and_machine(store):
    store.put(run_task(Draw(7)))
    row = store.read([Draw(7)]).row(0, named=True)
    assert (row["version"], row["seed"], row["rows"], row["kind"], row["key"]) == (
        __version__,
        7,
        3,
        "draw",
        Draw(7).key,
    )
    assert json.loads(row["machine"])["numpy"] == np.__version__
    assert row["took"] >= 0.0


def test_only_the_records_asked_for_are_read(store):
    for seed in range(3):
        store.put(run_task(Draw(seed)))
    assert set(store.read([Draw(0), Draw(2), Draw(9)])["seed"]) == {0, 2}
    with pytest.raises(InputError, match="run the experiment first"):
        store.read([Draw(9)])


def test_all_records_of_a_kind_are_read(store):
    assert store.read_kind("draw") is None
    for seed in range(3):
        store.put(run_task(Draw(seed)))
    assert set(store.read_kind("draw")["seed"]) == {0, 1, 2}
    assert store.read_kind("answers") is None
    (store.records / f"{Draw(0).key}.parquet").rename(store.records / f"draw-{Draw(0).key}.parquet")
    assert set(store.read_kind("draw")["seed"]) == {1, 2}  # the name of another kind may begin alike


def test_a_folder_with_results_is_not_written_over_unless_asked(store):
    store.put(run_task(Draw(1)))
    with pytest.raises(InputError, match="--resume"):
        RecordStore(store.folder)
    assert RecordStore(store.folder, resume=True).has(Draw(1))


@pytest.mark.parametrize("length", [0, 1, 100, -1])
def test_a_damaged_record_counts_as_missing(store, length):
    store.put(run_task(Draw(1)))
    path = store.records / f"{Draw(1).key}.parquet"
    path.write_bytes(path.read_bytes()[:length])
    assert not store.has(Draw(1))


def test_a_record_under_the_name_of_another_task_counts_as_missing(store):
    store.put(run_task(Draw(1)))
    (store.records / f"{Draw(1).key}.parquet").rename(store.records / f"{Draw(2).key}.parquet")
    assert not store.has(Draw(2))


def test_drafts_of_an_interrupted_run_are_cleared_and_never_read(store):
    draft = store.records / f".{Draw(1).key}.parquet.123.new"
    draft.write_bytes(b"half")
    assert not RecordStore(store.folder, resume=True).has(Draw(1))
    assert draft.exists(), "it may be that of another run"
    os.utime(draft, (0, 0))
    assert not RecordStore(store.folder, resume=True).has(Draw(1))
    assert not draft.exists()


def test_a_folder_that_is_refused_is_left_as_it_is(tmp_path):
    (tmp_path / "records").mkdir()
    foreign = {tmp_path / "records" / name: b"?" for name in ("a.parquet", ".b.new")}
    for path, content in foreign.items():
        path.write_bytes(content)
        os.utime(path, (0, 0))
    with pytest.raises(InputError, match="choose another --out"):
        RecordStore(tmp_path)
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == set(foreign)


@pytest.mark.parametrize("mark", ['{"version": "0.0.1", "layout": 1}', "rubbish", "[]"])
def test_a_folder_from_another_version_is_refused(store, mark):
    store.put(run_task(Draw(1)))
    (store.folder / records.MARKER_FILE).write_text(mark)
    with pytest.raises(InputError, match="choose another --out"):
        RecordStore(store.folder, resume=True)


def test_a_folder_with_records_of_unknown_origin_is_refused(store):
    store.put(run_task(Draw(1)))
    (store.folder / records.MARKER_FILE).unlink()
    with pytest.raises(InputError, match="created by an unknown program"):
        RecordStore(store.folder, resume=True)


def test_a_folder_that_cannot_be_made_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="choose another --out"):
        RecordStore(tmp_path / "file" / "out")


def test_a_full_disk_leaves_what_was_there(store, monkeypatch):
    store.put(run_task(Draw(1)))
    before = store.read([Draw(1)])

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    for task in (Draw(1), Draw(2)):
        with pytest.raises(InputError, match=r"No space left on device.*--resume"):
            store.put(run_task(task))
    monkeypatch.undo()
    assert store.read([Draw(1)]).equals(before)
    assert not store.has(Draw(2))
    assert [path.name for path in store.records.iterdir()] == [f"{Draw(1).key}.parquet"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are POSIX")
def test_a_disk_that_fills_up_while_a_record_is_written_leaves_no_half_record(tmp_path):
    program = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from plans import Draw\n"
        "from anchorpbo.research.experiments.records import RecordStore\n"
        "from anchorpbo.research.experiments.runner import run_task\n"
        "store = RecordStore(Path(sys.argv[1]))\n"
        "record = run_task(Draw(1, rows=50_000))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n    store.put(record)\n"
        "except Exception as problem:\n    print(type(problem).__name__, problem)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.startswith("InputError")
    assert "--resume" in run.stdout
    assert not list((tmp_path / "records").iterdir())


def test_columns_that_are_measured_are_told_from_those_that_are_computed(store):
    store.put(run_task(Draw(1)))
    assert not {"took", "machine"} & set(results(store, [Draw(1)]).columns)
    assert isinstance(results(store, [Draw(1)]), pl.DataFrame)


FIRST_KEYS = {
    "ackley6": ["trial-30017b395d3b2c3de08b"],
    "anchor-count": ["trial-75560bea9789250d52b3"],
    "anchor-placement": ["trial-ff1f4d2cf2177eb868e3"],
    "anchor-process": ["anchor-process-a823fcca0b7169d872e3"],
    "anchor-quality": ["trial-44cf0516f749cb3abe79"],
    "candy": ["trial-85f32c184cca71165500"],
    "concentration": ["concentration-8174bff5f81d6940aad5"],
    "consistency": ["consistency-anchors-e74424c4aca4a992a046", "consistency-dimension-bcdffd0bbe7a8a135a48"],
    "five-anchors": ["trial-615e5d1d40520701ae07"],
    "illustration": ["illustration-6288aa6e8e87a0dc7e68"],
    "inference": ["trial-95c8ac64d9a2f2a0d7cf"],
    "kde-time": ["kde-time-8dcd96ce0508a5c58aa8"],
    "main": ["trial-7a090a24fbf2b222a1cd"],
    "one-step": ["one-step-pointwise-de0a8bc4c198313906ae", "one-step-instances-dcf977431e5b350fe00c"],
    "ranking": ["trial-7a090a24fbf2b222a1cd"],
    "sensitivity": ["trial-ff1f4d2cf2177eb868e3"],
    "time": ["trial-7a090a24fbf2b222a1cd"],
}
"""By experiment, the key of the first task of each kind, as in folders of records that exist."""


def test_the_keys_of_existing_records_stay():
    found = {}
    for name, experiment in EXPERIMENTS.items():
        first = {}
        for task in experiment.make_tasks(ExperimentSize()):
            first.setdefault(task.kind, task.key)
        found[name] = list(first.values())
    assert found == FIRST_KEYS
