"""Statements that a storage sends to its database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine.base import OptionEngine


@contextmanager
def count_statements(storage: Any) -> Iterator[list[str]]:
    """Yield the list of the statements that an `SQLStorage` sends until the context exits, including BEGIN."""
    sent: list[str] = []

    def record(connection: object, cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    # One of the two engines is a view of the other with different options, and repeats its events.
    reader, writer = storage._database._reader, storage._database._writer
    engine = writer if isinstance(reader, OptionEngine) else reader
    event.listen(engine, "before_cursor_execute", record)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", record)
