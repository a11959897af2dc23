"""Studies with fast questions, shared by the tests of `anchorpbo.app.service`."""

from anchorpbo.app.service import StudyService
from anchorpbo.app.storage.memory import MemoryStorage

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
    """Create a study; return the service and the study's id."""
    studies = StudyService(storage or MemoryStorage())
    return studies, studies.create({**request, **more}).id


def answer(studies, id, outcome="first", participant="owner"):
    """Ask and answer once; return the duel."""
    duel = studies.duels.ask(id, participant)
    studies.duels.answer(id, duel.id, outcome, None, participant)
    return duel


def state(studies, id, participant="owner"):
    """Return the state of a study as one participant sees it."""
    duel, answers = studies.duels.ask(id, participant), len(studies.sessions.session(id, participant).optimizer)
    return {
        "duel": duel,
        "anchors": studies.anchors.list_designs(id, participant),
        "history": studies.history(id, participant),
        "recommendation": studies.results.recommend(id, participant) if answers else None,
        "events": studies.sessions.session(id, participant).events,
    }
