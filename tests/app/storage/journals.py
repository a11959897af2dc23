"""Studies to keep, and processes that keep them."""

import os
import random
import signal
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event

from anchorpbo.app.storage import MemoryStorage
from anchorpbo.app.storage.base import StudyInfo
from anchorpbo.app.storage.journal import OWNER, Entry
from anchorpbo.errors import AnchorPBOError, UnknownStudyError

NOW = datetime(2025, 3, 1, 9, 30, tzinfo=UTC)

WRITER = """
import sys
from datetime import UTC, datetime
from anchorpbo.app.storage import open_storage
from anchorpbo.app.storage.journal import Entry

storage, name = open_storage(sys.argv[1]), sys.argv[2]
seen = ([0] + [entry.number for entry in storage.entries("study", name)])[-1]
for turn in range(int(sys.argv[3])):
    pair = [Entry(kind, name, datetime.now(UTC), {"turn": f"{seen}+{turn}"}) for kind in ("asked", "answered")]
    seen = storage.append("study", pair, seen)[-1].number
    print(seen, flush=True)
storage.close()
"""
"""Appends pairs of entries for one participant, and says so after each: python -c WRITER url participant pairs."""


def entry(kind="answered", participant=OWNER, **data):
    return Entry(kind, participant, NOW, data)


def make_study(storage, *names, id="study"):
    storage.create(StudyInfo(id, "A study", NOW), {"seed": 1}, [entry("created", name) for name in names or (OWNER,)])


@contextmanager
def after_first_statement(engine, change):
    """Call a function once, between the first statement and the second one of a transaction on an engine."""
    calls = []

    def on_statement(connection, cursor, statement, *_):
        if not calls and not statement.startswith("BEGIN"):
            calls.append(statement)
            change()

    event.listen(engine, "after_cursor_execute", on_statement)
    try:
        yield
    finally:
        event.remove(engine, "after_cursor_execute", on_statement)
    assert calls


READS = {
    "entries": lambda storage: storage.entries("study"),
    "entries of one": lambda storage: storage.entries("study", OWNER),
    "participants": lambda storage: storage.participants("study"),
    "study": lambda storage: storage.study("study"),
    "definition": lambda storage: storage.definition("study"),
    "studies": lambda storage: storage.studies(),
}


def check_reads_before_a_deletion(storage, other, read):
    """What is read is what there was when the transaction began."""
    make_study(storage)
    expected = READS[read](storage)
    with after_first_statement(storage._database._reader, lambda: other.delete("study")):
        assert READS[read](storage) == expected
    assert storage.studies() == []


def check_reads_before_a_creation(storage, other, read):
    """A study that is made meanwhile is unknown, or there as a whole."""
    with after_first_statement(storage._database._reader, lambda: make_study(other)):
        if read == "studies":
            assert storage.studies() == []
        else:
            with pytest.raises(UnknownStudyError, match="study"):
                READS[read](storage)
    assert READS[read](storage)


@contextmanager
def writer(url, name, pairs):
    """A process that appends."""
    command = [sys.executable, "-c", WRITER, url, name, str(pairs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)


def killed_writers(url, name, kills, after):
    """Numbers that writers were told before each was killed in the middle of its work."""
    told = []
    for _ in range(kills):
        with writer(url, name, 100_000) as process:
            told += [int(process.stdout.readline()) for _ in range(after)]
            os.kill(process.pid, signal.SIGKILL)
            told += [int(line) for line in process.stdout if line.endswith("\n")]
    return told


def check_same_as_memory(storage, seed, calls):
    """Random calls, right and wrong ones, do and raise what they do and raise in memory."""
    rng, memory = random.Random(seed), MemoryStorage()
    for _ in range(calls):
        call = _any_call(rng)
        assert _outcome(storage, call) == _outcome(memory, call), call
    assert memory.studies() == storage.studies()


def _any_call(rng):
    id, name, number = rng.choice(["one", "two", "six"]), rng.choice(["ann", "bob", OWNER]), rng.randrange(12)
    kinds = ["answered", "answered", "asked", "undone", "commented"]
    some = [entry(rng.choice(kinds), name, event=rng.randrange(1, 12)) for _ in range(rng.randrange(4))]
    seen = rng.choice([number, 2**40])
    info = StudyInfo(id, f"Study {number}", NOW + timedelta(seconds=number))
    return rng.choice(
        [
            ("create", info, {"number": number}, [*some, entry("created")]),
            ("append", id, some, seen),
            ("append", id, some, seen),
            ("append", id, some, seen),
            ("append", id, [*some, entry("asked")], seen),
            ("add_participant", id, name),
            ("entries", id, rng.choice([None, name]), number),
            ("studies",),
            ("study", id),
            ("definition", id),
            ("participants", id),
            rng.choice([("delete", id), ("study", id), ("entries", id)]),
        ]
    )


def _outcome(storage, call):
    name, *arguments = call
    try:
        return getattr(storage, name)(*arguments)
    except AnchorPBOError as problem:
        return type(problem), str(problem)


def check_nothing_lost(storage, told):
    """Every pair that was acknowledged is there once and whole, and nothing is there twice or in half."""
    found = storage.entries("study")
    assert [each.number for each in found] == list(range(1, len(found) + 1))
    pairs = list(zip(found[1::2], found[2::2], strict=True))
    assert [(a.type, b.type) for a, b in pairs] == [("asked", "answered")] * len(pairs)
    assert all(a.data == b.data for a, b in pairs)
    assert len({a.data["turn"] for a, _ in pairs}) == len(pairs)
    assert len(told) == len(set(told))
    assert set(told) <= {b.number for _, b in pairs}
