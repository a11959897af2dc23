"""Random models on random duels, for as long as one likes: `make soak` takes an hour, `make test` some seconds."""

import os
import time

import numpy as np
import pytest

import anchorpbo as ap
from support.adversarial_models import FINE, REFUSED, judged

SECONDS = float(os.environ.get("ANCHORPBO_SOAK_SECONDS", "15"))


def random_model(rng):
    d = int(rng.integers(1, 6))
    u, m = int(rng.integers(2, 40)), int(rng.integers(0, 60))
    points = rng.random((u, d)) if rng.random() < 0.7 else np.round(rng.random((u, d)), 1)
    winners, losers = rng.integers(u, size=(2, m))
    ties = rng.integers(u, size=(int(rng.integers(0, 5)), 2)) if rng.random() < 0.4 else None
    kernels = (ap.RBF, ap.Matern32, ap.Matern52)
    lengths = np.exp(rng.normal(-1, 1, size=d if rng.random() < 0.5 else ()))
    kernel = kernels[rng.integers(3)](np.clip(lengths, 0.03, 10.0), float(np.clip(np.exp(rng.normal(0, 3)), 0.02, 5e3)))
    noises = (
        lambda: ap.NoiseMap.constant(float(np.exp(rng.normal(-1, 2)))),
        lambda: ap.NoiseMap.from_anchors(rng.random((int(rng.integers(1, 8)), d))),
        lambda: ap.NoiseMap.bounded(rng.random((int(rng.integers(1, 8)), d)), strength=float(rng.uniform(0, 8))),
    )
    likelihood, inference = [
        ("probit", "laplace"),
        ("probit", "ep"),
        ("probit", ap.Hallucination(sweeps=30)),
        ("probit", ap.Hallucination(sweeps=10, draws=4)),
        ("logistic", "laplace"),
        ("logistic", "ep"),
        (ap.Logistic(form="difference"), "laplace"),
        ("logistic", ap.PolyaGamma(sweeps=5, draws=3)),
    ][rng.integers(8)]
    model = ap.PreferenceGP(kernel, likelihood, inference, noises[rng.integers(3)](), seed=int(rng.integers(1000)))
    return model, ap.Duels(points, winners, losers, ties)


def check(model, duels, rng):
    posterior = model.posterior
    X = rng.random((8, duels.dimension))
    assert np.isfinite(posterior.mean(X)).all()
    variance = posterior.variance(X)
    assert np.isfinite(variance).all()
    assert (variance >= 0).all()
    chosen = model.prob_choose(X, X[::-1])
    assert ((chosen >= 0) & (chosen <= 1 + 1e-12)).all()
    single, pair = ap.acquisition.RAHBO(), ap.acquisition.RAEUBO()
    for acquisition, shape in ((single, (duels.dimension,)), (pair, (2, duels.dimension))):
        bound = acquisition.bind(posterior, model.noise)
        found = ap.search.maximise(bound, duels.dimension, rng, raw=32, restarts=2)
        assert found.x.shape == shape
        assert ((found.x >= 0) & (found.x <= 1)).all()
        assert found.value >= found.info.raw_value - 1e-12 * abs(found.value)


def test_random_models_stay_finite_and_sensible():
    end, seed = time.monotonic() + SECONDS, 0
    while time.monotonic() < end or seed < 5:
        rng = np.random.default_rng([seed, 20])
        try:
            model, duels = random_model(rng)
            check(model.condition(duels) if rng.random() < 0.5 else model.fit(duels), duels, rng)
        except Exception as problem:
            raise AssertionError(f"random model {seed} failed: {model!r} on {duels!r}") from problem
        seed += 1


KNOWN = (94, 113, 210, 261, 31, 109, 461, 175, 1866, 500, 2405, 12896, 2040, 3364, 10296)
"""Adversarial sets that once gave NaN, an endless loop, an error of another library, or nonsense."""


@pytest.mark.parametrize("number", KNOWN)
def test_an_adversarial_set_that_once_went_wrong_gives_numbers_or_an_error_in_words(number):
    ((_, kind, why),) = judged([number])
    assert kind in (FINE, REFUSED), why


def test_adversarial_sets_give_numbers_or_an_error_in_words():
    end, number = time.monotonic() + SECONDS, 0

    def numbers():
        nonlocal number
        while time.monotonic() < end or number < 5:
            yield number
            number += 1

    wrong = [outcome for outcome in judged(numbers()) if outcome[1] not in (FINE, REFUSED)]
    assert not wrong
