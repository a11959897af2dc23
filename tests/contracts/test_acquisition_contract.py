"""Every shipped acquisition keeps the contract, and the contract catches acquisitions that do not."""

import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

from anchorpbo.acquisition import (
    ANPEI,
    EI,
    EUBO,
    EUCO,
    RAEUBO,
    RAHBO,
    UCB,
    BoundKnowledgeGradient,
    DesignAcquisition,
    KnowledgeGradient,
    PairAcquisition,
    PairPartials,
    Partials,
    ScreenedDuels,
)
from anchorpbo.posterior import Posterior
from anchorpbo.reliability import NoiseMap
from anchorpbo.testing import (
    DesignAcquisitionContract,
    DuelAcquisitionContract,
    OneShotAcquisitionContract,
    PairAcquisitionContract,
)
from anchorpbo.typing import Array

DESIGNS = {
    "ei": DesignAcquisitionContract(EI()),
    "log-ei": DesignAcquisitionContract(EI(log=True)),
    "ucb": DesignAcquisitionContract(UCB()),
    "ucb-greedy": DesignAcquisitionContract(UCB(0.0)),
    "anpei": DesignAcquisitionContract(ANPEI()),
    "anpei-variance": DesignAcquisitionContract(ANPEI(1.5, penalty="variance")),
    "anpei-log": DesignAcquisitionContract(ANPEI(0.3, log=True)),
    "rahbo": DesignAcquisitionContract(RAHBO()),
}
PAIRS = {
    "eubo": PairAcquisitionContract(EUBO()),
    "raeubo": PairAcquisitionContract(RAEUBO()),
    "raeubo-mild": PairAcquisitionContract(RAEUBO(0.5)),
    "euco": PairAcquisitionContract(EUCO()),
    "euco-lapse": PairAcquisitionContract(EUCO(lapse=0.2)),
}

DUELS = {
    "kg": OneShotAcquisitionContract(KnowledgeGradient()),
    "kg-lapse": OneShotAcquisitionContract(KnowledgeGradient(lapse=0.2)),
    "eubo": DuelAcquisitionContract(EUBO()),
}


@pytest.mark.parametrize("check", DesignAcquisitionContract.checks())
@pytest.mark.parametrize("contract", DESIGNS.values(), ids=DESIGNS.keys())
def test_shipped_acquisition_of_designs(contract: DesignAcquisitionContract, check: str) -> None:
    contract.check(check)


@pytest.mark.parametrize("check", PairAcquisitionContract.checks())
@pytest.mark.parametrize("contract", PAIRS.values(), ids=PAIRS.keys())
def test_shipped_acquisition_of_pairs(contract: PairAcquisitionContract, check: str) -> None:
    contract.check(check)


@pytest.mark.parametrize("check", DuelAcquisitionContract.checks())
@pytest.mark.parametrize("contract", DUELS.values(), ids=DUELS.keys())
def test_shipped_acquisition_of_duels(contract: DuelAcquisitionContract, check: str) -> None:
    contract.check(check)


# -- acquisitions that break the contract -----------------------------------------------------------------------------


@dataclass(frozen=True)
class WrongByStd(DesignAcquisition):
    """UCB whose derivative in the standard deviation is that in the variance."""

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        return replace(UCB().partials(mean, std, noise, incumbent), by_std=np.ones_like(std))


@dataclass(frozen=True)
class NaiveEI(DesignAcquisition):
    """EI that divides by a standard deviation of 0."""

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        from anchorpbo.numerics.normal import cdf, density

        with np.errstate(invalid="ignore", divide="ignore"):
            z = (mean - incumbent) / std
            value = std * (z * cdf(z) + density(z))
        return Partials(value, cdf(z), density(z), np.zeros_like(noise))


@dataclass(frozen=True)
class Scalar(DesignAcquisition):
    """The derivative in the mean is one number."""

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        return replace(UCB().partials(mean, std, noise, incumbent), by_mean=np.ones(1))


@dataclass
class Settable(DesignAcquisition):
    """UCB that forgot to be frozen."""

    exploration: float = 1.0

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        return UCB(self.exploration).partials(mean, std, noise, incumbent)


@dataclass(frozen=True)
class InPlace(DesignAcquisition):
    """Uses the means it is given as working memory."""

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        mean -= incumbent
        return UCB().partials(mean, std, noise, incumbent)


@dataclass(frozen=True)
class Lopsided(PairAcquisition):
    """The first mean counts more."""

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        here = EUBO().partials(mean_first, mean_second, std, noise_first, noise_second)
        return replace(here, value=here.value + 0.1 * mean_first, by_mean_first=here.by_mean_first + 0.1)


@dataclass(frozen=True)
class WrongPairSlope(PairAcquisition):
    """The two means' derivatives are swapped."""

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        here = EUBO().partials(mean_first, mean_second, std, noise_first, noise_second)
        return replace(here, by_mean_first=here.by_mean_second, by_mean_second=here.by_mean_first)


@dataclass(frozen=True)
class FearsSpread(PairAcquisition):
    """The less is known, the lower."""

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        here = EUBO().partials(mean_first, mean_second, std, noise_first, noise_second)
        return replace(here, value=here.value - std, by_std=here.by_std - 1.0)


@dataclass(frozen=True)
class BoundBelow(PairAcquisition):
    """An upper bound below the value."""

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        return EUBO().partials(mean_first, mean_second, std, noise_first, noise_second)

    def upper_bound(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> Array:
        return EUBO().partials(mean_first, mean_second, 0.5 * std, noise_first, noise_second).value


@pytest.mark.parametrize(
    ("acquisition", "check"),
    [
        (WrongByStd(), "check_partials"),
        (WrongByStd(), "check_gradient"),
        (NaiveEI(), "check_finite_without_spread"),
        (NaiveEI(), "check_partials_finite_without_spread"),
        (Scalar(), "check_partials_have_one_shape"),
        (Settable(), "check_immutable"),
        (InPlace(), "check_leaves_moments_alone"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_broken_acquisition_of_designs_is_caught(acquisition: DesignAcquisition, check: str) -> None:
    with pytest.raises(AssertionError):
        DesignAcquisitionContract(acquisition).check(check)


@pytest.mark.parametrize(
    ("acquisition", "check"),
    [
        (Lopsided(), "check_symmetric"),
        (WrongPairSlope(), "check_partials"),
        (WrongPairSlope(), "check_gradient"),
        (FearsSpread(), "check_upper_bound"),
        (BoundBelow(), "check_upper_bound"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_broken_acquisition_of_pairs_is_caught(acquisition: PairAcquisition, check: str) -> None:
    with pytest.raises(AssertionError):
        PairAcquisitionContract(acquisition).check(check)


@dataclass(frozen=True, eq=False)
class Broken(BoundKnowledgeGradient):
    """A knowledge gradient with a mistake in one method."""

    mistake: str = ""

    def values(self, X: Array) -> Array:
        return super().values(X) + (X[:, 0, 0] if self.mistake == "values" else 0.0)

    def slopes(self, X: Array) -> tuple[Array, Array]:
        values, gradient = super().slopes(X)
        return values, gradient if self.mistake != "slopes" else gradient[:, ::-1].copy()

    def screen(self, designs: Array, count: int) -> ScreenedDuels:
        found = super().screen(designs, count)
        return found if self.mistake != "screen" else replace(found, values=found.values - 1.0)

    def complete(self, items: Array, designs: Array) -> Array:
        return items if self.mistake != "complete" else super().complete(items[::-1], designs)

    def get_duels(self, items: Array) -> Array:
        return items[:, ::2] if self.mistake != "get_duels" else 1.0 - items[:, ::2]


@dataclass(frozen=True)
class BrokenGradient(KnowledgeGradient):
    mistake: str = "none"

    def bind(self, posterior: Posterior, noise: NoiseMap, incumbent: float | None = None) -> Broken:
        return Broken(posterior, noise, mistake=self.mistake)


@pytest.mark.parametrize(
    ("mistake", "check"),
    [
        ("values", "check_values_agree"),
        ("slopes", "check_gradient"),
        ("screen", "check_screen"),
        ("complete", "check_complete"),
        ("get_duels", "check_duels"),
    ],
)
def test_broken_acquisition_of_duels_is_caught(mistake: str, check: str) -> None:
    OneShotAcquisitionContract(BrokenGradient()).check(check)
    with pytest.raises(AssertionError):
        OneShotAcquisitionContract(BrokenGradient(mistake=mistake)).check(check)


# -- mistakes in a first acquisition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScalarPartials(DesignAcquisition):
    """Derivatives that do not depend on the moments are plain numbers."""

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        return Partials(mean + std, 1.0, 1.0, 0.0)  # type: ignore[arg-type]


@dataclass(frozen=True)
class BareValue(DesignAcquisition):
    """The value without its derivatives."""

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        return mean + std  # type: ignore[return-value]


@dataclass(frozen=True)
class ScalarPairPartials(PairAcquisition):
    """The derivatives in the noises are plain numbers."""

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        here = EUBO().partials(mean_first, mean_second, std, noise_first, noise_second)
        return replace(here, by_noise_first=0.0, by_noise_second=0.0)  # type: ignore[arg-type]


@dataclass(frozen=True)
class BarePairValue(PairAcquisition):
    """The value without its derivatives."""

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        return mean_first + mean_second  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("contract", "message"),
    [
        (
            DesignAcquisitionContract(ScalarPartials()),
            "check_partials_have_one_shape: by_mean must be an array; it is a float",
        ),
        (
            DesignAcquisitionContract(BareValue()),
            "check_returns_partials: partials must return a Partials; it returned a ndarray",
        ),
        (
            PairAcquisitionContract(ScalarPairPartials()),
            "check_partials_have_one_shape: by_noise_first must be an array; it is a float",
        ),
        (
            PairAcquisitionContract(BarePairValue()),
            "check_returns_partials: partials must return a PairPartials; it returned a ndarray",
        ),
    ],
    ids=["design-scalar", "design-bare", "pair-scalar", "pair-bare"],
)
def test_a_mistake_in_partials_is_the_only_failure_reported(
    contract: DesignAcquisitionContract | PairAcquisitionContract, message: str
) -> None:
    with pytest.raises(AssertionError) as failure:
        contract.check_all()
    head, only, note = str(failure.value).splitlines()
    assert head.startswith(f"1 of {len(contract.checks())} checks failed for ")
    assert only.strip() == message
    assert note.strip() == "The remaining checks depend on it and were not run."


def test_a_wrong_partial_derivative_is_reported_with_its_moments() -> None:
    with pytest.raises(AssertionError, match=r"by_std must be .* at mean = .*, std = .*, noise = \d"):
        DesignAcquisitionContract(WrongByStd()).check("check_partials")


def test_suites_do_not_need_pytest() -> None:
    script = "import sys, anchorpbo.testing; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
