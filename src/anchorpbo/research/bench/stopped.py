"""What a time limit has cut short, seen from the lines of the results."""

from __future__ import annotations

from collections.abc import Iterator

from anchorpbo.research.bench.jobs import Answer
from anchorpbo.research.bench.workers import LIMIT, UNREADY


def is_over(answer: Answer) -> bool:
    """Whether a library has had its time, so that more of the same is no use."""
    return answer["status"] == LIMIT or answer.get("error") == UNREADY


def limit_of(answer: Answer) -> float:
    """The limit an answer was stopped at."""
    return float(answer["limit"] if answer["status"] == LIMIT else answer["seconds"])


def answers(row: Answer) -> Iterator[tuple[str, Answer]]:
    """The answers in a line of the results, each with whose it is."""
    runs = row.get("runs")
    if isinstance(runs, dict):
        yield from ((name, answer) for name, some in runs.items() for answer in some)
    elif runs is not None:
        yield from ((row["section"], answer) for answer in runs)
    elif "status" in row:
        yield str(row.get("contender", row.get("case"))), row


def stopped_at(row: Answer) -> float | None:
    """The smallest limit that something in a line was stopped at, or ``None`` where all of it ended."""
    return min((limit_of(answer) for _, answer in answers(row) if is_over(answer)), default=None)
