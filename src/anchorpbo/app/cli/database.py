"""The default database, and studies looked up by id or name."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.views.studies import StudySummary
from anchorpbo.app.storage import open_storage
from anchorpbo.errors import DataError, InputError, UnknownStudyError

FILE_NAME = "studies.db"
_MAX_LISTED = 8


def default_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Return the data folder of the user: ``$ANCHORPBO_HOME``, or the platform's default."""
    if environment.get("ANCHORPBO_HOME"):
        return Path(environment["ANCHORPBO_HOME"]).expanduser()
    if os.path.isabs(environment.get("XDG_DATA_HOME", "")):  # the XDG specification ignores relative paths
        return Path(environment["XDG_DATA_HOME"]) / "anchorpbo"
    if platform == "win32" and environment.get("LOCALAPPDATA"):
        return Path(environment["LOCALAPPDATA"]) / "anchorpbo"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "anchorpbo"
    return Path.home() / ".local" / "share" / "anchorpbo"


def resolve_url(db: str | None) -> str:
    """Return the URL of the database; the folder of the default one is created if needed."""
    if db is not None:
        return db
    folder = default_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        rule = f"the folder {folder} must be writable"
        raise DataError(rule, error, "allow that, or name a database with --db") from error
    return str(folder / FILE_NAME)


def hide_password(db: str) -> str:
    """Return a database URL without its password."""
    try:
        parts = urlsplit(db)
        if parts.hostname is None:
            return db if parts.scheme in ("", "sqlite") or len(parts.scheme) == 1 or "@" not in db else parts.scheme
        user = f"{parts.username}@" if parts.username else ""
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{user}{parts.hostname}{port}{parts.path}"
    except ValueError:
        return "the database"


def format_db_option(db: str | None) -> str:
    """Format the ``--db`` option for the same database; empty if it is the default."""
    return "" if db in (None, os.environ.get("ANCHORPBO_DB")) else f" --db {shlex.quote(hide_password(str(db)))}"


@contextmanager
def open_service(db: str | None, *, prefetch: bool = False) -> Iterator[StudyService]:
    """Open the use cases on a database; close it at the end."""
    storage = open_storage(resolve_url(db))
    scheduler = Scheduler() if prefetch else None
    try:
        yield StudyService(storage, scheduler=scheduler)
    finally:
        if scheduler is not None:
            scheduler.close()
        storage.close()


def find_study(studies: StudyService, named: str) -> str:
    """Return the id of a study given its id, its name, the start of its id or a part of its name."""
    lines = studies.list_studies()
    word = named.strip()
    for fitting in (
        [line for line in lines if line.id == word],
        [line for line in lines if line.name.casefold() == word.casefold()],
        [line for line in lines if word and line.id.startswith(word.lower())],
        [line for line in lines if word and word.casefold() in line.name.casefold()],
    ):
        if len(fitting) == 1:
            return fitting[0].id
        if fitting:
            remedy = f"write more of one of these ids: {_format_lines(fitting)}"
            raise InputError("the name of a study must be unambiguous", repr(named), remedy)
    if not lines:
        raise UnknownStudyError(
            "there are no studies yet", repr(named), "create one: anchorpbo study new --example coffee"
        )
    raise UnknownStudyError("no study has this id or name", repr(named), f"there are {_format_lines(lines)}")


def _format_lines(lines: list[StudySummary]) -> str:
    more = f" and {len(lines) - _MAX_LISTED} more" if len(lines) > _MAX_LISTED else ""
    return ", ".join(f"{line.id} ({line.name})" for line in lines[:_MAX_LISTED]) + more
