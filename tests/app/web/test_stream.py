"""Server-sent events: who hears of what, and when it ends."""

import asyncio
import json
import logging
import time

import pytest
from servers import DESIGN, QUICK, TOKEN, answer, bearer, make, server, with_token

from anchorpbo.app.service import StudyService
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.app.web import stream
from anchorpbo.app.web.access import Access
from anchorpbo.errors import DataError, UnknownStudyError


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(stream, "MIN_READ_INTERVAL", 0.01)


def listen(app, path, steps, headers=()):
    """Open a stream, do one step after each event, hang up once all are done; what came, and whether it ended."""
    events, status = [], []

    async def run():
        sent, hung_up, remaining = asyncio.Event(), asyncio.Event(), list(steps)

        async def receive():
            if not sent.is_set():
                sent.set()
                return {"type": "http.request", "body": b"", "more_body": False}
            await hung_up.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            if message["type"] == "http.response.start":
                status.append((message["status"], dict(message["headers"])))
            for event in message.get("body", b"").decode().split("\n\n"):
                if event:
                    events.append(event)
                    if remaining:
                        await asyncio.to_thread(remaining.pop(0))
                    else:
                        hung_up.set()

        route, _, query = path.partition("?")
        scope = {
            "type": "http", "method": "GET", "path": route, "raw_path": route.encode(), "query_string": query.encode(),
            "headers": [(b"host", b"127.0.0.1:8000"), *((k.lower().encode(), v.encode()) for k, v in headers)],
            "scheme": "http", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 1), "root_path": "",
            "http_version": "1.1", "asgi": {"version": "3.0"},
        }  # fmt: skip
        await asyncio.wait_for(app(scope, receive, send), 20)

    asyncio.run(run())
    return status[0], [_parsed(event) for event in events]


def _parsed(event):
    fields = dict(line.split(": ", 1) for line in event.splitlines())
    return fields.get("event", ""), json.loads(fields["data"]) if "data" in fields else None


def test_what_another_process_writes_arrives():
    storage = MemoryStorage()
    app, client = server(storage)
    id = make(client)
    other = StudyService(storage)
    (status, headers), events = listen(
        app, f"/api/studies/{id}/stream",
        [lambda: other.duels.ask(id), lambda: other.anchors.add(id, DESIGN),
         lambda: client.post(f"/api/studies/{id}/undo")],
    )  # fmt: skip
    assert status == 200
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert headers[b"cache-control"] == b"no-store"
    assert [kind for kind, _ in events] == ["ready", "asked", "anchor_added", "undone"]
    assert [data["number"] for _, data in events] == [1, 2, 3, 4]
    assert set(events[1][1]) == {"number", "type", "participant"}


def test_only_what_one_participant_does_where_one_is_named():
    app, client = server()
    id = make(client)
    client.post(f"/api/studies/{id}/participants", json={"name": "Ana"})

    def both():
        answer(client, id)
        answer(client, id, params={"participant": "Ana"})

    _, events = listen(app, f"/api/studies/{id}/stream?participant=Ana", [both, lambda: None])
    assert [(kind, data.get("participant")) for kind, data in events[1:]] == [("asked", "Ana"), ("answered", "Ana")]


def test_a_page_that_comes_back_hears_of_what_it_missed():
    app, client = server()
    id = make(client)
    answer(client, id)
    _, events = listen(app, f"/api/studies/{id}/stream", [lambda: None] * 2, headers=[("Last-Event-ID", "1")])
    assert [kind for kind, _ in events] == ["ready", "asked", "answered"]
    for odd in ("x", "-1", "9" * 500, ""):
        _, events = listen(app, f"/api/studies/{id}/stream", [], headers=[("Last-Event-ID", odd)])
        assert events == [("ready", {"number": 3})]


def test_it_ends_with_the_study():
    app, client = server()
    id = make(client)
    _, events = listen(app, f"/api/studies/{id}/stream", [lambda: client.delete(f"/api/studies/{id}"), lambda: None])
    assert [kind for kind, _ in events] == ["ready"]


def test_it_ends_with_the_server():
    app, client = server()
    id = make(client)
    _, events = listen(app, f"/api/studies/{id}/stream", [app.state.watcher.close, lambda: None])
    assert [kind for kind, _ in events] == ["ready"]


def test_it_ends_when_the_database_is_away(monkeypatch):
    storage = MemoryStorage()
    app, client = server(storage)
    id = make(client)

    def away(*arguments):
        raise DataError("the database must answer")

    def go_away():
        monkeypatch.setattr(storage, "last_numbers", away)
        storage._callbacks.call()  # as a back end does that lost its connection

    _, events = listen(app, f"/api/studies/{id}/stream", [go_away, lambda: None])
    assert [kind for kind, _ in events] == ["ready"]


@pytest.mark.parametrize("problem", [DataError("an entry must be whole"), UnknownStudyError("gone")])
def test_a_study_that_cannot_be_read_ends_its_own_pages_only(monkeypatch, problem):
    storage = MemoryStorage()
    app, client = server(storage)
    damaged, good = make(client), make(client)
    entries = storage.entries

    def read(id, participant, *rest):
        if id == damaged and participant is None:  # as the watcher reads
            raise problem
        return entries(id, participant, *rest)

    async def run():
        pages = [stream.Subscriber(id, None, Access()) for id in (damaged, good)]
        ending, going_on = [stream.stream_events(app.state.watcher, app.state.studies, page, "") for page in pages]
        await asyncio.gather(anext(ending), anext(going_on))
        both = asyncio.gather(anext(ending, "ended"), anext(going_on, "ended"))
        monkeypatch.setattr(storage, "entries", read)
        other = StudyService(storage)
        for id in (damaged, good):
            await asyncio.to_thread(other.anchors.add, id, DESIGN)
        end, heard = await asyncio.wait_for(both, 20)
        assert end == "ended"
        assert "event: anchor_added" in heard
        await going_on.aclose()

    asyncio.run(run())


def test_the_watcher_goes_on_after_an_error_that_nobody_foresaw(monkeypatch, caplog):
    storage = MemoryStorage()
    app, client = server(storage)
    id = make(client)
    last_numbers, failed = storage.last_numbers, []

    def fail_once(ids):
        if not failed:
            failed.append(ids)
            raise ZeroDivisionError("of the watcher")
        return last_numbers(ids)

    async def run():
        first, second = (
            stream.stream_events(app.state.watcher, app.state.studies, stream.Subscriber(id, None, Access()), "")
            for _ in range(2)
        )
        await anext(first)
        await asyncio.sleep(0.1)
        monkeypatch.setattr(storage, "last_numbers", fail_once)
        storage._callbacks.call()
        assert await asyncio.wait_for(anext(first, "ended"), 20) == "ended"  # its page will come back
        await anext(second)
        await asyncio.to_thread(StudyService(storage).anchors.add, id, DESIGN)
        assert "event: anchor_added" in await asyncio.wait_for(anext(second), 20)
        await second.aclose()

    with caplog.at_level(logging.ERROR, "anchorpbo"):
        asyncio.run(run())
    assert "ZeroDivisionError: of the watcher" in caplog.text


def test_silence_is_broken_now_and_then(monkeypatch):
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 0.02)
    app, client = server()
    id = make(client)
    _, events = listen(app, f"/api/studies/{id}/stream", [lambda: None] * 2)
    assert [kind for kind, _ in events] == ["ready", "", ""]


def test_a_participant_hears_of_their_own_part_only():
    app, client = with_token()
    id = make(client, QUICK, headers=bearer())
    link = client.post(f"/api/studies/{id}/participants", json={"name": "Ana"}, headers=bearer()).json()["link"]
    cookie = client.get(link).headers["set-cookie"].split(";")[0]
    client.cookies.clear()

    def both():
        answer(client, id, headers=bearer())
        client.post(f"/api/studies/{id}/ask", headers={"Cookie": cookie})

    _, events = listen(app, f"/api/studies/{id}/stream", [both], headers=[("Cookie", cookie)])
    assert [data.get("participant") for kind, data in events if kind != "ready"] == ["Ana"]
    for query, headers, expected in [
        ("", [], 401), ("?participant=owner", [("Cookie", cookie)], 403), ("?participant=nobody", [], 401),
        ("?participant=nobody", [("Authorization", f"Bearer {TOKEN}")], 404),
    ]:  # fmt: skip
        options = dict(headers)
        assert client.get(f"/api/studies/{id}/stream{query}", headers=options).status_code == expected


def _joined(client, id, name):
    """The cookie of someone who came by their link."""
    link = client.post(f"/api/studies/{id}/participants", json={"name": name}, headers=bearer()).json()["link"]
    cookie = client.get(link).headers["set-cookie"].split(";")[0]
    client.cookies.clear()
    return cookie


@pytest.mark.parametrize("how", ["removed", "relinked"])
def test_it_ends_when_the_link_that_opened_it_is_taken_away(how):
    app, client = with_token()
    id = make(client, QUICK, headers=bearer())
    ana, ben = _joined(client, id, "Ana"), _joined(client, id, "Ben")
    people = f"/api/studies/{id}/participants"

    def take_away():
        if how == "removed":
            assert client.delete(people, params={"name": "Ana"}, headers=bearer()).status_code == 204
        else:
            assert client.post(f"{people}/link", json={"name": "Ana"}, headers=bearer()).status_code == 200

    # A step that never comes keeps the connection: what ends the stream is the server.
    _, events = listen(app, f"/api/studies/{id}/stream", [take_away, lambda: None], headers=[("Cookie", ana)])
    assert [kind for kind, _ in events] == ["ready"]
    # The page cannot come back.
    assert client.get(f"/api/studies/{id}/stream", headers={"Cookie": ana}).status_code == 403

    def invite_and_take_away_again():
        client.post(people, json={"name": "Ana"}, headers=bearer())
        take_away()
        client.post(f"/api/studies/{id}/ask", json={"participant": "Ben"}, headers=bearer())

    # Someone else's goes on.
    _, events = listen(app, f"/api/studies/{id}/stream", [invite_and_take_away_again], headers=[("Cookie", ben)])
    assert [kind for kind, _ in events] == ["ready", "asked"]


def test_the_owner_who_looks_at_a_participant_stays_when_they_get_another_link():
    app, client = with_token()
    id = make(client, QUICK, headers=bearer())
    _joined(client, id, "Ana")
    people, url = f"/api/studies/{id}/participants", f"/api/studies/{id}"

    def relink_and_ask():
        client.post(f"{people}/link", json={"name": "Ana"}, headers=bearer())
        client.post(f"{url}/ask", json={"participant": "Ana"}, headers=bearer())

    owner = [("Authorization", f"Bearer {TOKEN}")]
    steps = [relink_and_ask, lambda: client.delete(people, params={"name": "Ana"}, headers=bearer()), lambda: None]
    _, events = listen(app, f"{url}/stream?participant=Ana", steps, headers=owner)
    assert [kind for kind, _ in events] == ["ready", "asked"]  # and the end, when Ana was removed


def test_one_read_of_the_journals_after_a_change_is_enough_for_all_pages_and_none_happens_without(monkeypatch):
    storage = MemoryStorage()
    app, client = server(storage)
    ids = [make(client) for _ in range(3)]
    looks, reads = [], []
    last_numbers, entries = storage.last_numbers, storage.entries
    monkeypatch.setattr(storage, "last_numbers", lambda ids: looks.append(sorted(ids)) or last_numbers(ids))
    monkeypatch.setattr(storage, "entries", lambda id, *rest: reads.append((id, *rest)) or entries(id, *rest))
    watcher, studies = app.state.watcher, app.state.studies

    async def run():
        pages = [stream.Subscriber(id, None, Access()) for id in ids for _ in range(20)]
        streams = [stream.stream_events(watcher, studies, page, "") for page in pages]
        first = await asyncio.gather(*(anext(one) for one in streams))
        assert all(text.startswith("event: ready") for text in first)
        await asyncio.sleep(0.1)
        looks.clear()
        reads.clear()
        coming = [asyncio.create_task(anext(one)) for one in streams]
        await asyncio.sleep(0.3)
        assert looks == reads == []  # nothing happened
        await asyncio.to_thread(answer, client, ids[1])
        heard = await asyncio.wait_for(asyncio.gather(*coming[20:40]), 20)
        assert all("event: asked" in text for text in heard)
        await asyncio.sleep(0.1)
        assert 1 <= len(looks) <= 2  # asked and answered, for sixty pages
        assert all(look == sorted(ids) for look in looks)
        by_watcher = [read for read in reads if read[1:2] == (None,)]
        assert 1 <= len(by_watcher) <= 2
        assert not any(task.done() for task in [*coming[:20], *coming[40:]])
        for task in coming:
            task.cancel()
        await asyncio.gather(*coming, return_exceptions=True)
        for one in streams:
            await one.aclose()

    asyncio.run(run())


def test_many_changes_are_read_together(monkeypatch):
    monkeypatch.setattr(stream, "MIN_READ_INTERVAL", 0.2)
    storage = MemoryStorage()
    app, client = server(storage)
    id = make(client)
    looks, last_numbers = [], storage.last_numbers
    monkeypatch.setattr(storage, "last_numbers", lambda ids: looks.append(ids) or last_numbers(ids))

    async def run():
        page = stream.stream_events(app.state.watcher, app.state.studies, stream.Subscriber(id, None, Access()), "")
        await anext(page)
        await asyncio.sleep(0.5)
        looks.clear()
        other, began = StudyService(storage), time.monotonic()
        for n in range(50):
            await asyncio.to_thread(other.anchors.add, id, DESIGN | {"minutes": 1 + n / 10})
        last = storage.last_numbers([id])[id]
        while f'"number": {last}' not in await asyncio.wait_for(anext(page), 20):
            pass
        assert len(looks) - 1 <= (time.monotonic() - began) / 0.2 + 1
        await page.aclose()

    asyncio.run(run())


def test_a_change_while_a_page_opens_is_not_missed(monkeypatch):
    storage = MemoryStorage()
    app, client = server(storage)
    id = make(client)
    begin, other = stream._begin, StudyService(storage)

    def begin_then_change(*arguments):
        missed = begin(*arguments)
        other.anchors.add(id, DESIGN)  # the page knows its position, but the watcher does not know the page
        return missed

    async def run():
        watching = stream.stream_events(app.state.watcher, app.state.studies, stream.Subscriber(id, None, Access()), "")
        await anext(watching)
        await asyncio.sleep(0.1)  # the watcher is idle
        monkeypatch.setattr(stream, "_begin", begin_then_change)
        opening = stream.stream_events(app.state.watcher, app.state.studies, stream.Subscriber(id, None, Access()), "")
        assert "ready" in await anext(opening)
        for page in (opening, watching):
            assert "event: anchor_added" in await asyncio.wait_for(anext(page), 20)
            await page.aclose()

    asyncio.run(run())


def test_the_watcher_ends_with_the_last_page_and_begins_again_with_the_next():
    storage = MemoryStorage()
    app, client = server(storage)
    id = make(client)

    async def run():
        for n in range(3):
            page = stream.stream_events(app.state.watcher, app.state.studies, stream.Subscriber(id, None, Access()), "")
            await anext(page)
            await asyncio.sleep(0)  # the watcher's task begins
            task = app.state.watcher._task
            assert storage._callbacks
            await asyncio.to_thread(StudyService(storage).anchors.add, id, DESIGN | {"minutes": 2.0 + n})
            assert "event: anchor_added" in await asyncio.wait_for(anext(page), 20)
            await page.aclose()
            await asyncio.wait_for(task, 20)
            assert not storage._callbacks

    asyncio.run(run())
