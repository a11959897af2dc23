"""What a time limit has cut short, seen from the lines of the results."""

from __future__ import annotations

from collections.abc import Iterator

from anchorpbo.research.bench.process_pool import STOPPED, UNREADY_ERROR
from anchorpbo.research.bench.worker import Answer


def is_stopped(answer: Answer) -> bool:
    """Whether a library has had its time, so that more of the same is no use."""
    return answer["status"] == STOPPED or answer.get("error") == UNREADY_ERROR


def find_limit(answer: Answer) -> float:
    """The limit an answer was stopped at."""
    return float(answer["limit"] if answer["status"] == STOPPED else answer["seconds"])


def list_answers(row: Answer) -> Iterator[tuple[str, Answer]]:
    """The answers in a line of the results, each with whose it is."""
    runs = row.get("runs")
    if isinstance(runs, dict):
        yield from ((name, answer) for name, some in runs.items() for answer in some)
    elif runs is not None:
        yield from ((row["section"], answer) for answer in runs)
    elif "status" in row:
        yield str(row.get("contender", row.get("case"))), row


def find_stop_limit(row: Answer) -> float | None:
    """The smallest limit that something in a line was stopped at, or ``None`` where all of it ended."""
    return min((find_limit(answer) for _, answer in list_answers(row) if is_stopped(answer)), default=None)
