"""All checks of an audit. Imported when the first audit is computed: their solvers are slow to import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anchorpbo.errors import InputError
from anchorpbo.model import Learn, PreferenceGP
from anchorpbo.numerics.validation import as_non_negative
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.cycles import find_cycles
from anchorpbo.study.audit.finding import Audit
from anchorpbo.study.audit.lapses import find_lapses
from anchorpbo.study.audit.predictions import find_accuracy, find_calibration, find_side_bias
from anchorpbo.study.audit.repeats import find_contradictions, find_ties
from anchorpbo.study.audit.response_times import find_response_time
from anchorpbo.study.audit.time_course import MIN_ANSWERS, compare_times, find_drift, find_fatigue
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.events import Event

Seconds = tuple[float | None, ...]


def audit_answers(
    model: PreferenceGP | None,
    learn: Mapping[str, Learn | None],
    data: StudyData,
    events: Sequence[Event],
    seconds: Seconds | None,
    seed: int,
) -> Audit:
    """Return all findings about the answers of a study; see `AnswerTable.create` for the arguments."""
    answers = AnswerTable.create(model, learn, data, events, seconds, seed)
    course = compare_times(answers) if len(answers) >= MIN_ANSWERS else None
    findings = [
        find_accuracy(answers),
        find_calibration(answers),
        find_contradictions(answers),
        find_cycles(answers),
        find_side_bias(answers),
        find_drift(answers, course),
        find_fatigue(answers, course),
        find_lapses(answers),
        find_ties(answers),
        *([] if seconds is None else [find_response_time(answers)]),
    ]
    return Audit(tuple(findings), len(answers))


def check_seconds(seconds: Sequence[float | None] | None, events: int) -> Seconds | None:
    """Return response times, one per event; raise unless they are numbers of at least 0 or ``None``."""
    if seconds is None:
        return None
    if len(seconds) != events:
        rule = f"seconds must have one entry per event of the history, {events}"
        raise InputError(rule, f"{len(seconds)} of them", "write None for events without a response time")
    return tuple(None if each is None else as_non_negative("seconds", each) for each in seconds)
