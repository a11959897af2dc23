"""The duel of a design that is at hand with the best challenger."""

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.acquisition import BoundChallengers
from anchorpbo.errors import InputError, NothingLeftError
from anchorpbo.study.duel_filter import DuelFilter

SQUARE = ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1))
GRID = ap.Space(n=ap.Integer(0, 9), kind=ap.Categorical(["a", "b", "c"]), roast=ap.Ordinal(["light", "dark"]))
STRATEGIES = ("ei", "ucb", "eubo", "anpei", "rahbo", "raeubo")


def answered(space, count=8, **options):
    """A study with comparisons of spread designs, judged by the sum of their coordinates near 0.6."""
    opt = ap.Optimizer(space, **options)
    designs = [space.decode(x) for x in space.sample(2 * count, np.random.default_rng(4))]

    def utility(design):
        return -float(((space.encode(design) - 0.6) ** 2).sum())

    for pair in zip(designs[::2], designs[1::2], strict=True):
        opt.tell_preference(*sorted(pair, key=utility, reverse=True))
    return opt, designs


def bound_of(opt, champion):
    model = opt.acquisition_model
    bound = opt.plan.acquisition.bind(model.posterior, model.noise)
    return BoundChallengers.of(bound, champion) if opt.plan.chooses_pairs else bound


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_challenger_of_a_list_is_the_best_of_all(strategy):
    opt, designs = answered(GRID, strategy=strategy, anchors=[{"n": 5, "kind": "a", "roast": "dark"}])
    duel = opt.ask_against(designs[3])
    assert duel.first == designs[3]
    champion, every = GRID.encode(designs[3]), GRID.candidates
    # The same question is not asked again, nor one like it.
    pairs = tuple(np.array([GRID.encode(d) for d in pair]) for pair in zip(designs[::2], designs[1::2], strict=True))
    fine = DuelFilter.for_space(GRID).with_exclusions((), (), pairs).allows_challengers(champion, every)
    values = bound_of(opt, champion)(every)
    best = every[fine][np.argmax(values[fine])]
    assert duel.second == GRID.decode(best)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_challenger_of_a_region_is_as_good_as_any_of_a_fine_grid(strategy):
    opt, designs = answered(SQUARE, strategy=strategy, anchors=[{"x": 0.5, "y": 0.6}])
    duel = opt.ask_against(designs[0])
    champion, bound = SQUARE.encode(designs[0]), bound_of(opt, SQUARE.encode(designs[0]))
    ticks = np.linspace(0, 1, 81)
    grid = np.array([[x, y] for x in ticks for y in ticks])
    pairs = tuple(np.array([SQUARE.encode(d) for d in pair]) for pair in zip(designs[::2], designs[1::2], strict=True))
    fine = DuelFilter.for_space(SQUARE).with_exclusions((), (), pairs).allows_challengers(champion, grid)
    values = bound(grid)
    # Coordinates are rounded to what a person would write, which costs next to nothing.
    assert bound([SQUARE.encode(duel.second)])[0] >= values[fine].max() - 1e-4 * np.ptp(values)


@pytest.mark.parametrize("acquisition", [ap.acquisition.EUBO(), ap.acquisition.RAEUBO(2.0)], ids=repr)
def test_an_acquisition_of_pairs_with_one_design_given_has_its_values_and_slopes(acquisition):
    opt, _ = answered(SQUARE, anchors=[{"x": 0.5, "y": 0.6}])
    model, opponent = opt.model, np.array([0.3, 0.7])
    pairs = acquisition.bind(model.posterior, model.noise)
    facing = BoundChallengers.of(pairs, opponent)
    X = np.random.default_rng(0).random((6, 2))
    values, gradient = facing.value_and_gradient(X)
    np.testing.assert_array_equal(values, pairs(np.array([[opponent, x] for x in X])))
    np.testing.assert_array_equal(facing(X), values)
    step = 1e-6
    for c in range(2):
        ahead, behind = (facing(X + sign * step * np.eye(2)[c]) for sign in (1, -1))
        np.testing.assert_allclose(gradient[:, c], (ahead - behind) / (2 * step), rtol=1e-5, atol=1e-8)


def test_at_first_challengers_are_spread_and_new():
    opt = ap.Optimizer(SQUARE, initial=4)
    champion = opt.ask().first
    found = [champion]
    for _ in range(4):
        duel = opt.ask_against(champion)
        assert duel.gain is None
        assert duel.second not in found
        assert max(abs(duel.second[name] - champion[name]) for name in champion) >= 0.25
        found.append(duel.second)
        opt.tell(duel, "first")
    assert opt.ask_against(champion).gain is not None


def test_others_on_the_table_are_allowed_for():
    opt, designs = answered(SQUARE)
    out = []
    for _ in range(3):
        challenger = opt.ask_against(designs[0], pending=out).second
        for other in out:
            assert max(abs(challenger[name] - other[name]) for name in other) >= 0.1
        out.append(challenger)


def test_unwanted_designs_and_their_neighbourhood_are_avoided_where_possible():
    opt, designs = answered(SQUARE)
    first = opt.ask_against(designs[0]).second
    second = opt.ask_against(designs[0], avoid=[first]).second
    assert max(abs(second[name] - first[name]) for name in first) >= 0.1
    two = ap.Optimizer(ap.Space(c=ap.Categorical(["a", "b"])), initial=0)
    assert two.ask_against({"c": "a"}, avoid=[{"c": "b"}]).second == {"c": "b"}
    with pytest.raises(NothingLeftError, match="only pending ones"):
        two.ask_against({"c": "a"}, pending=[{"c": "b"}])


def test_in_a_catalogue_another_item_challenges():
    items = [{"name": f"item {i}", "size": i / 10, "weight": (i * 7 % 10) / 10} for i in range(10)]
    catalogue = ap.Catalogue.from_records(items, features=["size", "weight"], key="name")
    for initial in (0, 5):
        opt = ap.Optimizer(catalogue, initial=initial)
        duel = opt.ask_against(items[3])
        assert duel.second["name"] != duel.first["name"] == "item 3"


def test_asking_changes_nothing_and_its_duel_can_be_answered():
    opt, designs = answered(SQUARE)
    before = opt.to_json()
    duel = opt.ask_against(designs[2])
    assert opt.ask_against(designs[2]) == duel
    assert opt.to_json() == before
    assert ap.Optimizer.from_json(before).ask_against(designs[2]) == duel
    opt.tell(duel, "second")
    assert opt.history[-1]["duel"] == duel.id
    assert len(opt) == 9


def test_mistakes_are_named():
    opt, designs = answered(SQUARE)
    with pytest.raises(InputError, match="a design must have a value for"):
        opt.ask_against({"x": 0.5})
    with pytest.raises(InputError, match="pending must be a list of designs"):
        opt.ask_against(designs[0], pending=designs[1])
    with pytest.raises(InputError, match="avoid must be a list of designs"):
        opt.ask_against(designs[0], avoid=3)


def test_excluded_designs_are_not_recommended_but_what_was_said_of_them_counts():
    opt, _ = answered(SQUARE)
    best = opt.recommend()
    second = opt.recommend(exclude=[best.design])
    assert second.design != best.design
    assert best.design not in second.credible_set
    by_weight = {tuple(e.design.values()): e.utility - e.noise for e in opt.utilities()}
    rest = {design: value for design, value in by_weight.items() if design != tuple(best.design.values())}
    assert tuple(second.design.values()) == max(rest, key=rest.get)
    assert opt.recommend(exclude=[best.design], among="space").design != best.design
    with pytest.raises(InputError, match="must remain to recommend; received all 16 of them excluded"):
        opt.recommend(exclude=[estimate.design for estimate in opt.utilities()])
    with pytest.raises(InputError, match="exclude must be a list of designs"):
        opt.recommend(exclude=best.design)
