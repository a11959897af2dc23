"""Tests that pin committed results have a marker of their own, so that they can be left out."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
COMMITTED = re.compile(r'\b(?:ROOT|DOCS)\b[^\n]*/ "(?:reproduction|reproduction\.md|performance\.md|benchmarks)"')
"""A path to committed results: the pages on reproduction and performance, and the folders behind them."""
READERS = sorted(path for path in TESTS.rglob("test_*.py") if COMMITTED.search(path.read_text("utf-8")))


def test_there_are_tests_of_committed_results():
    assert {path.name for path in READERS} >= {"test_reproduction.py", "test_performance.py"}


@pytest.mark.parametrize("path", READERS, ids=lambda path: path.stem)
def test_every_module_that_reads_committed_results_has_the_marker(path):
    assert re.search(r"^pytestmark = pytest\.mark\.artefacts$", path.read_text("utf-8"), re.MULTILINE)
