"""The public interface of a study: ask, tell, recommend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from anchorpbo.acquisition import Acquisition
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.inference import Inference, InferenceName
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood, LikelihoodName
from anchorpbo.model import IntegrationName, IntegrationRule, Learn, PreferenceGP
from anchorpbo.numerics.validation import as_integer, as_non_negative, as_share
from anchorpbo.reliability import NoiseMap
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.anchor_proposals import AnchorProposal
from anchorpbo.study.anchor_validation import AnchorValidation
from anchorpbo.study.assessment import Assessment
from anchorpbo.study.audit import Audit
from anchorpbo.study.comparisons import read_comparisons
from anchorpbo.study.dataset import AnchorMark
from anchorpbo.study.duel import Duel, Outcome, parse_outcome
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Judgement, Preferred, parse_judgement
from anchorpbo.study.explanations import GIVEN_DUEL
from anchorpbo.study.logged_study import LoggedStudy
from anchorpbo.study.noise_rules import NoiseRule
from anchorpbo.study.optimality import DEFAULT_MARGIN
from anchorpbo.study.plan import StartName
from anchorpbo.study.progress import Progress
from anchorpbo.study.recommendation import Estimate, Recommendation, estimate_utilities
from anchorpbo.study.retest import Retest
from anchorpbo.study.surprises import Surprise
from anchorpbo.typing import Array


class Optimizer(LoggedStudy):
    """A study of one user's preferences over a design space.

    Its results are functions of its arguments and its log of events. Asking changes nothing: the same log gives the
    same duel, bit for bit on the same machine, also after `undo` or loading. An error changes nothing.

    Thread-safe: a lock admits one call at a time, and BLAS runs on one thread meanwhile. Duels and recommendations are
    plain data.

    Parameters
    ----------
    space
        A `Space` of parameters or a `Catalogue`.
    anchors
        Designs the user knows well. Without any, the noise is constant.
    strategy
        ``"ei"``, ``"ucb"``, ``"eubo"``, ``"anpei"``, ``"rahbo"``, ``"raeubo"``, ``"euco"``, ``"kg"``, an
        acquisition function of your own, or ``None`` for that of the preset.
    preset
        ``"default"`` for real use or ``"paper"`` for the paper's settings. The default selects the duel whose answer is
        expected to raise the best mean most (``"kg"``), and integrates over the hyper-parameters.
    seed
        Seed of everything random: initial duels, sides, searches, samplers.
    kernel, likelihood, inference
        Names or objects instead of the preset's. ``Probit(lapse=0.05)`` expects one random answer in twenty. A kernel
        gets one coordinate per parameter; tell it which of them are categories, as in
        ``Matern52(0.3, categorical=[3])``.
    noise
        How anchors become noise: `BoundedNoise`, `PaperNoise` or `ConstantNoise`, instead of the preset's.
    learn
        Hyper-parameters to learn, see `PreferenceGP`, instead of the preset's; those the kernel lacks are ignored.
    initial
        Number of duels spread over the space before the model selects; the duels of the knockout count.
    refit_every
        Number of duels between two fits of the hyper-parameters.
    risk_weight
        Cost of a unit of noise of a recommended design, in utility; 0 recommends the design of best mean.
    baseline
        With the paper preset: whether the risk-neutral strategies use a ``"constant"`` noise or the ``"anchored"`` map.
    integration
        How the model integrates over its hyper-parameters, see `PreferenceGP`: ``"map"``, ``"qmc"``, ``"ccd"``,
        ``"simplex"``, an object, or ``None`` for that of the preset.
    preset_version
        Version of the preset; by default the latest. A saved study keeps the version it was created with.
    start
        First duels: ``"anchors"``, a knockout among up to five anchors, in order, which ends early if the first of them
        loses against a design from elsewhere; or ``"spread"``, only duels spread over the space.
    repeat_rate
        Share of questions, from 0 to 1, that repeat an earlier pair with the sides swapped, to test how consistent the
        answers are; see `anchorpbo.study.repeats`. The initial duels and the five questions after them are no repeats.

    Examples
    --------
    >>> from anchorpbo import Real, Space
    >>> opt = Optimizer(Space(sugar=Real(0, 10), milk=Real(0, 50)), anchors=[{"sugar": 2.0, "milk": 10.0}])
    >>> for _ in range(8):
    ...     duel = opt.ask()
    ...     opt.tell(duel, "first" if duel.first["sugar"] < duel.second["sugar"] else "second")
    >>> opt.recommend().design["sugar"] < 5
    True
    """

    def __init__(
        self,
        space: DesignSpace,
        anchors: Iterable[Mapping[str, Any]] = (),
        strategy: str | Acquisition | None = None,
        preset: Literal["default", "paper"] = "default",
        seed: int = 0,
        *,
        kernel: Kernel | None = None,
        likelihood: LikelihoodName | Likelihood | None = None,
        inference: InferenceName | Inference | None = None,
        noise: NoiseRule | None = None,
        learn: Mapping[str, Learn | None] | None = None,
        initial: int | None = None,
        refit_every: int | None = None,
        risk_weight: float | None = None,
        baseline: Literal["constant", "anchored"] = "constant",
        integration: IntegrationName | IntegrationRule | None = None,
        preset_version: int | None = None,
        start: StartName | None = None,
        repeat_rate: float = 0.0,
    ) -> None:
        super().__init__(
            space, anchors, seed=seed, strategy=strategy, preset=preset, kernel=kernel, likelihood=likelihood,
            inference=inference, noise=noise, learn=learn, initial=initial, refit_every=refit_every,
            risk_weight=risk_weight, baseline=baseline, integration=integration, preset_version=preset_version,
            start=start, repeat_rate=repeat_rate,
        )  # fmt: skip

    # -- ask and tell --------------------------------------------------------------------------------------------------

    @overload
    def ask(self, n: None = None, *, pending: Iterable[Duel] = ()) -> Duel: ...
    @overload
    def ask(self, n: int, *, pending: Iterable[Duel] = ()) -> list[Duel]: ...
    def ask(self, n: int | None = None, *, pending: Iterable[Duel] = ()) -> Duel | list[Duel]:
        """Return the next duel, or a list of n duels to answer in any order, each selected given those before it.

        Parameters
        ----------
        n
            Number of duels; by default a single duel, not in a list.
        pending
            Duels asked earlier that have no answer yet; the next one takes them into account.
        """
        count = 1 if n is None else as_integer("n", n, 1)
        if isinstance(pending, Duel) or not isinstance(pending, Iterable):
            raise InputError("pending must be a list of duels", repr(pending), "write pending=[duel]")
        with self._lock_state() as state:
            duels = state.ask(count, [state.check_duel(duel) for duel in pending])
        return duels[0] if n is None else duels

    def ask_against(
        self,
        design: Mapping[str, Any],
        *,
        pending: Iterable[Mapping[str, Any]] = (),
        avoid: Iterable[Mapping[str, Any]] = (),
    ) -> Duel:
        """Return the duel of a given design, its `first`, with the best challenger, its `second`.

        Parameters
        ----------
        design
            Any design, such as one that is in front of the user already.
        pending
            Other designs that await a comparison with it; the challenger takes them into account.
        avoid
            Designs to avoid, with others near them, as long as there is another choice.
        """
        first = self.space.encode(design)
        others = [self._encode_designs(name, designs) for name, designs in (("pending", pending), ("avoid", avoid))]
        with self._lock_state() as state:
            return state.selector.select_against(state.data, first, *others)

    def ask_again(self, event: int) -> Duel:
        """Return the duel of an earlier comparison once more, with the sides swapped.

        Parameters
        ----------
        event
            Index of the comparison in `history`, such as `Surprise.event`.
        """
        with self._lock_state() as state:
            return state.ask_again(as_integer("event", event, 0))

    def ask_anchor_check(self) -> Duel:
        """Return the next duel that checks the anchors, see `validate_anchors`.

        Its designs are two anchors, or designs near them if there are few, or two designs far from all anchors. A pair
        comes back, with the sides swapped, after all others.
        """
        with self._lock_state() as state:
            return state.ask_anchor_check()

    def ask_pair(self, first: Mapping[str, Any], second: Mapping[str, Any], *, why: str = GIVEN_DUEL) -> Duel:
        """Return the duel of two given designs, such as a pair that somebody else compared.

        Parameters
        ----------
        first, second
            Two different designs.
        why
            Sentence that explains the choice.
        """
        designs = self.space.check(first), self.space.check(second)
        with self._lock_state() as state:
            return state.ask_pair(*designs, why)

    def peek(self, outcome: Outcome, duel: Duel | None = None) -> Duel:
        """Return the duel that would follow if the next one, or a pending one, had this outcome; nothing changes."""
        outcome = parse_outcome(outcome)
        with self._lock_state() as state:
            return state.peek(state.ask()[0] if duel is None else state.check_duel(duel), outcome)

    def tell(self, duel: Duel, outcome: Outcome) -> None:
        """Record the answer to a duel of this study: ``"first"``, ``"second"``, ``"tie"`` or ``"skip"``."""
        outcome = parse_outcome(outcome)
        with self._lock_state() as state:
            state.record(Answered.of(state.check_duel(duel), outcome))

    def tell_preference(self, winner: Mapping[str, Any], loser: Mapping[str, Any], *, tie: bool = False) -> None:
        """Record an unsolicited preference; it counts towards the initial duels.

        Parameters
        ----------
        winner, loser
            Designs.
        tie
            Whether the user finds them equal instead.
        """
        if not isinstance(tie, bool):
            raise InputError("tie must be True or False", repr(tie), "leave it out if there is a winner")
        with self._lock_state() as state:
            state.record(Preferred(self.space.check(winner), self.space.check(loser), tie))

    def import_comparisons(self, source: Any) -> int:
        """Record past comparisons from a CSV file, a data frame or records, all or none; return their number.

        See `anchorpbo.study.comparisons` for the columns: a winner and a loser, or a ranking.
        """
        preferences = read_comparisons(source, self.space)
        with self._lock_state() as state:
            state.record(*preferences)
        return len(preferences)

    def undo(self) -> None:
        """Remove the last event: an answer, whose duel is then asked again, a preference, or a change of anchors."""
        with self._lock_state() as state:
            state.undo()

    # -- anchors -------------------------------------------------------------------------------------------------------

    @property
    def anchors(self) -> list[Design]:
        """Designs the user knows well."""
        with self._lock_state() as state:
            return [dict(design) for design in state.data.marked_designs("yes")]

    @property
    def negative_anchors(self) -> list[Design]:
        """Designs the user cannot judge well; answers near them count less, except with the paper's map."""
        with self._lock_state() as state:
            return [dict(design) for design in state.data.marked_designs("no")]

    @property
    def anchor_marks(self) -> list[AnchorMark]:
        """All marked designs with their judgements, also those marked as unsure; oldest first."""
        with self._lock_state() as state:
            return [AnchorMark(dict(mark.design), mark.judgement) for mark in state.data.marks.values()]

    def add_anchor(self, design: Mapping[str, Any]) -> None:
        """Mark a design as well known; this changes the noise map of all answers."""
        self.tell_anchor(design, "yes")

    def tell_anchor(self, design: Mapping[str, Any], judgement: Judgement) -> None:
        """Record the answer to "could you judge this design well?", which replaces an earlier, different one.

        Parameters
        ----------
        design
            Any design, such as one of `propose_anchors`.
        judgement
            ``"yes"`` makes it an anchor, near which answers count more. ``"no"`` makes it a negative anchor, near which
            they count less. ``"unsure"`` only keeps it from being proposed again.
        """
        judgement = parse_judgement(judgement)
        with self._lock_state() as state:
            state.record(AnchorAdded(self.space.check(design), judgement=judgement))

    def remove_anchor(self, design: Mapping[str, Any]) -> None:
        """Remove the mark of a design, whatever the judgement; this changes the noise map of all answers."""
        with self._lock_state() as state:
            state.record(AnchorRemoved(self.space.check(design)))

    def propose_anchors(self, n: int = 6) -> list[AnchorProposal]:
        """Return up to n designs to show with "could you judge this one well?", and what an anchor there would change.

        They cover the space; once there are answers, every other one is a design that may be the best. None of them is
        marked, whatever the judgement: tell it by `tell_anchor`.

        Parameters
        ----------
        n
            Number of proposals; fewer are returned if fewer designs are left.
        """
        n = as_integer("n", n, 1)
        with self._lock_state() as state:
            return [replace(one, design=dict(one.design)) for one in state.propose_anchors(n)]

    # -- results -------------------------------------------------------------------------------------------------------

    def recommend(
        self,
        risk_weight: float | None = None,
        *,
        among: Literal["seen", "space"] | None = None,
        reference: Mapping[str, Any] | None = None,
        exclude: Iterable[Mapping[str, Any]] = (),
        margin: float = DEFAULT_MARGIN,
    ) -> Recommendation:
        """Return the design with the best risk-adjusted posterior mean.

        Parameters
        ----------
        risk_weight
            Cost of a unit of noise, in utility; 0 gives the design of best mean; by default the study's own weight.
        among
            ``"seen"`` for designs that were compared, ``"space"`` for any design, ``None`` for the preset's choice.
        reference
            Design that utilities are relative to; by default the average of the designs compared.
        exclude
            Designs that are not available: answers about them count, but none of them is recommended.
        margin
            Margin of `Recommendation.p_within`, from 0 to 1: a share of the gap between a median design and the best.
        """
        weight = self.plan.risk_weight if risk_weight is None else as_non_negative("risk_weight", risk_weight)
        among = self.plan.recommends if among is None else among
        if among not in ("seen", "space"):
            raise UnknownNameError.of("among", among, ("seen", "space"))
        origin = None if reference is None else self.space.encode(reference)
        excluded, margin = self._encode_designs("exclude", exclude), as_share("margin", margin)
        with self._lock_state() as state:
            return state.recommend(weight, among == "space", origin, excluded, margin)

    @property
    def recommended(self) -> Design:
        """The design of `recommend`, without the probabilities, which take longer than the design."""
        with self._lock_state() as state:
            return self.space.decode(state.recommended_point())

    def utilities(
        self, designs: Iterable[Mapping[str, Any]] | None = None, *, reference: Mapping[str, Any] | None = None
    ) -> list[Estimate]:
        """Estimate the utilities of designs; by default of all designs compared, the best first.

        Parameters
        ----------
        designs
            Designs to evaluate, in this order.
        reference
            Design that utilities are relative to; by default the average of the designs compared.
        """
        if isinstance(designs, Mapping | str):
            raise InputError("designs must be a list of designs", repr(designs), "write [design]")
        points = None if designs is None else [self.space.encode(design) for design in designs]
        origin = None if reference is None else self.space.encode(reference)
        with self._lock_state() as state:
            model = state.report_model()
            if points is None:
                points = list(model.designs[np.argsort(-model.posterior.mean(model.designs), kind="stable")])
            return estimate_utilities(model, self.space, np.array(points).reshape(-1, self.space.dimension), origin)

    def progress(self, duel: Duel | None = None) -> Progress:
        """Return whether the user can stop, and the expected gain of the next duel or of a given pending one.

        The user can stop when `p_within` of the recommended design, with the default margin of 0.1, is at least 0.9.
        """
        with self._lock_state() as state:
            return state.progress(state.ask()[0] if duel is None else state.check_duel(duel))

    def assess(self, duel: Duel | None = None) -> Assessment:
        """Return whether the user can stop, the evidence for it, and the answers that contradict the others.

        Parameters
        ----------
        duel
            The pending duel, if there is one: the verdict is then in the words of its `progress`.
        """
        with self._lock_state() as state:
            return state.assess(None if duel is None else state.check_duel(duel))

    def surprises(self) -> list[Surprise]:
        """Return the answers that all other answers make improbable, the most surprising first.

        If the likelihood has lapses, each has the probability that it was one.
        """
        with self._lock_state() as state:
            return state.surprises()

    def retest(self) -> Retest:
        """Return how often answers to the same pair agree, by band of reliability, and what the model expects.

        All pairs answered more than once count, whoever asked for the repeat: the study (`repeat_rate`), the user
        (`ask_again`, `tell_preference`), or the model.
        """
        with self._lock_state() as state:
            return state.retest()

    def validate_anchors(self) -> AnchorValidation:
        """Return whether the answers support the anchors: a Bayes factor, a verdict, and a sentence.

        The anchored noise map is compared with a constant one. The agreement of answers to the same pair, near the
        anchors and elsewhere, is in `retest`. Most questions of a study say little about
        it; those of `ask_anchor_check` are asked for it.
        """
        with self._lock_state() as state:
            return state.validate_anchors()

    def audit(self, *, seconds: Sequence[float | None] | None = None) -> Audit:
        """Return whether the answers can be trusted: findings, each with a number, its 90 % interval and a sentence.

        ``str(audit)`` is the whole report, ``audit["drift"]`` one finding. docs/trust.md explains them.

        Parameters
        ----------
        seconds
            Response time of each event of `history` in seconds, ``None`` where unknown, for a finding about their
            trend.
        """
        with self._lock_state() as state:
            return state.audit(seconds)

    @property
    def model(self) -> PreferenceGP:
        """The model behind `recommend`, with EP; a copy, so changes do not affect the study."""
        with self._lock_state() as state:
            return copy(state.report_model())

    @property
    def acquisition_model(self) -> PreferenceGP:
        """The model behind `ask`, with the plan's inference: acquisition functions are evaluated on it; a copy."""
        with self._lock_state() as state:
            return copy(state.acquisition_model())

    @property
    def noise_map(self) -> NoiseMap:
        """The noise map of the anchors, fitted to the answers if there are any."""
        with self._lock_state() as state:
            return state.noise_map()

    def __repr__(self) -> str:
        strategy, duels, anchors = type(self.plan.acquisition).__name__, len(self), len(self.anchors)
        counts = f"{duels} duel{'s'[: duels != 1]} and {anchors} anchor{'s'[: anchors != 1]}"
        return f"Optimizer({self.space!r}, {strategy}, {counts})"

    def _repr_html_(self) -> str:
        from anchorpbo.study.html import optimizer_html

        return optimizer_html(self)

    def _encode_designs(self, name: str, designs: Iterable[Mapping[str, Any]]) -> Array:
        """Return the coordinates of designs, (n, d)."""
        if isinstance(designs, Mapping | str) or not isinstance(designs, Iterable):
            raise InputError(f"{name} must be a list of designs", repr(designs), f"write {name}=[{{...}}]")
        return np.array([self.space.encode(design) for design in designs]).reshape(-1, self.space.dimension)
