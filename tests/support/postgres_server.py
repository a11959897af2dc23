"""A temporary PostgreSQL server for tests: in a temporary folder, on a free local port, removed afterwards."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import psycopg
import pytest

_PLACES = ("/usr/lib/postgresql", "/usr/local/pgsql", "/usr/local/opt")
_INSTALL = "install PostgreSQL (Debian: apt install postgresql) so that initdb and postgres are on the PATH"
_STARTUP = 60.0


def program(name: str) -> str | None:
    """Return the path of a PostgreSQL program: on the PATH, or where distributions install it."""
    found = shutil.which(name)
    if found:
        return found
    return next(
        (str(path) for place in _PLACES for path in sorted(Path(place).glob(f"*/bin/{name}"), reverse=True)), None
    )


def unprivileged_user() -> str | None:
    """Return a user to run the server as, since it refuses to run as root."""
    if os.getuid() != 0:
        return None
    import pwd

    names = {user.pw_name for user in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


def group_of(user: str) -> int:
    """Return the group of a user."""
    import pwd

    return pwd.getpwnam(user).pw_gid


class PostgresServer:
    """A server with fsync on, as in production, and its databases."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.password = secrets.token_hex(8)
        self._user = unprivileged_user()
        self._server: subprocess.Popen[bytes] | None = None
        if self._user:
            shutil.chown(self.folder, self._user, group_of(self._user))
        passwords = self.folder / "password"
        passwords.write_text(self.password, "utf-8")
        passwords.chmod(0o644)  # readable by the server's user; the folder is closed to others
        made = ["--pgdata", str(self._data), "--username=tester", f"--pwfile={passwords}", "--auth=scram-sha-256"]
        plain = ["--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"]
        subprocess.run([self._program("initdb"), *made, *plain], check=True, capture_output=True, **self._as_user)

    def start(self) -> None:
        """Start the server (also after `crash`) and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            options = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": "", "fsync": "on"}
            settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
            command = [self._program("postgres"), "-D", str(self._data), *settings]
            self._server = subprocess.Popen(command, stdout=log, stderr=log, **self._as_user)
        give_up = time.monotonic() + _STARTUP
        while True:
            try:
                self.execute("SELECT 1")
                return
            except psycopg.OperationalError:
                if self._server.poll() is not None or time.monotonic() > give_up:
                    raise RuntimeError((self.folder / "log").read_text("utf-8")) from None
            time.sleep(0.05)

    def crash(self) -> None:
        """Kill the server at once; when started again it recovers from its log."""
        self._end(signal.SIGQUIT)

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        self._end(signal.SIGQUIT)  # a clean shutdown would write data that is removed anyway
        shutil.rmtree(self.folder)

    def url(self, database: str = "postgres", password: str | None = None) -> str:
        """Return the address of a database."""
        return f"postgresql://tester:{password or self.password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Create an empty database and return its address."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    @contextmanager
    def temporary_database(self) -> Iterator[str]:
        """Yield the address of an empty database, and drop it: after a crash the server syncs all that there are."""
        url = self.new_database()
        yield url
        self.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement in its own transaction and return its rows."""
        with psycopg.connect(self.url(database), autocommit=True, connect_timeout=10) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    @cached_property
    def port(self) -> int:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return int(free.getsockname()[1])

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def _as_user(self) -> dict[str, Any]:
        if self._user is None:
            return {"cwd": self.folder}
        return {"cwd": self.folder, "user": self._user, "group": self.folder.stat().st_gid, "extra_groups": []}

    def _end(self, how: signal.Signals) -> None:
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(_STARTUP)
            self._server = None

    @staticmethod
    def _program(name: str) -> str:
        found = program(name)
        assert found, _INSTALL
        return found


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """Yield a server that runs until the block ends.

    Tests are skipped if PostgreSQL is not installed, or fail with ANCHORPBO_REQUIRE_POSTGRES=1.
    """
    if os.name != "posix" or not (program("initdb") and program("postgres")):
        if os.environ.get("ANCHORPBO_REQUIRE_POSTGRES") == "1":
            pytest.fail(f"ANCHORPBO_REQUIRE_POSTGRES=1, but PostgreSQL is not installed; {_INSTALL}")
        pytest.skip(f"PostgreSQL is not installed; {_INSTALL}")
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.stop()
