"""Many duels on few designs: the elimination that point space rests on, against exact and against QR arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from anchorpbo.duels import Duels, Rows
from anchorpbo.inference import EP, Hallucination, Laplace
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.posterior import PointLatent, Sites, Solution, posterior_from_sites
from anchorpbo.posterior.point_latent import eliminate_designs
from anchorpbo.typing import Array


def rows_of(likelihood: Likelihood, designs: int, duels: int, seed: int = 0, ratio: float = 1e6) -> Rows:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, designs, size=(2, duels))
    noise = ratio ** -rng.random(designs)
    a, b = likelihood.coefficients(noise[first], noise[second])
    return Rows(first, second, a, b, np.zeros(duels, dtype=np.bool_), designs)


def sites_of(duels: int, seed: int = 1, spread: float = 8.0) -> Sites:
    rng = np.random.default_rng(seed)
    precision = 10.0 ** -rng.uniform(0.0, spread, duels)
    return Sites(precision, precision * rng.normal(1.0, 1.0, duels))


def latent_of(rows: Rows, seed: int = 2) -> PointLatent:
    X = np.random.default_rng(seed).random((rows.designs, 3))
    return PointLatent(rows, RBF(0.5)(X, X))


def solved_by_qr(latent: PointLatent, sites: Sites, monkeypatch: pytest.MonkeyPatch) -> Solution:
    with monkeypatch.context() as patch:
        patch.setattr(PointLatent, "_by_elimination", lambda *_: None)
        return latent.solve(sites)


def exact_system(rows: Rows, sites: Sites) -> tuple[list[list[Fraction]], list[Fraction]]:
    """D'WD and D'b in rational arithmetic."""
    u = rows.designs
    A, c = [[Fraction(0)] * u for _ in range(u)], [Fraction(0)] * u
    entries = (rows.first, rows.second, rows.coef_first, rows.coef_second, sites.precision, sites.linear)
    for i, j, a, b, w, t in zip(*(each.tolist() for each in entries), strict=True):
        if i != j:
            row = {i: Fraction(a), j: -Fraction(b)}
            for p, at_p in row.items():
                c[p] += Fraction(t) * at_p
                for q, at_q in row.items():
                    A[p][q] += Fraction(w) * at_p * at_q
    return A, c


def exactly_eliminated(rows: Rows, sites: Sites) -> tuple[Array, Array]:
    """F and y by Gaussian elimination as everyone knows it, in rational arithmetic."""
    u, (A, c) = rows.designs, exact_system(rows, sites)
    F, y = np.zeros((u, u)), np.zeros(u)
    for k in range(u - 1):
        pivot = A[k][k]
        root = float(pivot) ** 0.5
        F[k, k:] = [float(A[k][j] / pivot) * root for j in range(k, u)]
        y[k] = float(c[k] / pivot) * root
        for i in range(k + 1, u):
            share = A[i][k] / pivot
            c[i] -= share * c[k]
            A[i] = [entry - share * other for entry, other in zip(A[i], A[k], strict=True)]
    return F, y


def exact_covariance(latent: PointLatent, sites: Sites) -> Array:
    """(I + K D'WD)^-1 K in rational arithmetic."""
    u, (A, _) = latent.rows.designs, exact_system(latent.rows, sites)
    K = [[Fraction(entry) for entry in row] for row in latent.prior.tolist()]
    M = [[Fraction(int(i == j)) + sum(K[i][k] * A[k][j] for k in range(u)) for j in range(u)] + K[i] for i in range(u)]
    for c in range(u):
        M[c] = [entry / M[c][c] for entry in M[c]]
        for i in range(u):
            if i != c:
                M[i] = [entry - M[i][c] * other for entry, other in zip(M[i], M[c], strict=True)]
    return np.array([[float(entry) for entry in row[u:]] for row in M])


@pytest.mark.parametrize("likelihood", [Probit(), Logistic(form="difference")], ids=repr)
def test_every_entry_is_that_of_exact_arithmetic_however_much_precisions_differ(likelihood: Likelihood) -> None:
    rows, sites = rows_of(likelihood, 7, 60), sites_of(60)
    F, y = eliminate_designs(*rows.pool_sites(np.ones(7), sites.precision, sites.linear))
    exact_F, exact_y = exactly_eliminated(rows, sites)
    np.testing.assert_allclose(F, exact_F, rtol=1e-13)
    np.testing.assert_allclose(y, exact_y, rtol=1e-11)


@pytest.mark.parametrize("likelihood", [Probit(), Logistic(form="difference"), Logistic(form="paper")], ids=repr)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_posterior_is_as_exact_as_by_qr(likelihood: Likelihood, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, sites = rows_of(likelihood, 8, 100, seed), sites_of(100, spread=3.0)
    latent = latent_of(rows)
    exact = exact_covariance(latent, sites)
    std = np.sqrt(np.diagonal(exact))
    mine, by_qr = (
        np.abs((solution.covariance - exact) / np.outer(std, std)).max()
        for solution in (latent.solve(sites), solved_by_qr(latent, sites, monkeypatch))
    )
    assert mine <= 10.0 * by_qr + 1e-13


@pytest.mark.parametrize(
    ("likelihood", "ratio"),
    [(Probit(), 1.0), (Probit(), 1e6), (Logistic(form="difference"), 1e6), (Logistic(form="paper"), 10.0)],
    ids=repr,
)
def test_elimination_and_qr_give_one_posterior(
    likelihood: Likelihood, ratio: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, sites = rows_of(likelihood, 12, 400, ratio=ratio), sites_of(400, spread=3.0)
    latent = latent_of(rows)
    mine, other = latent.solve(sites), solved_by_qr(latent, sites, monkeypatch)
    np.testing.assert_allclose(mine.covariance, other.covariance, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(mine.dual, other.dual, rtol=1e-6, atol=1e-9 * np.abs(other.dual).max())
    np.testing.assert_allclose(mine.margin_means, other.margin_means, rtol=1e-7, atol=1e-8)
    assert mine.log_determinant == pytest.approx(other.log_determinant, rel=1e-11)


def test_designs_that_were_never_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = np.array([0, 0, 2, 2, 4]), np.array([1, 1, 3, 3, 4])  # two islands, and a design against itself
    rows = Rows(first, second, np.ones(5), np.ones(5), np.zeros(5, dtype=np.bool_), 5)
    latent, sites = latent_of(rows), sites_of(5, spread=1.0)
    mine, other = latent.solve(sites), solved_by_qr(latent, sites, monkeypatch)
    np.testing.assert_allclose(mine.covariance, other.covariance, atol=1e-14)
    np.testing.assert_allclose(mine.dual, other.dual, atol=1e-14)


def test_sites_without_precision_say_nothing() -> None:
    rows = rows_of(Probit(), 5, 30)
    solution = latent_of(rows).solve(Sites(np.zeros(30), np.zeros(30)))
    assert not solution.F.any()
    assert not solution.dual.any()
    np.testing.assert_array_equal(solution.covariance, solution.latent.prior)


def test_rows_of_any_other_form_are_factorised() -> None:
    rows = rows_of(Probit(), 6, 40)
    rng = np.random.default_rng(3)
    odd = Rows(rows.first, rows.second, *rng.uniform(0.5, 2.0, size=(2, 40)), rows.tied, 6)
    assert odd.scales is None
    latent, sites = latent_of(odd), sites_of(40, spread=1.0)
    D, K = odd.D.toarray(), latent.prior
    expected = np.linalg.inv(np.linalg.inv(K) + D.T @ np.diag(sites.precision) @ D)
    np.testing.assert_allclose(latent.solve(sites).covariance, expected, rtol=1e-7, atol=1e-10)


def test_scales_of_rows() -> None:
    assert rows_of(Probit(), 6, 40).scales is not None
    paper = rows_of(Logistic(form="paper"), 6, 40)
    assert paper.scales is not None
    np.testing.assert_array_equal(paper.scales[paper.first], paper.coef_first)
    np.testing.assert_array_equal(paper.scales[paper.second], paper.coef_second)


@pytest.mark.parametrize(
    ("inference", "tolerance"), [(Laplace(latent="point"), 1e-8), (EP(latent="point"), 1e-5), (Hallucination(20), 1e-8)]
)
def test_every_inference_ends_where_it_does_by_qr(
    inference: Laplace, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    points = rng.random((10, 3))
    duels = Duels(points, *rng.integers(0, 10, size=(2, 500)))
    rows = Probit().rows(duels, np.full(10, 0.3))
    kernel = RBF(0.5)

    def means() -> Array:
        latent = PointLatent(rows, kernel(duels.points, duels.points))
        sites = inference.infer(latent, Probit(), np.random.default_rng(5)).sites
        return posterior_from_sites(kernel, duels.points, latent, sites).means

    mine = means()
    monkeypatch.setattr(PointLatent, "_by_elimination", lambda *_: None)
    np.testing.assert_allclose(mine, means(), atol=tolerance)


def test_many_draws_are_solved_at_once() -> None:
    latent = latent_of(rows_of(Probit(), 6, 40, ratio=10.0))
    draws = Sites(np.ones(40), np.random.default_rng(6).normal(size=(3, 40)))
    together = latent.solve(draws).dual
    for index in range(3):
        np.testing.assert_allclose(together[index], latent.solve(draws.draw(index)).dual, rtol=1e-8, atol=1e-11)
