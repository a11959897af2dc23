"""One browser for the tests of this folder, one server for each module, and visitors whose every request is noted."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import TOKEN, Visitor
from playwright.sync_api import Browser, expect

from support.chromium import TIMEOUT, running_chromium
from support.server_process import Server

expect.set_options(timeout=TIMEOUT)


# One a module, not one a session: while Playwright runs, no other test could run an event loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(f"sqlite:///{tmp_path_factory.mktemp('site') / 'studies.db'}") as server:
        yield server


@pytest.fixture
def home(site: Server) -> str:
    """The address of the server."""
    return f"http://127.0.0.1:{site.port}"


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Server]:
    """A server of this test alone, whose database is empty."""
    with Server(f"sqlite:///{tmp_path / 'studies.db'}") as server:
        yield server


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The same for a server that asks its owner for the token, and participants for their link."""
    monkeypatch.setenv("ANCHORPBO_TOKEN", TOKEN)
    with Server(f"sqlite:///{tmp_path / 'studies.db'}", "--host", "0.0.0.0") as server:
        yield server


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """Make a visitor; at the end all of them must have met no error and have talked to no other machine."""
    made: list[Visitor] = []

    def make(**options: object) -> Visitor:
        made.append(Visitor(browser, **options))
        return made[-1]

    yield make
    for one in made:
        one.context.close()
    for one in made:
        one.check()
