"""What is known of many designs at once."""

import numpy as np
import pytest
from studies import play, small

from anchorpbo import Catalogue, Optimizer
from anchorpbo.errors import InputError


@pytest.fixture
def study():
    opt = small("eubo", initial=3)
    play(opt, 6)
    return opt


def test_all_designs_compared_come_best_first(study):
    found = study.utilities()
    assert len(found) == len(study.model.posterior.points)
    values = [each.utility for each in found]
    assert values == sorted(values, reverse=True)
    assert sum(values) == pytest.approx(0.0, abs=1e-9)  # relative to their average
    assert {type(value) for value in values} == {float}


def test_the_recommended_design_has_the_same_numbers_there(study):
    best = study.recommend(risk_weight=0, among="seen")
    first = study.utilities()[0]
    assert (first.design, first.noise) == (best.design, best.noise)
    assert first.utility == pytest.approx(best.utility)
    assert first.interval == pytest.approx(best.interval)


def test_designs_of_ones_own_against_a_reference(study):
    designs = [{"x0": 0.1}, {"x0": 0.9}]
    low, high = study.utilities(designs, reference={"x0": 0.9})
    posterior = study.model.posterior
    mean = posterior.mean([[0.1], [0.9]])
    draws = posterior.sample([[0.1], [0.9]], 100_000, np.random.default_rng(0))
    assert low.utility == pytest.approx(mean[0] - mean[1])
    for end, share in zip(low.interval, (0.05, 0.95), strict=True):
        assert (draws[:, 0] - draws[:, 1] < end).mean() == pytest.approx(share, abs=0.005)
    assert high.utility == pytest.approx(0.0, abs=1e-12)
    assert [each.design for each in (low, high)] == designs
    assert low.reference == "the reference design"


def test_one_design_wants_brackets(study):
    with pytest.raises(InputError, match=r"designs must be a list.*write \[design\]"):
        study.utilities({"x0": 0.1})


def test_no_pair_that_is_out_is_asked_again_while_others_are_left():
    three = Catalogue.from_records([{"n": name, "v": value} for name, value in (("a", 0), ("b", 1), ("c", 5))], ["v"])
    for strategy in ("ei", "raeubo"):
        opt = Optimizer(three, strategy=strategy)
        duels = opt.ask(3)
        opt.tell(duels[1], "first")
        opt.tell(duels[2], "second")
        pair = {duels[0].first["n"], duels[0].second["n"]}
        now = opt.ask(pending=[duels[0]])
        assert {now.first["n"], now.second["n"]} != pair
        with pytest.raises(InputError, match="n must be at most the number of different duels"):
            opt.ask(4)
