"""Detection of changes of a SQLite file: `DataVersionDetector`.

A write by this process wakes the thread at once. Writes by other processes, such as another server or the command line,
are detected by ``PRAGMA data_version``, a counter that the commits of other connections change. Reading it takes some
microseconds and reads no table.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Event

from anchorpbo.app.storage.changes import POLL_SECONDS, ChangeDetector


class DataVersionDetector(ChangeDetector):
    """Detector of the changes of a SQLite file."""

    def __init__(self, path: Path) -> None:
        self._uri = f"{path.absolute().as_uri()}?mode=rw"  # rw does not create a missing file, rwc does
        self._awake = Event()
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None

    def announce(self) -> None:
        """Wake the thread; other processes see the data version."""
        self._awake.set()

    def wait(self) -> bool:
        """Wait until this process has committed a change, at most `POLL_SECONDS`, then compare the data version."""
        woken = self._awake.wait(POLL_SECONDS)
        self._awake.clear()
        try:
            version = self._read_version()
        except sqlite3.Error:
            self.disconnect()
            return True
        # The version counts this process's changes too: after waking, it is up to date without a second notification.
        changed, self._version = woken or version != self._version, version
        return changed

    def wake(self) -> None:
        """Wake the thread."""
        self._awake.set()

    def disconnect(self) -> None:
        """Close the connection."""
        connection, self._connection, self._version = self._connection, None, None
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Close the connection."""
        self.disconnect()

    def _read_version(self) -> int:
        if self._connection is None:
            self._connection = sqlite3.connect(self._uri, uri=True, timeout=POLL_SECONDS, isolation_level=None)
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return int(version)
