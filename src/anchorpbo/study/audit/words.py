"""Numbers of findings in words."""

from __future__ import annotations

from anchorpbo.formatting import format_fixed
from anchorpbo.numerics.shares import LEVEL, Interval

NEGLIGIBLE_ODDS = 1.2
"""Odds below which the evidence is not worth a number."""


def format_percent(share: float) -> str:
    """Format a share as a percentage."""
    return f"{format_fixed(100.0 * share, 0)} %"


def format_range(interval: Interval) -> str:
    """Format the interval of a share."""
    low, high = (format_fixed(100.0 * end, 0) for end in interval)
    return f"{format_fixed(100 * LEVEL, 0)} % interval {low} to {high} %"


def format_numbers(interval: Interval, places: int = 2) -> str:
    """Format the interval of a number."""
    low, high = (format_fixed(end, places) for end in interval)
    return f"{format_fixed(100 * LEVEL, 0)} % interval {low} to {high}"


def explain_missing(needed: int, what: str, have: int) -> str:
    """Say that there are not enough answers for a finding."""
    return f"Not enough to say: this needs {needed} {what}, and there {'is' if have == 1 else 'are'} {have or 'none'}."


def ask_for_more(fault: str) -> str:
    """Say that the answers do not exclude a fault."""
    return f" More answers are needed to exclude {fault}."


def format_odds(odds: float) -> str:
    """Format odds of at least 1."""
    return f"{min(odds, 1000.0):.0f} to 1" if odds >= 10 else f"{format_fixed(odds, 1)} to 1"


def describe_factor(factor: float, fault: str, none: str) -> str:
    """Describe a Bayes factor."""
    odds, what = (factor, fault) if factor >= 1.0 else (1.0 / factor, none)
    if odds < NEGLIGIBLE_ODDS:
        return f"There is no evidence either way: {fault}, or {none}."
    return f"The evidence is {format_odds(odds)} for {what}."
