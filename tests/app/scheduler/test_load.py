"""How many duels there is time for ahead: by what is asked, and how long it takes."""

import math

import pytest

from anchorpbo.app.scheduler import load
from anchorpbo.app.scheduler.load import DECAY_SECONDS, MAX_LOAD_BOTH, MAX_LOAD_ONE, LoadMonitor
from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.service import StudyService
from anchorpbo.app.storage.memory import MemoryStorage
from support.service_studies import QUICK, answer


class Clock:
    now = 50.0

    def __call__(self):
        return self.now


def busy(rate, seconds, workers=1):
    """Load after a long time of so many asks a second, for duels of so many seconds."""
    clock = Clock()
    found = LoadMonitor(workers, clock)
    for _ in range(int(20 * DECAY_SECONDS * rate)):
        clock.now += 1 / rate
        found.record_ask()
        found.record_duration(seconds)
    return found, clock


@pytest.mark.parametrize(("rate", "seconds", "workers"), [(50.0, 0.012, 1), (10.0, 0.1, 4), (0.5, 0.02, 1)])
def test_load_is_what_the_formula_says(rate, seconds, workers):
    found, _ = busy(rate, seconds, workers)
    assert found.load == pytest.approx(rate * seconds / workers, rel=0.15)


def test_the_busier_workers_are_the_less_is_computed_ahead():
    assert LoadMonitor(1).prefetch_count == 2  # nothing was asked
    for level, expected in [
        (0.8 * MAX_LOAD_BOTH, 2), ((MAX_LOAD_BOTH + MAX_LOAD_ONE) / 2, 1), (1.2 * MAX_LOAD_ONE, 0),
    ]:  # fmt: skip
        assert busy(50.0, level / 50.0)[0].prefetch_count == expected


def test_what_was_asked_is_forgotten():
    found, clock = busy(50.0, 0.02)
    before = found.load
    assert found.prefetch_count == 0
    clock.now += DECAY_SECONDS
    assert found.load == pytest.approx(before / math.e)
    assert found.prefetch_count == 2


def test_duels_are_the_same_however_many_are_computed_ahead(monkeypatch):
    asked = []
    for both, one in ((math.inf, math.inf), (0.0, math.inf), (0.0, 0.0)):
        monkeypatch.setattr(load, "MAX_LOAD_BOTH", both)
        monkeypatch.setattr(load, "MAX_LOAD_ONE", one)
        scheduler = Scheduler()
        studies = StudyService(MemoryStorage(), scheduler=scheduler)
        id = studies.create(QUICK).id
        asked.append([answer(studies, id, outcome).id for outcome in ("first", "second", "first", "tie", "second")])
        jobs = len(scheduler._jobs)
        scheduler.close()
        assert jobs <= (15 if one else 5)
    assert asked[0] == asked[1] == asked[2]
