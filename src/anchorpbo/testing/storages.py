"""Contract of storages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from threading import Barrier
from typing import Any, TypeVar
from uuid import uuid4

from anchorpbo.app.storage.base import ClipInfo, Storage, StudyInfo
from anchorpbo.app.storage.journal import OWNER, Entry, EntryType
from anchorpbo.errors import ConflictError, InputError, UnknownStudyError
from anchorpbo.testing.contract import ensure, ensure_raises
from anchorpbo.testing.storage_notifications import NotificationContract

_NOON = datetime(2024, 2, 29, 12, 0, 0, 123456, tzinfo=UTC)
_TEXTS = (
    "plain",
    "Grüße, 世界 🎻",
    "line\nbreak\ttab",
    "'; DROP TABLE studies; --",
    '"quoted" \\ %s :name {0}',
    " padded ",
    "🎻" * 200,
)
_THREADS = 8
_CLIP = bytes(range(256)) * 2_100
"""Content of a clip that is longer than two chunks of a database."""

T = TypeVar("T")


class StorageContract(NotificationContract):
    """Checks of a storage. Use a test storage, because the checks leave studies in it; it need not be empty.

    Parameters
    ----------
    open
        Function that opens the storage; each check opens and closes it.
    kept
        Whether data survives closing, and is shared by storages that are open at the same time. True for a database,
        false for memory.
    """

    def __init__(self, open: Callable[[], Storage], kept: bool = True) -> None:
        if not callable(open):
            name = type(open).__name__
            raise InputError(
                "open must be a function that opens the storage",
                f"a {name}",
                f"write StorageContract(lambda: {name}(path)).check_all()",
            )
        super().__init__(open)
        self.open = open
        self.kept: bool = kept

    # -- studies ------------------------------------------------------------------------------------------------------

    def check_create(self) -> None:
        """Name, time of creation, definition and first entries are returned unchanged."""
        definition = {"list": [1, 2.5, None, True, {"a": []}], "big": 2**60, "small": 5e-324, "text": "\0 \ud800 é"}
        with self._open_storage() as storage:
            entries = [
                _entry("created", OWNER),
                _entry("asked", "ann", duel_id="d"),
                _entry("answered", "bob", ms=1200),
            ]
            id = _new(storage, *entries, definition=definition)
            ensure(storage.definition(id) == definition, f"the definition was returned as {storage.definition(id)}")
            info = storage.study(id)
            ensure((info.id, info.name) == (id, "A study"), f"the study was returned as {info}")
            _ensure_time("created", info.created, _NOON)
            _ensure_entries(storage.entries(id), entries, first=1)
            ensure(
                storage.participants(id) == [OWNER, "ann", "bob"],
                "participants must be the entries' participants, in order",
            )

    def check_a_study_may_begin_empty(self) -> None:
        """Without entries there are no participants, no answers and no last change."""
        with self._open_storage() as storage:
            id = _new(storage)
            found = (storage.entries(id), storage.participants(id), storage.definition(id))
            ensure(found == ([], [], {}), f"an empty study was returned as {found}")
            info = storage.study(id)
            ensure((info.answers, info.updated) == (0, None), f"an empty study must have no answers; it is {info}")

    def check_an_id_is_taken_once(self) -> None:
        """A second study with the same id raises ConflictError and does not change the first."""
        with self._open_storage() as storage:
            id = _new(storage, _entry("created"))
            again = StudyInfo(id, "Another", _NOON)
            ensure_raises(
                ConflictError, "a second study with the same id", lambda: storage.create(again, {"x": 1}, [_entry()])
            )
            ensure(storage.study(id).name == "A study", "the first study must keep its name")
            ensure((storage.definition(id), len(storage.entries(id))) == ({}, 1), "the first study must not change")

    def check_studies_are_listed_newest_first(self) -> None:
        """Studies are sorted by time of creation, whatever the order of insertion and the time zones."""
        east = timezone(timedelta(hours=9))
        with self._open_storage() as storage:
            times = [_NOON, _NOON + timedelta(microseconds=1), (_NOON - timedelta(hours=1)).astimezone(east)]
            ids = [_new(storage, created=time) for time in times]
            listed = [info.id for info in storage.studies() if info.id in ids]
            ensure(listed == [ids[1], ids[0], ids[2]], f"studies must be listed newest first; received {listed}")
            infos = {info.id: info for info in storage.studies()}
            ensure(all(infos[id] == storage.study(id) for id in ids), "a list must hold what `study` returns")
            ensure(all(infos[id].created.utcoffset() is not None for id in ids), "times must have a time zone")

    def check_edits(self) -> None:
        """An entry of type edited changes the study's info and nothing else; the last value of a property counts."""
        with self._open_storage() as storage:
            id, other = _new(storage, _entry("created")), _new(storage, _entry("created"))
            ensure(storage.study(id).edits == {}, "a new study must have no edits")
            storage.append(id, [_entry("edited", name="Grüße 🎻", archived=True)], seen=1)
            storage.append(id, [_entry("edited", archived=False, question="Which?"), _entry("answered")], seen=2)
            expected = {"name": "Grüße 🎻", "archived": False, "question": "Which?"}
            info = storage.study(id)
            ensure((info.name, info.edits) == ("Grüße 🎻", expected), f"edits must be {expected}; received {info}")
            ensure(info in storage.studies(), "a list must hold what `study` returns")
            ensure((info.answers, storage.definition(id)) == (1, {}), "an edit must change nothing else")
            ensure(storage.study(other).name == "A study", "an edit must not change other studies")
            copy = _id()
            storage.create(StudyInfo(copy, "A study", _NOON), {}, storage.entries(id))
            ensure(storage.study(copy).edits == expected, "entries of a new study may hold edits, too")

    def check_answer_count(self) -> None:
        """Skipped and undone answers do not count; repeated undos and undos of other entries change nothing."""
        with self._open_storage() as storage:
            answers = [_entry("answered"), _entry("asked"), _entry("answered"), _entry("answered", "bob")]  # 1, 3 and 4
            answers.append(_entry("answered", outcome="skip"))
            id = _new(storage, *answers)
            ensure(storage.study(id).answers == 3, f"3 answers must count; counted {storage.study(id).answers}")
            other = _new(storage, *answers)
            steps: list[tuple[Any, int]] = [
                (3, 2),
                (3, 2),
                (2, 2),
                (99, 2),
                ("1", 2),
                (None, 2),
                (True, 2),
                (2**80, 2),
                (1, 1),
            ]
            for target, left in steps:
                storage.append(id, [_entry("undone", event=target)], seen=1000)
                counted = storage.study(id).answers
                ensure(counted == left, f"{left} answers must count after undoing {target!r}; counted {counted}")
            more = [_entry("commented", event=4), _entry("answered", outcome="tie"), _entry("answered", outcome="skip")]
            storage.append(id, more, seen=1000)
            counted = storage.study(id).answers
            ensure(counted == 2, f"a comment must undo nothing, and a new answer must count; counted {counted}")
            ensure(storage.study(other).answers == 3, "answers of another study must still count")
            listed = {info.id: info.answers for info in storage.studies()}
            ensure((listed[id], listed[other]) == (2, 3), "a list must count as `study` does")

    def check_updated_is_the_time_of_the_last_entry(self) -> None:
        """The last entry is the last by number, even if a clock went back."""
        with self._open_storage() as storage:
            id = _new(storage, _entry(time=_NOON))
            _ensure_time("updated", storage.study(id).updated, _NOON)
            earlier = _NOON - timedelta(days=1)
            storage.append(id, [_entry(time=_NOON + timedelta(days=1)), _entry(time=earlier)], seen=1)
            _ensure_time("updated", storage.study(id).updated, earlier)

    def check_unknown_studies_raise(self) -> None:
        """Every call with an unknown id raises UnknownStudyError, even if the id cannot be stored."""
        with self._open_storage() as storage:
            _new(storage, _entry())
            for id in (_id(), "", "\0", "\ud800", "x" * 10_000):
                calls: Mapping[str, Callable[[str], object]] = {
                    "study": storage.study,
                    "definition": storage.definition,
                    "participants": storage.participants,
                    "add_participant": lambda id: storage.add_participant(id, "ann"),
                    "entries": storage.entries,
                    "append": lambda id: storage.append(id, [_entry()], seen=0),
                    "append of nothing": lambda id: storage.append(id, [], seen=0),
                    "delete": storage.delete,
                    "put_clip": lambda id: storage.put_clip(id, "a.wav", "audio/wav", b"x", 10),
                    "clips": storage.clips,
                    "read_clip": lambda id: storage.read_clip(id, ClipInfo("a.wav", "audio/wav", 1, 0), 0, 1),
                }
                for name, call in calls.items():
                    ensure_raises(UnknownStudyError, f"{name} of an unknown study", lambda call=call, id=id: call(id))  # type: ignore[misc]

    def check_deletion_forgets_everything(self) -> None:
        """A deleted study leaves no data, its id can be reused, and other studies stay."""
        with self._open_storage() as storage:
            id, other = _new(storage, _entry(), _entry("answered", "bob")), _new(storage, _entry())
            storage.delete(id)
            ensure_raises(UnknownStudyError, "a deleted study", lambda: storage.study(id))
            ensure_raises(UnknownStudyError, "a second deletion", lambda: storage.delete(id))
            ensure(id not in [info.id for info in storage.studies()], "a deleted study must not be listed")
            storage.create(StudyInfo(id, "Again", _NOON), {}, [])
            left = (storage.entries(id), storage.participants(id))
            ensure(left == ([], []), f"a deleted study must leave nothing; it left {left}")
            ensure(len(storage.entries(other)) == 1, "another study must keep its entries")

    # -- participants -------------------------------------------------------------------------------------------------

    def check_participants_keep_their_order(self) -> None:
        """Added participants follow those of the first entries; adding one again changes nothing."""
        with self._open_storage() as storage:
            id = _new(storage, _entry(participant="zoe"), _entry(participant="ann"), _entry(participant="zoe"))
            for name in ("mia", "ann", "bob", "Ann", "mia"):
                storage.add_participant(id, name)
            found = storage.participants(id)
            ensure(found == ["zoe", "ann", "mia", "bob", "Ann"], f"participants were returned as {found}")
            storage.append(id, [_entry(participant="bob")], seen=0)

    def check_only_participants_append(self) -> None:
        """Entries of someone who is not a participant raise UnknownStudyError and are not stored."""
        with self._open_storage() as storage:
            id = _new(storage, _entry())
            ensure_raises(
                UnknownStudyError, "an entry of a stranger", lambda: storage.append(id, [_entry("asked", "eve")], 0)
            )
            ensure(
                (len(storage.entries(id)), storage.participants(id)) == (1, [OWNER]), "a stranger must leave nothing"
            )

    # -- the journal --------------------------------------------------------------------------------------------------

    def check_entries_come_back(self) -> None:
        """Type, participant, time to the microsecond, data and response time are unchanged; numbers start at 1."""
        with self._open_storage() as storage:
            id = _new(storage, _entry())
            for name in _TEXTS:
                storage.add_participant(id, name)
                given = [
                    _entry("commented", name, text=name, event=None),
                    _entry("answered", name, ms=0, nested={"x": [0.1, -0.0, 1e308, "\0\ud800", []]}),
                    _entry("asked", name, ms=2**53, time=datetime(1, 1, 1, tzinfo=UTC)),
                    _entry("undone", name, event=1, time=datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
                ]
                first = len(storage.entries(id)) + 1
                _ensure_entries(storage.append(id, given, seen=0), given, first)
                _ensure_entries(storage.entries(id, name), given, first)
                _ensure_entries(storage.entries(id, after=first - 1), given, first)

    def check_entries_are_selected(self) -> None:
        """Entries are selected by participant and by number; numbers count over the whole journal."""
        with self._open_storage() as storage:
            id = _new(storage, *(_entry("asked", name) for name in ("ann", "bob", "ann", "bob", "ann")))

            def numbers(participant: str | None = None, after: int = 0) -> list[int]:
                return [entry.number for entry in storage.entries(id, participant, after)]

            for chosen, expected in [
                (numbers(), [1, 2, 3, 4, 5]),
                (numbers("ann"), [1, 3, 5]),
                (numbers("bob", after=2), [4]),
                (numbers(after=3), [4, 5]),
                (numbers("ann", after=5), []),
                (numbers("nobody"), []),
                (numbers(after=2**40), []),
            ]:
                ensure(chosen == expected, f"entries must be {expected}; received {chosen}")

    def check_last_numbers_are_those_of_the_journals(self) -> None:
        """`last_numbers` returns the number of the last entry of each known study, by any participant."""
        with self._open_storage() as storage:
            empty, begun = _new(storage), _new(storage, _entry("created", OWNER), _entry("asked", "ann", duel_id="d"))
            many = [uuid4().hex for _ in range(3_000)]
            found = storage.last_numbers([empty, *many, begun])
            ensure(found == {empty: 0, begun: 2}, f"the last numbers of 0 and 2 entries were returned as {found}")
            storage.append(begun, [_entry("commented", "ann", text="x")], 2)
            ensure(storage.last_numbers([begun]) == {begun: 3}, "a new entry must be counted")
            storage.delete(begun)
            ensure(storage.last_numbers([begun]) == {}, "a deleted study must be left out")
            ensure(storage.last_numbers([]) == {}, "last_numbers of no studies must be empty")

    def check_entries_of_another_study_are_its_own(self) -> None:
        """Two studies with the same participants share no numbers and no entries."""
        with self._open_storage() as storage:
            one, two = _new(storage, _entry()), _new(storage, _entry())
            storage.append(one, [_entry("asked"), _entry("answered")], seen=1)
            added = storage.append(two, [_entry("commented")], seen=1)
            ensure(added[0].number == 2, f"numbers must count within a study; the second entry is {added[0].number}")
            ensure([entry.type for entry in storage.entries(two)] == ["created", "commented"], "entries must not mix")

    def check_stale_write(self) -> None:
        """A stale write raises ConflictError and stores nothing; entries of other participants do not conflict."""
        with self._open_storage() as storage:
            id = _new(storage, _entry(), _entry("asked", "ann"))
            storage.append(id, [_entry("answered", "ann")], seen=2)  # 3
            storage.append(id, [_entry("asked")], seen=1)  # 4, by the owner, who need not have seen 2 and 3
            for name, seen in (("ann", 2), ("ann", 0), (OWNER, 3)):
                late = [_entry("asked", name), _entry("answered", name)]
                what = f"appending for {name} having seen {seen}"
                ensure_raises(ConflictError, what, lambda late=late, seen=seen: storage.append(id, late, seen))  # type: ignore[misc]
            ensure(len(storage.entries(id)) == 4, "a conflict must store nothing")
            added = storage.append(id, [_entry("asked", "ann")], seen=3)
            ensure(added[0].number == 5, f"a conflict must use up no number; the fifth entry is {added[0].number}")
            ensure(storage.append(id, [], seen=0) == [], "appending no entries must return [] without a conflict")

    def check_invalid_input(self) -> None:
        """Invalid input raises InputError, and nothing is stored, not even valid entries before the invalid one."""
        with self._open_storage() as storage:
            id = _new(storage, _entry())
            wrong: dict[str, Entry] = {
                "not a number": _entry("answered", x=float("nan")),
                "an endless number": _entry("answered", x=[float("inf")]),
                "an object": _entry("answered", x=object()),
                "bytes": _entry("answered", x=b"1"),
                "a time without zone": _entry("answered", time=datetime(2024, 1, 1)),
                "a time out of range": _entry("answered", time=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9)))),
                "an unknown type": _entry("slept"),  # type: ignore[arg-type]
                "a negative response time": _entry("answered", ms=-1),
                "an endless response time": _entry("answered", ms=2**70),
                "data that is not a mapping": Entry("answered", OWNER, _NOON, [1]),  # type: ignore[arg-type]
                "another participant": _entry("answered", "ann"),
                "no entry": "answered",  # type: ignore[dict-item]
            }
            for what, entry in wrong.items():
                both = [_entry("asked"), entry]
                ensure_raises(InputError, what, lambda both=both: storage.append(id, both, seen=1))  # type: ignore[misc]
            for name in ("", "a\0b", "\ud83d", "x" * 201, 7, None):
                ensure_raises(InputError, f"the name {name!r}", lambda name=name: storage.add_participant(id, name))  # type: ignore[misc]
                info = StudyInfo(name, "A study", _NOON)  # type: ignore[arg-type]
                ensure_raises(InputError, f"the id {name!r}", lambda info=info: storage.create(info, {}, []))  # type: ignore[misc]
            for info in (StudyInfo(_id(), "\0", _NOON), StudyInfo(_id(), "A", datetime(2024, 1, 1))):
                ensure_raises(InputError, f"{info}", lambda info=info: storage.create(info, {}, []))  # type: ignore[misc]
                ensure_raises(UnknownStudyError, "a study refused", lambda info=info: storage.study(info.id))  # type: ignore[misc]
            for seen in (-1, 0.5, "1", None, True, 2**63):
                ensure_raises(InputError, f"seen={seen!r}", lambda seen=seen: storage.append(id, [_entry()], seen))  # type: ignore[misc]
                ensure_raises(InputError, f"after={seen!r}", lambda seen=seen: storage.entries(id, after=seen))  # type: ignore[misc]
            ensure_raises(InputError, "an id that is not text", lambda: storage.study(7))  # type: ignore[arg-type]
            ensure((len(storage.entries(id)), storage.participants(id)) == (1, [OWNER]), "nothing of it must be stored")

    def check_long_data_fits(self) -> None:
        """A definition of a megabyte and a thousand entries at once are returned unchanged."""
        with self._open_storage() as storage:
            definition = {"table": ["x" * 1000] * 1000}
            id = _new(storage, *(_entry("asked", duel_id=str(i)) for i in range(1000)), definition=definition)
            ensure(storage.definition(id) == definition, "a long definition must be returned unchanged")
            storage.append(id, [_entry("asked", duel_id=str(i)) for i in range(1000, 1200)], seen=1000)
            found = [(entry.number, entry.data["duel_id"]) for entry in storage.entries(id)]
            ensure(found == [(i + 1, str(i)) for i in range(1200)], "a thousand entries must be returned in order")

    # -- isolation ----------------------------------------------------------------------------------------------------

    def check_isolation(self) -> None:
        """Changing objects that were passed in or returned does not change the stored data."""
        with self._open_storage() as storage:
            definition: dict[str, Any] = {"list": [1]}
            data: dict[str, Any] = {"list": [1]}
            entries = [Entry("asked", OWNER, _NOON, data)]
            id = _id()
            storage.create(StudyInfo(id, "A study", _NOON), definition, entries)
            appended = storage.append(id, entries, seen=1)
            definition["list"].append(2)
            data["list"].append(2)
            entries.clear()
            storage.definition(id)["list"].append(3)
            storage.participants(id).append("eve")
            for entry in [*appended, *storage.entries(id)]:
                entry.data["list"].append(3)
            storage.entries(id).clear()
            storage.studies().clear()
            ensure(storage.definition(id) == {"list": [1]}, "the stored definition must not change")
            ensure([entry.data for entry in storage.entries(id)] == [{"list": [1]}] * 2, "stored data must not change")
            ensure(storage.participants(id) == [OWNER], "stored participants must not change")

    # -- concurrency --------------------------------------------------------------------------------------------------

    def check_concurrent_append(self) -> None:
        """Exactly one of several threads that append after the same entry succeeds; the others conflict."""
        with self._open_storage() as storage:
            id, rounds, seen = _new(storage, _entry()), 5, 1
            for turn in range(rounds):
                barrier = Barrier(_THREADS)

                def attempt(
                    me: int, barrier: Barrier = barrier, seen: int = seen, turn: int = turn
                ) -> list[Entry] | None:
                    barrier.wait()
                    pair = [_entry("asked", duel_id=f"{turn}-{me}"), _entry("answered", duel_id=f"{turn}-{me}")]
                    with suppress(ConflictError):
                        return storage.append(id, pair, seen)
                    return None

                won = [added for added in _at_once(attempt) if added is not None]
                ensure(len(won) == 1, f"exactly one of {_THREADS} must win; {len(won)} did")
                ensure(
                    storage.entries(id, after=seen) == won[0], "the stored entries must be those returned to the winner"
                )
                seen = won[0][-1].number
            _ensure_gapless(storage, id, 1 + 2 * rounds)

    def check_participants_do_not_wait_for_each_other(self) -> None:
        """Threads that append for different participants never conflict, and numbers have no gaps."""
        with self._open_storage() as storage:
            id, each = _new(storage, *(_entry("created", f"p{i}") for i in range(_THREADS))), 6

            def play(me: int) -> list[int]:
                seen, numbers = me + 1, []
                for turn in range(each):
                    seen = storage.append(id, [_entry("answered", f"p{me}", turn=turn)], seen)[0].number
                    numbers.append(seen)
                return numbers

            told = _at_once(play)
            _ensure_gapless(storage, id, _THREADS * (1 + each))
            for me, numbers in enumerate(told):
                kept = [(e.number, e.data["turn"]) for e in storage.entries(id, f"p{me}", after=_THREADS)]
                ensure(
                    kept == list(zip(numbers, range(each), strict=True)), f"p{me} received {numbers}; stored are {kept}"
                )
            ensure(storage.study(id).answers == _THREADS * each, "every answer must count")

    def check_concurrent_calls(self) -> None:
        """Concurrent threads may create or delete the same study, add the same participant or read the same secret."""
        with self._open_storage() as storage:
            id, name = _id(), _id()

            def create(me: int) -> bool:
                with suppress(ConflictError):
                    storage.create(StudyInfo(id, str(me), _NOON), {"me": me}, [_entry()])
                    return True
                return False

            def add(me: int) -> None:
                storage.add_participant(id, "ann")
                storage.add_participant(id, f"p{me}")

            def delete(me: int) -> bool:
                with suppress(UnknownStudyError):
                    storage.delete(id)
                    return True
                return False

            ensure(
                sum(_at_once(create)) == 1, "exactly one of the threads that create a study with one id must succeed"
            )
            ensure(
                storage.study(id).name == str(storage.definition(id)["me"]),
                "the study must be the one that was created",
            )
            _at_once(add)
            people = sorted(storage.participants(id))
            ensure(people == sorted(["ann", OWNER, *(f"p{i}" for i in range(_THREADS))]), f"participants are {people}")
            ensure(len(set(_at_once(lambda me: storage.secret(name)))) == 1, "a secret must be the same for all")
            ensure(sum(_at_once(delete)) == 1, "exactly one of the threads that delete a study must succeed")

    # -- clips --------------------------------------------------------------------------------------------------------

    def check_clips_come_back(self) -> None:
        """Name, type and bytes are unchanged, clips are listed by name, and any part of one can be read."""
        with self._open_storage() as storage:
            id, other = _new(storage, _entry()), _new(storage, _entry())
            ensure(storage.clips(id) == [], "a new study must have no clips")
            contents = {name: bytes([n]) + _CLIP for n, name in enumerate(("b.wav", "Ä 🎻.mp3", "a.wav"))}
            put = [storage.put_clip(id, name, "audio/x", content, 2**40) for name, content in contents.items()]
            found = storage.clips(id)
            ensure(found == sorted(put, key=lambda clip: clip.name), f"clips were returned as {found}")
            for clip in found:
                content = contents[clip.name]
                ensure((clip.type, clip.size) == ("audio/x", len(content)), f"a clip was returned as {clip}")
                for start, stop in ((0, clip.size), (0, 1), (5, 5), (262_143, 262_145), (clip.size - 1, 2**40)):
                    part = storage.read_clip(id, clip, start, stop)
                    ensure(part == content[start:stop], f"bytes {start} to {stop} must be returned unchanged")
            ensure(storage.clips(other) == [], "another study must not have these clips")
            ensure_raises(ConflictError, "a clip of another study", lambda: storage.read_clip(other, found[0], 0, 1))

    def check_a_clip_is_replaced(self) -> None:
        """A clip put twice is stored once; another content replaces it, and a reader of the old one is told."""
        with self._open_storage() as storage:
            id = _new(storage, _entry())
            old = storage.put_clip(id, "a.wav", "audio/wav", _CLIP, len(_CLIP))
            ensure(storage.put_clip(id, "a.wav", "audio/wav", _CLIP, len(_CLIP)) == old, "a repetition changes nothing")
            new = storage.put_clip(id, "a.wav", "audio/ogg", b"new", len(_CLIP))
            ensure(storage.clips(id) == [new], f"the clip must be replaced; received {storage.clips(id)}")
            ensure(storage.read_clip(id, new, 0, 9) == b"new", "the new content must be returned")
            ensure_raises(ConflictError, "a replaced clip", lambda: storage.read_clip(id, old, 0, 9))

    def check_clips_have_a_limit(self) -> None:
        """The clips of a study may have as many bytes together as the limit, and not one more."""
        with self._open_storage() as storage:
            id = _new(storage, _entry())
            storage.put_clip(id, "a", "audio/wav", b"12345", 10)
            storage.put_clip(id, "b", "audio/wav", b"12345", 10)
            ensure_raises(InputError, "a byte too many", lambda: storage.put_clip(id, "b", "audio/wav", b"123456", 10))
            ensure_raises(InputError, "another clip", lambda: storage.put_clip(id, "c", "audio/wav", b"1", 10))
            ensure([clip.size for clip in storage.clips(id)] == [5, 5], "a refused clip must change nothing")
            storage.put_clip(id, "a", "audio/wav", b"1234", 10)
            storage.put_clip(id, "b", "audio/wav", b"123456", 10)

    def check_clips_go_with_their_study(self) -> None:
        """A deleted study leaves no clips to one that takes its id."""
        with self._open_storage() as storage:
            id = _new(storage, _entry())
            clip = storage.put_clip(id, "a.wav", "audio/wav", _CLIP, 2**40)
            storage.delete(id)
            storage.create(StudyInfo(id, "Again", _NOON), {}, [])
            ensure(storage.clips(id) == [], "a deleted study must leave no clips")
            ensure_raises(ConflictError, "a deleted clip", lambda: storage.read_clip(id, clip, 0, 1))

    def check_invalid_clips_raise(self) -> None:
        """A clip without a name, with one that cannot be stored, or without bytes raises InputError."""
        with self._open_storage() as storage:
            id = _new(storage, _entry())
            for name, content in (("", b"x"), ("x" * 201, b"x"), ("\0", b"x"), (1, b"x"), ("a.wav", "text")):
                given: tuple[Any, Any] = (name, content)
                ensure_raises(
                    InputError,
                    f"a clip named {name!r}",
                    lambda given=given: storage.put_clip(id, given[0], "audio/wav", given[1], 10),  # type: ignore[misc]
                )
            ensure(storage.clips(id) == [], "a refused clip must leave nothing")

    # -- the storage itself -------------------------------------------------------------------------------------------

    def check_secrets_are_stable(self) -> None:
        """A secret has 32 bytes, never changes, and differs between names."""
        with self._open_storage() as storage:
            name = _id()
            secret = storage.secret(name)
            ensure(isinstance(secret, bytes) and len(secret) == 32, f"a secret must be 32 bytes; it is {len(secret)}")
            ensure(storage.secret(name) == secret, "a secret must not change")
            ensure(storage.secret(_id()) != secret, "secrets with different names must differ")
            ensure_raises(InputError, "a secret without a name", lambda: storage.secret(""))
        if self.kept:
            with self._open_storage() as storage:
                ensure(storage.secret(name) == secret, "a secret must be the same after reopening")

    def check_closing_twice_is_harmless(self) -> None:
        """Closing a storage twice raises no error."""
        storage = self.open()
        storage.close()
        storage.close()

    def check_everything_is_there_after_reopening(self) -> None:
        """A reopened storage has exactly the same data."""
        if not self.kept:
            return
        with self._open_storage() as storage:
            id = _new(storage, _entry(), definition={"x": 0.1})
            storage.put_clip(id, "a.wav", "audio/wav", _CLIP, 2**40)
            storage.add_participant(id, "ann")
            storage.append(id, [_entry("answered", "ann", ms=7, x=[0.1])], seen=0)
            before = _all_of(storage, id)
        with self._open_storage() as storage:
            after = _all_of(storage, id)
            ensure(after == before, f"before closing there was {before}; after reopening there is {after}")

    def check_two_opened_at_once_agree(self) -> None:
        """Two open storages see each other's changes at once, and detect stale writes."""
        if not self.kept:
            return
        with self._open_storage() as one, self._open_storage() as two:
            id = _new(one, _entry())
            two.append(id, [_entry("asked")], seen=1)
            ensure_raises(
                ConflictError, "an append through the other", lambda: one.append(id, [_entry("asked")], seen=1)
            )
            one.append(id, [_entry("answered")], seen=2)
            ensure(_all_of(one, id) == _all_of(two, id), "both must see the same")
            two.delete(id)
            ensure_raises(UnknownStudyError, "a study deleted through the other", lambda: one.entries(id))

    @contextmanager
    def _open_storage(self) -> Iterator[Storage]:
        storage = self.open()
        try:
            yield storage
        finally:
            storage.close()


# -- helpers ----------------------------------------------------------------------------------------------------------


def _id() -> str:
    return uuid4().hex


def _entry(
    kind: EntryType = "created", participant: str = OWNER, *, time: datetime = _NOON, ms: int | None = None, **data: Any
) -> Entry:
    return Entry(kind, participant, time, data, ms)


def _new(
    storage: Storage, *entries: Entry, created: datetime = _NOON, definition: Mapping[str, Any] | None = None
) -> str:
    """Create a study and return its id."""
    id = _id()
    storage.create(StudyInfo(id, "A study", created), definition or {}, entries)
    return id


def _all_of(storage: Storage, id: str) -> tuple[object, ...]:
    clips = [(clip, storage.read_clip(id, clip, 0, clip.size)) for clip in storage.clips(id)]
    return storage.study(id), storage.definition(id), storage.participants(id), storage.entries(id), clips


def _at_once(work: Callable[[int], T]) -> list[T]:
    """Run a function in several threads at once and return the results."""
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(work, range(_THREADS)))


def _ensure_time(what: str, found: datetime | None, expected: datetime) -> None:
    ensure(found is not None and found.utcoffset() is not None, f"{what} must have a time zone; it is {found!r}")
    ensure(found == expected, f"{what} must be {expected}; it is {found}")


def _ensure_entries(found: list[Entry], given: list[Entry], first: int) -> None:
    expected = [replace(entry, number=number) for number, entry in enumerate(given, first)]
    ensure(found == expected, f"entries must be returned as {expected}; received {found}")
    for entry in found:
        _ensure_time("an entry's time", entry.time, entry.time)


def _ensure_gapless(storage: Storage, id: str, count: int) -> None:
    numbers = [entry.number for entry in storage.entries(id)]
    ensure(numbers == list(range(1, count + 1)), f"numbers must be 1 to {count} without a gap; they are {numbers}")
