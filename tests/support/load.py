"""A load generator in a separate process: participants who answer duels, and idle open pages.

::

    python -m support.load < plan.json > measured.json

Each participant has joined by a link and has a page: an open event stream and one keep-alive connection to one of the
servers. The generator measures the seconds from sending an answer to receiving the next pair, without the first quarter
of the time, and the CPU time of servers, workers and itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.server_process import STUDY, Server

WARM_UP = 0.25
"""Share of the time that is not measured, because all first pairs are requested at once."""
Person = tuple[str, str, str]
"""A study, a participant's name, and the cookie from their link."""


@dataclass(frozen=True)
class Measured:
    """Measurements of a load."""

    seconds: list[float]
    """Seconds from an answer to the next pair, in ascending order."""
    rate: float
    """Answers per second."""
    streams: int
    """Number of pages that received events from the server."""
    errors: list[str]
    server: float
    """Share of a core (as are the next two fields), over all servers."""
    workers: float
    generator: float

    def quantile(self, share: float) -> float:
        """Return the seconds within which this share of the answers received the next pair."""
        return self.seconds[min(int(share * len(self.seconds)), len(self.seconds) - 1)]

    def __str__(self) -> str:
        """Return a one-line summary."""
        half, most = (f"{self.quantile(share):.3f} s" if self.seconds else "" for share in (0.5, 0.95))
        waited = f"{self.rate:.1f} answers/s, half within {half}, 95 % within {most}, " if self.seconds else ""
        used = f"server {self.server:.1%}, workers {self.workers:.1%}, load generator {self.generator:.1%} of a core"
        return f"{waited}{self.streams} pages open; {used}"


def invite(server: Server, studies: int, people: int) -> list[Person]:
    """Return participants who joined by their links, spread over studies with different questions."""
    ids = [server.post("/api/studies", STUDY | {"options": {"seed": n}})["id"] for n in range(studies)]
    found = []
    for n in range(people):
        id, name = ids[n % studies], f"p{n // studies}"
        link = server.post(f"/api/studies/{id}/participants", {"name": name})["link"]
        try:
            urllib.request.build_opener(_NoRedirect).open(f"http://127.0.0.1:{server.port}{link}", timeout=60).close()
        except urllib.error.HTTPError as response:
            found.append((id, name, response.headers["set-cookie"].split(";")[0]))
            response.close()
    return found


def measure(
    servers: Sequence[Server], people: Sequence[Person], seconds: float, think: tuple[float, float] | None = (1.0, 3.0),
    idle: int = 0,
) -> Measured:  # fmt: skip
    """Measure while people answer, after this time to think or not at all, with this many idle pages."""
    plan = {"servers": [server.port for server in servers], "people": people, "seconds": seconds, "think": think,
            "idle": idle}  # fmt: skip
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "support.load"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(plan))
    process.stdin.close()
    time.sleep(WARM_UP * seconds)
    before, began = [server.cpu() for server in servers], time.monotonic()
    time.sleep((0.95 - WARM_UP) * seconds)
    after, took = [server.cpu() for server in servers], time.monotonic() - began
    found = json.loads(process.stdout.read())
    process.stdout.close()
    assert process.wait(60) == 0
    shares = [sum(now[k] - then[k] for then, now in zip(before, after, strict=True)) / took for k in range(2)]
    return Measured(found["seconds"], found["rate"], found["streams"], found["errors"], *shares, found["cpu"])


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        return None


# -- the generator ----------------------------------------------------------------------------------------------------


@dataclass
class Connection:
    """A keep-alive connection to a server, reopened if the server closed it."""

    port: int
    cookie: str
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any) -> tuple[int, Any]:
        """Send JSON and return the status and the JSON of the response."""
        data = json.dumps(body).encode()
        head = self.head("POST", path) + f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        for attempt in range(2):
            reader, writer = await self._opened()
            try:
                writer.write(head.encode() + data)
                return await self._answer(reader)
            except (OSError, asyncio.IncompleteReadError):  # idle for too long
                self.close()
                if attempt:
                    raise
        raise AssertionError

    def head(self, method: str, path: str) -> str:
        return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {self.cookie}\r\n"

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port)
        return self._streams

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[int, Any]:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        length = next(int(line[15:]) for line in lines if line.lower().startswith("content-length:"))
        return int(lines[0].split()[1]), json.loads(await reader.readexactly(length))


@dataclass
class Load:
    """All participants and idle pages of a load."""

    plan: dict[str, Any]
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    streams: int = 0
    """Number of pages that received events from the server."""

    async def run(self) -> None:
        servers, people = self.plan["servers"], self.plan["people"]
        self.start = time.monotonic()
        self.end = self.start + self.plan["seconds"]
        tasks = [
            asyncio.create_task(self.answer(n, servers[n % len(servers)], *person)) for n, person in enumerate(people)
        ]
        pages = [*people, *(people[n % len(people)] for n in range(self.plan.get("idle", 0)))]
        idle = [asyncio.create_task(self.listen(n, servers[n % len(servers)], *one)) for n, one in enumerate(pages)]
        await asyncio.sleep(self.plan["seconds"])
        await asyncio.gather(*tasks)
        for task in idle:
            task.cancel()
        await asyncio.gather(*idle, return_exceptions=True)

    async def answer(self, n: int, port: int, study: str, participant: str, cookie: str) -> None:
        if self.plan.get("think") is None:
            return
        rng, connection = random.Random(n), Connection(port, cookie)
        measured_from = self.start + WARM_UP * self.plan["seconds"]
        await asyncio.sleep(rng.uniform(0, 3))
        duel = None
        while time.monotonic() < self.end:
            try:
                if duel is None:
                    status, duel = await connection.post(f"/api/studies/{study}/ask", {"participant": participant})
                    if status != 200:
                        raise OSError(f"{status}: {duel}")
                await asyncio.sleep(rng.uniform(*self.plan["think"]))
                values = [list(duel[side].values())[1] for side in ("first", "second")]
                given = {"duel_id": duel["id"], "outcome": "first" if values[0] > values[1] else "second",
                         "response_ms": 1, "participant": participant, "ask": True}  # fmt: skip
                began = time.monotonic()
                status, said = await connection.post(f"/api/studies/{study}/answers", given)
                if status != 200 or said["next"] is None:
                    raise OSError(f"{status}: {said}")
                duel = said["next"]
                if began > measured_from:
                    self.seconds.append(time.monotonic() - began)
            except OSError as problem:
                self.errors.append(str(problem)[:300])
                duel = None
                await asyncio.sleep(0.2)
        connection.close()

    async def listen(self, n: int, port: int, study: str, participant: str, cookie: str) -> None:
        await asyncio.sleep(random.Random(n).uniform(0, min(5.0, 0.1 * self.plan["seconds"])))
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            path = f"/api/studies/{study}/stream?participant={participant}"
            writer.write((Connection(port, cookie).head("GET", path) + "\r\n").encode())
            while line := await reader.readline():
                self.streams += line == b"event: ready\n"
        except OSError as problem:
            self.errors.append(str(problem)[:300])


def main() -> None:
    plan = json.load(sys.stdin)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    load = Load(plan)
    asyncio.run(load.run())
    used = resource.getrusage(resource.RUSAGE_SELF)
    took = time.monotonic() - load.start
    rate = len(load.seconds) / ((1 - WARM_UP) * plan["seconds"])
    measured = {"seconds": sorted(load.seconds), "rate": rate, "errors": load.errors, "streams": load.streams,
                "cpu": (used.ru_utime + used.ru_stime) / took}  # fmt: skip
    json.dump(measured, sys.stdout)


if __name__ == "__main__":
    main()
