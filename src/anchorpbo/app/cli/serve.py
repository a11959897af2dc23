"""``anchorpbo serve``: studies in a browser."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread, Timer
from types import FrameType
from typing import NoReturn

import numpy as np
from rich.console import Console
from rich.text import Text

from anchorpbo.app.cli.errors import needing
from anchorpbo.app.cli.looks import make_console
from anchorpbo.app.cli.opening import FILE, address, shown
from anchorpbo.app.cli.token import VARIABLE, Token, find_token
from anchorpbo.app.examples import EXAMPLES
from anchorpbo.app.scheduler.worker_process import WorkerProcess
from anchorpbo.app.service import Studies
from anchorpbo.app.storage import open_storage
from anchorpbo.errors import InputError

ANSWERED, ANSWERS = "coffee", 12
"""The example that comes with answers in a demo, and how many of them."""
LAST_MOMENT = 2.8
"""Seconds after which the process ends, whatever still goes on: answers are on the disk before they are confirmed."""
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|[0-9a-fA-F:]*:[0-9a-fA-F:]*")
_EVERYWHERE = ("0.0.0.0", "::")


@dataclass(frozen=True)
class Wishes:
    """How the server is to be run."""

    db: str | None = None
    demo: bool = False
    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()
    browser: bool | None = None
    verbose: bool = False
    token: bool = True
    """Whether its owner must sign in."""


def run(wishes: Wishes, console: Console | None = None, workers: Sequence[WorkerProcess] = ()) -> None:
    """Serve until Ctrl-C or SIGTERM, with duels computed in these processes or, without any, in a thread."""
    console = make_console() if console is None else console
    for name in wishes.names:
        if not _NAME.fullmatch(name):
            raise InputError("--name must be that of a host", repr(name), "write studies.example.org")
    with needing("the server", "web"):
        from anchorpbo.app.web.server import listen
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with ExitStack() as stack:
            # First of all, so that nothing is made where it cannot be served.
            sockets = [stack.enter_context(closing(each)) for each in listen(wishes.host, wishes.port)]
            _serve(wishes, sockets, stack, console, workers)
    except KeyboardInterrupt:  # while it was still getting ready
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
    console.print("Stopped.")


def _serve(
    wishes: Wishes, sockets: list[socket.socket], stack: ExitStack, console: Console, workers: Sequence[WorkerProcess]
) -> None:
    with needing("the server", "web"):
        from anchorpbo.app.web import Settings, make_app, server
    port = int(sockets[0].getsockname()[1])
    names = wishes.names + (_own_names() if wishes.host in _EVERYWHERE else ())
    # A demo must not end up among somebody's studies unless they say so: a variable that is set does not.
    kept = not wishes.demo or wishes.db not in (None, os.environ.get("ANCHORPBO_DB"))
    token = _token(wishes, kept)
    settings = Settings(wishes.host, port, None if token is None else token.value, names, ephemeral=not kept)
    folder = None if kept else stack.enter_context(_temporary_folder())
    db = address(wishes.db) if folder is None else str(folder / FILE)
    storage = stack.enter_context(closing(open_storage(db)))
    if kept:
        console.print(Text(f"Studies are kept in {shown(db)}"), soft_wrap=True)
    else:
        console.print("A demo: what you do in it is thrown away when it stops.")
    if wishes.demo:
        with console.status("Preparing three studies"):
            prepare(Studies(storage))
    app = make_app(storage, settings, workers)
    url = _url(wishes, port)
    console.print(Text(_how_to_sign_in(token)), soft_wrap=True)

    def ready() -> None:
        # The part after # stays in the browser: it is in no log on the way.
        signing_in = url if token is None else f"{url}/login#token={token.value}"
        printed = f"{url}/login" if token is not None and token.is_given else signing_in
        console.print(Text(f"anchorpbo is ready at {printed} (Ctrl-C stops it)"), soft_wrap=True)
        if _has_screen() if wishes.browser is None else wishes.browser:
            # Other users can see how a browser was called: a code that is valid once takes the place of the token.
            local = _local_url(wishes.host, port)
            opened = local if token is None else f"{local}/login?once={app.state.gate.make_code()}"
            Thread(target=webbrowser.open, args=(opened,), daemon=True).start()

    server.run(app, sockets, ready, lambda: _end_soon(folder), verbose=wishes.verbose)


def prepare(studies: Studies) -> None:
    """The examples that are not there yet as studies, with the suggested anchors, one of them with answers."""
    there = {studies.show(line.id).example for line in studies.studies()}
    for key in reversed([key for key in EXAMPLES if key not in there]):  # the newest is listed first
        example, rng = EXAMPLES[key], np.random.default_rng(0)
        anchors = [dict(design) for design in example.suggested_anchors]
        id = studies.create(example.definition | {"anchors": anchors}).id
        for _ in range(ANSWERS if key == ANSWERED else 0):
            duel = studies.ask(id)
            studies.answer(id, duel.id, example.answer(duel.first, duel.second, rng))


def _token(wishes: Wishes, kept: bool) -> Token | None:
    """The owner's token; ``None`` with `--no-token`."""
    if wishes.token:
        return find_token(kept=kept)
    from anchorpbo.app.web.settings import is_loopback

    # Another name means that others come by it, such as through a proxy.
    others = [name for name in (wishes.host, *wishes.names) if not is_loopback(name)]
    if others:
        rule = "--no-token must go with an address and names that only this machine can reach"
        raise InputError(rule, ", ".join(others), "leave it out, or listen on 127.0.0.1")
    if os.environ.get(VARIABLE):
        raise InputError("--no-token must go without a token", f"{VARIABLE} is set", "leave one of them out")
    return None


def _how_to_sign_in(token: Token | None) -> str:
    if token is None:
        return (
            "Warning: without a token everyone who reaches this port owns all studies: other users of this machine, "
            "and whoever comes through a proxy on it."
        )
    from anchorpbo.app.web.access import UNGUESSABLE

    if token.is_given:
        how = f"Sign in with the token in {VARIABLE}."
    else:
        also = "" if token.path is None else f" Its token is in {token.path}."
        how = f"Sign in with this link, which lets in whoever has it.{also}"
    if len(token.value) >= UNGUESSABLE:
        return how
    return (
        f"{how}\nWarning: the token has fewer than {UNGUESSABLE} characters: someone who sends wrong tokens can "
        "keep you from signing in."
    )


def _own_names() -> tuple[str, ...]:
    """What this machine is called by others: its name and the address that leads out of it."""
    names = [socket.gethostname().lower()]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation; nothing is sent
            names.append(str(probe.getsockname()[0]))
        except OSError:  # there is no way out
            pass
    return tuple(names)


def _url(wishes: Wishes, port: int) -> str:
    host = wishes.host
    if host in _EVERYWHERE:
        host = (*wishes.names[:1], _own_names()[-1])[0]
    return _http(host, port)


def _local_url(host: str, port: int) -> str:
    """The address of a server that listens on this host, for a browser on the same machine."""
    return _http({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)


def _http(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _has_screen() -> bool:
    """Whether someone sits in front of this machine: a browser opened elsewhere would take the terminal over."""
    if not sys.stdout.isatty() or "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="anchorpbo-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end_soon(folder: Path | None) -> None:
    """See to it that the process ends, also where a thread is in the middle of a long computation."""

    def end() -> None:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    timer = Timer(LAST_MOMENT, end)
    timer.daemon = True
    timer.start()


def leave() -> NoReturn:
    """End the process at once: all is closed, and taking compiled code apart would take a second or more."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
