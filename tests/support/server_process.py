"""A server in a separate process, and clients that use it like participants."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from http.client import HTTPException
from threading import Event, Thread
from types import TracebackType
from typing import Any

STUDY: dict[str, Any] = {
    "name": "Tea",
    "space": {
        "kind": "space",
        "parameters": [
            {"name": "temperature", "kind": "real", "low": 60.0, "high": 100.0},
            {"name": "minutes", "kind": "real", "low": 1.0, "high": 8.0},
            {"name": "leaves", "kind": "integer", "low": 1, "high": 9},
        ],
        "constraints": [],
    },
    "anchors": [{"temperature": 80.0, "minutes": 3.0, "leaves": 4}],
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """`anchorpbo serve` on a database; it can be killed and started again at the same address.

    Its token is ANCHORPBO_TOKEN. Without that variable, no sign-in is needed: most tests are about other things.
    """

    def __init__(self, url: str, *arguments: str) -> None:
        self.token = os.environ.get("ANCHORPBO_TOKEN")
        self.url, self.arguments, self.port = url, (*arguments, *([] if self.token else ["--no-token"])), free_port()
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> Server:
        command = ["serve", "--db", self.url, "--port", str(self.port), "--no-open", *self.arguments]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "anchorpbo", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.process.poll() is not None:
                output = self.process.communicate()[0]
                raise AssertionError(f"the server stopped at once:\n{output}")
            try:
                self.get("/api/studies")
            except OSError:
                time.sleep(0.05)
            else:
                return self
        raise AssertionError("the server was not ready within a minute")

    def kill(self) -> None:
        """Kill the server, as a power cut would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("the server did not stop within 15 seconds") from None

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def get(self, path: str) -> Any:
        return self._send("GET", path, None)

    def post(self, path: str, body: Any = None) -> Any:
        return self._send("POST", path, {} if body is None else body)

    def put(self, path: str, content: bytes) -> Any:
        return self._send("PUT", path, content)

    def _send(self, method: str, path: str, body: Any) -> Any:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/octet-stream" if isinstance(body, bytes) else "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    def memory(self) -> int:
        """Return the resident memory in kilobytes, including the workers."""
        assert self.process is not None
        return sum(_status(pid, "VmRSS") for pid in (self.process.pid, *self.workers()))

    def cpu(self) -> tuple[float, float]:
        """Return the CPU seconds so far of the server and of its workers."""
        assert self.process is not None
        return _cpu(self.process.pid), sum(map(_cpu, self.workers()))

    def workers(self) -> list[int]:
        """Return the process ids of its workers."""
        assert self.process is not None
        others = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
        return [pid for pid in others if _status(pid, "PPid") == self.process.pid]


def _status(pid: int, name: str) -> int:
    """Return a number from the status of a process; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as status:
            return next((int(line.split()[1]) for line in status if line.startswith(f"{name}:")), 0)
    except OSError:
        return 0


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process so far; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_running(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as status:
            return not any(line.startswith("State:") and line.split()[1] in "ZX" for line in status)
    except OSError:
        return False


@dataclass
class Client:
    """A participant who answers without pause and records the acknowledged answers."""

    server: Server
    study: str
    participant: str
    pause: float = 0.0
    seed: int = 0
    acknowledged: dict[str, str] = field(default_factory=dict)
    """Acknowledged outcomes by duel."""
    seconds: list[float] = field(default_factory=list)
    """Seconds from sending an answer to receiving the next duel."""
    errors: list[str] = field(default_factory=list)
    stop: Event = field(default_factory=Event)

    def run(self) -> None:
        rng = random.Random(self.seed)
        who, duel = {"participant": self.participant}, None
        while not self.stop.is_set():
            try:
                if duel is None:
                    duel = self.server.post(f"/api/studies/{self.study}/ask", who)
                # Participants who are still thinking at the end stop, so that they do not all answer at once.
                if self.pause and self.stop.wait(rng.uniform(0.5, 1.5) * self.pause):
                    break
                outcome = "first" if duel["first"]["minutes"] > duel["second"]["minutes"] else "second"
                answer = {"duel_id": duel["id"], "outcome": outcome, "response_ms": 1, **who}
                began = time.perf_counter()
                self.server.post(f"/api/studies/{self.study}/answers", answer)
                self.acknowledged[duel["id"]] = outcome
                duel = self.server.post(f"/api/studies/{self.study}/ask", who)
                self.seconds.append(time.perf_counter() - began)
            except urllib.error.HTTPError as problem:
                self.errors.append(f"{problem.code}: {problem.read().decode()}")
                duel = None
            except (OSError, HTTPException):  # killed: unacknowledged answers may or may not be stored
                duel = None
                self.stop.wait(0.02)

    def start(self) -> Thread:
        thread = Thread(target=self.run, daemon=True)
        thread.start()
        return thread
