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

With lapses some w may be negative. The determinant has 0 in their place, so that they do not contribute to q, but the
mode moves by the signed w: eta solves (I + H'WH S) eta = H'q.

The evidence of expectation propagation is the integral of the sites, each scaled to the expected likelihood Z_k under
its cavity N(mu_c, s2_c):

    log Z_EP = sum_k [log Z_k + log(1 + w s2_c) / 2 - (2 b mu_c + b^2 s2_c - w mu_c^2) / (2 (1 + w s2_c))]
               + b' E[g] / 2 - log |I + F S F'| / 2
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anchorpbo.inference.laplace import Mode, solve_signed
from anchorpbo.likelihoods import Likelihood, Terms
from anchorpbo.posterior import ExactLatent, LatentGaussian, Sites
from anchorpbo.typing import Array, BoolArray


def laplace_evidence(mode: Mode) -> float:
    """Return log Z at the mode."""
    return mode.objective - 0.5 * mode.solution.log_determinant


def ep_evidence(latent: LatentGaussian, likelihood: Likelihood, sites: Sites) -> float:
    """Return log Z_EP under the sites of expectation propagation."""
    solution = latent.solve(sites)
    mu_c, s2_c = latent.cavities(solution)
    w, b = sites.precision, sites.linear
    log_Z = likelihood.log_marginal(mu_c, s2_c, latent.rows.tied).value
    grown = 1.0 + w * s2_c
    scales = log_Z + 0.5 * np.log(grown) - 0.5 * (2.0 * b * mu_c + b * b * s2_c - w * mu_c * mu_c) / grown
    return float(scales.sum() + 0.5 * b @ solution.margin_means - 0.5 * solution.log_determinant)


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
    clipped: BoolArray | None = None
    """Margins with a negative w, which counts as 0 in the determinant, (m,); ``None`` if there are none."""

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
        curves = by_tau.d2 if self.clipped is None else np.where(self.clipped, 0.0, by_tau.d2)
        direct = by_tau.value + 0.5 * self.mode.solution.margin_variances * curves
        return float(direct.sum() + self._margins_by_determinant @ by_tau.d1)

    @cached_property
    def _margins_by_determinant(self) -> Array:
        """Vector H S eta, (m,)."""
        return self.latent.margins(self.latent.prior @ self.eta)

    @cached_property
    def _by_entries(self) -> tuple[Array, Array]:
        latent, solution, a = self.latent, self.mode.solution, self.mode.terms.d1
        weights = solution.sites.precision if self.clipped is None else -self.mode.terms.d2
        h = self.q - weights * self._margins_by_determinant
        f, K_eta = (latent.kernel_matrix @ latent.rows.apply_transpose(t) for t in (a, h))
        first, second = (
            (a + h) * f[i] + a * K_eta[i] - latent.reduced_entries(solution, i)
            for i in (latent.rows.first, latent.rows.second)
        )
        return first, second


def evidence_gradient(latent: ExactLatent, likelihood: Likelihood, mode: Mode) -> EvidenceGradient:
    """Return the gradient, including the implicit terms through the mode."""
    solution, clipped = mode.solution, mode.terms.d2 > 0.0
    q = 0.5 * solution.margin_variances * mode.terms.d3
    if likelihood.lapse > 0.0 and clipped.any():
        q = np.where(clipped, 0.0, q)
        eta = solve_signed(latent, -mode.terms.d2, latent.apply_transpose(q))
        return EvidenceGradient(latent, likelihood, mode, q, eta, clipped)
    pulled = latent.apply_transpose(q)
    return EvidenceGradient(latent, likelihood, mode, q, pulled - solution.precision @ (latent.prior @ pulled))
