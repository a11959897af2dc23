"""Designs that nobody would tell apart count as one: groups against a naive evaluation, and the results."""

import time

import numpy as np
import pytest

from anchorpbo import Boolean, Catalogue, Categorical, Integer, Optimizer, Real, Space
from anchorpbo.study.design_groups import find_near, group_designs
from anchorpbo.study.optimality import compute_p_within
from anchorpbo.study.recommendation import POSTERIOR_DRAWS, compute_recommendation

MIXED = Space(
    temperature=Real(80, 96, step=0.5), dose=Real(1, 3, step=0.1, log=True), time=Real(0, 1), grind=Integer(1, 4),
    origin=Categorical(["Kenya", "Brazil"]), stir=Boolean(),
)  # fmt: skip
STEPPED = Space(temperature=Real(80, 96, step=0.5), dose=Real(10, 20, step=0.2))
FREE = Space(temperature=Real(80, 96), dose=Real(10, 20))


def encode(space, designs):
    return np.array([space.encode(design) for design in designs])


def count_as_one(space, x, y):
    """The definition, parameter by parameter, in the units of the design."""
    return all(
        abs(x[name] - y[name]) <= parameter.step * (1 + 1e-9)
        if isinstance(parameter, Real) and parameter.step is not None
        else x[name] == y[name]
        for name, parameter in space.parameters.items()
    )


def group_naively(space, designs):
    representatives, found = [], []
    for n, design in enumerate(designs):
        near = [r for r in representatives if count_as_one(space, designs[r], design)]
        if not near:
            representatives.append(n)
        found.append(near[0] if near else n)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    # A few places close together, so that groups and chains are frequent.
    designs = [
        {"temperature": 80 + 0.5 * rng.integers(0, 5), "dose": round(1 + 0.1 * rng.integers(0, 4), 1),
         "time": float(rng.integers(0, 2)), "grind": int(rng.integers(1, 3)),
         "origin": str(rng.choice(["Kenya", "Brazil"])), "stir": bool(rng.integers(0, 2))}
        for _ in range(150)
    ]  # fmt: skip
    designs = [MIXED.check(design) for design in designs]
    found = group_designs(encode(MIXED, designs), MIXED)
    assert found.tolist() == group_naively(MIXED, designs)
    assert len(set(found.tolist())) < len({str(design) for design in designs})


@pytest.mark.parametrize(("other", "same"), [(84.5, True), (83.5, True), (85.0, False), (83.0, False)])
def test_one_step_apart_is_the_same_design_and_two_steps_are_not(other, same):
    designs = [{"temperature": t, "dose": 12.0} for t in (84.0, other)]
    assert (group_designs(encode(STEPPED, designs), STEPPED).tolist() == [0, 0]) == same


def test_a_chain_of_small_steps_is_not_one_group():
    designs = [{"temperature": t, "dose": 12.0} for t in (84.0, 84.5, 85.0, 85.5)]
    assert group_designs(encode(STEPPED, designs), STEPPED).tolist() == [0, 0, 2, 2]


def test_without_steps_only_equal_designs_form_a_group():
    free = encode(FREE, [{"temperature": t, "dose": 12.0} for t in (84.0, 84.0001, 84.0)])
    assert group_designs(free, FREE).tolist() == [0, 1, 0]
    items = Catalogue([{"name": n, "price": p} for n, p in zip("abc", (1.0, 1.0001, 9.0), strict=True)], ["price"])
    assert group_designs(items.candidates, items).tolist() == [0, 1, 2]


def answered(space, count=14):
    """A study in which 90 degrees and 15 grams is best, with many designs near that."""
    study = Optimizer(space, [{"temperature": 90.0, "dose": 15.0}], seed=1, strategy="ei", inference="laplace")
    rng = np.random.default_rng(0)

    def utility(design):
        return -((design["temperature"] - 90.0) ** 2) / 8.0 - (design["dose"] - 15.0) ** 2 / 4.0

    for _ in range(count):
        one, other = (
            {"temperature": 90.0 + 0.5 * rng.integers(-3, 4), "dose": round(15.0 + 0.2 * rng.integers(-3, 4), 1)}
            for _ in range(2)
        )
        if one != other:
            study.tell_preference(*sorted([one, other], key=utility, reverse=True))
    return study


def test_probabilities_of_a_group_are_those_of_its_members_together():
    study = answered(STEPPED)
    best = study.recommend(among="seen")
    model = study.model
    # The same posterior in a space without steps gives each design's own probability.
    free = compute_recommendation(model, FREE, best.risk_weight, 1)
    assert free.design == best.design
    order = np.argsort([-p for p in free.credible_probabilities], kind="stable")
    draws = model.posterior.sample(
        np.vstack([model.designs, STEPPED.encode(best.design)]), POSTERIOR_DRAWS, np.random.default_rng([1, 3])
    )
    winners = draws[:, :-1].argmax(axis=1)
    shares = np.bincount(winners, minlength=len(model.designs)) / POSTERIOR_DRAWS
    likely = np.argsort(-shares, kind="stable")
    designs = [best.design, *(STEPPED.decode(model.designs[i]) for i in likely)]
    groups = group_naively(STEPPED, designs)
    totals = {}
    for group, share in zip(groups[1:], shares[likely], strict=True):
        totals[group] = totals.get(group, 0.0) + share
    assert best.p_best == pytest.approx(totals[0])
    assert best.p_best > free.p_best
    found = {str(design): p for design, p in zip(best.credible_set, best.credible_probabilities, strict=True)}
    assert len(found) < len(order)
    for design, probability in found.items():
        (group,) = {g for g in totals if str(designs[g]) == design}
        assert probability == pytest.approx(totals[group])
    assert sum(best.credible_probabilities) >= 0.9
    assert sum(best.credible_probabilities[:-1]) < 0.9


def test_no_two_candidates_are_within_a_step_of_the_recommended_design():
    best = answered(STEPPED).recommend()
    others = [design for design in best.credible_set if design != best.design]
    assert not any(count_as_one(STEPPED, best.design, design) for design in others)


def test_without_near_designs_the_recommendation_is_as_before():
    study = answered(FREE)
    x = study.space.encode(study.recommended)
    assert len(find_near(study.model.designs, x, FREE)) == sum((study.model.designs == x).all(axis=1))
    best = study.recommend(among="seen")
    model = study.model
    draws = model.posterior.sample(
        np.vstack([model.designs, FREE.encode(best.design)]), POSTERIOR_DRAWS, np.random.default_rng([1, 3])
    )
    shares = np.bincount(draws[:, :-1].argmax(axis=1), minlength=len(model.designs)) / POSTERIOR_DRAWS
    expected = np.argsort(-shares, kind="stable")[: len(best.credible_set)]
    assert list(best.credible_set) == [FREE.decode(model.designs[i]) for i in expected]
    assert list(best.credible_probabilities) == shares[expected].tolist()


def test_p_within_counts_a_design_that_is_the_same_for_the_user():
    study = answered(STEPPED)
    posterior, x = study.model.posterior, STEPPED.encode(study.recommend().design)
    same = find_near(study.model.designs, x, STEPPED)
    assert len(same) >= 1
    alone = compute_p_within(posterior, STEPPED, x, 0.02, 0)
    assert compute_p_within(posterior, STEPPED, x, 0.02, 0, None, same[:0]) == alone
    assert compute_p_within(posterior, STEPPED, x, 0.02, 0, None, same) > alone
    # The same by draws at all designs of the space.
    every = STEPPED.candidates
    draws = posterior.sample(np.vstack([every, same]), 2_000, np.random.default_rng(5))
    best, median = draws.max(axis=1), np.median(draws[:, : len(every)], axis=1)
    expected = (draws[:, len(every) :].max(axis=1) >= best - 0.02 * (best - median)).mean()
    assert compute_p_within(posterior, STEPPED, x, 0.02, 0, None, same) == pytest.approx(expected, abs=0.05)


def test_many_designs_of_a_long_list_are_grouped_at_once():
    designs = np.random.default_rng(0).integers(0, 2, (2_000, 1_024)).astype(float)
    items = Catalogue([{"name": n, "price": p} for n, p in (("a", 1.0), ("b", 2.0))], ["price"])
    start = time.perf_counter()
    found = group_designs(np.vstack([designs, designs]), items)
    assert time.perf_counter() - start < 2.0
    assert found.tolist() == [*range(2_000), *range(2_000)]
