"""Expected gain of a duel: how much its answer raises the best posterior mean.

Symbols: m(x) the posterior mean at the designs seen and at both designs of the duel; g = a f(first) - b f(second) the
duel's margin, with mean mu and variance v; c(x) = Cov(f(x), g). An answer of probability p = E p(answer | g) moves the
means to m(x) + c(x) dlog p / dmu, and then

    gain = sum over answers of p max_x (m(x) + c(x) dlog p / dmu)  -  max_x m(x)

If the posterior is a mixture, m(x) is its mean, and an answer moves the means of every component and changes the
weights from w_s to w_s p_s / sum_s w_s p_s.

The gain is at least 0, because the mean of the maxima is at least the maximum of the means. It is 0 if no answer would
change the best design.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.model import ModelComponent, PreferenceGP
from anchorpbo.typing import Array


def expected_gain(model: PreferenceGP, pair: Array) -> float:
    """Return the gain of a duel, (2, d), as a share of the range of the means at the designs seen, or of the noise."""
    posterior = model.posterior
    designs = np.vstack([posterior.points, pair])
    means = np.append(posterior.means, posterior.mean(pair))
    parts = [_update_means(component, designs) for component in model.components]
    weights = np.array([component.weight for component in model.components])
    joint = weights[:, None] * np.array([p for p, _ in parts])
    p = joint.sum(axis=0)
    # With no probability under any component, an answer leaves the weights as they are.
    shares = np.divide(joint, p, out=np.repeat(weights[:, None], len(p), axis=1), where=p > 0.0)
    after = sum(share[:, None] * updated for share, (_, updated) in zip(shares, parts, strict=True)).max(axis=1)
    (a,), _ = model.coefficients(pair[:1], pair[1:])
    # A range below the noise does not count: everything was found equal, or nothing was compared.
    span = max(float(np.ptp(means[:-2])) if len(means) > 2 else 0.0, 1.0 / float(a))
    return max(float(p @ after / p.sum() - means.max()), 0.0) / span


def _update_means(component: ModelComponent, designs: Array) -> tuple[Array, Array]:
    """Return the probability of each answer, (k,), and the means that it leads to, (k, n), under one component.

    The last two designs are those of the duel. The answers are: first wins, second wins, tie; without a threshold there
    are no ties.
    """
    posterior, likelihood, pair = component.posterior, component.likelihood, designs[-2:]
    means = np.append(posterior.means_at(designs[:-2]), posterior.mean(pair))
    a, b = component.generative.coefficients(pair[:1], pair[1:])
    row = np.array([a[0], -b[0]])
    c = posterior.functional(pair, row).covariance(designs)
    mu, v = row @ means[-2:], max(float(row @ c[-2:]), 0.0)
    tied = np.array([False, False, True])[: 3 if likelihood.tau > 0 else 2]
    signs = np.array([1.0, -1.0, 1.0])[: len(tied)]
    answers = likelihood.log_marginal(signs * mu, np.full(len(tied), v), tied)
    return np.exp(answers.value), means + (signs * answers.d1)[:, None] * c
