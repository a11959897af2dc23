"""Figures of one participant's study, as plots that plotly draws on pages and matplotlib in reports.

::

    interval      utility of the recommended design, with its interval
    slices        expected utility along each parameter, with the noise
    utility, uncertainty, noise, reliability
                  maps over two parameters, or over the items of a catalogue
    anchors       reliability and the anchors alone, on the anchors page; before the first answer too
    importance    share of the variation of the utility that each parameter explains
    gains         expected gain of each duel
    audit         findings about the answers, or one of them
    anchor_evidence
                  evidence for the anchors, by the strength of the noise map
    retest        agreement of answers to the same pair
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from anchorpbo.analysis import ModelView, compute_importance, expected_gains
from anchorpbo.analysis.grids import PLANE_POINTS
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.rendering.display import COLUMN_KEYS
from anchorpbo.app.service.layouts import Design
from anchorpbo.errors import ConflictError
from anchorpbo.plots.anchor_evidence_plot import AnchorEvidencePlot
from anchorpbo.plots.audit_plot import AuditPlot
from anchorpbo.plots.gains_plot import GainsPlot
from anchorpbo.plots.importance_plot import ImportancePlot
from anchorpbo.plots.interval_plot import IntervalPlot
from anchorpbo.plots.maps import What, make_map_plot
from anchorpbo.plots.parameter_labels import ParameterLabels
from anchorpbo.plots.plot import Plot
from anchorpbo.plots.retest_plot import RetestPlot
from anchorpbo.plots.slices import MAX_COLUMNS, make_slices
from anchorpbo.space import Catalogue, DesignSpace
from anchorpbo.study import Audit

FigureName = Literal[
    "interval",
    "slices",
    "utility",
    "uncertainty",
    "noise",
    "reliability",
    "anchors",
    "importance",
    "gains",
    "audit",
    "anchor_evidence",
    "retest",
]


@dataclass(frozen=True)
class FigureOptions:
    """Options of a figure; each figure uses those that apply to it."""

    at: Design | None = None
    """Complete design that slices and maps go through; by default the recommended one, or the middle of the space."""
    x: str | None = None
    y: str | None = None
    """Parameters of a map; by default the first two."""
    columns: int = MAX_COLUMNS
    """Largest number of slices side by side."""
    risk_weight: float | None = None
    """Risk weight of the recommendation; by default the study's setting."""
    finding: str | None = None
    """Name of a finding of the audit; by default all."""


def make_figure(
    session: ParticipantSession, display: Mapping[str, Any], name: FigureName, options: FigureOptions
) -> Plot:
    """Return a figure of one participant's study; without answers, raise `ConflictError` for all but the anchors."""
    optimizer = session.optimizer
    view = ModelView.of(optimizer)
    labels = replace(_make_labels(optimizer.space, display), anchor_names=_list_names(session))
    if name == "anchors":
        at = view.base_design if options.at is None else options.at
        bare = replace(view, duels=(), recommend=lambda: None)
        return _make_map("reliability", bare, labels, options, at)
    if not len(optimizer):
        raise ConflictError("a figure needs an answer", "a study without answers", "answer a duel first")
    match name:
        case "interval":
            return IntervalPlot(optimizer.recommend(options.risk_weight))
        case "gains":
            return GainsPlot(expected_gains(optimizer))
        case "audit" | "anchor_evidence" | "retest":
            return _make_trust_figure(session, name, options)
    here = optimizer.recommend(options.risk_weight).design if options.at is None else options.at
    return _make_figure_through(here, name, replace(view, recommend=lambda: here), labels, options)


def _make_trust_figure(
    session: ParticipantSession, name: Literal["audit", "anchor_evidence", "retest"], options: FigureOptions
) -> Plot:
    """Return a figure of whether the answers can be trusted."""
    if name == "anchor_evidence":
        return AnchorEvidencePlot(session.optimizer.validate_anchors())
    if name == "retest":
        return RetestPlot(session.optimizer.retest())
    audit = audit_session(session)
    return AuditPlot(tuple(audit) if options.finding is None else (audit[options.finding],))


def audit_session(session: ParticipantSession) -> Audit:
    """Return the audit of one participant's study, with the response times that are known."""
    seconds = session.seconds
    return session.optimizer.audit(seconds=seconds if any(each is not None for each in seconds) else None)


def _make_figure_through(
    here: Design,
    name: Literal["slices", "utility", "uncertainty", "noise", "reliability", "importance"],
    view: ModelView,
    labels: ParameterLabels,
    options: FigureOptions,
) -> Plot:
    """Return a figure of the utility around a design."""
    if name == "importance":
        return ImportancePlot(compute_importance(view), labels)
    if name == "slices":
        return make_slices(view, here, labels, columns=options.columns)
    return _make_map(name, view, labels, options, here)


def _make_map(what: What, view: ModelView, labels: ParameterLabels, options: FigureOptions, at: Design) -> Plot:
    """Return a map through a design; that of a catalogue has axes of its own."""
    if isinstance(view.space, Catalogue):
        return make_map_plot(what, view, labels)
    return make_map_plot(what, view, labels, options.x, options.y, at, count=PLANE_POINTS)


def _list_names(session: ParticipantSession) -> list[tuple[Design, str]]:
    """Return the marked designs that have a name, and their names."""
    return [(one.design, one.name) for one in session.marks if one.name is not None]


def _make_labels(space: DesignSpace, display: Mapping[str, Any]) -> ParameterLabels:
    """Return the labels and units of a display, without the columns that hold drawings, pictures and links."""
    hidden = {*display.get("hidden", ()), *(display[key] for key in COLUMN_KEYS if key in display and key != "title")}
    return ParameterLabels.of(space, display.get("labels"), display.get("units"), hidden)
