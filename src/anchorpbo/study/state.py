"""State of a study: its log, and the models and caches computed from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from anchorpbo.errors import InputError, NothingLeftError
from anchorpbo.model import Learn, PreferenceGP
from anchorpbo.reliability import NoiseMap
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.anchor_checks import select_check
from anchorpbo.study.anchor_proposals import AnchorProposal, propose_anchors
from anchorpbo.study.anchor_validation import AnchorValidation, MapComparison, validate_anchors
from anchorpbo.study.assessment import Assessment, assess_answers
from anchorpbo.study.audit import Audit
from anchorpbo.study.cache import LRUCache
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.duel import Duel, Outcome
from anchorpbo.study.duel_selection import DuelSelector
from anchorpbo.study.events import (
    AnchorAdded,
    AnchorRemoved,
    Answered,
    Event,
    LogEntry,
    Preferred,
    event_from_dict,
    list_designs,
)
from anchorpbo.study.explanations import CHECK_DUEL, REPEATED_DUEL
from anchorpbo.study.hyperparameters import Key, ModelFitter
from anchorpbo.study.log import Log, LogSnapshot
from anchorpbo.study.noise_rules import BoundedNoise
from anchorpbo.study.plan import resolve_priors
from anchorpbo.study.progress import Progress, assess_progress
from anchorpbo.study.recommendation import (
    Recommendation,
    check_answers,
    compute_recommendation,
    estimate_p_within,
    find_recommended_point,
)
from anchorpbo.study.retest import Retest, summarise_retests
from anchorpbo.study.settings import StudySettings
from anchorpbo.study.surprises import Surprise, find_surprises, predict_answers
from anchorpbo.typing import Array


class StudyState:
    """Log, models and caches of a study. Not thread-safe: `Optimizer` guards it with its lock.

    Everything but the log is a function of the settings and the log. An error leaves the log as it was.
    """

    def __init__(self, settings: StudySettings) -> None:
        self.settings: StudySettings = settings
        self.space: DesignSpace = settings.space
        self.log: Log = Log(settings.digest, settings.space, settings.anchors)
        self.fitter: ModelFitter = ModelFitter(settings.plan, settings.seed)
        self.selector: DuelSelector = DuelSelector(settings.digest, settings.space, self.fitter, settings.seed)
        self._duels: LRUCache[Duel] = LRUCache(64)
        self._recommendations: LRUCache[Recommendation] = LRUCache(8)
        self._p_within: LRUCache[float] = LRUCache(8)
        self._validations: LRUCache[AnchorValidation] = LRUCache(4)
        self._proposals: LRUCache[list[AnchorProposal]] = LRUCache(4)
        self._audits: LRUCache[Audit] = LRUCache(4)

    @property
    def data(self) -> StudyData:
        """The log as arrays."""
        return self.log.data

    # -- events --------------------------------------------------------------------------------------------------------

    def record(self, *events: Event) -> None:
        """Validate events that do not depend on each other, and add them to the log, all of them or none."""
        located = [(event, self._locate(event)) for event in events]
        for event, points in located:
            self.log.append(LogEntry.create(self.log.digest, event, points))

    def validate(self, event: Event) -> LogEntry:
        """Return the entry of an event that follows the log; raise if the event is not possible now."""
        return LogEntry.create(self.log.digest, event, self._locate(event))

    def undo(self) -> None:
        """Remove the last event."""
        if not len(self.log):
            raise InputError("undo needs an event to take back", "an empty log", "tell something first")
        self.log.pop()

    def replace_events(self, keep: int, events: Iterable[Mapping[str, Any]]) -> None:
        """Replace all but the first `keep` events by others, given as JSON data."""
        if not 0 <= keep <= len(self.log):
            raise InputError(f"keep must be from 0 to {len(self.log)}", keep, "send the whole log")
        previous = self.log.snapshot().entries[keep:]
        self.log.truncate(keep)
        for number, data in enumerate(events, keep):
            try:
                self.record(event_from_dict(data, self.space))
            except InputError as error:
                self.log.truncate(keep)
                for entry in previous:
                    self.log.append(entry)
                rule = f"event {number} must be valid in this study: {error.rule}"
                raise InputError(rule, error.received, error.remedy) from error

    def snapshot(self, duel: Duel | None = None, outcome: Outcome | None = None) -> LogSnapshot:
        """Return a snapshot of the log, optionally with a hypothetical answer to a duel."""
        if duel is None or outcome is None:
            return self.log.snapshot()
        return self.log.snapshot(self.validate(Answered.of(self.check_duel(duel), outcome)))

    # -- duels ---------------------------------------------------------------------------------------------------------

    def ask(self, count: int = 1, pending: Sequence[Duel] = (), data: StudyData | None = None) -> list[Duel]:
        """Return the next duels, given pending ones; `data` is of a hypothetical log instead of the present one."""
        data = self.data if data is None else data
        out, result = list(pending), []
        for _ in range(count):
            key = (data.digest, *(duel.id for duel in out))
            select = partial(self.selector.select, data, [self._encode_pair(duel) for duel in out])
            try:
                duel = self._duels.get_or_compute(key, select)
            except NothingLeftError as error:
                rule = "n must be at most the number of different duels"
                raise InputError(rule, f"{count}, with {len(pending)} pending", "ask for fewer at once") from error
            out.append(duel)
            # A copy, so that changes by the caller do not reach the cache.
            result.append(replace(duel, first=dict(duel.first), second=dict(duel.second)))
        return result

    def peek(self, duel: Duel, outcome: Outcome) -> Duel:
        """Return the duel that would be asked if another had this outcome."""
        entry = LogEntry.create(self.log.digest, Answered.of(duel, outcome), self._encode_pair(duel))
        return self.ask(data=self.log.data_after(entry))[0]

    def has_next_duel(self) -> bool:
        """Return whether the next duel is in the cache."""
        return self._duels.get((self.log.digest,)) is not None

    def put_next_duel(self, duel: Duel) -> None:
        """Put the next duel, computed elsewhere for the same log, into the cache."""
        self._duels.put((self.log.digest,), self.check_duel(duel))

    def check_duel(self, duel: Duel) -> Duel:
        """Return a duel; raise unless this study asked it."""
        if not isinstance(duel, Duel):
            raise InputError("duel must be a Duel, as ask returns it", repr(duel), "or use tell_preference")
        if not duel.is_from(self.settings.digest) and not duel.is_from(self.settings.legacy_digest):
            rule, remedy = "only a duel of this study can be answered", "use tell_preference for others"
            raise InputError(rule, f"{duel.id}, never asked here or changed since", remedy)
        return duel

    # -- results -------------------------------------------------------------------------------------------------------

    def recommend(
        self, risk_weight: float, everywhere: bool, reference: Array | None, excluded: Array, margin: float
    ) -> Recommendation:
        """Return the recommendation, see `compute_recommendation`."""
        data = self.data
        check_answers(len(data))
        origin = None if reference is None else reference.tobytes()
        key = (*self._model_key, risk_weight, everywhere, origin, excluded.tobytes(), margin)
        result = self._recommendations.get_or_compute(
            key,
            lambda: compute_recommendation(
                self.fitter.report_model(data),
                self.space,
                risk_weight,
                self.settings.seed,
                everywhere=everywhere,
                reference=reference,
                excluded=excluded,
                margin=margin,
                calibration=self.settings.plan.calibration,
            ),
        )
        # A copy, so that changes by the caller do not reach the cache.
        return replace(result, design=dict(result.design), credible_set=tuple(map(dict, result.credible_set)))

    def ask_again(self, number: int) -> Duel:
        """Return the duel of an earlier comparison once more, with the sides swapped."""
        events = list(self.log)
        if number >= len(events) or not isinstance(events[number], Answered | Preferred):
            rule = "only a comparison can be asked again"
            received = "no event" if number >= len(events) else events[number].type
            raise InputError(rule, f"event {number}, {received}", "give the index of an answer in .history")
        first, second = list_designs(events[number])
        return self.ask_pair(dict(second), dict(first), REPEATED_DUEL)

    def ask_pair(self, first: Design, second: Design, why: str) -> Duel:
        """Return the duel of two given designs; raise if they are the same."""
        if np.array_equal(self.space.encode(first), self.space.encode(second)):
            raise InputError("the two designs of a duel must differ", f"{first} and {second}", "choose another one")
        return Duel.create(self.selector.study, len(self.log), first, second, why, None)

    def progress(self, duel: Duel | None) -> Progress:
        """Assess the progress of the study, with a duel as the next one, or without its expected gain."""
        initial = self.count_initial(duel)
        gain = None if duel is None else duel.gain
        return assess_progress(len(self.data), gain, None if initial else self.p_within(), initial)

    def count_initial(self, duel: Duel | None) -> int:
        """Return the number of initial duels that are left, with a duel as the next one."""
        needed = max(self.settings.plan.initial, 1) if duel is None or duel.gain is None else 1
        return max(needed - len(self.data), 0)

    def assess(self, duel: Duel | None) -> Assessment:
        """Assess the study, with a duel as the pending one."""
        progress, tied = self.progress(duel), self.data.tied
        if not len(tied):
            return assess_answers(progress, np.empty(0), tied, ())
        return assess_answers(progress, predict_answers(self.report_model(), tied), tied, self.surprises())

    def p_within(self) -> float:
        """Return the probability that the recommended design is within the default margin of the best."""
        return self._p_within.get_or_compute(self._model_key, self._compute_p_within)

    def put_p_within(self, p_within: float) -> None:
        """Put this probability, computed elsewhere for the same log, into the cache."""
        self._p_within.put(self._model_key, p_within)

    def _compute_p_within(self) -> float:
        # A worker computes this for every next duel, so nothing else of the recommendation is computed here.
        model, settings = self.report_model(), self.settings
        return estimate_p_within(
            model, self.space, self.recommended_point(), settings.seed, calibration=settings.plan.calibration
        )

    def recommended_point(self) -> Array:
        """Return the coordinates, (d,), of the design that is recommended by default."""
        plan, seed = self.settings.plan, self.settings.seed
        everywhere = plan.recommends == "space"
        return find_recommended_point(self.report_model(), self.space, plan.risk_weight, seed, everywhere=everywhere)

    @property
    def _model_key(self) -> tuple[str, Key]:
        """Key of the model: all recommendations are functions of it and their arguments."""
        return self.data.digest, self.fitter.key(self.data)

    def surprises(self) -> list[Surprise]:
        """Return the surprising answers, see `find_surprises`."""
        return find_surprises(self.report_model(), list(self.log), self.data.tied) if len(self.data) else []

    def propose_anchors(self, n: int) -> list[AnchorProposal]:
        """Return proposals of anchors, see `anchorpbo.study.anchor_proposals`."""
        data, settings = self.data, self.settings
        model = self.fitter.report_model(data) if len(data) else None
        key = (data.digest, *self.fitter.key(data), n)
        return self._proposals.get_or_compute(
            key, lambda: propose_anchors(self.space, n, data, settings.plan, settings.seed, model)
        )

    def retest(self) -> Retest:
        """Return the test-retest agreement, see `summarise_retests`."""
        model = self.report_model() if len(self.data) else None
        return summarise_retests(self.log, self.space, self.noise_map(), model)

    def validate_anchors(self) -> AnchorValidation:
        """Return the evidence for or against the anchors, see `anchorpbo.study.anchor_validation`."""
        data = self.data
        key = (data.digest, *self.fitter.key(data))
        return self._validations.get_or_compute(key, lambda: validate_anchors(self._compare_maps(), self.retest()))

    def ask_anchor_check(self) -> Duel:
        """Return the next duel that checks the anchors."""
        noise = self._compare_maps().noise
        if not noise.strength_matters or not len(self.data.anchors):
            rule, remedy = "a check of the anchors needs at least one", "mark a design that you know well"
            raise InputError(rule, "none", remedy)
        pair = select_check(self.data, noise, self.space, self.settings.seed)
        first, second = (self.space.decode(x) for x in pair)
        return Duel.create(self.selector.study, len(self.log), first, second, CHECK_DUEL, None)

    def _compare_maps(self) -> MapComparison:
        """Return the noise map of the anchors, before it learns from the answers, and a constant one as rivals."""
        plan, data = self.settings.plan, self.data
        noise = plan.noise_map(data.anchors, data.negative_anchors)
        if not noise.strength_matters and len(data.marks):
            bounded = BoundedNoise(noise.scale, default_bounds="metric")
            noise = replace(plan, noise=bounded).noise_map(data.anchors, data.negative_anchors)
        learn = resolve_priors(plan, data.dimension, noise.scale)
        return MapComparison(noise, plan.kernel, plan.likelihood, learn, data.duels())

    def audit(self, seconds: Sequence[float | None] | None) -> Audit:
        """Return the findings about the answers, given the response time of each event, if known."""
        from anchorpbo.study.audit.checks import audit_answers, check_seconds  # slow to import

        times, data = check_seconds(seconds, len(self.log)), self.data
        model = self.fitter.report_model(data) if len(data) else None
        key = (*self._model_key, times) if len(data) else (data.digest, times)
        return self._audits.get_or_compute(
            key, lambda: audit_answers(model, self._resolve_priors(), data, list(self.log), times, self.settings.seed)
        )

    def _resolve_priors(self) -> dict[str, Learn | None]:
        """Return the priors of the hyper-parameters of the kernel that the study learns."""
        plan, data = self.settings.plan, self.data
        noise = plan.noise_map(data.anchors, data.negative_anchors)
        return resolve_priors(plan, data.dimension, noise.scale)

    def report_model(self) -> PreferenceGP:
        """Return the model behind recommendations; raise before the first informative answer."""
        check_answers(len(self.data))
        return self.fitter.report_model(self.data)

    def acquisition_model(self) -> PreferenceGP:
        """Return the model that selects duels; raise before the first informative answer."""
        check_answers(len(self.data))
        return self.fitter.acquisition_model(self.data)

    def noise_map(self) -> NoiseMap:
        """Return the noise map, fitted if there are informative answers."""
        data = self.data
        if len(data):
            return self.fitter.hyperparameters(data).noise
        return self.settings.plan.noise_map(data.anchors, data.negative_anchors)

    def hyperparameters_to_dict(self) -> dict[str, Any] | None:
        """Return the fitted hyper-parameters as JSON data, ``None`` before the first informative answer."""
        return self.fitter.hyperparameters(self.data).to_dict() if len(self.data) else None

    def put_hyperparameters(self, values: Mapping[str, Any] | None) -> None:
        """Put fitted hyper-parameters, given as JSON data, into the cache; with ``None`` they are fitted again."""
        if values is not None and len(self.data):
            self.fitter.put_hyperparameters(self.data, values)

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _locate(self, event: Event) -> Array:
        """Return the coordinates of an event's designs, (1 or 2, d); raise if the event is not possible now."""
        if isinstance(event, Answered):
            self.check_duel(Duel(event.duel, event.first, event.second, "", event.gain))
            if self.log.has_answer(event.duel):
                raise InputError("a duel can be answered once", event.duel, "undo its answer first, or ask for another")
            self._check_tie(event.outcome == "tie")
        points = np.array([self.space.locate(design) for design in list_designs(event)])
        if isinstance(event, Preferred):
            if np.array_equal(*points):
                rule = "the two designs of a comparison must differ"
                raise InputError(rule, f"{event.winner} and {event.loser}", "leave this comparison out")
            self._check_tie(event.tie)
        elif isinstance(event, AnchorAdded | AnchorRemoved):
            self._check_mark(event, points[0])
        return points

    def _check_tie(self, tied: bool) -> None:
        """Raise for a tie that the likelihood cannot explain."""
        if tied and self.settings.plan.likelihood.tie_threshold == 0.0:
            rule = "a likelihood with tie_threshold 0 has no ties"
            raise InputError(rule, "a tie", "leave tie_threshold out to have it learnt")

    def _check_mark(self, event: AnchorAdded | AnchorRemoved, point: Array) -> None:
        """Raise for a mark that the design has already, or for the removal of one that it has not."""
        mark = self.data.marks.get(point.tobytes())
        if isinstance(event, AnchorRemoved):
            if mark is None:
                remedy = "see .anchor_marks for the present ones"
                raise InputError("only an anchor can be removed", event.design, remedy)
        elif mark is not None and mark.judgement == event.judgement:
            kinds = {"yes": "an anchor", "no": "a negative anchor", "unsure": "marked as unsure"}
            raise InputError(f"a design can be {kinds[event.judgement]} once", event.design, "leave the mark as it is")

    def _encode_pair(self, duel: Duel) -> Array:
        return np.array([self.space.encode(design) for design in (duel.first, duel.second)])
