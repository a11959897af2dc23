"""The paper's claims by figure, table and proposition, and the rules of their verdicts.

A *claim* is one sentence of the paper with our result under one setting. The claims of one sentence under several
settings form a *statement*; the statements of a figure, table or proposition determine its verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["agrees", "differs", "depends", "open"]
"""Verdict on a claim.

agrees: the claim holds. differs: the opposite holds, or there is no effect. depends: the result changes with a setting
that the paper does not specify. open: there are too few runs to tell.
"""
ItemVerdict = Literal["agrees", "agrees, rest open", "mixed", "differs", "depends", "open"]
"""Verdict on an item; "mixed" if some of its statements agree and others differ or depend."""
Reading = Literal["paper", "ours"]
"""Whether a claim is measured by the paper's metric, or in another way that its text allows."""
READING_NAMES: dict[Reading, str] = {"paper": "the paper's metric", "ours": "our reading"}
"""Names of the readings in tables."""


@dataclass(frozen=True)
class Claim:
    """A statement of the paper and our result."""

    text: str
    """The claim, in one sentence."""
    where: str
    """Its place in the paper, an item of `PAPER_ITEMS`, or `OWN_ITEM`."""
    found: str
    """Our number; for a comparison, the mean paired difference in the metric's units."""
    interval: str
    """The 95 % confidence interval of that number, or a dash."""
    verdict: Verdict
    setting: str = ""
    """The setting of this result; empty if there is only one."""
    reading: Reading = "paper"


@dataclass(frozen=True)
class PaperItem:
    """A figure, table or proposition of the paper."""

    where: str
    says: str
    """The paper's statement in one sentence."""
    experiment: str
    """The name under ``anchorpbo reproduce``."""


OWN_ITEM = "ours"
"""The place of claims that are not in the paper."""
PAPER_ITEMS: tuple[PaperItem, ...] = (
    PaperItem("Figure 1", "Noise-aware queries are quieter and give a better surrogate.", "illustration"),
    PaperItem(
        "Figure 2, top", "Risk-averse strategies improve the risk-adjusted best value, ANPEI less surely.", "main"
    ),
    PaperItem("Figure 2, middle", "RAHBO and RAEUBO stay competitive in the best value.", "main"),
    PaperItem("Figure 2, bottom", "Risk-averse strategies query quieter pairs.", "main"),
    PaperItem("Figure 3, top", "Anchors near the optimum speed up convergence.", "anchor-quality"),
    PaperItem("Figure 3, middle", "More anchors help, early above all.", "anchor-count"),
    PaperItem(
        "Figure 3, bottom", "The error falls in a similar way when anchors are not independent.", "anchor-process"
    ),
    PaperItem(
        "Figure S1", "The error of the noise map falls with anchors and grows with the dimension.", "consistency"
    ),
    PaperItem("Figure S2", "RAHBO and RAEUBO rank ahead when noise counts; ANPEI is the exception.", "ranking"),
    PaperItem("Table S1", "Noise-aware strategies are a little slower, pairs and dimensions cost more.", "time"),
    PaperItem("Figure S3", "On Ackley 6D only RAEUBO stays competitive.", "ackley6"),
    PaperItem("Figure S4", "On Candy ANPEI and RAHBO improve, RAEUBO does not.", "candy"),
    PaperItem("Figure S5", "Hartmann 3D with five anchors: a figure without text.", "five-anchors"),
    PaperItem("Proposition, one step", "One step of RAEUBO is optimal up to a constant.", "one-step"),
    PaperItem("Proposition, MSE", "The squared error of the noise map falls as n^(-2b / (2b + d)).", "consistency"),
    PaperItem(
        "Proposition, concentration", "The noise map is close to the truth with high probability.", "concentration"
    ),
    PaperItem("Proposition, leave-one-out", "The leave-one-out bandwidth becomes as good as the best.", "consistency"),
    PaperItem("Appendix A, time", "N anchors at M designs take O(NM) time.", "kde-time"),
)


def judge_statement(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a statement, given its verdicts under the settings that the paper leaves open."""
    found = set(verdicts)
    if "depends" in found or {"agrees", "differs"} <= found:
        return "depends"
    return "open" if "open" in found or not found else found.pop()


def judge_statements(claims: Sequence[Claim]) -> dict[tuple[str, str], Verdict]:
    """Return the verdict on each statement, by place and text."""
    keys = dict.fromkeys((claim.where, claim.text) for claim in claims)
    return {key: judge_statement(c.verdict for c in claims if (c.where, c.text) == key) for key in keys}


def judge_items(claims: Sequence[Claim]) -> dict[str, list[Verdict]]:
    """Return the verdicts on each item's statements, by place: the paper's own if it makes any, else our readings."""
    return {item.where: list(_judge_item_statements(claims, item.where).values()) for item in PAPER_ITEMS}


def _judge_item_statements(claims: Sequence[Claim], where: str) -> dict[tuple[str, str], Verdict]:
    own = [claim for claim in claims if claim.where == where]
    return judge_statements([claim for claim in own if claim.reading == "paper"] or own)


def judge_item(verdicts: Sequence[Verdict]) -> ItemVerdict:
    """Return the verdict on an item, given the verdicts on its statements."""
    decided = {verdict for verdict in verdicts if verdict != "open"}
    if not decided:
        return "open"
    if decided == {"agrees"}:
        return "agrees, rest open" if "open" in verdicts else "agrees"
    return decided.pop() if len(decided) == 1 else "mixed" if "agrees" in decided else "depends"


def format_counts(verdicts: Iterable[Verdict]) -> str:
    """Return the number of each verdict in words, such as "2 agree, 1 open"."""
    counts = Counter(verdicts)
    order: tuple[Verdict, ...] = ("agrees", "open", "depends", "differs")
    return ", ".join(f"{counts[verdict]} {_PLURALS[verdict]}" for verdict in order if counts[verdict])


_PLURALS: dict[Verdict, str] = {"agrees": "agree", "open": "open", "depends": "depend", "differs": "differ"}
