"""Every shipped inference keeps the contract, and the contract catches inferences that do not."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from anchorpbo.errors import IncompatibleError
from anchorpbo.inference import EP, Hallucination, Inference, InferenceResult, Laplace, PolyaGamma
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.posterior import LatentGaussian, PointLatent, Sites
from anchorpbo.testing import InferenceContract
from anchorpbo.typing import Array

BOTH_FORMS = (Probit(), Logistic(), Logistic(form="difference"))
WITH_LAPSES = (Probit(lapse=0.05), Logistic(lapse=0.2))
CONTRACTS = {
    "laplace": InferenceContract(Laplace(), BOTH_FORMS),
    "ep": InferenceContract(EP(), BOTH_FORMS),
    "hallucination": InferenceContract(Hallucination()),
    "hallucination-mixture": InferenceContract(Hallucination(sweeps=300, draws=20)),
    "polya-gamma": InferenceContract(PolyaGamma(sweeps=100, draws=20)),
    "polya-gamma-one-draw": InferenceContract(PolyaGamma(draws=1)),
    "laplace-with-lapses": InferenceContract(Laplace(), WITH_LAPSES),
    "ep-with-lapses": InferenceContract(EP(), WITH_LAPSES, tolerance=1e-6),
    "hallucination-with-lapses": InferenceContract(Hallucination(sweeps=300, draws=20), WITH_LAPSES),
    "polya-gamma-with-lapses": InferenceContract(PolyaGamma(sweeps=100, draws=20), WITH_LAPSES),
}


@pytest.mark.parametrize("check", InferenceContract.checks())
@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS.keys())
def test_shipped_inference(contract: InferenceContract, check: str) -> None:
    contract.check(check)


# -- inferences that break the contract -------------------------------------------------------------------------------


class IgnoresGenerator(Hallucination):
    """Draws from a generator of its own, always the same."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        return super().infer(latent, likelihood, np.random.default_rng(0), start)


class HiddenGenerator(Hallucination):
    """Draws from a generator of its own, never the same."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        return super().infer(latent, likelihood, np.random.default_rng(), start)


class SecretSampler(Hallucination):
    """Does not say that it samples."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        inferred = super().infer(latent, likelihood, rng, start)
        return replace(inferred, info=replace(inferred.info, effective_samples=None))


class PrefersLoser(Laplace):
    """The sign of the targets is wrong."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        inferred = super().infer(latent, likelihood, rng, start)
        return replace(inferred, sites=Sites(inferred.sites.precision, -inferred.sites.linear))


class WritesStart(Laplace):
    """Uses the start as working memory."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        inferred = super().infer(latent, likelihood, rng, start)
        if start is not None:
            start[:] = inferred.state
        return inferred


class AddsJitter(Laplace):
    """Adds jitter to the kernel matrix it is given."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        latent.kernel_matrix[np.diag_indices_from(latent.kernel_matrix)] += 1e-6
        return super().infer(latent, likelihood, rng, start)


class OneSpaceOff(EP):
    """Its sites differ between the spaces."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        inferred = super().infer(latent, likelihood, rng, start)
        sites = inferred.sites
        if isinstance(latent, PointLatent):
            sites = Sites(1.001 * sites.precision, sites.linear)
        return replace(inferred, sites=sites)


class BiasedSampler(Hallucination):
    """In point space its draws are too large."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        inferred = super().infer(latent, likelihood, rng, start)
        factor = 3.0 if isinstance(latent, PointLatent) else 1.0
        return replace(inferred, sites=Sites(inferred.sites.precision, factor * inferred.sites.linear))


@dataclass(frozen=True)
class RefusesLate(Laplace):
    """`check` refuses what `infer` takes."""

    def check(self, likelihood: Likelihood) -> None:
        if isinstance(likelihood, Logistic):
            raise IncompatibleError("this inference needs the probit likelihood")


class NeedsDuels(Laplace):
    """Divides by the number of duels."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        inferred = super().infer(latent, likelihood, rng, start)
        return replace(inferred, info=replace(inferred.info, residual=inferred.info.residual / (1 // len(latent.rows))))


class GivesUp(EP):
    """Stops before it has converged and says so."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        return EP(max_passes=1, tolerance=1e-12).infer(latent, likelihood, rng, start)


@pytest.mark.parametrize(
    ("inference", "check"),
    [
        (IgnoresGenerator(sweeps=50), "check_randomness"),
        (HiddenGenerator(sweeps=50), "check_randomness"),
        (SecretSampler(sweeps=50), "check_randomness"),
        (SecretSampler(sweeps=50), "check_leaves_its_arguments_alone"),
        (PrefersLoser(), "check_prefers_the_winner"),
        (WritesStart(), "check_leaves_its_arguments_alone"),
        (AddsJitter(), "check_leaves_its_arguments_alone"),
        (OneSpaceOff(), "check_latent_vectors_agree"),
        (BiasedSampler(sweeps=50), "check_latent_vectors_agree"),
        (RefusesLate(), "check_takes_a_likelihood"),
        (GivesUp(), "check_info"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Inference) else value,
)
def test_broken_inference_is_caught(inference: Inference, check: str) -> None:
    with pytest.raises(AssertionError):
        InferenceContract(inference).check(check)


def test_error_of_an_inference_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        InferenceContract(NeedsDuels()).check("check_no_duels")
    with pytest.raises(AssertionError, match="check_no_duels: ZeroDivisionError"):
        InferenceContract(NeedsDuels()).check_all()
