"""A study as a log of events behind a lock: history, replay, saving and loading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from threading import RLock
from typing import Any, Self

from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.space import DesignSpace
from anchorpbo.study.events import Event, check_event, event_to_dict
from anchorpbo.study.files import load_text, save_text
from anchorpbo.study.plan import Plan
from anchorpbo.study.serialization import make_layout_error, read_study, write_study
from anchorpbo.study.settings import StudySettings
from anchorpbo.study.state import StudyState


class LoggedStudy:
    """Settings and log of a study, and its state, which is a function of both. Base class of `Optimizer`.

    Parameters
    ----------
    space
        A `Space` of parameters or a `Catalogue`.
    anchors
        Designs the user knows well.
    seed
        Seed of everything random.
    options
        All other arguments of `Optimizer`.
    """

    def __init__(
        self, space: DesignSpace, anchors: Iterable[Mapping[str, Any]] = (), *, seed: int = 0, **options: Any
    ) -> None:
        self._settings = StudySettings.create(space, anchors, seed, options)
        self._state = StudyState(self._settings)
        self._lock = RLock()

    @contextmanager
    def _lock_state(self) -> Iterator[StudyState]:
        """Lock the state for one thread, with BLAS on one thread: results must not depend on the number of threads.

        `Optimizer` and `anchorpbo.study.replication` use this method.
        """
        with self._lock, one_blas_thread():
            yield self._state

    def __len__(self) -> int:
        """Return the number of informative answers: wins and ties."""
        with self._lock_state() as state:
            return len(state.data)

    @property
    def space(self) -> DesignSpace:
        """The design space."""
        return self._settings.space

    @property
    def plan(self) -> Plan:
        """All settings, as objects."""
        return self._settings.plan

    @property
    def history(self) -> list[dict[str, Any]]:
        """The log, oldest event first, as plain dicts with a ``type``, see `anchorpbo.study.events`."""
        with self._lock_state() as state:
            return [event_to_dict(event) for event in state.log]

    def record(self, event: Event) -> None:
        """Add an event to the log, see `anchorpbo.study.events`."""
        with self._lock_state() as state:
            state.record(check_event(event, self.space))

    def validate(self, event: Event) -> None:
        """Raise if `record` would reject an event; nothing changes."""
        with self._lock_state() as state:
            state.validate(check_event(event, self.space))

    def replay(self) -> Iterator[Self]:
        """Iterate over the study as it was before its first event and after each event.

        All items are the same copy of the study, which changes when the next one is requested.
        """
        with self._lock_state() as state:
            events = list(state.log)
        settings = self._settings
        again = type(self)(settings.space, settings.anchors.values(), seed=settings.seed, **settings.options)
        yield again
        for event in events:
            with again._lock_state() as state:
                state.record(event)
            yield again

    def to_json(self) -> str:
        """Return the whole study as text, see `anchorpbo.study.serialization`."""
        with self._lock_state() as state:
            return write_study(self._settings.to_dict(), self.history, state.hyperparameters_to_dict())

    @classmethod
    def from_json(cls, text: str, **objects: Any) -> Self:
        """Read a study from text.

        Parameters
        ----------
        text
            Result of `to_json`, of this release or an older one.
        objects
            Options of `Optimizer` that were custom objects: code is not saved.
        """
        saved = read_study(text, objects)
        try:
            study = cls(**saved.arguments)
        except (KeyError, TypeError) as error:
            raise make_layout_error(error) from error
        with study._lock_state() as state:
            state.replace_events(0, saved.events)
            state.put_hyperparameters(saved.hyperparameters)
        return study

    def save(self, path: str | PathLike[str]) -> None:
        """Write `to_json` to a file atomically: a crash or a full disk leaves the old file unchanged."""
        save_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | PathLike[str], **objects: Any) -> Self:
        """Read a study from a file that `save` wrote; see `from_json`."""
        return cls.from_json(load_text(path), **objects)
