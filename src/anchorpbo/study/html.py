"""HTML of studies, duels and results, for notebooks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from anchorpbo.formatting import format_count, format_probability, format_value, truncate
from anchorpbo.html import Markup, facts, join, note, sheet, table, tag
from anchorpbo.space import Catalogue, Design, Space
from anchorpbo.space.html import catalogue_table, space_table
from anchorpbo.study.audit import Audit
from anchorpbo.study.duel import Duel
from anchorpbo.study.optimizer import Optimizer
from anchorpbo.study.progress import Progress
from anchorpbo.study.recommendation import Estimate, Recommendation

CANDIDATES = 5
"""Number of designs of the credible set that are listed."""


def duel_html(duel: Duel) -> str:
    """Return two designs side by side; values that differ are bold."""
    names = list(dict.fromkeys([*duel.first, *duel.second]))
    rows = [(name, *_sides(duel.first.get(name), duel.second.get(name))) for name in names]
    return sheet("Which do you prefer?", table(("", "first", "second"), rows), note(duel.why))


def estimate_html(estimate: Estimate) -> str:
    """Return a design and its utility; for a recommendation also the credible set."""
    low, high = estimate.interval
    found: dict[str, Any] = {
        "utility": f"{estimate.utility:.2f}, with 90 % probability {low:.2f} to {high:.2f}",
        "relative to": estimate.reference,
        "noise": f"{estimate.noise:.3g}",
    }
    if not isinstance(estimate, Recommendation):
        return sheet("Estimate", _design(estimate.design), facts(found))
    found["close to the best"] = (
        f"within {100 * estimate.margin:g} % of the gap between a median design and the best "
        f"with {format_probability(estimate.p_within)} probability"
    )
    found["the best"] = f"of the designs compared with {100 * estimate.p_best:.0f} % probability"
    return sheet("Recommended", _design(estimate.design), facts(found), _candidates(estimate))


def progress_html(progress: Progress) -> str:
    """Return the progress of a study."""
    gain = None if progress.gain is None else f"{100 * progress.gain:.1f} % of the range of utilities seen"
    return sheet(progress.sentence, facts({"answers": progress.duels, "expected gain of the next": gain}))


def audit_html(audit: Audit) -> str:
    """Return the findings of an audit as a table."""
    rows = []
    for one in audit:
        interval = " to ".join(f"{end:.2f}" for end in one.interval)
        value = None if one.value is None else f"{one.value:.2f}"
        level = tag("b", one.level_text) if one.level == "warning" else one.level_text
        rows.append((one.title, level, value, interval, tag("span", one.sentence)))
    heads = ("finding", "level", "value", "90 % interval", "in words")
    return sheet(audit.sentence, table(heads, rows, numbers=("value",)))


def optimizer_html(optimizer: Optimizer) -> str:
    """Return the settings and progress of a study; this computes no model."""
    plan, space, duels = optimizer.plan, optimizer.space, len(optimizer)
    said: Counter[str] = Counter()
    for event in optimizer.history:
        if event["type"] == "answered":
            said[event["outcome"] if event["outcome"] in ("tie", "skip") else "choice"] += 1
        elif event["type"] == "preferred":
            said["tie" if event["tie"] else "choice"] += 1
    about = {
        "answers": ", ".join(format_count(count, what) for what, count in said.items()) or "none yet",
        "anchors": len(optimizer.anchors) or "none: all designs count as equally hard to judge",
        "strategy": repr(plan.acquisition),
        "inference": repr(plan.inference),
    }
    designs = space_table(space) if isinstance(space, Space) else Markup()
    if isinstance(space, Catalogue):
        designs = catalogue_table(space)
    return sheet(f"Study with {format_count(duels, 'informative answer')}", facts(about), designs)


def _sides(first: Any, second: Any) -> tuple[str, str]:
    texts = tuple("" if value is None else truncate(format_value(value)) for value in (first, second))
    one, other = texts if first == second else (tag("b", text) for text in texts)
    return one, other


def _design(design: Design) -> Markup:
    return facts({name: tag("b", truncate(format_value(value))) for name, value in design.items() if value is not None})


def _candidates(found: Recommendation) -> Markup:
    designs = found.credible_set[:CANDIDATES]
    names = list(found.design)
    rows = [
        (*(design.get(name, "") for name in names), f"{100 * share:.0f} %")
        for design, share in zip(designs, found.credible_probabilities, strict=False)
    ]
    more = len(found.credible_set) - len(designs)
    told = "May be the best of those compared; together they contain the best with 90 % probability:"
    rest = note(f"… and {more} more" if more else "")
    return join([note(told), table((*names, "probability"), rows, numbers=("probability",)), rest])
