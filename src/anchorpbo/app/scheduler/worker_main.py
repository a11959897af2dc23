"""The program of a worker process, see `anchorpbo.app.scheduler.worker_process`."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any


def main(module: str) -> None:
    """Run the tasks that the module's ``load_tasks`` returns, until the pipe closes."""
    source, target = _open_pipes()
    lines: SimpleQueue[bytes] = SimpleQueue()
    # The reader thread starts first and is never busy, so that this process always ends with its parent.
    Thread(target=_read_lines, args=(source, lines), daemon=True).start()

    from anchorpbo.app.scheduler.worker_process import error_to_dict
    from anchorpbo.errors import AnchorPBOError

    def reply(message: dict[str, Any]) -> None:
        try:
            target.write(json.dumps(message).encode("ascii") + b"\n")
            target.flush()
        except OSError:  # the parent has ended
            os._exit(0)

    tasks = import_module(module).load_tasks()
    reply({"ready": os.getpid()})
    while True:
        request = json.loads(lines.get())
        try:
            reply({"result": tasks[request["task"]](request["data"])})
        except AnchorPBOError as error:
            reply({"error": error_to_dict(error)})
        except Exception as error:  # a bug: the caller raises it, and other tasks continue
            reply({"failure": f"{type(error).__name__}: {error}"})


def _open_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return standard input, and standard output reserved for replies; anything else printed goes to the log."""
    target = os.fdopen(os.dup(1), "wb")
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return sys.stdin.buffer, target


def _read_lines(source: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    for line in source:
        lines.put(line)
    os._exit(0)
