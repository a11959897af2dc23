"""EP's passes: how they are extrapolated, and that they are fewer for it."""

import numpy as np
import pytest

from anchorpbo.duels import Duels
from anchorpbo.inference import EP
from anchorpbo.inference.ep import Extrapolation
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.posterior import LATENTS, Sites


def test_a_linear_map_in_few_dimensions_is_solved_exactly():
    """Of two sites whose changes lie in a plane, three passes say all there is to know."""
    rng = np.random.default_rng(0)
    answer, directions = rng.uniform(2.0, 3.0, (2, 3)), rng.standard_normal((2, 2, 3))
    rates = np.array([0.6, -0.4])

    def one_pass(where):
        return answer + np.tensordot(rates * where, directions, 1)

    # In the plane's coordinates a pass multiplies by the rates.
    where, extrapolation = np.array([0.2, 0.1]), Extrapolation(np.array([0.5, 1.0, 2.0]))
    for _ in range(3):
        here = Sites(*(answer + np.tensordot(where, directions, 1)))
        there = extrapolation.beyond(here, Sites(*one_pass(where)))
        moved = np.array([there.precision, there.linear]) - answer
        where = np.linalg.lstsq(directions.reshape(2, -1).T, moved.ravel(), rcond=None)[0]
    np.testing.assert_allclose([there.precision, there.linear], answer, rtol=1e-10)


def test_precisions_stay_positive():
    """From 1 to 0.5 to 0.1 the line goes on to -1.5; the pass is kept."""
    extrapolation = Extrapolation(np.ones(1))
    one, half, tenth = (Sites(np.array([w]), np.zeros(1)) for w in (1.0, 0.5, 0.1))
    extrapolation.beyond(one, half)
    assert extrapolation.beyond(half, tenth).precision.tolist() == [0.1]


@pytest.mark.parametrize("likelihood", [Probit(), Logistic(form="difference")], ids=["probit", "difference"])
def test_passes_do_for_duels_of_distinct_designs(likelihood, monkeypatch):
    """The common case must not need the single updates, which cost several times as much."""
    rng = np.random.default_rng(2)
    points, kernel = rng.random((60, 3)), RBF(0.5, 8.0)
    rows = likelihood.rows(Duels(points, np.arange(30), np.arange(30, 60)), np.full(60, 0.3))
    latent = LATENTS["duel"](rows, kernel(points, points))

    def refuse(*_):
        raise AssertionError("single updates were needed")

    monkeypatch.setattr("anchorpbo.inference.ep.match_one_by_one", refuse)
    info = EP().infer(latent, likelihood, rng).info
    assert info.converged
    assert info.iterations <= 15
