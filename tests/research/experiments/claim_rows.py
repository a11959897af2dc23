"""What every table of claims of a theory experiment keeps to, and how its statements are looked up."""

from anchorpbo.research.experiments.verdicts import PAPER_ITEMS, judge_statements

SENTENCE, CELL = 130, 80
"""Most characters of a claim's sentence, and of any other cell."""
PLACES = {item.where: item.experiment for item in PAPER_ITEMS}


def check_rows(name, claims):
    """Rows of one setting each, short, and of a place in the paper that this experiment is about."""
    assert claims
    for claim in claims:
        assert len(claim.text) <= SENTENCE, claim.text
        assert claim.text.endswith(".")
        for cell in (claim.where, claim.setting, claim.found, claim.interval):
            assert len(cell) <= CELL, cell
            assert ";" not in cell, cell
        assert PLACES[claim.where] == name, claim.where
        assert claim.verdict in ("agrees", "differs", "open")
        assert not claim.setting or claim.setting not in claim.text
    keys = [(claim.where, claim.text, claim.setting) for claim in claims]
    assert len(set(keys)) == len(keys)


def verdicts(claims):
    """The verdict on each statement, by its sentence up to the colon."""
    return {text.partition(":")[0].rstrip("."): verdict for (_, text), verdict in judge_statements(claims).items()}


def row_of(claims, text, setting=""):
    """The only row of a sentence, by its start, and a setting."""
    (found,) = [claim for claim in claims if claim.text.startswith(text) and claim.setting == setting]
    return found
