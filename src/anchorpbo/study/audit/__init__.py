"""Audit of a study: can its answers be trusted? One module per kind of finding.

::

    answers          the answers as arrays, with the leave-one-out probabilities of their outcomes
    predictions      accuracy, calibration, side bias
    coins            evidence of the choices against coin flips
    repeats          contradictions of repeated pairs, ties and skips
    cycles           answers that no single order explains
    evidence         evidence of models in which taste or attention changes
    time_course      drift, fatigue
    lapses           share of random answers
    response_times   median and trend of the response times
    checks           all of these, as one audit
    finding          Finding, Audit, and the data of their plots
"""

from anchorpbo.study.audit.finding import Audit, Finding

__all__ = ["Audit", "Finding"]
