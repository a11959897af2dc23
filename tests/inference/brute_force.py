"""Oracles that share nothing with the library: likelihoods written out from the paper, posteriors by quadrature."""

from dataclasses import dataclass

import numpy as np
from scipy import special

POINTS = np.array([[0.1, 0.2], [0.5, 0.6], [0.9, 0.3]])
NOISE = np.array([0.2, 1.0, 0.5])
LENGTHSCALE, OUTPUTSCALE = 0.5, 2.0

# Contradictory (0 > 1 twice, 1 > 2, 2 > 0, 0 > 2) and not symmetric.
WINNERS, LOSERS = [0, 0, 1, 2, 0], [1, 1, 2, 0, 2]


def kernel_matrix(points=POINTS):
    squared = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    return OUTPUTSCALE * np.exp(-0.5 * squared / LENGTHSCALE**2)


def margin(name, f_w, f_l, n_w, n_l):
    if name == "probit":
        return (f_w - f_l) / np.sqrt(n_w + n_l)
    if name == "logistic-paper":
        return f_w / n_w - f_l / n_l
    return (f_w - f_l) / (0.5 * (n_w + n_l))


def probability(name, g, tau, tie):
    cdf = special.ndtr if name == "probit" else special.expit
    return cdf(g + tau) - cdf(g - tau) if tie else cdf(g - tau)


@dataclass
class Truth:
    mean: np.ndarray
    covariance: np.ndarray
    third: np.ndarray
    log_evidence: float


def integrate(name, ties=(), tau=0.0, nodes=101, lapse=0.0, lapsed=None):
    """Posterior moments of f at three points by a tensor quadrature in whitened coordinates.

    With `lapsed`, a pattern of which answers were lapses, those answers count as random ones.
    """
    t = np.linspace(-7.0, 7.0, nodes)
    e = np.stack(np.meshgrid(t, t, t, indexing="ij"), axis=-1).reshape(-1, 3)
    f = e @ np.linalg.cholesky(kernel_matrix()).T
    weight = np.exp(-0.5 * (e**2).sum(axis=1)) * (t[1] - t[0]) ** 3 / (2 * np.pi) ** 1.5
    answers = [(w, x, False) for w, x in zip(WINNERS, LOSERS, strict=True)] + [(i, j, True) for i, j in ties]
    chance = 1 / 3 if tau > 0 else 1 / 2
    for k, (i, j, tie) in enumerate(answers):
        p = probability(name, margin(name, f[:, i], f[:, j], NOISE[i], NOISE[j]), tau, tie)
        if lapsed is None:
            weight *= (1 - lapse) * p + lapse * chance
        else:
            weight *= lapse * chance if lapsed[k] else (1 - lapse) * p
    total = weight.sum()
    weight /= total
    mean = weight @ f
    centred = f - mean
    return Truth(mean, (centred * weight[:, None]).T @ centred, weight @ centred**3, float(np.log(total)))
