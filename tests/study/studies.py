"""Spaces, answers and small studies that the tests of `anchorpbo.study` share."""

import numpy as np

from anchorpbo import (
    Boolean,
    Catalogue,
    Categorical,
    Constant,
    Duels,
    Integer,
    Optimizer,
    Ordinal,
    PreferenceGP,
    Real,
    Space,
)
from anchorpbo.model import HyperparameterNode

STRATEGIES = ("ei", "ucb", "eubo", "anpei", "rahbo", "raeubo")
SINGLE = ("ei", "ucb", "anpei", "rahbo")


def _catalogue(n=12):
    rng = np.random.default_rng(5)
    return [
        {
            "name": f"item {i}",
            "price": float(np.round(rng.uniform(1, 9), 2)),
            "weight": int(rng.integers(1, 400)),
            "colour": ["red", "green", "blue"][i % 3],
            "bits": "".join(map(str, rng.integers(0, 2, 16))),
            "link": f"https://example.org/{i}",
        }
        for i in range(n)
    ]


ITEMS = _catalogue()

SPACES = {
    "reals": Space(a=Real(0, 1), b=Real(-3, 7.5)),
    "log": Space(dose=Real(0.001, 10, log=True), count=Integer(1, 1000, log=True)),
    "integer": Space(k=Integer(1, 12)),
    "mixed": Space(
        temperature=Real(80, 96), grind=Integer(1, 10), origin=Categorical(["Kenya", "Brazil", "Peru"]),
        roast=Ordinal(["light", "medium", "dark"]), milk=Boolean(), cup=Constant("glass"),
    ),
    "listed": Space(shape=Categorical(["round", "square"]), seats=Integer(2, 5), oak=Boolean()),
    "stepped": Space(x=Real(0, 1, step=0.05), y=Real(0, 2)),
    "below a line": Space(a=Real(0, 10), b=Real(0, 10), c=Integer(0, 5), constraints=["a + b <= 10", "c - a <= 0"]),
    "mixture": Space(water=Real(0, 1), milk=Real(0, 1), syrup=Real(0, 0.5), constraints="water + milk + syrup == 1"),
    "numeric catalogue": Catalogue(ITEMS, features=["price", "weight"], key="name"),
    "catalogue of categories": Catalogue(ITEMS, features=["price"], categories=["colour"], key="name"),
    "fingerprints": Catalogue(ITEMS, fingerprint="bits", key="name"),
    "mixed catalogue": Catalogue(ITEMS, features=["price"], categories=["colour"], fingerprint="bits", key="name"),
}  # fmt: skip
"""One of every kind."""


def liking(space, seed=0):
    """A utility of designs, smooth in the coordinates; larger is better."""
    weights = np.random.default_rng(seed).normal(size=space.dimension)

    def utility(design):
        x = space.encode(design)
        return float(weights @ x - ((x - 0.4) ** 2).sum())

    return utility


def answer(duel, utility):
    return "first" if utility(duel.first) >= utility(duel.second) else "second"


def play(opt, duels, utility=None):
    """Ask and tell so many duels; return them."""
    utility = utility or liking(opt.space)
    asked = []
    for _ in range(duels):
        duel = opt.ask()
        opt.tell(duel, answer(duel, utility))
        asked.append(duel)
    return asked


def unit(dimension=1):
    return Space({f"x{i}": Real(0, 1) for i in range(dimension)})


def pair_of(duel, key=lambda design: tuple(sorted(design.items()))):
    """The two designs, whichever side they are on."""
    return frozenset((key(duel.first), key(duel.second)))


def small(strategy="ei", **options):
    """A study that is cheap to ask: one coordinate, Laplace, two duels to start with."""
    settings = {"strategy": strategy, "inference": "laplace", "initial": 2, "seed": 3, **options}
    return Optimizer(unit(), **settings)


def duels_of(opt):
    """The informative duels of a study, naively from its history: wins in their order, then ties."""
    wins, ties = [], []
    for event in opt.history:
        if event["type"] == "preferred":
            (ties if event["tie"] else wins).append((event["winner"], event["loser"]))
        elif event["type"] == "answered" and event["outcome"] != "skip":
            sides = (event["first"], event["second"])
            sides = sides[::-1] if event["outcome"] == "second" else sides
            (ties if event["outcome"] == "tie" else wins).append(sides)
    points = np.array([opt.space.encode(design) for pair in wins + ties for design in pair])
    first = 2 * np.arange(len(wins) + len(ties))
    tied = np.stack([first, first + 1], axis=1)[len(wins) :]
    bounds = None if opt.space.columns.fingerprint else (0.0, 1.0)
    return Duels(points, first[: len(wins)], first[: len(wins)] + 1, tied, bounds)


def chooser(opt, seed):
    """The model that chooses duels, from the public parts of the one that recommends."""
    parts = opt.model
    model = PreferenceGP(parts.kernel, parts.likelihood, opt.plan.inference, parts.noise, seed, learn=None)
    nodes = [HyperparameterNode(component.weight, component.generative) for component in parts.components]
    return model.at_nodes(nodes).condition(duels_of(opt))
