"""Laplace evidence (eq. laplace-evidence) and its whole gradient.

    log Z = sum_k log p(g_k) - a' S a / 2 - log |I + F S F'| / 2              at the mode

Every hyper-parameter acts through the margins' prior covariance C = D K D' or through tau. Symbols: beta, G as in the
posterior; w = -d2logp; s2_k the posterior variance of g_k. The determinant moves with the mode through

    q_k = s2_k d3logp_k / 2,         h = (I + W C)^-1 q = q - W D Cov(f) D' q,          eta = D' h

and then d log Z = <A, dC> with A = (a a' - P + h a' + a h') / 2, a = dlogp, that is

    in K:        (beta beta' - G + eta beta' + beta eta') / 2
    in a row:    2 (A D K)_ki  for entry i of D_k,
                 A D K = ((a + h) f' + a (K eta)' - W D Cov(f)) / 2,  f = K beta
    in tau:      sum_k [dlogp/dtau + s2_k d(d2logp)/dtau / 2] + eta' K D' d(dlogp)/dtau
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.inference.laplace import Mode
from anchorpbo.likelihoods import Likelihood
from anchorpbo.posterior import LatentSpace
from anchorpbo.typing import Array


def laplace_evidence(mode: Mode) -> float:
    """Log Z at the mode."""
    return mode.objective - 0.5 * mode.solution.log_determinant


@dataclass(frozen=True, eq=False)
class EvidenceGradient:
    """Derivatives of log Z in everything a hyper-parameter can move."""

    by_kernel: Array
    """In the entries of K, (u, u), symmetric."""
    by_coef_first: Array
    """In the positive entry of each row, (m,)."""
    by_coef_second: Array
    """In the size of the negative entry of each row, (m,)."""
    by_threshold: float
    """In tau."""


def evidence_gradient(space: LatentSpace, likelihood: Likelihood, mode: Mode) -> EvidenceGradient:
    """The gradient, implicit terms through the mode included."""
    rows, K, solution = space.rows, space.kernel_matrix, mode.solution
    a, w, s2 = mode.terms.d1, solution.sites.precision, solution.margin_variances
    q = 0.5 * s2 * mode.terms.d3
    h = q - w * space.margins(solution.covariance @ space.pull(q))
    beta, eta = rows.transposed(a), rows.transposed(h)
    root = space.root_to_points(solution.root)
    cross = np.outer(eta, beta)
    by_kernel = 0.5 * (np.outer(beta, beta) - root.T @ root + cross + cross.T)

    f, K_eta = K @ beta, K @ eta
    entries = [(a + h) * f[i] + a * K_eta[i] - space.reduced_entries(solution, i) for i in (rows.first, rows.second)]
    by_tau = likelihood.log_prob_by_threshold(mode.margins, rows.tied)
    by_threshold = (by_tau.value + 0.5 * s2 * by_tau.d2).sum() + rows.margins(K_eta) @ by_tau.d1
    return EvidenceGradient(by_kernel, entries[0], -entries[1], float(by_threshold))
