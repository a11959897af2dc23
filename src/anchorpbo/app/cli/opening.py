"""Where studies are kept when nothing else is said, and how one of them is named on the command line."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.service import Studies
from anchorpbo.app.service.views import StudyLine
from anchorpbo.app.storage import open_storage
from anchorpbo.errors import DataError, InputError, UnknownStudyError

FILE = "studies.db"
_MOST_NAMED = 8


def default_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The user's data folder of this library: ``$ANCHORPBO_HOME``, or by the rule of the platform."""
    if environment.get("ANCHORPBO_HOME"):
        return Path(environment["ANCHORPBO_HOME"]).expanduser()
    if os.path.isabs(environment.get("XDG_DATA_HOME", "")):  # others are to be ignored, says the rule
        return Path(environment["XDG_DATA_HOME"]) / "anchorpbo"
    if platform == "win32" and environment.get("LOCALAPPDATA"):
        return Path(environment["LOCALAPPDATA"]) / "anchorpbo"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "anchorpbo"
    return Path.home() / ".local" / "share" / "anchorpbo"


def address(db: str | None) -> str:
    """The address of the database that is meant; the folder of the default one is made where there is none."""
    if db is not None:
        return db
    folder = default_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        rule = f"the folder {folder} must be a place where files can be written"
        raise DataError(rule, problem, "allow that, or name a database with --db") from problem
    return str(folder / FILE)


def shown(db: str) -> str:
    """An address without what must not be seen."""
    try:
        parts = urlsplit(db)
        if parts.hostname is None:
            return db if parts.scheme in ("", "sqlite") or len(parts.scheme) == 1 or "@" not in db else parts.scheme
        user = f"{parts.username}@" if parts.username else ""
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{user}{parts.hostname}{port}{parts.path}"
    except ValueError:
        return "the database"


def option(db: str | None) -> str:
    """The option that names the same database in another command; nothing where that would find it by itself."""
    return "" if db in (None, os.environ.get("ANCHORPBO_DB")) else f" --db {shlex.quote(shown(str(db)))}"


@contextmanager
def opened(db: str | None, *, look_ahead: bool = False) -> Iterator[Studies]:
    """The studies of a database, which is closed in the end."""
    storage = open_storage(address(db))
    ahead = Scheduler() if look_ahead else None
    try:
        yield Studies(storage, ahead=ahead)
    finally:
        if ahead is not None:
            ahead.close()
        storage.close()


def found(studies: Studies, named: str) -> str:
    """The id of the study that is meant: by its id, its name, the first characters of its id, or a part of its name."""
    lines = studies.studies()
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
            remedy = f"write more of one of these ids: {_named(fitting)}"
            raise InputError("a study must be named so that it is the only one", repr(named), remedy)
    if not lines:
        raise UnknownStudyError(
            "there are no studies yet", repr(named), "make one: anchorpbo study new --example coffee"
        )
    raise UnknownStudyError("there must be a study of this id or name", repr(named), f"there are {_named(lines)}")


def _named(lines: list[StudyLine]) -> str:
    more = f" and {len(lines) - _MOST_NAMED} more" if len(lines) > _MOST_NAMED else ""
    return ", ".join(f"{line.id} ({line.name})" for line in lines[:_MOST_NAMED]) + more
