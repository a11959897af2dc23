"""Contract of inferences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.errors import IncompatibleError
from anchorpbo.inference import Inference, InferenceResult
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.posterior import LATENTS, ExactLatent, LatentGaussian, Posterior, posterior_from_sites
from anchorpbo.testing.contract import (
    Contract,
    ensure,
    ensure_close,
    ensure_finite,
    ensure_immutable,
    ensure_raises,
    ensure_same_bits,
    pickle_and_load,
)
from anchorpbo.typing import Array

_KERNEL = RBF(0.4, 2.0)
_REPLICATES = 16
_MAX_STANDARD_ERRORS = 6.0
"""Number of standard errors beyond which two Monte Carlo means count as different."""


@dataclass(frozen=True, eq=False)
class InferenceCase:
    """Input of an inference except the likelihood: duels and the noise at their designs."""

    name: str
    duels: Duels
    noise: Array
    """Noise, (u,)."""

    @classmethod
    def random(cls, name: str, designs: int, wins: int, ties: int, seed: int) -> InferenceCase:
        """Return a case with answers of a noisy judge, including repeated and contradictory ones."""
        rng = np.random.default_rng(seed)
        points = rng.uniform(size=(designs, 2))
        utility = np.sin(5.0 * points[:, 0]) + points[:, 1]
        # The first duels form a circle, so that every design is in a duel.
        pairs = [(i, (i + 1) % designs) for i in range(designs)]
        pairs += [tuple(rng.choice(designs, size=2, replace=False)) for _ in range(wins + ties)]
        pairs = pairs[: wins + ties]
        winners, losers = [], []
        for i, j in pairs[:wins]:
            first = utility[i] + 0.5 * rng.standard_normal() > utility[j]
            winners.append(i if first else j)
            losers.append(j if first else i)
        duels = Duels(points, winners, losers, pairs[wins:] or None)
        return cls(name, duels, rng.uniform(0.3, 2.0, size=len(duels.points)))

    def latent(self, likelihood: Likelihood, kind: str = "auto") -> ExactLatent:
        """Return the rows and the prior covariance, in duel space, point space or the smaller of the two."""
        points = self.duels.points
        return LATENTS[kind](likelihood.rows(self.duels, self.noise), _KERNEL(points, points))

    def posterior(self, latent: LatentGaussian, inferred: InferenceResult) -> Posterior:
        """Return the posterior of the utility for an inference result."""
        return posterior_from_sites(_KERNEL, self.duels.points, latent, inferred.sites)


def list_cases() -> list[InferenceCase]:
    """Return cases with fewer and with more duels than designs, with and without ties."""
    return [
        InferenceCase.random("4 wins on 5 designs", 5, 4, 0, seed=1),
        InferenceCase.random("12 wins on 4 designs", 4, 12, 0, seed=2),
        InferenceCase.random("3 wins and 2 ties on 6 designs", 6, 3, 2, seed=3),
        InferenceCase.random("9 wins and 5 ties on 4 designs", 4, 9, 5, seed=4),
    ]


class InferenceContract(Contract):
    """Checks of an inference.

    An inference counts as a sampler if its info has `effective_samples`. The results of a sampler may differ between
    runs, but only through the generator it is given.

    Parameters
    ----------
    inference
        The inference.
    likelihoods
        Likelihoods to test with. If `check` rejects one, the only requirement is that `infer` rejects it, too.
    tolerance
        Required agreement of a deterministic inference between its two spaces, in prior standard deviations.
    """

    def __init__(
        self,
        inference: Inference,
        likelihoods: Sequence[Likelihood] = (Probit(), Logistic()),
        tolerance: float = 1e-8,
    ) -> None:
        super().__init__(inference)
        self.inference: Inference = inference
        self.likelihoods: tuple[Likelihood, ...] = tuple(likelihoods)
        self.tolerance: float = tolerance

    def check_takes_a_likelihood(self) -> None:
        """`check` accepts at least one likelihood; `infer` raises `IncompatibleError` for those it rejects."""
        supported = [likelihood for likelihood in self.likelihoods if self._supports(likelihood)]
        ensure(supported, f"check must accept one of {self.likelihoods}; it rejects all")
        case = list_cases()[0]
        for likelihood in self.likelihoods:
            if likelihood not in supported:
                settled = likelihood.for_duels(case.duels)
                latent = case.latent(settled)
                refusal = f"infer with {likelihood!r}, which check rejects,"
                ensure_raises(IncompatibleError, refusal, lambda s=latent, x=settled: self._infer(s, x, 0))  # type: ignore[misc]

    def check_sites(self) -> None:
        """Sites are finite, one per duel, with precisions of at least 0."""
        for name, case, likelihood in self._cases():
            sites, m = self._infer(case.latent(likelihood), likelihood, 0).sites, len(case.duels)
            for part, array in (("precision", sites.precision), ("linear", sites.linear)):
                ensure(array.shape in {(m,), (sites.draws, m)}, f"{part} must be (m,) or (s, m) {name}; m is {m}")
                ensure_finite(f"{part} {name}", array)
            ensure((sites.precision >= 0).all(), f"precisions must be at least 0 {name}")

    def check_posterior(self) -> None:
        """The posterior under the sites has a finite mean and a covariance without negative eigenvalues."""
        for name, case, likelihood in self._cases():
            latent = case.latent(likelihood)
            posterior = case.posterior(latent, self._infer(latent, likelihood, 0))
            ensure_finite(f"the posterior mean {name}", posterior.mean(case.duels.points))
            smallest = float(np.linalg.eigvalsh(posterior.covariance(case.duels.points))[0])
            ensure(smallest >= -1e-9, f"the posterior covariance has the eigenvalue {smallest} {name}")

    def check_info(self) -> None:
        """The info is valid, and these small problems converge."""
        for name, case, likelihood in self._cases():
            inferred = self._infer(case.latent(likelihood), likelihood, 0)
            info = inferred.info
            ensure(isinstance(info.method, str) and info.method, f"method must be a name {name}")
            ensure(isinstance(info.converged, bool), f"converged must be a bool {name}; it is {info.converged!r}")
            ensure(info.converged, f"it must converge {name}; it says {info}")
            ensure(info.iterations >= 0, f"iterations must be at least 0 {name}; it is {info.iterations}")
            ensure(np.isfinite(info.residual) and info.residual >= 0, f"residual is {info.residual} {name}")
            effective = info.effective_samples
            ensure(effective is None or effective > 0, f"effective_samples must be above 0 {name}; it is {effective}")
            ensure(inferred.state.shape == (len(case.duels),), f"state must be (m,) {name}")
            ensure_finite(f"state {name}", inferred.state)

    def check_latent_vectors_agree(self) -> None:
        """Duel space and point space give the same posterior, up to the tolerance or Monte Carlo error."""
        for name, case, likelihood in self._cases():
            points, both = case.duels.points, [case.latent(likelihood, kind) for kind in ("duel", "point")]
            if self._samples(both[0], likelihood):
                means = [
                    np.array([self._mean(case, latent, likelihood, seed + start) for seed in range(_REPLICATES)])
                    for start, latent in ((0, both[0]), (1000, both[1]))
                ]
                _ensure_same_mean(f"the posterior mean in point space {name}", *means)
                continue
            duel, point = (case.posterior(latent, self._infer(latent, likelihood, 0)) for latent in both)
            scale = float(np.sqrt(_KERNEL.outputscale))
            ensure_close(
                f"mean in point space {name}", point.mean(points), duel.mean(points), atol=self.tolerance * scale
            )
            ensure_close(
                f"covariance in point space {name}",
                point.covariance(points),
                duel.covariance(points),
                atol=self.tolerance * scale**2,
            )

    def check_randomness(self) -> None:
        """Only the generator is random: an equal one gives equal bits, a different one gives a sampler other draws."""
        for name, case, likelihood in self._cases():
            for kind in ("duel", "point"):
                latent = case.latent(likelihood, kind)
                one, again, other = (self._infer(latent, likelihood, seed) for seed in (7, 7, 8))
                for part in ("precision", "linear"):
                    bits, repeat = getattr(one.sites, part), getattr(again.sites, part)
                    ensure_same_bits(f"{part} from the same generator {name}", repeat, bits)
                ensure_same_bits(f"state from the same generator {name}", again.state, one.state)
                differs = not (
                    np.array_equal(one.sites.linear, other.sites.linear)
                    and np.array_equal(one.sites.precision, other.sites.precision)
                )
                samples = one.info.effective_samples is not None
                ensure(differs or not samples, f"a sampler must give other draws with another generator {name}")
                ensure(samples or not differs, f"without effective_samples it must be deterministic {name}")

    def check_leaves_its_arguments_alone(self) -> None:
        """Rows, prior covariance and start do not change; a deterministic inference does not use the generator."""
        for name, case, likelihood in self._cases():
            for kind in ("duel", "point"):
                latent, start = case.latent(likelihood, kind), np.linspace(0.1, 0.4, len(case.duels))
                rows = latent.rows
                watched = {
                    "the kernel matrix": latent.kernel_matrix,
                    "the prior": latent.prior,
                    "coef_first": rows.coef_first,
                    "coef_second": rows.coef_second,
                    "first": rows.first,
                    "second": rows.second,
                    "tied": rows.tied,
                    "start": start,
                }
                before = {what: array.copy() for what, array in watched.items()}
                rng = np.random.default_rng(3)
                untouched = str(rng.bit_generator.state)
                inferred = self.inference.infer(latent, likelihood, rng, start)
                for what, array in watched.items():
                    ensure_same_bits(f"{what} {name}", array, before[what])
                drew = str(rng.bit_generator.state) != untouched
                ensure(
                    inferred.info.effective_samples is not None or not drew,
                    f"without effective_samples it must not use the generator {name}",
                )

    def check_start(self) -> None:
        """A warm start changes the speed but not the result; for samplers it changes the draws."""
        for name, case, likelihood in self._cases():
            latent = case.latent(likelihood)
            cold = self._infer(latent, likelihood, 0)
            warm = self.inference.infer(latent, likelihood, np.random.default_rng(0), cold.state)
            ensure(warm.info.converged, f"it must converge from its own state {name}")
            if cold.info.effective_samples is None:
                means = [case.posterior(latent, inferred).mean(case.duels.points) for inferred in (cold, warm)]
                ensure_close(f"the mean from a warm start {name}", means[1], means[0], atol=10 * self.tolerance)

    def check_no_duels(self) -> None:
        """Without duels there are no sites, and the posterior is the prior."""
        empty = InferenceCase("of no duels", Duels.empty(2), np.empty(0))
        X = np.array([[0.2, 0.3], [0.9, 0.1]])
        for likelihood in self._list_supported():
            settled = likelihood.for_duels(empty.duels)
            for kind in ("duel", "point"):
                latent = empty.latent(settled, kind)
                inferred = self._infer(latent, settled, 0)
                ensure(inferred.sites.linear.shape[-1] == 0, "without duels there must be no sites")
                ensure(inferred.info.converged, "inference must converge without duels")
                posterior = empty.posterior(latent, inferred)
                ensure_close("the mean without duels", posterior.mean(X), np.zeros(2))
                ensure_close("the covariance without duels", posterior.covariance(X), _KERNEL(X, X), rtol=1e-14)

    def check_prefers_the_winner(self) -> None:
        """After one duel the winner's mean is positive and the loser's is its negative."""
        for likelihood in self._list_supported():
            for noise in (1e-3, 1.0, 100.0):
                case = InferenceCase("of one duel", Duels([[0.1, 0.2], [0.8, 0.6]], [0], [1]), np.full(2, noise))
                settled = likelihood.for_duels(case.duels)
                for kind in ("duel", "point"):
                    winner, loser = self._mean(case, case.latent(settled, kind), settled, 0)
                    what = f"{settled!r} and noise {noise}"
                    ensure(winner > 0 > loser, f"the winner must be preferred with {what}; means {winner} and {loser}")
                    ensure_close(f"the loser's mean with {what}", loser, -winner, rtol=1e-8)

    def check_a_tie_prefers_nobody(self) -> None:
        """After one tie both means are 0: exactly for a deterministic inference, on average for a sampler."""
        case = InferenceCase("of one tie", Duels([[0.1, 0.2], [0.8, 0.6]], [], [], [[0, 1]]), np.ones(2))
        for likelihood in self._list_supported():
            settled = likelihood.for_duels(case.duels)
            latent = case.latent(settled)
            if self._samples(latent, settled):
                means = np.array([self._mean(case, latent, settled, seed) for seed in range(_REPLICATES)])
                _ensure_same_mean(f"the mean after a tie with {settled!r}", means, np.zeros_like(means))
            else:
                ensure_close(
                    f"the mean after a tie with {settled!r}", self._mean(case, latent, settled, 0), [0, 0], atol=1e-12
                )

    def check_a_design_against_itself(self) -> None:
        """A duel of a design against itself is harmless, and uninformative with equal noises."""
        duels = Duels([[0.1, 0.2], [0.8, 0.6]], [0, 1], [1, 1])
        case = InferenceCase("with a design against itself", duels, np.ones(2))
        for likelihood in self._list_supported():
            settled = likelihood.for_duels(duels)
            for kind in ("duel", "point"):
                winner, loser = self._mean(case, case.latent(settled, kind), settled, 0)
                ensure(np.isfinite([winner, loser]).all(), "means must be finite with a design against itself")
                ensure(winner > loser, "a design against itself must not undo another duel")

    def check_immutable(self) -> None:
        """Fields cannot be set."""
        ensure_immutable(self.inference)

    def check_pickles(self) -> None:
        """A pickled inference gives bitwise equal results."""
        copy = pickle_and_load(self.inference)
        for name, case, likelihood in list(self._cases())[:1]:
            latent = case.latent(likelihood)
            again = copy.infer(latent, likelihood, np.random.default_rng(0))
            here = self._infer(latent, likelihood, 0)
            ensure_same_bits(f"a pickled inference's sites {name}", again.sites.linear, here.sites.linear)

    # -- internals ----------------------------------------------------------------------------------------------------

    def _supports(self, likelihood: Likelihood) -> bool:
        try:
            self.inference.check(likelihood)
        except IncompatibleError:
            return False
        return True

    def _list_supported(self) -> list[Likelihood]:
        return [likelihood for likelihood in self.likelihoods if self._supports(likelihood)]

    def _cases(self) -> Iterator[tuple[str, InferenceCase, Likelihood]]:
        for likelihood in self._list_supported():
            for case in list_cases():
                settled = likelihood.for_duels(case.duels)
                yield f"for {case.name} with {settled!r}", case, settled

    def _infer(self, latent: LatentGaussian, likelihood: Likelihood, seed: int) -> InferenceResult:
        return self.inference.infer(latent, likelihood, np.random.default_rng(seed))

    def _samples(self, latent: LatentGaussian, likelihood: Likelihood) -> bool:
        return self._infer(latent, likelihood, 0).info.effective_samples is not None

    def _mean(self, case: InferenceCase, latent: LatentGaussian, likelihood: Likelihood, seed: int) -> Array:
        return case.posterior(latent, self._infer(latent, likelihood, seed)).mean(case.duels.points)


def _ensure_same_mean(what: str, here: Array, there: Array) -> None:
    """Fail unless the averages over replicates, (r, n) each, agree to within their standard errors."""
    error = np.sqrt((here.var(axis=0, ddof=1) + there.var(axis=0, ddof=1)) / len(here))
    ensure_close(what, here.mean(axis=0), there.mean(axis=0), atol=_MAX_STANDARD_ERRORS * error + 1e-12)
