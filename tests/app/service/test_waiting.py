"""Nobody keeps everyone else waiting."""

import re
import time
from threading import Event, Thread

import pytest

from anchorpbo.app.definition.session import MAX_REQUESTS_PER_PARTICIPANT
from anchorpbo.app.rendering.svg import sanitize_svg
from anchorpbo.app.rendering.templates import Template
from anchorpbo.errors import InputError, RunError
from support.service_studies import study


def test_only_so_many_requests_wait_for_one_participant() -> None:
    studies, id = study()
    session, free = studies.sessions.session(id, "owner"), Event()

    def hold() -> None:
        with session.take_turn():
            assert free.wait(30)

    threads = [Thread(target=hold) for _ in range(MAX_REQUESTS_PER_PARTICIPANT)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 30
    while session._slots._value and time.monotonic() < end:
        time.sleep(0.01)
    with pytest.raises(RunError, match="too many requests"):
        studies.duels.ask(id)
    free.set()
    for thread in threads:
        thread.join()
    assert studies.duels.ask(id).id


@pytest.mark.parametrize("text", ['<svg viewBox="0 0 9 9"><path d="M0' + "-1" * 150_000 + '"/></svg>'])
def test_a_long_path_is_checked_in_no_time(text: str) -> None:
    began = time.process_time()
    sanitize_svg(text)
    assert time.process_time() - began < 5.0  # it was minutes


def test_placeholders_that_never_end_are_refused_in_no_time() -> None:
    began = time.process_time()
    with pytest.raises(InputError, match=re.escape("{{")):
        Template('<svg viewBox="0 0 9 9"><text>' + "{{" * 40_000 + "</text></svg>")
    assert time.process_time() - began < 5.0
