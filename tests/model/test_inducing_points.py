"""A model through inducing points against the exact one: what is lost, and that nothing is once all designs are in."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import IncompatibleError, InputError, NotFittedError
from anchorpbo.inference import EP, Hallucination, PolyaGamma
from anchorpbo.model import approximation
from anchorpbo.model.approximation import Approximation, subsample_duels
from anchorpbo.typing import Array

M = 600
LENGTH = {2: 0.35, 3: 0.4, 4: 0.5}


@cache
def simulated(d: int, noise: float = 1.0, threshold: float = 0.0, duels: int = M, seed: int = 0) -> ap.Duels:
    """Duels on twice as many designs, of a utility drawn from the model's own prior, variance 10."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(size=(2 * duels, d))
    frequencies, phases = rng.standard_normal((500, d)) / LENGTH[d], rng.uniform(0.0, 2.0 * np.pi, 500)
    f = np.cos(points @ frequencies.T + phases) @ rng.standard_normal(500) * np.sqrt(20.0 / 500)
    first, second = np.arange(duels), np.arange(duels) + duels
    margin = (f[first] - f[second]) / np.sqrt(2.0 * noise) + rng.standard_normal(duels)
    tie = np.abs(margin) < threshold
    first, second = np.where(margin > 0, first, second), np.where(margin > 0, second, first)
    return ap.Duels(points, first[~tie], second[~tie], np.stack([first[tie], second[tie]], axis=1))


def conditioned(
    d: int, inducing: int | str | None, noise: float | ap.NoiseMap = 1.0, **others: object
) -> ap.PreferenceGP:
    duels = others.pop("duels", None) or simulated(d)
    settings = {"inference": "laplace", "learn": None, **others}
    return ap.PreferenceGP(ap.RBF(LENGTH[d], 10.0), noise=noise, inducing=inducing, **settings).condition(duels)


def errors(got: ap.PreferenceGP, exact: ap.PreferenceGP, d: int) -> tuple[float, float]:
    """Root mean square of the mean's error in posterior standard deviations; largest of log(std / exact std)."""
    X = np.random.default_rng(7).uniform(size=(300, d))
    std = np.sqrt(exact.posterior.variance(X))
    shift = (got.posterior.mean(X) - exact.posterior.mean(X)) / std
    return float(np.sqrt(np.mean(shift**2))), float(np.abs(0.5 * np.log(got.posterior.variance(X) / std**2)).max())


class TestTheErrorAgainstTheExactAnswer:
    """600 duels on 1,200 designs; the bounds are about three times what was measured."""

    @pytest.mark.parametrize("inference", ["laplace", "ep"])
    @pytest.mark.parametrize(
        ("d", "inducing", "mean", "std", "evidence"),
        [(2, 30, 1e-2, 3e-3, 0.1), (2, 60, 2e-5, 5e-6, 1e-5), (4, 100, 0.1, 0.1, 0.7), (4, 300, 1.5e-3, 1e-3, 3e-3)],
    )
    def test_is_small(self, inference: str, d: int, inducing: int, mean: float, std: float, evidence: float) -> None:
        exact, got = (conditioned(d, count, inference=inference) for count in (None, inducing))
        of_mean, of_std = errors(got, exact, d)
        assert of_mean < mean
        assert of_std < std
        assert got.log_evidence == pytest.approx(exact.log_evidence, abs=evidence)

    def test_falls_as_designs_are_added(self) -> None:
        exact = conditioned(4, None)
        counts = (25, 50, 100, 200, 400)
        models = [conditioned(4, count) for count in counts]
        shares = [model.approximation.left_out for model in models if model.approximation is not None]
        means, stds = zip(*(errors(model, exact, 4) for model in models), strict=True)
        for falling in (shares, means, stds):
            assert np.all(np.diff(np.log(falling)) < 0.0)
        assert means[-1] < 1e-3

    @pytest.mark.parametrize("inference", ["laplace", "ep"])
    @pytest.mark.parametrize("likelihood", ["probit", "logistic"])
    def test_vanishes_with_all_designs(self, inference: str, likelihood: str) -> None:
        duels = simulated(3, duels=150)
        exact, got = (
            conditioned(3, count, duels=duels, inference=inference, likelihood=likelihood) for count in (None, 300)
        )
        assert got.approximation is not None
        assert got.approximation.left_out < 1e-12
        of_mean, of_std = errors(got, exact, 3)
        assert of_mean < 1e-6
        assert of_std < 1e-6
        assert got.log_evidence == pytest.approx(exact.log_evidence, abs=1e-6)

    def test_is_small_with_ties_and_a_noise_map(self) -> None:
        duels = simulated(3, threshold=0.5)
        assert len(duels.ties) > 30
        noise = ap.NoiseMap.bounded(np.full((1, 3), 0.4), bandwidth=0.3, strength=3.0)
        exact, got = (conditioned(3, count, noise, duels=duels, inference="ep") for count in (None, 250))
        of_mean, of_std = errors(got, exact, 3)
        assert of_mean < 1e-4
        assert of_std < 1e-4
        assert got.log_evidence == pytest.approx(exact.log_evidence, abs=1e-3)

    @pytest.mark.parametrize("noise", [1e-3, 1e-6])
    def test_is_small_at_small_noise(self, noise: float) -> None:
        duels = simulated(3, noise)
        exact, got = (conditioned(3, count, noise, duels=duels) for count in (None, 300))
        assert got.info.converged
        of_mean, of_std = errors(got, exact, 3)
        assert of_mean < 1e-4
        assert of_std < 1e-4

    def test_one_by_one_updates_agree_with_the_exact_ones(self) -> None:
        """Small noise: expectation propagation gives up its parallel passes."""
        duels = simulated(3, 1e-5, duels=150)
        exact, got = (conditioned(3, count, 1e-5, duels=duels, inference="ep") for count in (None, 200))
        assert got.info.converged
        assert max(errors(got, exact, 3)) < 1e-3

    def test_a_mixture_of_draws_has_the_moments_of_the_exact_one(self) -> None:
        duels = simulated(2, duels=40)
        sampler = PolyaGamma(sweeps=50, draws=400, thin=2)
        settings = {"duels": duels, "likelihood": "logistic", "inference": sampler}
        exact, got = (conditioned(2, count, **settings) for count in (None, 80))
        assert got.posterior.draws is not None
        of_mean, _ = errors(got, exact, 2)  # two runs of a chain, whose paths need not be the same
        assert of_mean < 0.3

    def test_acquisitions_prefer_the_same(self) -> None:
        """The best of many pairs is the same, and the best design's score is not missed."""
        exact, got = (conditioned(4, count) for count in (None, 300))
        pairs = np.random.default_rng(1).uniform(size=(2000, 2, 4))
        scores = [ap.acquisition.EUBO().bind(model.posterior, model.noise)(pairs) for model in (exact, got)]
        assert np.argmax(scores[0]) == np.argmax(scores[1])
        for acquisition in (ap.acquisition.EI(), ap.acquisition.UCB(2.0)):
            of_exact, of_got = (acquisition.bind(m.posterior, m.noise)(pairs[:, 0]) for m in (exact, got))
            assert of_exact[np.argmax(of_got)] == pytest.approx(of_exact.max(), rel=1e-3)


class TestWhenItIsUsed:
    def test_a_few_duels_are_exact(self) -> None:
        model = conditioned(2, "auto")
        assert model.approximation is None
        np.testing.assert_array_equal(model.posterior.points, model.designs)

    def test_many_duels_are_not(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(approximation, "MAX_EXACT", 500)
        model = conditioned(2, "auto")
        assert model.approximation is not None
        assert model.approximation.left_out <= approximation.RESIDUAL_TOLERANCE
        assert model.approximation.designs < 100
        assert str(model.approximation).startswith(f"{model.approximation.designs} inducing points leave out ")
        exact = conditioned(2, None)
        assert max(errors(model, exact, 2)) < 0.02

    def test_no_more_designs_than_allowed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(approximation, "MAX_EXACT", 500)
        monkeypatch.setattr(approximation, "MAX_INDUCING_POINTS", 40)
        model = conditioned(4, "auto")
        assert model.approximation is not None
        assert model.approximation.designs == 40

    def test_many_duels_on_few_designs_are_exact(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(approximation, "MAX_EXACT", 100)
        rng = np.random.default_rng(0)
        first = rng.integers(0, 50, 300)
        duels = ap.Duels(rng.uniform(size=(50, 2)), first, (first + 1) % 50)
        assert conditioned(2, "auto", duels=duels).approximation is None

    @pytest.mark.parametrize("inference", [Hallucination(sweeps=5), EP(latent="duel")], ids=["hallucination", "latent"])
    def test_inferences_that_are_exact_stay_so(self, inference: object, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(approximation, "MAX_EXACT", 20)
        assert conditioned(2, "auto", duels=simulated(2, duels=40), inference=inference).approximation is None

    def test_many_duels_are_learnt_from_some_also_by_hallucinations(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(approximation, "MAX_EXACT", 20)
        monkeypatch.setattr("anchorpbo.model.settings.MAX_FIT_DUELS", 30)
        duels = simulated(2, duels=40)
        model = ap.PreferenceGP(ap.RBF(0.35, 10.0), inference=Hallucination(sweeps=5), starts=1).fit(duels)
        assert model.approximation == Approximation(None, 0.0, 30)
        assert str(model.approximation) == "hyper-parameters learnt from 30 duels"
        assert len(model.posterior.points) == 80
        exact = ap.PreferenceGP(model.kernel, inducing=None, learn=None).condition(duels)
        assert model.log_evidence == pytest.approx(exact.log_evidence, abs=0.1)

    def test_what_cannot_be_says_so(self) -> None:
        with pytest.raises(IncompatibleError, match=r"draws from the exact prior; received inducing=50; use .*ep"):
            ap.PreferenceGP(inference="hallucination", inducing=50)
        with pytest.raises(IncompatibleError, match=r'latent="duel" is exact; received inducing=50; leave one'):
            ap.PreferenceGP(inference=EP(latent="duel"), inducing=50)
        with pytest.raises(InputError, match=r'inducing must be a number, "auto" or None; received \'many\''):
            ap.PreferenceGP(inducing="many")  # type: ignore[arg-type]
        for wrong in (0, 2.5, True):
            with pytest.raises(InputError, match="inducing must be a whole number of at least 1"):
                ap.PreferenceGP(inducing=wrong)  # type: ignore[arg-type]

    def test_before_any_duel(self) -> None:
        model = ap.PreferenceGP(inducing=10)
        assert model.approximation is None
        with pytest.raises(NotFittedError, match="seen no duels"):
            model.designs  # noqa: B018
        assert model.condition(ap.Duels.empty(2)).posterior.variance([[0.5, 0.5]]) == pytest.approx(1.0)


class TestTheModel:
    def test_the_best_designs_compared_are_among_the_posteriors_points(self) -> None:
        """So that the incumbent is the best of all that were compared, and a search starts there."""
        model = conditioned(4, 50)
        means = model.posterior.mean(model.designs)
        assert len(model.posterior.points) == 70
        assert model.posterior.means.max() == pytest.approx(means.max(), abs=1e-12)
        best = model.designs[np.argsort(-means)[:20]]
        assert all((model.posterior.points == x).all(axis=1).any() for x in best)

    def test_hyper_parameters_come_from_some_of_the_duels(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("anchorpbo.model.settings.MAX_FIT_DUELS", 100)
        duels = simulated(2)
        model = ap.PreferenceGP(ap.RBF(0.5, 5.0), inducing=60, starts=1).fit(duels)
        apart = ap.PreferenceGP(ap.RBF(0.5, 5.0), inducing=None, starts=1).fit(subsample_duels(duels, 100))
        np.testing.assert_array_equal(model.kernel.log_parameters, apart.kernel.log_parameters)
        assert model.approximation is not None
        assert model.approximation.learnt_from == 100
        assert "learnt from 100 duels" in str(model.approximation)
        # What is reported is the evidence of all of them.
        exact = ap.PreferenceGP(model.kernel, inducing=None, learn=None).condition(duels)
        assert model.log_evidence == pytest.approx(exact.log_evidence, abs=0.05)
        assert model.fit_info.log_evidence == apart.fit_info.log_evidence

    def test_little_is_lost_by_learning_from_some(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A third of the duels: the evidence of all at what was learnt is within a few nats of the best."""
        monkeypatch.setattr("anchorpbo.model.settings.MAX_FIT_DUELS", 200)
        duels = simulated(2)
        start = ap.RBF(0.5, 5.0)
        best = ap.PreferenceGP(start, inducing=None, starts=1).fit(duels).log_evidence
        some = ap.PreferenceGP(start, inducing=60, starts=1).fit(duels).log_evidence
        assert best - 5.0 < some < best + 0.5

    def test_the_same_call_gives_the_same_bits(self) -> None:
        one, other = (ap.PreferenceGP(ap.RBF(0.35, 10.0), inducing=40, starts=1) for _ in range(2))
        other.fit(simulated(2, seed=1, duels=100))
        one, other = (model.fit(simulated(2, duels=150)) for model in (one, other))
        assert one.posterior.beta.tobytes() == other.posterior.beta.tobytes()
        assert one.approximation == other.approximation

    def test_one_more_duel_without_a_refit(self) -> None:
        duels = simulated(2, duels=100)
        winner, loser = np.array([0.2, 0.2]), np.array([0.8, 0.8])
        model = conditioned(2, 150, duels=duels, inference="ep")
        exact = conditioned(2, None, duels=duels, inference="ep")
        X = np.random.default_rng(3).uniform(size=(20, 2))
        got, expected = (m.posterior_after(winner, loser) for m in (model, exact))
        np.testing.assert_allclose(got.mean(X), expected.mean(X), atol=1e-6)
        np.testing.assert_allclose(got.variance(X), expected.variance(X), atol=1e-6)

    def test_a_later_exact_posterior_has_no_approximation(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(approximation, "MAX_EXACT", 100)
        model = conditioned(2, "auto")
        assert isinstance(model.approximation, Approximation)
        assert model.condition(simulated(2, duels=50)).approximation is None


class TestSomeOfTheDuels:
    def test_wins_and_ties_are_drawn_alike_and_once_and_for_all(self) -> None:
        duels = simulated(3, threshold=0.5)
        some = subsample_duels(duels, 300)
        assert len(some) == 300
        assert len(some.ties) == pytest.approx(0.5 * len(duels.ties), rel=0.3)
        assert some == subsample_duels(duels, 300)

    def test_each_is_one_of_the_duels(self) -> None:
        def pairs(duels: ap.Duels) -> set[bytes]:
            both: Array = np.hstack([duels.points[duels.first], duels.points[duels.second], duels.tied[:, None]])
            return {row.tobytes() for row in both}

        duels = simulated(3, threshold=0.5)
        assert pairs(subsample_duels(duels, 300)) < pairs(duels)
        assert len(pairs(subsample_duels(duels, 300))) == 300

    def test_of_a_few_all(self) -> None:
        duels = simulated(2, duels=50)
        assert subsample_duels(duels, 50) is duels
