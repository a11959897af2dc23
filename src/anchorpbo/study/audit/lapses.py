"""Lapse rate: the posterior of the share lambda of answers that are random, whatever the designs.

The evidence of expectation propagation is computed on a grid of lambda, within the bounds of a learnt lapse, and
averaged over factors on the output scale (see `evidence`: a fit without lapses takes them for noise). The prior density
is proportional to lambda^(-1/2), Jeffreys' prior of a small share: the prior of a learnt lapse, which expects one slip
in twenty, would outweigh the answers of a typical study. The evidence for slips is the ratio

    P(answers | lambda = 0.15) / P(answers | lambda = 0)
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator

from anchorpbo.model.priors import make_default_specs
from anchorpbo.numerics.shares import GridPosterior, Interval
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.evidence import VariantEvidence
from anchorpbo.study.audit.finding import Density, Finding, FindingLevel
from anchorpbo.study.audit.words import ask_for_more, describe_factor, explain_missing, format_percent, format_range

MIN_ANSWERS = 20
BOUNDS: Interval = make_default_specs(1, 1.0)["lapse"].bounds
GRID = (0.01, 0.04, 0.08, 0.15, 0.25, 0.4)
"""Lapse probabilities with an evidence."""
TYPICAL_LAPSE = 0.15
"""Lapse probability that is compared with none."""
WARNING_FACTOR, NOTE_FACTOR = 2.0, 1.0
"""Evidence for slips at which the finding is a warning, or a note."""
MANY_LAPSES = 0.2
"""Share of random answers that is a fault."""


def find_lapses(answers: AnswerTable) -> Finding:
    """Return the share of answers that are random."""
    if len(answers) < MIN_ANSWERS:
        return Finding("lapses", None, BOUNDS, explain_missing(MIN_ANSWERS, "answers", len(answers)), "unknown")
    posterior, factor = infer_lapse(answers)
    value, interval = posterior.median, posterior.interval()
    level: FindingLevel = "good" if interval[1] < MANY_LAPSES else "unknown"
    if factor >= NOTE_FACTOR:
        level = "warning" if factor >= WARNING_FACTOR else "note"
    sentence = (
        f"An estimated {format_percent(value)} of your answers are slips, that is, random ({format_range(interval)}). "
        f"{describe_factor(factor, 'slips', 'no slips')}"
    )
    if level == "warning":
        sentence += " Take your time; a model with Probit(lapse=0.1) expects slips and discounts them."
    elif level == "unknown":
        sentence += ask_for_more(f"a share of {format_percent(MANY_LAPSES)}")
    data = Density.of(posterior, None, "share of random answers")
    return Finding("lapses", value, interval, sentence, level, data)


def infer_lapse(answers: AnswerTable) -> tuple[GridPosterior, float]:
    """Return the posterior of the lapse probability, and the evidence for slips."""
    evidence = VariantEvidence.of(answers)

    def compute(lapse: float) -> float:
        return evidence.average_scales(likelihood=evidence.likelihood.with_lapse(lapse))

    values = [compute(lapse) for lapse in GRID]
    fine = np.linspace(GRID[0], GRID[-1], 391)
    log_density = PchipInterpolator(np.log(GRID), values)(np.log(fine)) - 0.5 * np.log(fine)
    factor = float(np.exp(np.clip(values[GRID.index(TYPICAL_LAPSE)] - compute(0.0), -50.0, 50.0)))
    return GridPosterior.from_log_density(fine, log_density), factor
