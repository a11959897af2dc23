"""Equal duels count as one row while hyper-parameters are learnt: the same mode, evidence and gradient."""

import numpy as np
import pytest

from anchorpbo.duels import Duels
from anchorpbo.inference import evidence_gradient, find_mode, laplace_evidence
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.posterior import LATENTS, PointLatent


@pytest.mark.parametrize("likelihood", [Probit(0.3), Logistic(0.4, form="paper")], ids=repr)
@pytest.mark.parametrize("latent", sorted(LATENTS))
def test_merged_duels_have_the_same_evidence_and_gradient(likelihood: Likelihood, latent: str) -> None:
    rng = np.random.default_rng(0)
    points = rng.random((6, 2))
    duels = Duels(points, *rng.integers(0, 6, size=(2, 120)), ties=rng.integers(0, 6, size=(30, 2)))
    noise, K = rng.uniform(0.3, 1.0, 6), RBF(0.4, 3.0)(points, points)
    found = []
    for each in (duels, duels.merge_repeats()):
        here = LATENTS[latent](likelihood.rows(each, noise), K)
        mode = find_mode(here, likelihood)
        gradient = evidence_gradient(here, likelihood, mode)
        by_design = np.zeros(6)
        np.add.at(by_design, each.first, gradient.by_coef_first)
        np.add.at(by_design, each.second, gradient.by_coef_second)
        found.append((laplace_evidence(mode), gradient.by_kernel, gradient.by_threshold, by_design))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-8)


def test_equal_duels_are_one_row_of_the_matrix() -> None:
    points = np.random.default_rng(1).random((3, 2))
    rows = Probit().rows(Duels(points, [0, 0, 1], [1, 1, 2]).merge_repeats(), np.ones(3))
    assert rows.counts is not None
    assert rows.counts.tolist() == [2.0, 1.0]
    assert len(PointLatent(rows, np.eye(3)).rows) == 2
