"""How many duels there is time for ahead: by what is asked, and how long it takes."""

import math

import pytest
from service_studies import QUICK, answer

from anchorpbo.app.scheduler import demand
from anchorpbo.app.scheduler.load import BOTH_BELOW, MEMORY, ONE_BELOW, Demand
from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.service import Studies
from anchorpbo.app.storage.memory import MemoryStorage


class Clock:
    now = 50.0

    def __call__(self):
        return self.now


def busy(rate, seconds, desks=1):
    """Demand after a long time of so many asks a second, for duels of so many seconds."""
    clock = Clock()
    found = Demand(desks, clock)
    for _ in range(int(20 * MEMORY * rate)):
        clock.now += 1 / rate
        found.record_ask()
        found.record_duration(seconds)
    return found, clock


@pytest.mark.parametrize(("rate", "seconds", "desks"), [(50.0, 0.012, 1), (10.0, 0.1, 4), (0.5, 0.02, 1)])
def test_load_is_what_the_formula_says(rate, seconds, desks):
    found, _ = busy(rate, seconds, desks)
    assert found.load == pytest.approx(rate * seconds / desks, rel=0.15)


def test_the_busier_desks_are_the_less_is_computed_ahead():
    assert Demand(1).ahead == 2  # nothing was asked
    for load, expected in [
        (0.8 * BOTH_BELOW, 2), ((BOTH_BELOW + ONE_BELOW) / 2, 1), (1.2 * ONE_BELOW, 0),
    ]:  # fmt: skip
        assert busy(50.0, load / 50.0)[0].ahead == expected


def test_what_was_asked_is_forgotten():
    found, clock = busy(50.0, 0.02)
    before = found.load
    assert found.ahead == 0
    clock.now += MEMORY
    assert found.load == pytest.approx(before / math.e)
    assert found.ahead == 2


def test_duels_are_the_same_however_many_are_computed_ahead(monkeypatch):
    asked = []
    for both, one in ((math.inf, math.inf), (0.0, math.inf), (0.0, 0.0)):
        monkeypatch.setattr(demand, "BOTH_BELOW", both)
        monkeypatch.setattr(demand, "ONE_BELOW", one)
        ahead = Scheduler()
        studies = Studies(MemoryStorage(), ahead=ahead)
        id = studies.create(QUICK).id
        asked.append([answer(studies, id, outcome).id for outcome in ("first", "second", "first", "tie", "second")])
        jobs = len(ahead._jobs)
        ahead.close()
        assert jobs <= (15 if one else 5)
    assert asked[0] == asked[1] == asked[2]
