"""Time limits and sizes: what takes too long or is too large is refused, in words, and nobody else waits for it."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest

from anchorpbo.app.definition import definition, validation
from anchorpbo.app.definition.validation import check_space_size, check_table_size
from anchorpbo.app.scheduler.worker_process import WorkerProcess
from anchorpbo.app.service import StudyService, validator
from anchorpbo.app.service.validator import TASKS, Validator
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import InputError, RunError, TimeLimitError
from anchorpbo.numerics.deadline import current_deadline
from support.hard_rules import hard_study
from support.service_studies import QUICK, TREES, answer

TIMEOUT = 120.0
"""Seconds that a busy machine may take to start a process."""


@pytest.fixture(scope="module")
def checking():
    """Validator with one process, for all tests that do not end it."""
    found = Validator([WorkerProcess("anchorpbo.app.service.validator")])
    yield found
    found.close()


def pid_of(checks):
    return checks._workers[0].pid


# -- the same, elsewhere ----------------------------------------------------------------------------------------------


def test_what_is_checked_in_another_process_is_the_same(checking):
    here, there = StudyService(MemoryStorage()), StudyService(MemoryStorage(), validator=checking)
    for request in (QUICK, TREES, {**QUICK, "anchors": [{"minutes": 2.0, "leaf": "black"}]}):
        one, other = here.create(request).id, there.create(request).id
        assert here.definition(one).to_dict() == there.definition(other).to_dict()
        assert here.anchors.list_designs(one) == there.anchors.list_designs(other)
        limited = {**request, "space": {**request["space"], "constraints": ["minutes <= 5"]}}
        assert here.validator.preview(limited) == there.validator.preview(limited)
        answer(here, one)
        found = [each.export(each.import_study(here.export(one)).id) for each in (here, there)]
        assert found[0]["events"] == found[1]["events"]
    table = b"name,price\nAsh,5\nElm,9\n"
    assert here.validator.read_catalogue(table) == there.validator.read_catalogue(table)
    id = there.create(TREES).id
    assert there.duels.import_comparisons(id, BytesIO(b"winner,loser\nOak,Elm\nAsh,Yew\n")) == 2


@pytest.mark.parametrize("wrong", [{"name": "x"}, {**QUICK, "more": 1}, {**QUICK, "options": {"seed": -1}}, 3])
def test_what_is_refused_in_another_process_is_refused_in_the_same_words(checking, wrong):
    with pytest.raises(InputError) as here:
        Validator().define(wrong)
    with pytest.raises(InputError) as there:
        checking.define(wrong)
    assert (type(here.value), str(here.value)) == (type(there.value), str(there.value))


# -- time -------------------------------------------------------------------------------------------------------------


def test_hard_rules_are_refused_within_their_time_and_the_process_goes_on(checking, monkeypatch):
    monkeypatch.setattr(definition, "CHECK_SECONDS", 0.3)
    with pytest.raises(TimeLimitError, match=r"must take at most 0.3 s; received 4 constraints on 30 parameters"):
        Validator().define(hard_study())
    checking.define(QUICK)
    before = pid_of(checking)
    with pytest.raises(TimeLimitError, match=r"must take at most 5 s; received 4 constraints on 30 parameters"):
        checking.preview(hard_study())
    assert pid_of(checking) == before
    assert checking.define(QUICK).name == "Tea"


@pytest.mark.parametrize("limit", ["CHECK_SECONDS", "IMPORT_SECONDS"])
def test_a_process_that_hangs_is_killed_and_another_one_goes_on(checking, monkeypatch, limit):
    checking.define(QUICK)
    before = pid_of(checking)
    os.kill(before, signal.SIGSTOP)
    monkeypatch.setattr(validator, limit, 0.2)
    monkeypatch.setattr(validator, "_GRACE_SECONDS", 0.0)
    what, request = ("a study", QUICK) if limit == "CHECK_SECONDS" else ("a table", b"a,b\n1,2\n")
    run = checking.define if limit == "CHECK_SECONDS" else checking.read_catalogue
    with pytest.raises(TimeLimitError, match=f"checking {what} must take at most 0.2 s; received one that takes long"):
        run(request)
    monkeypatch.undo()
    assert checking.define(QUICK).name == "Tea"
    assert pid_of(checking) != before


def test_a_process_that_was_killed_is_started_again(checking):
    checking.define(QUICK)
    os.kill(pid_of(checking), signal.SIGKILL)
    checking._workers[0]._process.wait()
    assert checking.define(QUICK).name == "Tea"


def test_only_so_many_wait_for_a_check_and_none_for_longer_than_it_may(checking, monkeypatch):
    checking.define(QUICK)
    worker = checking._idle.get()  # somebody uses it
    try:
        monkeypatch.setattr(validator, "CHECK_SECONDS", 0.5)
        monkeypatch.setattr(validator, "_GRACE_SECONDS", 0.0)
        with ThreadPoolExecutor(validator.MAX_REQUESTS) as pool:
            waiting = [pool.submit(checking.define, QUICK) for _ in range(validator.MAX_REQUESTS)]
            end = time.monotonic() + TIMEOUT
            while checking._requests < validator.MAX_REQUESTS and time.monotonic() < end:
                time.sleep(0.001)
            with pytest.raises(
                RunError, match=r"at most 16 requests may wait for validation; .* try again in a moment"
            ):
                checking.define(QUICK)
            for one in waiting:
                with pytest.raises(
                    RunError, match=r"validation must begin within 0.5 s; received earlier requests that take long"
                ):
                    one.result(TIMEOUT)
    finally:
        checking._idle.put(worker)
    monkeypatch.undo()
    assert checking.define(QUICK).name == "Tea"


def test_where_no_process_starts_whoever_asks_checks(monkeypatch, caplog):
    monkeypatch.setattr("anchorpbo.app.scheduler.worker_process.sys.executable", "/no/such/python")
    assert Validator([WorkerProcess("anchorpbo.app.service.validator")]).define(QUICK).name == "Tea"
    assert "validating in a thread" in caplog.text


def test_every_task_takes_and_gives_plain_data():
    assert set(TASKS) == {"define", "preview", "export", "catalogue", "comparisons"}


# -- sizes ------------------------------------------------------------------------------------------------------------


def space(parameters=(), constraints=()):
    return {"kind": "space", "parameters": list(parameters), "constraints": list(constraints)}


def reals(count):
    return [{"name": f"p{n}", "kind": "real", "low": 0.0, "high": 1.0} for n in range(count)]


def integers(count, places):
    return [{"name": f"p{n}", "kind": "integer", "low": 1, "high": places} for n in range(count)]


def table(rows, columns):
    return {"kind": "catalogue", "columns": [{"name": f"c{n}", "values": [0] * rows} for n in range(columns)]}


@pytest.mark.parametrize(
    ("fits", "exceeds", "says"),
    [
        (space(reals(100)), space(reals(101)), r"at most 100 parameters; received 101; leave out"),
        (space(reals(1), ["p0 <= 1"] * 100), space(reals(1), ["p0 <= 1"] * 101), r"at most 100 constraints"),
        (space(integers(4, 10**6)), space(integers(4, 10**6 + 1)), r"at most 4,000,000 values together; .* 4,000,004"),
        (space([]), space(integers(100, 10**6)), r"received 100,000,000; count in larger units"),
        (
            space([{"name": "a", "kind": "real", "low": 0, "high": 1, "step": 1 / 3_999_999}]),
            space([{"name": "a", "kind": "real", "low": 0, "high": 1, "step": 1 / 4_000_000}]),
            r"received 4,000,001",
        ),
        (
            space([{"name": "a", "kind": "ordinal", "values": list(range(10_000))}]),
            space([{"name": "a", "kind": "ordinal", "values": list(range(10_001))}]),
            r"'a': there must be at most 10,000 values to choose from; received 10,001",
        ),
        (
            space([{"name": "a", "kind": "real", "low": 0, "high": 1e-300}]),
            space([{"name": "a", "kind": "real", "low": 0, "high": 5e-324}]),
            r"'a': low and high must differ by at least 1e-300; received 0 and 4.94066e-324; choose a smaller unit",
        ),
        (
            space([{"name": "a", "kind": "real", "low": -1e300, "high": 1e300}]),
            space([{"name": "a", "kind": "real", "low": 0, "high": 1.1e300}]),
            r"'a': low and high must lie within 1e\+300; received 0 and 1.1e\+300; choose a larger unit",
        ),
        (table(100_000, 1), table(100_001, 1), r"a catalogue must have at most 100,000 rows; received 100,001"),
        (table(1, 5_000), table(1, 5_001), r"a catalogue must have at most 5,000 columns; received 5,001"),
        (table(100_000, 50), table(100_000, 51), r"a catalogue must have at most 5,000,000 cells; received 5,100,000"),
    ],
)  # fmt: skip
def test_a_study_has_a_largest_size(fits, exceeds, says):
    check_space_size(fits)
    with pytest.raises(InputError, match=says):
        check_space_size(exceeds)
    with pytest.raises(InputError, match=says):
        StudyService(MemoryStorage()).create({"name": "x", "space": exceeds})


@pytest.mark.parametrize("rubbish", [3, None, [], {}, {"kind": "space", "parameters": 3}, {"kind": "catalogue"}])
def test_what_has_another_form_is_left_to_others(rubbish):
    check_space_size(rubbish)


def test_studies_that_are_there_already_are_not_held_to_it(monkeypatch):
    studies = StudyService(MemoryStorage())
    id = studies.create(QUICK).id
    monkeypatch.setattr(validation, "MAX_PARAMETERS", 1)
    monkeypatch.setattr(definition, "CHECK_SECONDS", 0.0)
    assert StudyService(studies.storage).duels.ask(id)
    with pytest.raises(InputError, match=r"at most 1 parameters; received 2"):
        studies.import_study(studies.export(id))


def test_a_long_table_is_refused_while_it_is_read(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "anchorpbo.app.service.catalogues.check_table_size",
        lambda rows, columns: (seen.append(rows), check_table_size(rows, columns)),
    )
    with pytest.raises(InputError, match=r"a catalogue must have at most 100,000 rows; received 100,001; choose"):
        Validator().read_catalogue(b"a\n" + b"1\n" * 10_000_000)
    assert seen == list(range(100_002))


def test_a_long_table_of_comparisons_is_refused_while_it_is_read():
    studies = StudyService(MemoryStorage())
    id = studies.create(TREES).id
    head, row = b"winner,loser\n", b"Oak,Elm\n"
    assert (
        studies.duels.import_comparisons(id, BytesIO(head + row * validator.MAX_COMPARISONS))
        == validator.MAX_COMPARISONS
    )
    says = r"a table must have at most 10,000 comparisons; received {} rows or more; choose the latest"
    for count, received in ((validator.MAX_COMPARISONS + 1, "10,001"), (4_000_000, "20,001")):
        with pytest.raises(InputError, match=says.format(received)):
            studies.duels.import_comparisons(id, BytesIO(head + row * count))


@pytest.mark.parametrize("setting", ["low", "high", "step"])
def test_integers_that_no_double_holds_are_left_to_the_check_of_plain_data(setting):
    check_space_size({"parameters": [{"name": "x", "kind": "real", "low": 0, "high": 1, setting: 10**400}]})


def test_checks_without_processes_keep_to_the_time_limit_of_searches(monkeypatch):
    limits = []
    monkeypatch.setitem(TASKS, "catalogue", lambda data: limits.append(current_deadline().seconds) or {"columns": []})
    with pytest.raises(TypeError):  # of a view that lacks everything else
        Validator().read_catalogue(b"")
    assert limits == [validator.IMPORT_SECONDS]
