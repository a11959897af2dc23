"""Small studies for the tests of plots and analysis."""

import numpy as np

from anchorpbo import Boolean, Catalogue, Categorical, Constant, Integer, Optimizer, Real, Space

SPACE = Space(
    heat=Real(80, 96),
    dose=Real(5, 40, log=True),
    grind=Integer(1, 6),
    origin=Categorical(["Kenya", "Brazil", "<b>Java</b>"]),
    stir=Boolean(),
    water=Constant("soft"),
)
ANCHORS = [
    {"heat": 92, "dose": 15, "grind": 4, "origin": "Kenya", "stir": True},
    {"heat": 88, "dose": 10, "grind": 2, "origin": "Brazil", "stir": False},
]
SHELF = Catalogue.from_records(
    [{"name": f"n{i}", "a": float(np.sin(i)), "b": float(np.cos(2 * i)), "kind": "xy"[i % 2]} for i in range(20)],
    features=["a", "b"],
    categories=["kind"],
)


def taste(cup):
    return -abs(cup["heat"] - 93) / 3 - 2 * abs(np.log(cup["dose"] / 16)) + (cup["origin"] == "Kenya")


def played(space=SPACE, anchors=ANCHORS, count=12, liking=taste, **options):
    """Return a study with some ties, one skip and one preference that was not asked for."""
    settings = {"inference": "laplace", "initial": 3, **options}
    study = Optimizer(space, anchors, **settings)
    for i in range(count):
        duel = study.ask()
        better = "first" if liking(duel.first) > liking(duel.second) else "second"
        study.tell(duel, "skip" if i == 4 else "tie" if i % 5 == 3 else better)
    if isinstance(space, Space) and count:
        study.tell_preference(study.anchors[0], study.anchors[1])
    return study


def shelved(count=6):
    return played(SHELF, [{"name": "n3"}, {"name": "n8"}], count, liking=lambda item: item["a"] + item["b"])
