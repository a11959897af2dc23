"""The third space: what it leaves out, and that it leaves nothing out once every design is in it."""

from __future__ import annotations

import numpy as np
import pytest

from anchorpbo.duels import Duels, Rows
from anchorpbo.errors import IncompatibleError
from anchorpbo.inference import Hallucination
from anchorpbo.kernels import RBF, Kernel, Matern52
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.posterior import (
    DuelLatent,
    ExactLatent,
    GaussianPosterior,
    InducingLatent,
    LatentGaussian,
    Sites,
    choose_inducing_points,
    posterior_from_sites,
)
from anchorpbo.typing import Array

KERNEL = Matern52(0.5, 2.0)


def some_duels(designs: int = 12, duels: int = 9, seed: int = 0) -> Duels:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, designs, duels)
    return Duels(rng.uniform(size=(designs, 2)), first, (first + rng.integers(1, designs, duels)) % designs)


def rows_of(duels: Duels, noise: float | Array = 0.3) -> Rows:
    return Probit().rows(duels, np.broadcast_to(noise, len(duels.points)).astype(float))


def some_sites(rows: Rows, seed: int = 1) -> Sites:
    rng = np.random.default_rng(seed)
    return Sites(rng.uniform(0.1, 2.0, len(rows)), rng.standard_normal(len(rows)))


class TestTheChoiceOfDesigns:
    def test_factors_are_what_their_formulas_say(self) -> None:
        duels = some_duels()
        rows = rows_of(duels)
        chosen = choose_inducing_points(KERNEL, duels.points, rows, max_points=5)
        Z, D = duels.points[chosen.chosen], rows.D.toarray()
        np.testing.assert_array_equal(chosen.points, Z)
        np.testing.assert_allclose(chosen.L @ chosen.L.T, KERNEL(Z, Z), atol=1e-12)
        expected = D @ KERNEL(duels.points, Z) @ np.linalg.inv(chosen.L).T
        np.testing.assert_allclose(chosen.H, expected, atol=1e-11)
        C = D @ KERNEL(duels.points, duels.points) @ D.T
        assert chosen.left_out == pytest.approx(1.0 - np.trace(expected @ expected.T) / np.trace(C), abs=1e-12)

    def test_each_is_where_most_is_left_out(self) -> None:
        """Against the Schur complement, weighted by the squared entries of D."""
        duels = some_duels()
        rows = rows_of(duels, np.linspace(0.1, 2.0, len(duels.points)))
        chosen = choose_inducing_points(KERNEL, duels.points, rows, max_points=6).chosen
        K, weights = KERNEL(duels.points, duels.points), (rows.D.toarray() ** 2).sum(axis=0)
        for r in range(1, 6):
            Z = chosen[:r]
            left = np.diagonal(K - K[:, Z] @ np.linalg.solve(K[np.ix_(Z, Z)], K[Z]))
            assert chosen[r] == np.argmax(weights * left)

    def test_it_stops_when_enough_is_known(self) -> None:
        duels = some_duels(200, 100)
        rows = rows_of(duels)
        enough = choose_inducing_points(RBF(0.6), duels.points, rows, max_points=200, tolerance=1e-3)
        fewer = choose_inducing_points(RBF(0.6), duels.points, rows, max_points=len(enough.chosen) - 1)
        assert enough.left_out <= 1e-3 < fewer.left_out

    def test_it_stops_at_rounding(self) -> None:
        """Equal designs are one design to it, and no pivot is so small that a factor would be noise."""
        points = np.array([[0.3, 0.3], [0.3, 0.3 + 1e-14], [0.3, 0.3 + 1e-10], [0.7, 0.1]])
        rows = rows_of(Duels(points, [0, 1, 2, 0], [3, 0, 1, 2]))
        chosen = choose_inducing_points(RBF(0.5), points, rows, max_points=4)
        assert len(chosen.chosen) == 2
        assert chosen.left_out < 1e-12

    def test_quiet_designs_come_first(self) -> None:
        rng = np.random.default_rng(0)
        points = rng.uniform(size=(40, 2))
        noise = np.where(points[:, 0] < 0.5, 0.01, 10.0)
        rows = rows_of(Duels(points, np.arange(20), np.arange(20, 40)), noise)
        chosen = choose_inducing_points(RBF(0.2), points, rows, max_points=5).chosen
        quiet = (noise[rows.first] < 1.0) & (noise[rows.second] < 1.0)
        heard = np.unique(np.concatenate([rows.first[quiet], rows.second[quiet]]))
        assert np.isin(chosen, heard).all()

    def test_the_matrix_of_all_designs_is_never_formed(self) -> None:
        class Watched(RBF):
            largest = 0

            def __call__(self, X: Array, Y: Array) -> Array:
                Watched.largest = max(Watched.largest, len(X) * len(Y))
                return super().__call__(X, Y)

        duels = some_duels(300, 200)
        choose_inducing_points(Watched(0.4), duels.points, rows_of(duels), max_points=20)
        assert Watched.largest == len(duels.points)


def both(kernel: Kernel, duels: Duels, rows: Rows) -> tuple[DuelLatent, InducingLatent]:
    exact = DuelLatent(rows, kernel(duels.points, duels.points))
    return exact, InducingLatent(rows, choose_inducing_points(kernel, duels.points, rows, max_points=len(duels.points)))


@pytest.mark.parametrize(
    ("link", "noise"),
    [(Probit(), 1.0), (Probit(), 1e-2), (Probit(), 1e-6), (Logistic(), 1.0), (Logistic(), 1e-3)],
    ids=str,
)
@pytest.mark.parametrize(("designs", "duels"), [(20, 8), (8, 20)])
class TestWithEveryDesignItIsExact:
    def test_the_solution(self, link: Probit | Logistic, noise: float, designs: int, duels: int) -> None:
        given = some_duels(designs, duels)
        rows = link.rows(given, np.full(len(given.points), noise))
        exact, inducing = both(KERNEL, given, rows)
        sites = some_sites(rows)
        expected, got = exact.solve(sites), inducing.solve(sites)
        assert got.log_determinant == pytest.approx(expected.log_determinant, rel=1e-9)
        scale = np.sqrt(expected.margin_variances).max()
        np.testing.assert_allclose(got.margin_means, expected.margin_means, atol=1e-6 * scale)
        np.testing.assert_allclose(got.margin_variances, expected.margin_variances, rtol=1e-5)

    def test_the_posterior(self, link: Probit | Logistic, noise: float, designs: int, duels: int) -> None:
        given = some_duels(designs, duels)
        rows = link.rows(given, np.full(len(given.points), noise))
        exact, inducing = both(KERNEL, given, rows)
        sites, X = some_sites(rows), np.random.default_rng(2).uniform(size=(30, 2))
        expected = posterior_from_sites(KERNEL, given.points, exact, sites)
        got = posterior_from_sites(KERNEL, inducing.inducing.points, inducing, sites)
        np.testing.assert_allclose(got.mean(X), expected.mean(X), atol=1e-7)
        np.testing.assert_allclose(got.covariance(X), expected.covariance(X), atol=1e-7)


def test_draws_that_share_their_precisions_are_solved_together() -> None:
    duels = some_duels(30, 40)
    rows = rows_of(duels)
    latent = InducingLatent(rows, choose_inducing_points(KERNEL, duels.points, rows, max_points=10))
    one = some_sites(rows)
    together = latent.solve(Sites(one.precision, np.stack([one.linear, 2.0 * one.linear])))
    np.testing.assert_allclose(together.dual[0], latent.solve(one).dual, atol=1e-12)
    np.testing.assert_allclose(together.dual[1], 2.0 * latent.solve(one).dual, atol=1e-12)


def test_more_duels_than_digits_take_the_slower_way_to_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    duels = some_duels(30, 60)
    rows = rows_of(duels)
    latent = InducingLatent(rows, choose_inducing_points(KERNEL, duels.points, rows, max_points=20))
    sites = some_sites(rows)
    fast = latent.solve(sites)
    monkeypatch.setattr("anchorpbo.posterior.inducing._MAX_TRACE", 0.0)
    slow = latent.solve(sites)
    np.testing.assert_allclose(fast.dual, slow.dual, atol=1e-11)
    np.testing.assert_allclose(fast.precision, slow.precision, atol=1e-11)
    assert fast.log_determinant == pytest.approx(slow.log_determinant, rel=1e-12)


@pytest.mark.parametrize(
    "duels", [Duels.empty(2), Duels([[0.2, 0.3]], [0], [0])], ids=["no duels", "a design against itself"]
)
def test_nothing_to_learn_from(duels: Duels) -> None:
    rows = rows_of(duels)
    latent = InducingLatent(rows, choose_inducing_points(KERNEL, duels.points, rows, max_points=5))
    sites = Sites(np.ones(len(rows)), np.ones(len(rows)))
    solution = latent.solve(sites)
    assert solution.log_determinant == 0.0
    assert solution.margin_means.tolist() == [0.0] * len(rows)
    assert solution.margin_variances.tolist() == [0.0] * len(rows)
    posterior = posterior_from_sites(KERNEL, latent.inducing.points, latent, sites)
    assert posterior.variance([[0.1, 0.9]]) == pytest.approx(2.0)


def test_no_member_of_a_latent_vector_refuses_to_work() -> None:
    duels = some_duels()
    rows = rows_of(duels)
    latent = InducingLatent(rows, choose_inducing_points(KERNEL, duels.points, rows, max_points=4))
    solution = latent.solve(some_sites(rows))
    arguments = {
        "margins": [np.ones(4)],
        "apply_transpose": [np.ones(len(rows))],
        "margin_variances": [solution],
        "solve": [some_sites(rows)],
        "cavities": [solution],
        "dual_to_points": [solution.dual],
        "root_to_points": [solution.root],
    }
    interface = {name for name in vars(LatentGaussian) if not name.startswith("_")}
    assert interface == {*arguments, "prior", "dense_rows"}
    assert latent.prior.shape == (4, 4)
    np.testing.assert_array_equal(latent.dense_rows, latent.inducing.H)
    for name, values in arguments.items():
        getattr(latent, name)(*values)


def test_inducing_points_have_no_member_that_needs_the_exact_prior() -> None:
    assert not issubclass(InducingLatent, ExactLatent)
    members = {name for name in vars(ExactLatent) if not name.startswith("_")}
    assert members == {"sparse_rows", "reduced_entries", "prior_to_points"}
    assert not members & set(dir(InducingLatent))


def test_hallucination_refuses_inducing_points() -> None:
    duels = some_duels()
    rows = rows_of(duels)
    latent = InducingLatent(rows, choose_inducing_points(KERNEL, duels.points, rows, max_points=4))
    with pytest.raises(IncompatibleError, match=r"draws from the exact prior; received InducingLatent; use inference"):
        Hallucination(sweeps=1).infer(latent, Probit(), np.random.default_rng(0))


class TestMorePoints:
    """Designs without weight change nothing but `points` and `means`."""

    @pytest.fixture(params=[1, 7], ids=["one Gaussian process", "a mixture"])
    def posterior(self, request: pytest.FixtureRequest) -> GaussianPosterior:
        duels = some_duels(20, 30)
        rows, rng = rows_of(duels), np.random.default_rng(4)
        latent = InducingLatent(rows, choose_inducing_points(KERNEL, duels.points, rows, max_points=8))
        precision = rng.uniform(0.5, 1.0, (request.param, len(rows)))
        sites = Sites(precision, rng.standard_normal(precision.shape))
        return posterior_from_sites(
            KERNEL, latent.inducing.points, latent, sites.draw(0) if request.param == 1 else sites
        )

    def test_the_moments_stay(self, posterior: GaussianPosterior) -> None:
        rng = np.random.default_rng(5)
        more, X, Y = rng.uniform(size=(3, 6, 2))
        wider = posterior.with_points(more)
        np.testing.assert_array_equal(wider.points, np.vstack([posterior.points, more]))
        np.testing.assert_allclose(wider.mean(X), posterior.mean(X), atol=1e-12)
        np.testing.assert_allclose(wider.covariance(X), posterior.covariance(X), atol=1e-12)
        np.testing.assert_allclose(wider.prob_prefer(X, Y), posterior.prob_prefer(X, Y), atol=1e-12)
        assert len(wider.parts) == len(posterior.parts)
        assert len(wider.parts[:3]) == len(posterior.parts[:3])

    @pytest.mark.parametrize("piece", [2_000_000, 20])
    def test_moments_of_a_sum_are_those_of_the_matrix(
        self, posterior: GaussianPosterior, monkeypatch: pytest.MonkeyPatch, piece: int
    ) -> None:
        monkeypatch.setattr("anchorpbo.posterior.functional._MAX_COVARIANCES", piece)
        rng = np.random.default_rng(6)
        X, Y, weights = rng.uniform(size=(9, 2)), rng.uniform(size=(5, 2)), rng.standard_normal(5)
        total = posterior.functional(Y, weights)
        np.testing.assert_allclose(total.mean, posterior.mean(Y) @ weights, atol=1e-12)
        np.testing.assert_allclose(total.variance, weights @ posterior.covariance(Y) @ weights, atol=1e-12)
        np.testing.assert_allclose(total.covariance(X), posterior.covariance(X, Y) @ weights, atol=1e-12)
