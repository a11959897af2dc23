"""The program of a worker process, see `anchorpbo.app.scheduler.processes`."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any


def main(module: str) -> None:
    """Do the tasks of a module, those that its ``load_tasks`` returns, until the pipe closes."""
    source, target = _pipes()
    lines: SimpleQueue[bytes] = SimpleQueue()
    # Before anything else is loaded, and never busy: whatever this process does, it ends with the one that started it.
    Thread(target=_read, args=(source, lines), daemon=True).start()

    from anchorpbo.app.scheduler.processes import refusal
    from anchorpbo.errors import AnchorPBOError

    def say(reply: dict[str, Any]) -> None:
        try:
            target.write(json.dumps(reply).encode("ascii") + b"\n")
            target.flush()
        except OSError:  # nobody is there any more
            os._exit(0)

    tasks = import_module(module).load_tasks()
    say({"ready": os.getpid()})
    while True:
        request = json.loads(lines.get())
        try:
            say({"found": tasks[request["task"]](request["data"])})
        except AnchorPBOError as problem:
            say({"refused": refusal(problem)})
        except Exception as problem:  # a mistake of ours: it is told there, and others' tasks go on
            say({"failed": f"{type(problem).__name__}: {problem}"})


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input, and standard output for replies alone: whatever else is printed goes to the log."""
    target = os.fdopen(os.dup(1), "wb")
    try:
        os.dup2(2, 1)
    except OSError:  # there is no log
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return sys.stdin.buffer, target


def _read(source: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    for line in source:
        lines.put(line)
    os._exit(0)
