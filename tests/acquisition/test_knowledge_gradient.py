"""The knowledge gradient and EUCO against simulated answers, and the search for the best duel."""

from itertools import combinations

import numpy as np
import pytest
from acquisition_study import study

from anchorpbo.acquisition import EUBO, EUCO, KnowledgeGradient
from anchorpbo.duels import Duels
from anchorpbo.errors import InputError, ShapeError
from anchorpbo.kernels import RBF, Matern52
from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import PosteriorMixture
from anchorpbo.reliability import NoiseMap
from anchorpbo.search import maximise, maximise_discrete
from anchorpbo.search import shortlist as shortlist_module
from anchorpbo.space.region import Region
from anchorpbo.testing.contract import differentiate_items

DRAWS = 60_000


def simulate(posterior, noise, grid, first, second, rng, lapse=0.0):
    """Draw utilities on the grid and noisy answers; returns the draws and whether the first design won."""
    utilities = posterior.sample(grid, DRAWS, rng)
    errors = rng.standard_normal((2, DRAWS)) * np.sqrt(noise(grid[[first, second]]))[:, None]
    won = utilities[:, first] + errors[0] > utilities[:, second] + errors[1]
    return utilities, np.where(rng.random(DRAWS) < lapse, rng.random(DRAWS) < 0.5, won)


def make_grid(dimension):
    side = np.linspace(0.0, 1.0, 21 if dimension == 1 else 6)
    return np.stack(np.meshgrid(*[side] * dimension), axis=-1).reshape(-1, dimension)


CASES = [(1, 0.3, 0), (1, 0.1, 1), (1, 0.5, 2), (2, 0.4, 3), (2, 0.25, 4)]


@pytest.mark.parametrize("lapse", [0.0, 0.3])
@pytest.mark.parametrize(("dimension", "lengthscale", "seed"), CASES)
def test_the_value_is_the_expected_best_posterior_mean_after_a_simulated_answer(dimension, lengthscale, seed, lapse):
    rng, grid = np.random.default_rng(seed), make_grid(dimension)
    posterior, noise = study(RBF(lengthscale, 4.0), duels=4, dimension=dimension, seed=seed)
    found = KnowledgeGradient(lapse).bind(posterior, noise).screen(grid, 10)
    value, (first, second) = found.values[-1], found.rows[-1]
    utilities, won = simulate(posterior, noise, grid, first, second, rng, lapse)
    simulated, error = 0.0, 0.0
    for answer in (won, ~won):
        means = utilities[answer].mean(axis=0)
        simulated += answer.mean() * means.max()
        error += answer.mean() * utilities[answer].std(axis=0)[means.argmax()] / np.sqrt(answer.sum())
    assert value == pytest.approx(simulated, abs=4.0 * error)
    assert value > posterior.mean(grid).max() + (3.0 if lapse else 8.0) * error


@pytest.mark.parametrize("lapse", [0.0, 0.3])
@pytest.mark.parametrize(("dimension", "lengthscale", "seed"), CASES)
def test_euco_is_the_expected_utility_of_the_simulated_choice(dimension, lengthscale, seed, lapse):
    rng, grid = np.random.default_rng(seed), make_grid(dimension)
    posterior, noise = study(RBF(lengthscale, 4.0), duels=4, dimension=dimension, seed=seed)
    first, second = rng.choice(len(grid), size=2, replace=False)
    utilities, won = simulate(posterior, noise, grid, first, second, rng, lapse)
    chosen = np.where(won, utilities[:, first], utilities[:, second])
    value = EUCO(lapse).bind(posterior, noise)(grid[None, [first, second]])[0]
    assert value == pytest.approx(chosen.mean(), abs=5.0 * chosen.std() / np.sqrt(DRAWS))


def test_euco_keeps_the_winner_and_equals_eubo_without_noise():
    posterior, noise = study(Matern52(0.4, 3.0))
    pairs = np.random.default_rng(0).random((20, 2, 3))
    kept = KnowledgeGradient().bind(posterior, noise)(pairs[:, [0, 0, 1, 1]])
    np.testing.assert_allclose(EUCO().bind(posterior, noise)(pairs), kept, rtol=1e-12)
    silent = NoiseMap.constant(1e-14)
    best = EUBO().bind(posterior, silent)(pairs)
    np.testing.assert_allclose(EUCO().bind(posterior, silent)(pairs), best, rtol=1e-9)
    assert (EUCO().bind(posterior, noise)(pairs) < best).all()


def test_screening_finds_the_best_choices_by_brute_force():
    posterior, noise = study(RBF(0.3, 5.0), dimension=2)
    designs, bound = np.random.default_rng(1).random((7, 2)), KnowledgeGradient().bind(posterior, noise)
    found = bound.screen(designs, 100)
    assert [tuple(pair) for pair in found.rows.tolist()] == list(combinations(range(7), 2))
    choices = np.array([[designs[a], designs[b]] for a in range(7) for b in range(7)])
    for item, value, (i, j) in zip(found.items, found.values, found.rows, strict=True):
        every = np.stack([np.broadcast_to(designs[i], (49, 2)), choices[:, 0],
                          np.broadcast_to(designs[j], (49, 2)), choices[:, 1]], axis=1)  # fmt: skip
        assert value == pytest.approx(bound(every).max(), rel=1e-12)
        assert value == pytest.approx(bound(item[None])[0], rel=1e-12)


def test_no_duel_is_worth_more_than_the_best_eubo():
    posterior, noise = study(RBF(0.3, 5.0), dimension=2)
    designs = np.random.default_rng(2).random((40, 2))
    best = maximise_discrete(EUBO().bind(posterior, noise), designs).value
    assert maximise_discrete(KnowledgeGradient().bind(posterior, noise), designs).value < best
    silent = KnowledgeGradient().bind(posterior, NoiseMap.constant(1e-14))
    assert maximise_discrete(silent, designs).value == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_maximum_of_a_fine_grid(seed):
    posterior, noise = study(RBF(0.15, 4.0), duels=6, dimension=1, seed=seed)
    bound, grid = KnowledgeGradient().bind(posterior, noise), np.linspace(0.0, 1.0, 101)[:, None]
    best = bound.screen(grid, 1).values[0]
    found = maximise(bound, 1, np.random.default_rng(seed))
    assert found.value >= best - 1e-3 * abs(best)
    assert found.value == pytest.approx(bound(found.x[None])[0], rel=1e-12)


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_late_in_a_study_the_search_finds_the_best_duels_close_to_the_best_design(seed):
    rng = np.random.default_rng(seed)
    centre, radii = 0.2 + 0.6 * rng.random(6), np.repeat(np.geomspace(0.01, 0.3, 100), 2)
    points = np.clip(centre + radii[:, None] * rng.standard_normal((200, 6)), 0.0, 1.0)
    nearer = ((points - centre) ** 2).sum(axis=1).reshape(100, 2).argmin(axis=1)
    winners = 2 * np.arange(100) + nearer
    model = PreferenceGP(RBF(0.5, 60.0), "probit", "ep").condition(Duels(points, winners, winners ^ 1))
    bound, best = KnowledgeGradient().bind(model.posterior, model.noise), model.posterior.means.max()
    top = model.posterior.points[model.posterior.means.argmax()]
    around = np.clip(top + np.geomspace(0.01, 0.3, 200)[:, None] * rng.standard_normal((200, 6)), 0.0, 1.0)
    dense = bound.screen(np.vstack([around, top]), 8).items
    thorough = max(maximise(bound, 6, np.random.default_rng(k), raw=2048, extra=dense).value for k in range(2)) - best
    assert maximise(bound, 6, np.random.default_rng(seed)).value - best > 0.95 * thorough


def test_pairs_are_scored_by_their_gain_over_the_best_of_the_choices():
    posterior, noise = study(RBF(0.3, 5.0), dimension=2)
    rng = np.random.default_rng(3)
    choices, pairs, bound = rng.random((6, 2)), rng.random((4, 2, 2)), KnowledgeGradient().bind(posterior, noise)
    for (x, y), value in zip(pairs, bound.score_pairs(pairs, choices), strict=True):
        best = max(bound(np.array([[x, a, y, b]]))[0] for a in choices for b in choices)
        assert value == pytest.approx(best - posterior.mean(choices).max(), abs=1e-12)
        assert value >= 0.0
    with pytest.raises(ShapeError, match=r"pairs must have shape \(n, 2, 2\)"):
        bound.score_pairs(rng.random((4, 2)), choices)
    with pytest.raises(InputError, match="choices must have at least one design"):
        bound.score_pairs(pairs, np.empty((0, 2)))
    with pytest.raises(ShapeError, match="for pairs of designs use score_pairs"):
        bound(pairs)


@pytest.mark.parametrize("seed", range(3))
def test_both_choices_of_the_duel_found_are_maximal(seed):
    posterior, noise = study(RBF(0.3, 6.0), duels=10, dimension=3, seed=seed)
    bound = KnowledgeGradient().bind(posterior, noise)
    found = maximise(bound, 3, np.random.default_rng(seed))
    completed = bound.complete(found.x[None], np.random.default_rng(99).random((3000, 3)))
    assert bound(completed)[0] <= found.value + 2e-2 * (found.value - posterior.means.max())


def test_the_search_respects_discrete_coordinates_and_the_filter():
    posterior, noise = study(RBF(0.4, 6.0), dimension=2)
    region = Region.of((None, np.linspace(0.0, 1.0, 5)))
    bound = KnowledgeGradient().bind(posterior, noise)

    def allowed(items):
        return np.abs(bound.get_duels(items)[:, 0] - bound.get_duels(items)[:, 1]).max(axis=1) < 0.3

    found = maximise(bound, region, np.random.default_rng(0), allowed=allowed)
    assert np.isin(found.x[:, 1], np.linspace(0.0, 1.0, 5)).all()
    assert allowed(found.x[None]).all()


def test_challengers_are_duels_of_the_champion():
    posterior, noise = study(RBF(0.3, 5.0), dimension=2)
    rng = np.random.default_rng(3)
    champion, designs, items = rng.random(2), rng.random((9, 2)), rng.random((5, 3, 2))
    bound = KnowledgeGradient().bind(posterior, noise)
    facing = bound.fix_first(champion)
    whole = np.concatenate([np.broadcast_to(champion, (5, 1, 2)), items], axis=1)
    np.testing.assert_array_equal(facing(items), bound(whole))
    np.testing.assert_array_equal(facing.get_duels(items), bound.get_duels(whole))
    found = facing.screen(designs, 9)
    np.testing.assert_allclose(found.values, facing(found.items), rtol=1e-12)
    best = maximise(facing, 2, rng)
    assert best.value >= found.values.max()


def test_a_list_is_searched_exactly_up_to_the_limit_and_bounded_beyond(monkeypatch):
    posterior, noise = study(RBF(0.3, 5.0), dimension=2)
    designs, bound = np.random.default_rng(4).random((60, 2)), KnowledgeGradient().bind(posterior, noise)
    monkeypatch.setattr(shortlist_module, "MAX_JOINT_SUMS", 60**3 / 2)
    exact = maximise_discrete(bound, designs)
    assert exact.info.exact
    assert exact.value == bound.screen(designs, 10_000).values.max()
    monkeypatch.setattr(shortlist_module, "MAX_JOINT_SUMS", 59**3 / 2)
    short = maximise_discrete(bound, designs)
    assert short.info.gap > 0.0
    assert not short.info.exact
    assert short.value <= exact.value <= short.value + short.info.gap


def test_excluded_pairs_of_a_list_are_not_chosen():
    posterior, noise = study(RBF(0.3, 5.0), dimension=2)
    designs, bound = np.random.default_rng(5).random((12, 2)), KnowledgeGradient().bind(posterior, noise)
    order = bound.screen(designs, 100)
    ranked = [tuple(pair) for pair in order.rows[np.argsort(-order.values)].tolist()]
    found = maximise_discrete(bound, designs, exclude_pairs=[ranked[0], ranked[1][::-1]])
    assert found.index == ranked[2]
    assert found.value == sorted(order.values)[-3]


def test_over_a_mixture_of_posteriors_the_choices_maximise_the_weighted_sum():
    posterior, noise = study(RBF(0.3, 5.0), dimension=2)
    mixture = PosteriorMixture(np.array([0.3, 0.7]), (posterior, study(RBF(0.6, 2.0), dimension=2, seed=8)[0]))
    bound, X = KnowledgeGradient().bind(mixture, noise), np.random.default_rng(6).random((5, 4, 2))
    alone = [weight * KnowledgeGradient().bind(part, noise)(X) for weight, part in mixture.components]
    np.testing.assert_allclose(bound(X), sum(alone), rtol=1e-12)
    values, gradient = bound.value_and_gradient(X)
    np.testing.assert_allclose(values, bound(X), rtol=1e-12)
    np.testing.assert_allclose(gradient, differentiate_items(bound, X), rtol=1e-5, atol=1e-6)
    designs = np.random.default_rng(7).random((8, 2))
    found = bound.screen(designs, 100)
    for (i, j), value in zip(found.rows, found.values, strict=True):
        every = [[designs[i], a, designs[j], b] for a in designs for b in designs]
        assert value == pytest.approx(bound(every).max(), rel=1e-12)
