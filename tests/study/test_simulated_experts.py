"""Experts whose taste is known, on every kind of space: how good is what they are recommended?

Answers are without noise. The share of a design is (f - min) / (max - min) of its true utility.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from anchorpbo import Catalogue, Categorical, Integer, Optimizer, Ordinal, Real, Space
from anchorpbo.problems.mixed import (
    ESPRESSO_MAXIMUM,
    ESPRESSO_MINIMUM,
    TABLE_MAXIMUM,
    TABLE_MINIMUM,
    espresso,
    table,
)  # fmt: skip
from anchorpbo.space import DesignSpace

pytestmark = pytest.mark.slow
DUELS, GOOD = 40, 0.95


@dataclass(frozen=True)
class Expert:
    space: DesignSpace
    utility: Callable[[dict[str, Any]], float]
    least: float
    most: float

    def share_reached(self, seed: int, duels: int = DUELS) -> float:
        study = Optimizer(self.space, seed=seed)
        for _ in range(duels):
            duel = study.ask()
            first, second = self.utility(duel.first), self.utility(duel.second)
            study.tell(duel, "tie" if first == second else "first" if first > second else "second")
        return (self.utility(study.recommend().design) - self.least) / (self.most - self.least)


MIXED = Expert(
    Space(
        temperature=Real(86, 96),
        ratio=Real(1.2, 3.6, log=True),
        grind=Integer(1, 20),
        basket=Categorical(["single", "double", "triple"]),
    ),
    espresso,
    ESPRESSO_MINIMUM,
    ESPRESSO_MAXIMUM,
)


def shelf() -> Expert:
    """500 items of four features and a kind, the nearer to a favourite the better."""
    rng = np.random.default_rng(7)
    features, kinds = rng.random((500, 4)), rng.integers(0, 3, 500)
    utilities = np.array([0.0, 0.1, 0.05])[kinds] - ((features - [0.3, 0.6, 0.5, 0.4]) ** 2 @ [1.0, 0.7, 1.3, 0.4])
    records = [
        {"name": f"item {i}", **dict(zip("abcd", row, strict=True)), "kind": "xyz"[kind]}
        for i, (row, kind) in enumerate(zip(features.tolist(), kinds, strict=True))
    ]
    by_name = {record["name"]: float(u) for record, u in zip(records, utilities, strict=True)}
    space = Catalogue.from_records(records, features=list("abcd"), categories=["kind"])
    return Expert(space, lambda design: by_name[design["name"]], float(utilities.min()), float(utilities.max()))


def molecules() -> Expert:
    """300 fingerprints of 64 bits; some bits are liked and some are not."""
    rng = np.random.default_rng(3)
    bits = (rng.random((300, 64)) < 0.2).astype(int)
    utilities = bits @ rng.normal(size=64)
    records = [{"name": f"m{i}", "bits": "".join(map(str, row))} for i, row in enumerate(bits)]
    space = Catalogue.from_records(records, fingerprint="bits")
    return Expert(
        space, lambda design: float(utilities[int(design["name"][1:])]), float(utilities.min()), float(utilities.max())
    )


def drink(mix: dict[str, Any]) -> float:
    far = (mix["a"] - 0.5) ** 2 + (mix["b"] - 0.2) ** 2 + (mix["c"] - 0.3) ** 2
    return -far - 0.2 * (mix["stirred"] == "no")


MIXTURE = Expert(
    Space(
        {"a": Real(0, 1), "b": Real(0, 1), "c": Real(0, 1), "stirred": Ordinal(["no", "gently", "well"])},
        constraints=["a + b + c == 1", "a <= 0.6"],
    ),
    drink,
    # Nothing but b, unstirred: the square is largest at a corner.
    drink({"a": 0.0, "b": 1.0, "c": 0.0, "stirred": "no"}),
    0.0,
)
TABLE = Expert(
    Space(
        seats=Integer(2, 7),
        shape=Categorical(["round", "square", "oval"]),
        material=Categorical(["oak", "steel", "glass"]),
    ),
    table,
    TABLE_MINIMUM,
    TABLE_MAXIMUM,
)


@pytest.mark.parametrize("expert", [MIXED, shelf()], ids=["two reals, an integer and a category", "500 items"])
def test_forty_duels_lead_to_95_percent_in_nine_of_ten_studies(expert):
    reached = [expert.share_reached(seed) for seed in range(10)]
    assert sum(share >= GOOD for share in reached) >= 9, reached


@pytest.mark.parametrize("expert", [MIXTURE, TABLE], ids=["mixture", "54 tables"])
def test_other_spaces_lead_there_too(expert):
    reached = [expert.share_reached(seed) for seed in range(3)]
    assert min(reached) >= GOOD, reached


def test_fingerprints_lead_to_far_better_than_chance():
    expert = molecules()
    random = [expert.utility(item) for item in expert.space.items]
    top_tenth = (np.quantile(random, 0.9) - expert.least) / (expert.most - expert.least)
    reached = [expert.share_reached(seed) for seed in range(3)]
    assert min(reached) > top_tenth, (reached, top_tenth)
