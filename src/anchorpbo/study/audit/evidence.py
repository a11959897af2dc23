"""Evidence of variants of the fitted model, in which taste or attention changes over the study.

Symbols: t_k in [0, 1] is the time of answer k, by its rank in the log. C is the prior covariance of the margins at the
fitted hyper-parameters. A variant has the covariance

    C_jk    c rho^((t_j - t_k)^2) exp(-beta (t_j - 1/2)) exp(-beta (t_k - 1/2))

    rho     correlation of the utility at the end of the study with that at its beginning; 1: the taste stays
    beta    log of the ratio of the noise (standard deviation) at the end to that at the beginning; 0: it stays
    c       factor on the output scale: if taste or attention changes, a fit without change takes the change for noise,
            and its output scale is too small. All results are averages over c.

The kernel in time is a squared exponential, so the taste moves smoothly. Each variant's evidence is that of expectation
propagation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import logsumexp

from anchorpbo.duels import Rows
from anchorpbo.inference import EP, ep_evidence
from anchorpbo.likelihoods import Likelihood
from anchorpbo.posterior import DuelLatent
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.selection import select_evenly
from anchorpbo.typing import Array

MAX_ANSWERS = 150
"""Largest number of answers in an evidence; of more answers, an even selection."""
SCALES = (0.4, 1.0, 2.5, 6.0)
"""Factors c on the output scale, equally probable."""
_TOLERANCE = 1e-3


@dataclass(eq=False)
class VariantEvidence:
    """Log evidence of variants of a model. Not thread-safe."""

    rows: Rows
    covariance: Array
    """C, (n, n)."""
    likelihood: Likelihood
    times: Array
    """t, (n,)."""
    _margins: Array | None = field(default=None, init=False)

    @classmethod
    def of(cls, answers: AnswerTable) -> VariantEvidence:
        """Return the evidence of a study's answers, under its hyper-parameters of highest density."""
        assert answers.model is not None
        m = len(answers)
        chosen = select_evenly(np.arange(m), MAX_ANSWERS)
        generative = answers.model.components[0].generative
        rows, covariance = answers.select_rows(generative, chosen)
        return cls(rows, covariance, generative.likelihood, chosen / max(m - 1, 1))

    def compute(
        self, scale: float = 1.0, rho: float = 1.0, beta: float = 0.0, likelihood: Likelihood | None = None
    ) -> float:
        """Return the log evidence of a variant."""
        likelihood = self.likelihood if likelihood is None else likelihood
        fading = np.exp(-beta * (self.times - 0.5))
        moved = np.power(rho, (self.times[:, None] - self.times) ** 2)
        latent = DuelLatent(self.rows, scale * self.covariance * moved * np.outer(fading, fading))
        # The mode of the variant before is near: it saves Newton steps.
        found = EP(tolerance=_TOLERANCE).infer(latent, likelihood, np.random.default_rng(0), self._margins)
        self._margins = found.state
        return ep_evidence(latent, likelihood, found.sites)

    def average_scales(self, rho: float = 1.0, beta: float = 0.0, likelihood: Likelihood | None = None) -> float:
        """Return the log evidence of a variant, averaged over c."""
        each = [self.compute(scale, rho, beta, likelihood) for scale in SCALES]
        return float(logsumexp(each) - np.log(len(each)))
