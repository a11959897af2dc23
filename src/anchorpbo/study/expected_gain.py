"""Expected gain of a duel: how much its answer raises the best posterior mean.

Symbols: m(x) the posterior mean at the designs seen and at both designs of the duel; g = a f(first) - b f(second) the
duel's margin, with mean mu and variance v; c(x) = Cov(f(x), g). An answer of probability p = E p(answer | g) moves the
means to m(x) + c(x) dlog p / dmu, and then

    gain = sum over answers of p max_x (m(x) + c(x) dlog p / dmu)  -  max_x m(x)

The gain is at least 0, because the mean of the maxima is at least the maximum of the means. It is 0 if no answer would
change the best design.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.model import PreferenceGP
from anchorpbo.typing import Array


def expected_gain(model: PreferenceGP, pair: Array) -> float:
    """Return the gain of a duel, (2, d), as a share of the range of the means at the designs seen, or of the noise."""
    posterior, likelihood = model.posterior, model.likelihood
    designs = np.vstack([posterior.points, pair])
    means = np.append(posterior.means, posterior.mean(pair))
    a, b = model.coefficients(pair[:1], pair[1:])
    row = np.array([a[0], -b[0]])
    c = posterior.functional(pair, row).covariance(designs)
    mu, v = row @ means[-2:], max(float(row @ c[-2:]), 0.0)
    # First wins, second wins, tie; without a threshold there are no ties.
    tied = np.array([False, False, True])[: 3 if likelihood.tau > 0 else 2]
    signs = np.array([1.0, -1.0, 1.0])[: len(tied)]
    answers = likelihood.log_marginal(signs * mu, np.full(len(tied), v), tied)
    p, slopes = np.exp(answers.value), signs * answers.d1
    after = np.max(means + slopes[:, None] * c, axis=1)
    # A range below the noise does not count: everything was found equal, or nothing was compared.
    span = max(float(np.ptp(means[:-2])) if len(means) > 2 else 0.0, 1.0 / float(a[0]))
    return max(float(p @ after / p.sum() - means.max()), 0.0) / span
