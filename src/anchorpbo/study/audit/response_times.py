"""Response times: their median and their trend.

The trend is the ratio of a typical time at the end of the study to one at its beginning, exp(slope of log seconds
against the rank of the answer in [0, 1]). The slope is that of Theil and Sen, the median of the slopes of all N pairs
of answers; a few long pauses do not affect it. Its interval [Sen1968] has the slopes of ranks (N - C) / 2 and
(N + C) / 2 + 1, with C = z sqrt(n (n - 1) (2 n + 5) / 18) and the normal quantile z.

References
----------
[Sen1968] P. K. Sen. Estimates of the regression coefficient based on Kendall's tau. Journal of the American Statistical
Association 63, 1379-1389, 1968.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from anchorpbo.formatting import format_fixed
from anchorpbo.numerics.shares import LEVEL
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.finding import Course, Finding, FindingLevel
from anchorpbo.study.audit.selection import select_evenly
from anchorpbo.study.audit.time_course import average_around
from anchorpbo.study.audit.words import ask_for_more, explain_missing, format_numbers
from anchorpbo.typing import Array

MIN_TIMES = 10
MAX_TIMES = 1000
"""Largest number of response times; of more, an even selection."""
MAX_RATIO = 16.0
HURRIED_RATIO = 0.5
"""Ratio of the response times that is worth a look."""


def find_response_time(answers: AnswerTable) -> Finding:
    """Return the ratio of the response times at the end of the study to those at its beginning."""
    known = select_evenly(np.flatnonzero(answers.seconds > 0.0), MAX_TIMES)
    if len(known) < MIN_TIMES:
        sentence = explain_missing(MIN_TIMES, "answers with a response time", len(known))
        return Finding("response_time", None, (1.0 / MAX_RATIO, MAX_RATIO), sentence, "unknown")
    seconds, times = answers.seconds[known], known / max(len(answers) - 1, 1)
    value, low, high = (float(np.exp(each)) for each in estimate_slope(times, np.log(seconds)))
    median = float(np.median(seconds))
    change = "no clear change"
    if low > 1.0 or high < 1.0:
        change = "you became slower" if low > 1.0 else "you became faster"
    sentence = (
        f"A typical answer takes {format_fixed(median, 1)} s. At the end of the study it takes "
        f"{format_fixed(value, 2)} times as long as at the beginning ({format_numbers((low, high))}): {change}."
    )
    level: FindingLevel = "good"
    if low <= HURRIED_RATIO:
        level = "note" if high < HURRIED_RATIO else "unknown"
    if level == "unknown":
        sentence += ask_for_more("answers in half the time")
    course = np.exp(average_around(np.log(seconds), max(len(known) // 5, 5)))
    data = Course(tuple(course.tolist()), (), "seconds for an answer")
    return Finding("response_time", value, (low, high), sentence, level, data)


def estimate_slope(x: Array, y: Array) -> tuple[float, float, float]:
    """Return the slope of Theil and Sen of y against increasing x, (n,) each, and the ends of its interval."""
    n = len(x)
    i, j = np.triu_indices(n, 1)
    slopes = np.sort((y[j] - y[i]) / (x[j] - x[i]))
    count = len(slopes)
    half = float(ndtri(0.5 * (1.0 + LEVEL))) * np.sqrt(n * (n - 1) * (2 * n + 5) / 18.0)
    low = int(np.clip(np.floor((count - half) / 2.0) - 1, 0, count - 1))
    high = int(np.clip(np.ceil((count + half) / 2.0), 0, count - 1))
    return float(np.median(slopes)), float(slopes[low]), float(slopes[high])
