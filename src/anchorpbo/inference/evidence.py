"""Laplace evidence, an approximate log marginal likelihood (eq. laplace-evidence), and its full gradient.

    log Z = sum_k log p(g_k) - a' S a / 2 - log |I + F S F'| / 2              at the mode

Every hyper-parameter enters through the margins' prior covariance C = D K D' or through tau. Symbols are those of
`anchorpbo.posterior.latent`; w = -d2logp; s2_k is the posterior variance of g_k. The determinant depends on the mode
through

    q_k = s2_k d3logp_k / 2,         h = (I + W C)^-1 q = q - W H S eta,          eta = H' h = (I - P S) H' q

and then d log Z = <A, dC> with A = (a a' - P + h a' + a h') / 2 in duel space, a = dlogp. In either space the
derivatives of log Z are

    in S:        (a a' - P + eta a' + a eta') / 2,  a = H' dlogp
    in a row:    2 (A D K)_ki  for entry i of D_k,
                 A D K = ((dlogp + h) f' + dlogp (K D' h)' - W D Cov(f)) / 2,  f = K D' dlogp
    in tau:      sum_k [dlogp/dtau + s2_k d(d2logp)/dtau / 2] + (H S eta)' d(dlogp)/dtau
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anchorpbo.inference.laplace import Mode
from anchorpbo.likelihoods import Likelihood, Terms
from anchorpbo.posterior import ExactLatent
from anchorpbo.typing import Array


def laplace_evidence(mode: Mode) -> float:
    """Return log Z at the mode."""
    return mode.objective - 0.5 * mode.solution.log_determinant


@dataclass(frozen=True, eq=False)
class EvidenceGradient:
    """Derivatives of log Z in the quantities that depend on hyper-parameters, each computed on first use."""

    latent: ExactLatent
    likelihood: Likelihood
    mode: Mode
    q: Array
    """Derivative q of the determinant term in the margins, (m,)."""
    eta: Array
    """Implicit derivative eta through the mode, (n,)."""

    @cached_property
    def by_kernel(self) -> Array:
        """Derivative in the entries of K, (u, u), symmetric."""
        a = self.latent.apply_transpose(self.mode.terms.d1)
        half = np.outer(0.5 * a + self.eta, a)
        return self.latent.prior_to_points(0.5 * (half + half.T - self.mode.solution.precision))

    @property
    def by_coef_first(self) -> Array:
        """Derivative in the positive entry of each row, (m,)."""
        return self._by_entries[0]

    @property
    def by_coef_second(self) -> Array:
        """Derivative in the size of the negative entry of each row, (m,)."""
        return -self._by_entries[1]

    @property
    def by_threshold(self) -> float:
        """Derivative in tau."""
        rows = self.latent.rows
        by_tau = Terms(*rows.weight_by_counts(self.likelihood.log_prob_by_threshold(self.mode.margins, rows.tied)))
        direct = by_tau.value + 0.5 * self.mode.solution.margin_variances * by_tau.d2
        return float(direct.sum() + self._margins_by_determinant @ by_tau.d1)

    @cached_property
    def _margins_by_determinant(self) -> Array:
        """Vector H S eta, (m,)."""
        return self.latent.margins(self.latent.prior @ self.eta)

    @cached_property
    def _by_entries(self) -> tuple[Array, Array]:
        latent, solution, a = self.latent, self.mode.solution, self.mode.terms.d1
        h = self.q - solution.sites.precision * self._margins_by_determinant
        f, K_eta = (latent.kernel_matrix @ latent.rows.apply_transpose(t) for t in (a, h))
        first, second = (
            (a + h) * f[i] + a * K_eta[i] - latent.reduced_entries(solution, i)
            for i in (latent.rows.first, latent.rows.second)
        )
        return first, second


def evidence_gradient(latent: ExactLatent, likelihood: Likelihood, mode: Mode) -> EvidenceGradient:
    """Return the gradient, including the implicit terms through the mode."""
    solution = mode.solution
    q = 0.5 * solution.margin_variances * mode.terms.d3
    pulled = latent.apply_transpose(q)
    return EvidenceGradient(latent, likelihood, mode, q, pulled - solution.precision @ (latent.prior @ pulled))
