"""A study of many answers: `make soak` prints what its map and its report take, `make test` looks at a short one."""

import os
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from anchorpbo.app.report.report import render_report
from anchorpbo.app.service import StudyService
from anchorpbo.app.storage import open_storage

SOAK = "ANCHORPBO_SOAK_SECONDS" in os.environ
ANSWERS = 5_000 if SOAK else 60
SLOWEST = 1.0
"""Processor seconds."""


def request(dimension: int) -> dict[str, object]:
    parameters = [{"name": f"p{i}", "kind": "real", "low": 0.0, "high": 1.0} for i in range(dimension)]
    return {"name": "Long", "space": {"kind": "space", "parameters": parameters}}


def comparisons(dimension: int) -> list[dict[str, float]]:
    """Of random designs, by someone who likes those near 0.6 and hesitates a little."""
    rng, rows = np.random.default_rng(0), []
    for pair in rng.random((ANSWERS, 2, dimension)).round(4):
        utility = -4 * ((pair - 0.6) ** 2).sum(axis=1) + 0.1 * rng.standard_normal(2)
        sides = zip(("winner", "loser"), pair[np.argsort(-utility)], strict=True)
        rows.append({f"{side}.p{i}": float(value) for side, design in sides for i, value in enumerate(design)})
    return rows


@pytest.mark.parametrize("dimension", [4, 6])
def test_the_map_and_the_report_of_a_long_study_are_quick(tmp_path: Path, dimension: int) -> None:
    with closing(open_storage(str(tmp_path / "studies.db"))) as storage:
        studies = StudyService(storage)
        id = studies.create(request(dimension)).id
        studies.duels.import_comparisons(id, comparisons(dimension))
        studies.results.recommend(id)
        seconds = {}
        for name, look in {
            "map": lambda: studies.results.make_map(id),
            "report": lambda: render_report(studies, id),
        }.items():
            began = time.process_time()
            assert look()
            seconds[name] = time.process_time() - began
        print(f"{ANSWERS} answers in {dimension}-D, processor seconds: {seconds}")
        if SOAK:
            assert max(seconds.values()) < SLOWEST
