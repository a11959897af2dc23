"""The use cases of results: recommendation, assessment, audit, validation, map, figures, gains and agreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.service.agreement import Agreement, ParticipantModel, compute_agreement
from anchorpbo.app.service.figures import FigureName, FigureOptions, audit_session, make_figure
from anchorpbo.app.service.maps import Map, make_map
from anchorpbo.app.service.memberships import Memberships
from anchorpbo.app.service.session_cache import SessionCache
from anchorpbo.app.service.views.results import AssessmentView, RecommendationView
from anchorpbo.app.service.views.trust import AnchorValidationView, AuditView
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.plots.plot import Plot


class ResultService:
    """Results of the participants of all studies of one storage. Safe to use from several threads."""

    def __init__(self, sessions: SessionCache, memberships: Memberships) -> None:
        self._sessions, self._memberships = sessions, memberships

    def recommend(self, id: str, participant: str = OWNER, risk_weight: float | None = None) -> RecommendationView:
        """Return the design recommended by this participant's answers."""

        def compute(session: ParticipantSession) -> RecommendationView:
            fields = vars(session.optimizer.recommend(risk_weight))
            fields |= {name: list(fields[name]) for name in ("interval", "credible_set", "credible_probabilities")}
            return RecommendationView(**fields, answers=len(session.optimizer))

        return self._sessions.read(id, participant, compute)

    def assess(self, id: str, participant: str = OWNER) -> AssessmentView:
        """Return whether this participant can stop, and which of their answers contradict the others."""

        def compute(session: ParticipantSession) -> AssessmentView:
            return AssessmentView.from_assessment(session, session.optimizer.assess(session.pending))

        return self._sessions.read(id, participant, compute)

    def audit(self, id: str, participant: str = OWNER) -> AuditView:
        """Return whether this participant's answers can be trusted."""
        return self._sessions.read(id, participant, lambda session: AuditView.from_audit(audit_session(session)))

    def validate_anchors(self, id: str, participant: str = OWNER) -> AnchorValidationView:
        """Return whether this participant's anchors are right, according to their answers."""
        return self._sessions.read(
            id, participant, lambda session: AnchorValidationView.from_optimizer(session.optimizer)
        )

    def make_map(
        self, id: str, participant: str = OWNER, at: Mapping[str, Any] | None = None,
        x: str | None = None, y: str | None = None, strongest: bool = False,
    ) -> Map:  # fmt: skip
        """Return grids for plots, see `anchorpbo.app.service.maps`."""
        design = None if at is None else self._sessions.check_design(id, at)
        return self._sessions.read(id, participant, lambda session: make_map(session, design, x, y, strongest))

    def make_figure(
        self, id: str, name: FigureName, participant: str = OWNER, options: FigureOptions | None = None
    ) -> Plot:
        """Return a figure, see `anchorpbo.app.service.figures`."""
        options = FigureOptions() if options is None else options
        if options.at is not None:
            options = replace(options, at=self._sessions.check_design(id, options.at))
        display = self._sessions.definition(id).display
        return self._sessions.read(id, participant, lambda session: make_figure(session, display, name, options))

    def list_gains(self, id: str, participant: str = OWNER) -> list[float | None]:
        """Return the expected gain of each answered duel, in the order of the answers."""

        def compute(session: ParticipantSession) -> list[float | None]:
            return [event.get("gain") for event in session.optimizer.history if event["type"] == "answered"]

        return self._sessions.read(id, participant, compute)

    def compute_agreement(self, id: str) -> Agreement:
        """Return the agreement between participants."""
        names = self._memberships.active(id)
        models = [self._sessions.read(id, name, ParticipantModel.from_session) for name in names]
        return compute_agreement(models, self._sessions.answered_pairs(id).list_latest())
