"""A load generator in a process of its own: people who answer duels, and pages that are open and idle.

::

    python -m support.load < plan.json > measured.json

Plan: ``{"servers": [port, ...], "people": [[study, participant, cookie], ...], "seconds": 60, "think": [1, 3],
"idle": 0}``. Each person has a page: an open event stream and one connection for requests, kept alive, to one of the
servers. Measured are the seconds from sending an answer to having the next pair, once the first few of each person are
over, and the CPU seconds that the generator itself took.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import sys
import time
from dataclasses import dataclass, field
from typing import Any

WARM_UP = 0.25
"""Share of the time that is not measured: everyone's first pairs are asked for at once."""


@dataclass
class Connection:
    """One connection to a server, kept alive, and opened again where the server closed it."""

    port: int
    cookie: str
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any) -> tuple[int, Any]:
        """Send JSON; the status and the JSON that came back."""
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
    """Everyone at work."""

    plan: dict[str, Any]
    seconds: list[float] = field(default_factory=list)
    answers: int = 0
    errors: list[str] = field(default_factory=list)
    streams: int = 0
    """Open ones."""

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
                self.answers += 1
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
    measured = {
        "seconds": sorted(load.seconds), "answers": load.answers, "errors": load.errors, "streams": load.streams,
        "cpu": used.ru_utime + used.ru_stime, "took": took,
    }  # fmt: skip
    json.dump(measured, sys.stdout)


if __name__ == "__main__":
    main()
