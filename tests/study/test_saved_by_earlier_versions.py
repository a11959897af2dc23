"""Studies written by an earlier version open, save as the same text, and go on as they did then.

The files in `saved` were written before the modules of `anchorpbo.study` were renamed.
"""

import json
from pathlib import Path

import pytest

from anchorpbo import Optimizer

FILES = sorted((Path(__file__).parent / "saved").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_study_of_an_earlier_version_goes_on_as_it_did(file):
    saved = json.loads(file.read_text("utf-8"))
    study, expected = Optimizer.from_json(saved["study"]), saved["expected"]
    assert study.to_json() == saved["study"]
    duel, best = study.ask(), study.recommend()
    # To the bit on one machine; others may round differently.
    assert (duel.first, duel.second) == (expected["duel"]["first"], expected["duel"]["second"])
    assert duel.gain == pytest.approx(expected["duel"]["gain"], rel=1e-6)
    assert duel.why == expected["duel"]["why"]
    assert best.design == expected["design"]
    assert [best.utility, *best.interval] == pytest.approx([expected["utility"], *expected["interval"]], rel=1e-6)


def test_there_are_files_of_an_earlier_version():
    assert [file.stem for file in FILES] == ["catalogue", "paper", "parameters"]
