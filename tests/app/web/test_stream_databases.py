"""Server-sent events from a database: how many statements they cost, and several servers on one database."""

import asyncio
import threading
import time
from contextlib import ExitStack, closing, suppress

import pytest
from servers import DESIGN, QUICK

from anchorpbo.app.service import StudyService
from anchorpbo.app.storage import open_storage
from anchorpbo.app.storage.changes import POLL_SECONDS
from anchorpbo.app.web import make_app, stream
from anchorpbo.app.web.access import Access
from anchorpbo.errors import UnknownStudyError
from support.statements import count_statements

PATIENCE = 30.0
STUDIES, PAGES = 4, 15


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    return str(tmp_path / "studies.db") if request.param == "sqlite" else request.getfixturevalue("postgresql_url")


class Pages:
    """Open pages of a server, each with the task that waits for its next event."""

    def __init__(self, app, ids):
        self.app, self.ids = app, ids

    async def __aenter__(self):
        state = self.app.state
        self.streams = [
            stream.stream_events(state.watcher, state.studies, stream.Subscriber(id, None, Access()), "")
            for id in self.ids
        ]
        for text in await asyncio.gather(*(anext(one) for one in self.streams)):
            assert text.startswith("event: ready")
        self.coming = [asyncio.create_task(anext(one, "ended")) for one in self.streams]
        return self

    async def __aexit__(self, *_):
        for task in self.coming:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        for one in self.streams:
            await one.aclose()
        # Without pages the watcher ends; a read that is under way must not outlive the storage.
        await asyncio.wait_for(self.app.state.watcher._task, PATIENCE)

    async def next(self, study):
        """Return what the pages of a study receive next, and wait for more."""
        mine = [n for n, id in enumerate(self.ids) if id == study]
        heard = await asyncio.wait_for(asyncio.gather(*(self.coming[n] for n in mine)), PATIENCE)
        for n in mine:
            self.coming[n] = asyncio.create_task(anext(self.streams[n], "ended"))
        return heard


async def settle():
    """Let the reads pass that follow the opening of pages."""
    await asyncio.sleep(3 * POLL_SECONDS)


@pytest.fixture
def served(url):
    """Two storages of one database, as in two server processes, and an app on the first."""
    with ExitStack() as stack:
        storages = [stack.enter_context(closing(open_storage(url))) for _ in range(2)]
        studies = StudyService(storages[0])
        ids = [studies.create(QUICK | {"name": str(n)}).id for n in range(STUDIES)]
        yield make_app(storages[0]), storages, ids


def change(storage, id, n=0):
    StudyService(storage).anchors.add(id, DESIGN | {"minutes": 2.0 + n / 10})


def test_open_pages_send_no_statement_while_nothing_changes(served):
    app, (storage, _), ids = served

    async def run():
        async with Pages(app, ids * PAGES):
            await settle()
            with count_statements(storage) as sent:
                await asyncio.sleep(4 * POLL_SECONDS)
            assert sent == []

    asyncio.run(run())


def test_a_change_costs_as_many_statements_for_many_pages_as_for_one(served):
    app, (storage, other), ids = served
    counted = []

    async def run():
        for n, pages in enumerate(([ids[0]], ids * PAGES)):
            async with Pages(app, pages) as opened:
                await settle()
                with count_statements(storage) as sent:
                    await asyncio.to_thread(change, other, ids[0], n)
                    heard = await opened.next(ids[0])
                    await settle()
                assert all("event: anchor_added" in text for text in heard)
                counted.append([text for text in sent if text.startswith("SELECT")])

    asyncio.run(run())
    assert len(counted[0]) == len(counted[1]) == 3  # the last numbers; the head and the new entries of one study


def test_continuous_changes_are_read_no_more_often_than_the_interval_says(served):
    app, (storage, other), ids = served

    async def run():
        async with Pages(app, ids * PAGES):
            await settle()
            began = time.monotonic()
            with count_statements(storage) as sent:
                for n in range(30):
                    await asyncio.to_thread(change, other, ids[n % STUDIES], n)
                await settle()
            reads = sum("coalesce" in text.lower() for text in sent)
            assert 1 <= reads <= (time.monotonic() - began) / stream.MIN_READ_INTERVAL + 1

    asyncio.run(run())


def test_pages_of_one_server_hear_of_changes_and_deletions_by_another(served):
    app, (_, other), ids = served

    async def run():
        async with Pages(app, ids) as pages:
            for n in range(3):
                await asyncio.to_thread(change, other, ids[1], n)
                (heard,) = await pages.next(ids[1])
                assert "event: anchor_added" in heard
            await asyncio.to_thread(StudyService(other).delete, ids[1])
            assert await pages.next(ids[1]) == ["ended"]
            await asyncio.to_thread(change, other, ids[2])
            (heard,) = await pages.next(ids[2])
            assert "event: anchor_added" in heard
            with pytest.raises(UnknownStudyError):
                change(other, ids[1])

    asyncio.run(run())


def test_an_own_change_arrives_before_the_next_poll_would(served):
    app, (storage, _), ids = served

    async def run():
        waited = []
        async with Pages(app, ids) as pages:
            for n in range(5):
                await settle()
                await asyncio.to_thread(change, storage, ids[0], n)
                began = time.monotonic()
                await pages.next(ids[0])
                waited.append(time.monotonic() - began)
        assert min(waited) < 0.5 * POLL_SECONDS

    asyncio.run(run())


def test_pages_hear_of_the_next_answer_after_the_listener_was_terminated(server, postgresql_url):
    listeners = "FROM pg_stat_activity WHERE query = 'LISTEN anchorpbo'"
    with closing(open_storage(postgresql_url)) as storage, closing(open_storage(postgresql_url)) as other:
        id = StudyService(storage).create(QUICK).id
        app = make_app(storage)

        async def run():
            async with Pages(app, [id]) as pages:
                await settle()
                for n in range(3):
                    assert server.execute(f"SELECT pg_terminate_backend(pid) {listeners}") == [(True,)]
                    await asyncio.to_thread(change, other, id, n)  # perhaps before it listens again
                    (heard,) = await pages.next(id)
                    assert "event: anchor_added" in heard
                    await settle()

        asyncio.run(run())


def test_a_server_that_stops_ends_its_pages_and_leaves_no_thread(served):
    app, _, ids = served

    async def run():
        async with Pages(app, ids * PAGES) as pages:
            await settle()
            app.state.watcher.close()
            assert set(await asyncio.wait_for(asyncio.gather(*pages.coming), PATIENCE)) == {"ended"}
            await asyncio.wait_for(app.state.watcher._task, PATIENCE)

    asyncio.run(run())
    end = time.monotonic() + PATIENCE
    while any(thread.name == "storage-changes" for thread in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.01)
