"""Every kind of posterior keeps the contract, and the contract catches mixtures that do not."""

from dataclasses import replace

import numpy as np
import pytest

from anchorpbo.duels import Duels
from anchorpbo.inference import Hallucination, PolyaGamma
from anchorpbo.kernels import RBF, Matern32, Matern52, Tanimoto
from anchorpbo.likelihoods import Logistic
from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import GaussianPosterior, Posterior, PosteriorMixture
from anchorpbo.testing import PosteriorContract
from anchorpbo.typing import Array

BITS = (np.random.default_rng(0).random((14, 30)) > 0.6).astype(float)


def parts(posterior: Posterior) -> tuple[GaussianPosterior, ...]:
    return tuple(part for _, part in posterior.components)


def condition(kernel, inference="ep", likelihood="probit", inducing="auto", points: Array | None = None):
    points = np.random.default_rng(1).random((8, 2)) if points is None else points
    duels = Duels(points, [0, 2, 4, 6, 0, 1], [1, 3, 5, 7, 5, 2])
    return PreferenceGP(kernel, likelihood, inference, 0.3, inducing=inducing).condition(duels).posterior


def mix(weights, *posteriors):
    return PosteriorMixture(np.array(weights), tuple(part for each in posteriors for part in parts(each)))


MANY = Duels(np.random.default_rng(2).random((280, 2)), np.arange(140), np.arange(140, 280))
POSTERIORS = {
    "prior": GaussianPosterior.prior(RBF(0.4), 2),
    "one": condition(RBF(0.4, 3.0)),
    "draws": condition(Matern52([0.3, 0.6]), Hallucination(draws=5)),
    "inducing": condition(RBF(0.4, 3.0), inducing=3),
    "factored": PreferenceGP(Matern32(0.4), "probit", "laplace", 0.2).condition(MANY).posterior,
    "mixture": mix([0.5, 0.2, 0.3], *(condition(RBF(length, 3.0)) for length in (0.4, 0.2, 1.5))),
    "mixture of kernels": mix([0.1, 0.9], condition(RBF(0.4)), condition(Matern52([0.3, 0.9], 4.0))),
    "mixture of draws": mix(
        [0.4, 0.6], *(condition(RBF(length), PolyaGamma(draws=4), Logistic(form="difference")) for length in (0.2, 0.6))
    ),
    "mixture with inducing points": mix([0.4, 0.6], *(condition(RBF(length), inducing=3) for length in (0.2, 0.6))),
    "mixture of priors": mix([0.4, 0.6], *(GaussianPosterior.prior(RBF(length), 2) for length in (0.2, 0.6))),
}
CONTRACTS = {name: PosteriorContract(posterior) for name, posterior in POSTERIORS.items()}
CONTRACTS["fingerprints"] = PosteriorContract(
    mix([0.3, 0.7], *(condition(Tanimoto(scale), points=BITS[:8]) for scale in (1.0, 9.0))), BITS
)


@pytest.mark.parametrize("check", PosteriorContract.checks())
@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS.keys())
def test_posterior(contract: PosteriorContract, check: str) -> None:
    contract.check(check)


# -- posteriors that break the contract -------------------------------------------------------------------------------


class WithoutSpread(PosteriorMixture):
    """Averages the covariances of the components and forgets that their means differ."""

    def covariance(self, X, Y=None):
        return sum(weight * part.covariance(X, Y) for weight, part in self.components)


class Unweighted(PosteriorMixture):
    """Draws every component equally often."""

    def sample(self, X, n, rng):
        equal = np.full(len(self.weights), 1.0 / len(self.weights))
        return PosteriorMixture(equal, self.posteriors).sample(X, n, rng)


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (WithoutSpread, "check_law_of_total_covariance"),
        (WithoutSpread, "check_moments_agree"),
        (Unweighted, "check_samples"),
    ],
)
def test_the_contract_catches(kind: type[PosteriorMixture], check: str) -> None:
    good = POSTERIORS["mixture"]
    assert isinstance(good, PosteriorMixture)
    with pytest.raises(AssertionError):
        PosteriorContract(kind(good.weights, good.posteriors)).check(check)


def test_the_contract_catches_a_root_of_another_kernel() -> None:
    good = parts(POSTERIORS["one"])[0]
    with pytest.raises(AssertionError):
        PosteriorContract(replace(good, root=3.0 * good.root)).check_all()
