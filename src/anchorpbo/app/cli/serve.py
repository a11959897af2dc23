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

from anchorpbo.app.cli.database import FILE_NAME, hide_password, resolve_url
from anchorpbo.app.cli.errors import require_extra
from anchorpbo.app.cli.terminal import make_console
from anchorpbo.app.cli.token import VARIABLE, Token, find_token
from anchorpbo.app.examples import EXAMPLES
from anchorpbo.app.scheduler.worker_process import WorkerProcess
from anchorpbo.app.service import StudyService
from anchorpbo.app.storage import open_storage
from anchorpbo.errors import InputError

ANSWERED, ANSWERS = "coffee", 12
"""Example that has answers in a demo, and their number."""
SHUTDOWN_SECONDS = 2.8
"""Seconds until the process is ended on shutdown. No answer is lost: they are on disk before they are confirmed."""
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|[0-9a-fA-F:]*:[0-9a-fA-F:]*")
_EVERYWHERE = ("0.0.0.0", "::")


@dataclass(frozen=True)
class ServeOptions:
    """Options of ``anchorpbo serve``."""

    db: str | None = None
    demo: bool = False
    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()
    browser: bool | None = None
    verbose: bool = False
    token: bool = True
    """Whether the owner must sign in."""


def run(options: ServeOptions, console: Console | None = None, workers: Sequence[WorkerProcess] = ()) -> None:
    """Serve until Ctrl-C or SIGTERM; duels are computed by the workers, or in a thread if there are none."""
    console = make_console() if console is None else console
    for name in options.names:
        if not _NAME.fullmatch(name):
            raise InputError("--name must be a host name", repr(name), "write studies.example.org")
    with require_extra("the server", "web"):
        from anchorpbo.app.web.server import listen
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with ExitStack() as stack:
            # Sockets come first, so that nothing is created if the port is taken.
            sockets = [stack.enter_context(closing(each)) for each in listen(options.host, options.port)]
            _serve(options, sockets, stack, console, workers)
    except KeyboardInterrupt:  # during start-up
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
    console.print("Stopped.")


def _serve(
    options: ServeOptions,
    sockets: list[socket.socket],
    stack: ExitStack,
    console: Console,
    workers: Sequence[WorkerProcess],
) -> None:
    with require_extra("the server", "web"):
        from anchorpbo.app.web import Settings, make_app, server
    port = int(sockets[0].getsockname()[1])
    names = options.names + (_own_names() if options.host in _EVERYWHERE else ())
    # A demo is kept only if --db is given; the environment variable is not enough.
    kept = not options.demo or options.db not in (None, os.environ.get("ANCHORPBO_DB"))
    token = _token(options, kept)
    settings = Settings(options.host, port, None if token is None else token.value, names, ephemeral=not kept)
    folder = None if kept else stack.enter_context(_temporary_folder())
    db = resolve_url(options.db) if folder is None else str(folder / FILE_NAME)
    storage = stack.enter_context(closing(open_storage(db)))
    if kept:
        console.print(Text(f"Studies are kept in {hide_password(db)}"), soft_wrap=True)
    else:
        console.print("Demo mode: studies are deleted when the server stops.")
    if options.demo:
        with console.status("Preparing three studies"):
            create_examples(StudyService(storage))
    app = make_app(storage, settings, workers)
    url = _url(options, port)
    console.print(Text(_how_to_sign_in(token)), soft_wrap=True)

    def ready() -> None:
        # The fragment after # stays in the browser and appears in no log.
        signing_in = url if token is None else f"{url}/login#token={token.value}"
        printed = f"{url}/login" if token is not None and token.is_given else signing_in
        console.print(Text(f"anchorpbo is ready at {printed} (Ctrl-C stops it)"), soft_wrap=True)
        if _has_screen() if options.browser is None else options.browser:
            # Other users can see the arguments of a browser: a single-use code replaces the token.
            local = _local_url(options.host, port)
            opened = local if token is None else f"{local}/login?once={app.state.authenticator.make_code()}"
            Thread(target=webbrowser.open, args=(opened,), daemon=True).start()

    server.run(app, sockets, ready, lambda: _exit_after_shutdown(folder), verbose=options.verbose)


def create_examples(studies: StudyService) -> None:
    """Create the missing example studies with their suggested anchors; one of them gets answers."""
    there = {studies.show(line.id).example for line in studies.list_studies()}
    for key in reversed([key for key in EXAMPLES if key not in there]):  # the newest is listed first
        example, rng = EXAMPLES[key], np.random.default_rng(0)
        anchors = [dict(design) for design in example.suggested_anchors]
        id = studies.create(example.definition | {"anchors": anchors}).id
        for _ in range(ANSWERS if key == ANSWERED else 0):
            duel = studies.duels.ask(id)
            studies.duels.answer(id, duel.id, example.answer(duel.first, duel.second, rng))


def _token(options: ServeOptions, kept: bool) -> Token | None:
    """Return the owner's token; ``None`` with `--no-token`."""
    if options.token:
        return find_token(keep=kept)
    from anchorpbo.app.web.settings import is_loopback

    # Another host name means that others can reach the server, such as through a proxy.
    others = [name for name in (options.host, *options.names) if not is_loopback(name)]
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
            "and everyone who connects through a proxy on it."
        )
    from anchorpbo.app.web.access import MIN_UNGUESSABLE_LENGTH

    if token.is_given:
        how = f"Sign in with the token in {VARIABLE}."
    else:
        also = "" if token.path is None else f" Its token is in {token.path}."
        how = f"Sign in with this link; anyone who has it can sign in.{also}"
    if len(token.value) >= MIN_UNGUESSABLE_LENGTH:
        return how
    return (
        f"{how}\nWarning: the token has fewer than {MIN_UNGUESSABLE_LENGTH} characters: "
        "someone who sends wrong tokens can keep you from signing in."
    )


def _own_names() -> tuple[str, ...]:
    """Return the host name and the outgoing address of this machine."""
    names = [socket.gethostname().lower()]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation; nothing is sent
            names.append(str(probe.getsockname()[0]))
        except OSError:  # no route
            pass
    return tuple(names)


def _url(options: ServeOptions, port: int) -> str:
    host = options.host
    if host in _EVERYWHERE:
        host = (*options.names[:1], _own_names()[-1])[0]
    return _http(host, port)


def _local_url(host: str, port: int) -> str:
    """Return the URL of the server for a browser on this machine."""
    return _http({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)


def _http(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _has_screen() -> bool:
    """Return whether this machine has a screen; without one a text browser would take over the terminal."""
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


def _exit_after_shutdown(folder: Path | None) -> None:
    """Exit after `SHUTDOWN_SECONDS`, even if a thread is still computing."""

    def end() -> None:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    timer = Timer(SHUTDOWN_SECONDS, end)
    timer.daemon = True
    timer.start()


def exit_process() -> NoReturn:
    """Exit at once: everything is closed, and unloading compiled code would take a second or more."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
