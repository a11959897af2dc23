"""Memory keeps the contract, and the contract catches storages that do not."""

import re
import time
from contextlib import nullcontext
from dataclasses import replace
from threading import Thread, Timer

import pytest

from anchorpbo.app.storage import MemoryStorage, open_storage
from anchorpbo.app.storage.changes import Callbacks
from anchorpbo.errors import ConflictError, InputError
from anchorpbo.testing import storage_notifications
from anchorpbo.testing.storages import StorageContract


@pytest.mark.parametrize("check", StorageContract.checks())
def test_memory(check):
    StorageContract(MemoryStorage, kept=False).check(check)


@pytest.mark.parametrize("url", ["memory", None])
def test_memory_is_opened_by_its_name_or_by_none(url):
    assert isinstance(open_storage(url), MemoryStorage)


@pytest.mark.parametrize(
    "url",
    ["", "  ", 7, "mysql://root:hunter2@host/db", "postgresql+psycopg2://u:hunter2@host/db", "sqlite://", "sqlite:///",
     "sqlite:///:memory:", "sqlite:studies.db", "sqlite:///a.db?mode=ro", "redis:hunter2", "postgresql://u:hun@ter2@host/db",
     "postgresql://u:hunter2@host:port/db", "postgresql:hunter2"],
)  # fmt: skip
def test_other_addresses_are_refused_with_what_to_write_and_without_their_passwords(url):
    with pytest.raises(InputError, match=r"write|correct") as caught:
        open_storage(url)
    assert not re.search("hunter2|ter2", str(caught.value))


# -- storages that break the contract ---------------------------------------------------------------------------------


class HandsOutItsList(MemoryStorage):
    def participants(self, id):
        super().participants(id)
        return self._studies[id].participants


class SeesNoConflict(MemoryStorage):
    def append(self, id, entries, seen):
        return super().append(id, entries, 2**62)


class ChecksTooEarly(MemoryStorage):
    """Compares what was seen with what there is before it has the lock."""

    def append(self, id, entries, seen):
        mine = self.entries(id, entries[0].participant) if entries else []
        if mine and mine[-1].number > seen:
            raise ConflictError("too late")
        time.sleep(0.005)
        return super().append(id, entries, 2**62)


class AppendsOneByOne(MemoryStorage):
    def append(self, id, entries, seen):
        added = []
        for each in entries:
            added += super().append(id, [each], seen)
            seen = added[-1].number
        return added


class CountsAllAnswers(MemoryStorage):
    def study(self, id):
        return replace(super().study(id), answers=sum(each.type == "answered" for each in self.entries(id)))


class ForgetsSecrets(MemoryStorage):
    def secret(self, name):
        self._secrets.clear()
        return super().secret(name)


class OldestFirst(MemoryStorage):
    def studies(self):
        return super().studies()[::-1]


class LocalTimes(MemoryStorage):
    def study(self, id):
        info = super().study(id)
        return replace(info, created=info.created.replace(tzinfo=None))


class CallsNobody(MemoryStorage):
    def watch(self, on_change):
        return nullcontext()


class CallsBeforeTheChange(MemoryStorage):
    def append(self, id, entries, seen):
        self._callbacks.call()
        callbacks, self._callbacks = self._callbacks, Callbacks()
        try:
            return super().append(id, entries, seen)
        finally:
            self._callbacks = callbacks


class ForgetsDeletions(MemoryStorage):
    def delete(self, id):
        callbacks, self._callbacks = self._callbacks, Callbacks()
        super().delete(id)
        self._callbacks = callbacks


class CallsForever(MemoryStorage):
    def watch(self, on_change):
        self._callbacks.add(on_change).__enter__()
        return nullcontext()


class CallsLate(MemoryStorage):
    def watch(self, on_change):
        return super().watch(lambda: Timer(0.3, on_change).start())


class LetsWritersFail(MemoryStorage):
    def watch(self, on_change):
        callbacks, outer = self._callbacks, self._callbacks.call
        callbacks.call = lambda: (on_change(), outer())
        return nullcontext()


class CallsWhenClosed(MemoryStorage):
    def close(self):
        pass


class LeavesAThread(MemoryStorage):
    def __init__(self):
        super().__init__()
        Thread(target=time.sleep, args=(3,), daemon=True).start()


class LimitsEachClip(MemoryStorage):
    def put_clip(self, id, name, type, content, max_total):
        return super().put_clip(id, name, type, content, 2**62 if len(content) <= max_total else 0)


class ReadsWhateverIsThere(MemoryStorage):
    def read_clip(self, id, clip, start, stop):
        return self._studies[id].clips[clip.name][1][start:stop]


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (CallsNobody, "check_each_kind_of_change_calls_the_watcher"),
        (CallsBeforeTheChange, "check_each_kind_of_change_calls_the_watcher"),
        (CallsBeforeTheChange, "check_no_change_is_missed_by_concurrent_writers"),
        (ForgetsDeletions, "check_each_kind_of_change_calls_the_watcher"),
        (CallsLate, "check_own_changes_call_at_once"),
        (CallsForever, "check_watching_ends_with_its_context"),
        (LetsWritersFail, "check_an_error_of_a_watcher_stops_nothing"),
        (CallsWhenClosed, "check_closing_ends_watching"),
        (LeavesAThread, "check_closing_ends_watching"),
        (HandsOutItsList, "check_isolation"),
        (SeesNoConflict, "check_stale_write"),
        (ChecksTooEarly, "check_concurrent_append"),
        (AppendsOneByOne, "check_invalid_input"),
        (CountsAllAnswers, "check_answer_count"),
        (ForgetsSecrets, "check_secrets_are_stable"),
        (OldestFirst, "check_studies_are_listed_newest_first"),
        (LocalTimes, "check_create"),
        (LimitsEachClip, "check_clips_have_a_limit"),
        (ReadsWhateverIsThere, "check_a_clip_is_replaced"),
    ],
)
def test_a_broken_storage_is_caught(broken, check, monkeypatch):
    monkeypatch.setattr(storage_notifications, "_PATIENCE", 1.0)
    expected = ZeroDivisionError if broken is LetsWritersFail else AssertionError
    with pytest.raises(expected):
        StorageContract(broken, kept=False).check(check)


def test_memory_that_claims_to_last_is_caught():
    with pytest.raises(Exception, match="no study has this id"):
        StorageContract(MemoryStorage, kept=True).check("check_everything_is_there_after_reopening")
