"""Studies, cheap to ask, that the tests of `anchorpbo.service` share, and ways to spoil what is sent."""

from hypothesis import strategies as st

from anchorpbo.service import Studies
from anchorpbo.storage.memory import MemoryStorage

QUICK = {
    "name": "Tea",
    "space": {
        "kind": "space",
        "parameters": [
            {"name": "minutes", "kind": "real", "low": 1.0, "high": 9.0},
            {"name": "leaf", "kind": "categorical", "values": ["green", "black"]},
        ],
    },
    "options": {"strategy": "ei", "inference": "laplace", "initial": 2, "seed": 3},
}
TREES = {
    "name": "Trees",
    "space": {
        "kind": "catalogue",
        "columns": [
            {"name": "name", "values": ["Ash", "Birch", "Elm", "Oak", "Pine", "Yew"]},
            {"name": "price", "values": [5.0, 12.5, 9.0, 19.0, 7.5, 30.0]},
        ],
        "features": ["price"],
        "key": "name",
    },
    "options": QUICK["options"],
}
GREEN, BLACK = {"minutes": 3.0, "leaf": "green"}, {"minutes": 4.5, "leaf": "black"}


def study(request=QUICK, storage=None, **more):
    """Studies on a storage, and the id of one of them."""
    studies = Studies(storage or MemoryStorage())
    return studies, studies.create({**request, **more}).id


def answer(studies, id, outcome="first", participant="owner"):
    """Ask and answer once; return the duel."""
    duel = studies.ask(id, participant)
    studies.answer(id, duel.id, outcome, None, participant)
    return duel


def state(studies, id, participant="owner"):
    """All that one participant sees of a study."""
    duel, answers = studies.ask(id, participant), len(studies.rater(id, participant).optimizer)
    return {
        "duel": duel,
        "anchors": studies.anchors(id, participant),
        "history": studies.history(id, participant),
        "recommendation": studies.recommendation(id, participant) if answers else None,
        "standing": studies.rater(id, participant).standing,
    }


ODD = st.sampled_from([
    None, True, False, 0, -1, 1, 2**63, 2**70, 10**400, 1.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"), "", "x",
    "\0", "\ud800", "owner", "=1+1", "a" * 300, [], {}, [[]], [None], {"a": 1}, {"class": "RBF"}, {"custom": "os.system"},
    "created", "skip", "1-000000000000", ["a", "b"], {"minutes": 3.0, "leaf": "green"},
])  # fmt: skip
"""Values that have no business where they are put."""


def places(data, path=()):
    """Paths to everything in nested data, the whole left out."""
    found = list(data.items()) if isinstance(data, dict) else list(enumerate(data)) if isinstance(data, list) else []
    for key, value in found:
        yield (*path, key)
        yield from places(value, (*path, key))


def spoilt(data, draw):
    """The data with something in it replaced, removed or doubled; `data` itself is changed."""
    *path, last = draw(st.sampled_from(sorted(places(data), key=repr)))
    holder = data
    for key in path:
        holder = holder[key]
    how = draw(st.sampled_from(["replace", "replace", "remove", "double"]))
    if how == "replace" or (how == "double" and isinstance(holder, dict)):
        holder[last] = draw(ODD)
    elif how == "remove":
        del holder[last]
    else:
        holder.append(holder[last])
    return data
