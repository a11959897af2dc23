"""Exports that another program has read and written again."""

import json
from typing import Any

from anchorpbo.app.service import StudyService
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.app.web.schemas import STUDY_EXAMPLE


def as_javascript_writes_it(value: Any) -> Any:
    """1.0 becomes 1: JavaScript knows one kind of number."""
    if isinstance(value, dict):
        return {key: as_javascript_writes_it(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_javascript_writes_it(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def test_an_export_that_went_through_javascript_is_the_same_study() -> None:
    studies = StudyService(MemoryStorage())
    id = studies.create({**STUDY_EXAMPLE, "options": {"seed": 3, "risk_weight": 2.0}}).id
    for n in range(9):
        duel = studies.duels.ask(id)
        studies.duels.answer(id, duel.id, "first" if n % 3 else "tie")
    studies.duels.undo(id)
    export = json.loads(json.dumps(as_javascript_writes_it(studies.export(id))))
    again = studies.import_study(export).id
    assert again != id
    assert studies.duels.ask(again) == studies.duels.ask(id)
    assert studies.results.recommend(again) == studies.results.recommend(id)
