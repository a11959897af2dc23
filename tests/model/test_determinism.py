"""The same seed gives the same bits, whatever ran before in the process."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import anchorpbo as ap

SCRIPT = """
import numpy as np
import anchorpbo as ap
rng = np.random.default_rng(3)
points = rng.random((30, 3))
duels = ap.Duels(points, np.arange(15), np.arange(15, 30), [[0, 29]])
def bits(likelihood, inference, seed=5):
    noise = ap.NoiseMap.bounded(points[:3])
    model = ap.PreferenceGP(ap.RBF([0.3, 0.3, 0.3]), likelihood, inference, noise, seed=seed).fit(duels)
    bound = ap.acquisition.RAEUBO().bind(model.posterior, model.noise)
    found = ap.search.maximise(bound, 3, np.random.default_rng(seed), raw=64, restarts=2)
    return model.posterior.beta.tobytes().hex() + found.x.tobytes().hex()
def draw(seed):
    model = ap.PreferenceGP(ap.RBF(0.3), inference="hallucination", seed=seed, learn=None)
    return model.condition(duels).posterior.beta
"""
CHOICES = [("probit", "laplace"), ("probit", "ep"), ("probit", "hallucination"), ("logistic", "polya-gamma")]
exec(SCRIPT)  # defines `bits` and `duels` here and, through the same text, in the other process


@pytest.mark.parametrize("choice", CHOICES, ids=map("-".join, CHOICES))
def test_bits_do_not_depend_on_what_ran_before(choice):
    before = bits(*choice)  # noqa: F821
    np.random.seed(1)  # noqa: NPY002
    np.random.random(100)  # noqa: NPY002
    for other in CHOICES:
        bits(*other, seed=6)  # noqa: F821
    assert bits(*choice) == before  # noqa: F821


def test_bits_do_not_depend_on_the_process():
    lines = "".join(f"print(bits{choice})\n" for choice in CHOICES)
    run = subprocess.run([sys.executable, "-c", SCRIPT + lines], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [bits(*choice) for choice in CHOICES]  # noqa: F821


def test_bits_do_not_depend_on_threads():
    alone = [bits(*choice) for choice in CHOICES]  # noqa: F821
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda choice: bits(*choice), CHOICES))  # noqa: F821
    assert together == alone


def test_another_seed_gives_another_draw():
    assert not np.array_equal(draw(5), draw(6))  # noqa: F821
    np.testing.assert_array_equal(draw(5), draw(5))  # noqa: F821


def test_a_model_does_not_remember_earlier_duels():
    rng = np.random.default_rng(4)
    others = ap.Duels(rng.random((20, 3)), np.arange(10), np.arange(10, 20))
    used = ap.PreferenceGP(ap.RBF(0.3), inference="hallucination", seed=2)
    used.fit(others).condition(duels)  # noqa: F821
    fresh = ap.PreferenceGP(ap.RBF(0.3), inference="hallucination", seed=2)
    assert used.fit(duels).posterior.beta.tobytes() == fresh.fit(duels).posterior.beta.tobytes()  # noqa: F821
