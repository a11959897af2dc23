"""Ask, tell, recommend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from os import PathLike
from threading import RLock
from typing import Any, Literal, overload

import numpy as np

from anchorpbo.acquisition import Acquisition
from anchorpbo.errors import InputError, NothingLeftError, UnknownNameError
from anchorpbo.inference import Inference, InferenceName
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood, LikelihoodName
from anchorpbo.model import Learn, PreferenceGP
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.numerics.validation import as_integer, as_non_negative
from anchorpbo.reliability import NoiseMap
from anchorpbo.space import Catalogue, Design, DesignSpace, space_from_dict
from anchorpbo.study.anchors import proposals
from anchorpbo.study.asking import Questioner
from anchorpbo.study.beliefs import Beliefs
from anchorpbo.study.duel import Duel, Outcome, as_outcome
from anchorpbo.study.events import (
    AnchorAdded,
    AnchorRemoved,
    Answered,
    Event,
    Preferred,
    designs_of,
    event_from_dict,
    event_to_dict,
)
from anchorpbo.study.foresight import Foreseen, Trail
from anchorpbo.study.importing import comparisons
from anchorpbo.study.log import Log
from anchorpbo.study.memory import Memory
from anchorpbo.study.objects import as_saved, object_from_json, object_to_json
from anchorpbo.study.plan import NoiseRule, Plan, make_plan
from anchorpbo.study.progress import Progress, progress
from anchorpbo.study.recommending import Estimate, Recommendation, check_answers, estimates, recommendation
from anchorpbo.study.record import Entry, Record, digest_of
from anchorpbo.study.saving import load_text, read, save_text, write
from anchorpbo.typing import Array


class Optimizer:
    """A study of one user's preferences over a design space.

    Everything it computes is a function of what it was made with and of its log, the events told so far. Asking
    changes nothing: the same log gives the same duel, bit for bit on the same machine, also after `undo` and after
    `to_json` and `from_json`. An error leaves the study as it was.

    Thread-safe: a lock lets one call in at a time, and BLAS runs on one thread meanwhile. The duels and recommendations
    it returns are plain data.

    Parameters
    ----------
    space
        A `Space` of parameters or a `Catalogue`.
    anchors
        Designs the user knows well. Without any the noise is constant.
    strategy
        ``"ei"``, ``"ucb"``, ``"eubo"``, ``"anpei"``, ``"rahbo"``, ``"raeubo"``, an acquisition of your own, or ``None``
        for that of the preset.
    preset
        ``"default"`` for real use or ``"paper"`` for the paper's settings.
    seed
        Of everything random: starting duels, sides, searches, samplers.
    kernel, likelihood, inference
        Names or objects in place of the preset's. A kernel sees one coordinate a parameter; tell it which of them are
        categories, as in ``Matern52(0.3, categorical=[3])``.
    noise
        How anchors become noise: `BoundedNoise`, `PaperNoise` or `ConstantNoise`, in place of the preset's.
    learn
        Hyper-parameters to learn, see `PreferenceGP`, in place of the preset's; those the kernel lacks are left out.
    initial
        Duels spread over the space before the model chooses.
    refit_every
        Duels between two fits of the hyper-parameters.
    risk_weight
        What a unit of noise costs a recommended design, in utility; 0 recommends the plain best.
    baseline
        With the paper preset: whether the risk-neutral strategies see a ``"constant"`` noise or the ``"anchored"`` map.

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
    ) -> None:
        if not isinstance(space, DesignSpace):
            raise InputError("space must be a Space or a Catalogue", repr(space), "write Space(x=Real(0, 1))")
        self._space, self._seed = space, as_integer("seed", seed, 0)
        options: dict[str, Any] = {
            "strategy": strategy, "preset": preset, "kernel": kernel, "likelihood": likelihood, "inference": inference,
            "noise": noise, "learn": learn, "initial": initial,
            "refit_every": refit_every, "risk_weight": risk_weight, "baseline": baseline,
        }  # fmt: skip
        self._options = {name: as_saved(name, value) for name, value in options.items()}
        self._plan = make_plan(space, **self._options)
        self._first_anchors = _distinct_anchors(space, anchors)
        # A long list is named by its numbers: written as text it would take seconds.
        self._study = self._digest(space.digest if isinstance(space, Catalogue) else space.to_dict())
        self._beliefs = Beliefs(self._plan, self._seed)
        self._questions = Questioner(self._study, space, self._beliefs, self._seed)
        self._asked: Memory[Duel] = Memory(64)
        self._recommended: Memory[Recommendation] = Memory(8)
        self._log = Log(self._study, space, self._first_anchors)
        self._lock = RLock()

    # -- the loop -----------------------------------------------------------------------------------------------------

    @overload
    def ask(self, n: None = None, *, pending: Iterable[Duel] = ()) -> Duel: ...
    @overload
    def ask(self, n: int, *, pending: Iterable[Duel] = ()) -> list[Duel]: ...
    def ask(self, n: int | None = None, *, pending: Iterable[Duel] = ()) -> Duel | list[Duel]:
        """The next duel; or n of them, to be answered in any order, each allowing for those before it.

        Parameters
        ----------
        n
            How many; a single duel comes by itself, not in a list.
        pending
            Duels asked earlier that others are still thinking about, to be allowed for.
        """
        count = 1 if n is None else as_integer("n", n, 1)
        if isinstance(pending, Duel) or not isinstance(pending, Iterable):
            raise InputError("pending must be a list of duels", repr(pending), "write pending=[duel]")
        with self._alone():
            duels = self._ask(self._log.record(), count, [self._checked(duel) for duel in pending])
        return duels[0] if n is None else duels

    def ask_against(
        self,
        design: Mapping[str, Any],
        *,
        pending: Iterable[Mapping[str, Any]] = (),
        avoid: Iterable[Mapping[str, Any]] = (),
    ) -> Duel:
        """The duel of a design that is at hand, its `first`, with the best challenger there is, its `second`.

        Parameters
        ----------
        design
            Any design, such as one that is on the table already.
        pending
            Others on the table that have not been compared with it yet, to be allowed for.
        avoid
            Designs that are not wanted, nor others near them, where there is another choice.
        """
        first = self._space.encode(design)
        others = [self._encoded(name, designs) for name, designs in (("pending", pending), ("avoid", avoid))]
        with self._alone():
            return self._questions.against(self._log.record(), first, *others)

    def peek(self, outcome: Outcome, duel: Duel | None = None) -> Duel:
        """The duel that would be asked after the present one, or one that is out, had this outcome; nothing changes."""
        outcome = as_outcome(outcome)
        with self._alone():
            duel = self.ask() if duel is None else self._checked(duel)
            return self._ask(self._log.record_after(_answer(duel, outcome), self._pair(duel)), 1, [])[0]

    def tell(self, duel: Duel, outcome: Outcome) -> None:
        """Record the answer to a duel of this study: ``"first"``, ``"second"``, ``"tie"`` or ``"skip"``."""
        outcome = as_outcome(outcome)
        with self._alone():
            duel = self._checked(duel)
            if self._log.has_answer(duel.id):
                raise InputError("a duel can be answered once", duel.id, "undo its answer first, or ask for another")
            self._append(_answer(duel, outcome), self._pair(duel))

    def tell_preference(self, winner: Mapping[str, Any], loser: Mapping[str, Any], *, tie: bool = False) -> None:
        """Record a preference that nobody asked for; it counts towards the duels to start with.

        Parameters
        ----------
        winner, loser
            Designs.
        tie
            Whether the user finds them equal instead.
        """
        if not isinstance(tie, bool):
            raise InputError("tie must be True or False", repr(tie), "leave it out where there is a winner")
        with self._alone():
            self._append(self._preferred(winner, loser, tie))

    def undo(self) -> None:
        """Take back the last event: an answer, whose duel is then asked again, a preference, or a change of anchors."""
        with self._alone():
            if not len(self._log):
                raise InputError("undo needs an event to take back", "an empty log", "tell something first")
            self._log.pop()

    # -- in another process -------------------------------------------------------------------------------------------

    def trail(self, duel: Duel | None = None, outcome: Outcome | None = None) -> Trail:
        """The log, or what it would be had a duel this outcome: for another process, that computes what follows."""
        with self._alone():
            entries = self._log.entries
            if duel is not None and outcome is not None:
                duel = self._checked(duel)
                answer = _answer(duel, as_outcome(outcome))
                entries = (*entries, Entry.after(self._log.digest, answer, self._pair(duel)))
            return Trail(self._study, entries)

    def follow(self, keep: int, events: Iterable[Mapping[str, Any]]) -> None:
        """Make this the log of a `Trail`: its first `keep` events, which are here, and those that come after them."""
        with self._alone():
            if not 0 <= keep <= len(self._log):
                raise InputError(f"keep must be from 0 to {len(self._log)}", keep, "send the whole log")
            before = self._log.entries[keep:]
            self._log.cut(keep)
            for number, data in enumerate(events, keep):
                try:
                    self._replay(event_from_dict(data, self._space))
                except InputError as problem:
                    self._log.cut(keep)
                    for entry in before:
                        self._log.append(entry.event, entry.points)
                    rule = f"event {number} must be one that this study could have: {problem.rule}"
                    raise InputError(rule, problem.received, problem.remedy) from problem

    def foresee(self) -> Foreseen:
        """What follows from the log, for a study of the same log in another process."""
        with self._alone():
            duel, record = self.ask(), self._log.record()
            learnt = self._beliefs.learnt(record).to_dict() if duel.gain is not None else None
            return Foreseen(record.digest, duel, learnt)

    def knows(self, digest: str) -> bool:
        """Whether the log has this digest, see `Trail`, and its next duel has been computed."""
        with self._alone():
            return digest == self._log.digest and self._asked.find((digest,)) is not None

    def accept(self, found: Foreseen) -> bool:
        """Take what another process computed for this log, rather than computing it again; not for another log."""
        with self._alone():
            if found.digest != self._log.digest:
                return False
            self._asked.put((found.digest,), self._checked(found.duel))
            record = self._log.record()
            if found.learnt is not None and len(record) and not self._beliefs.has_learnt(record):
                self._beliefs.recall(record, found.learnt)
            return True

    # -- anchors ------------------------------------------------------------------------------------------------------

    @property
    def anchors(self) -> list[Design]:
        """Designs the user knows well."""
        with self._alone():
            return [dict(design) for design in self._log.record().known]

    def add_anchor(self, design: Mapping[str, Any]) -> None:
        """Mark a design as well known; all answers are read anew under the new noise map."""
        with self._alone():
            event = AnchorAdded(self._space.check(design))
            if self._is_anchor(event.design):
                raise InputError("a design can be an anchor once", event.design, "it is one already")
            self._append(event)

    def remove_anchor(self, design: Mapping[str, Any]) -> None:
        """Take a mark back; all answers are read anew under the new noise map."""
        with self._alone():
            event = AnchorRemoved(self._space.check(design))
            if not self._is_anchor(event.design):
                raise InputError("only an anchor can be removed", event.design, "see .anchors for those there are")
            self._append(event)

    def propose_anchors(self, n: int) -> list[Design]:
        """Up to n designs to show with "could you judge this one well?": spread, and no anchors yet."""
        n = as_integer("n", n, 1)
        with self._alone():
            points = self._log.record().anchors
            found = proposals(self._space, n, points, np.random.default_rng([self._seed, 4]))
        return [self._space.decode(x) for x in found]

    # -- results ------------------------------------------------------------------------------------------------------

    def recommend(
        self,
        risk_weight: float | None = None,
        *,
        among: Literal["seen", "space"] = "seen",
        reference: Mapping[str, Any] | None = None,
        exclude: Iterable[Mapping[str, Any]] = (),
    ) -> Recommendation:
        """The design with the best risk-adjusted posterior mean.

        Parameters
        ----------
        risk_weight
            What a unit of noise costs, in utility; 0 gives the plain best, ``None`` the study's own weight.
        among
            ``"seen"`` for designs that were compared, ``"space"`` for any.
        reference
            A design that utilities are relative to; by default the average of the designs compared.
        exclude
            Designs that cannot be had: what was said of them counts, but none of them is recommended.
        """
        weight = self._plan.risk_weight if risk_weight is None else as_non_negative("risk_weight", risk_weight)
        if among not in ("seen", "space"):
            raise UnknownNameError.of("among", among, ("seen", "space"))
        origin = None if reference is None else self._space.encode(reference)
        excluded = self._encoded("exclude", exclude)
        with self._alone():
            record = self._log.record()
            check_answers(len(record))
            near = None if origin is None else origin.tobytes()
            key = (record.digest, self._beliefs.key(record), weight, among, near, excluded.tobytes())
            found = self._recommended.get(
                key,
                lambda: recommendation(
                    self._beliefs.report(record),
                    self._space,
                    weight,
                    self._seed,
                    everywhere=among == "space",
                    reference=origin,
                    excluded=excluded,
                ),
            )
        # A copy, so that what is done to it does not reach what is remembered.
        return replace(found, design=dict(found.design), credible_set=tuple(map(dict, found.credible_set)))

    def utilities(
        self, designs: Iterable[Mapping[str, Any]] | None = None, *, reference: Mapping[str, Any] | None = None
    ) -> list[Estimate]:
        """What is known of designs: by default all that were compared, the best first.

        Parameters
        ----------
        designs
            Designs to look at, in this order.
        reference
            A design that utilities are relative to; by default the average of the designs compared.
        """
        if isinstance(designs, Mapping | str):
            raise InputError("designs must be a list of them", repr(designs), "write [design]")
        asked = None if designs is None else [self._space.encode(design) for design in designs]
        origin = None if reference is None else self._space.encode(reference)
        with self._alone():
            model = self.model
            if asked is None:
                asked = list(model.designs[np.argsort(-model.posterior.mean(model.designs), kind="stable")])
            return estimates(model, self._space, np.array(asked).reshape(-1, self._space.dimension), origin)

    def progress(self, duel: Duel | None = None) -> Progress:
        """How much another duel, by default the next or else one that is out, is expected to bring; whether to stop."""
        with self._alone():
            gains = [event.gain for event in self._log if isinstance(event, Answered)]
            duel = self.ask() if duel is None else self._checked(duel)
            return progress(len(self._log.record()), [*gains, duel.gain], self._plan.initial, self._space.dimension)

    @property
    def model(self) -> PreferenceGP:
        """The model behind `recommend`, for looking closer; a copy of its own for every log."""
        with self._alone():
            record = self._log.record()
            check_answers(len(record))
            return copy(self._beliefs.report(record))

    @property
    def surrogate(self) -> PreferenceGP:
        """The model behind `ask`, by the plan's inference: what the next duel is chosen by; a copy for every log."""
        with self._alone():
            record = self._log.record()
            check_answers(len(record))
            return copy(self._beliefs.model(record))

    @property
    def noise_map(self) -> NoiseMap:
        """How noisily the user judges, by the anchors and, where there are answers, by what these taught of it."""
        with self._alone():
            record = self._log.record()
            return self._beliefs.learnt(record).noise if len(record) else self._plan.noise_map(record.anchors)

    @property
    def history(self) -> list[dict[str, Any]]:
        """The log, oldest event first, as plain dicts with a ``type``, see `anchorpbo.study.events`."""
        with self._alone():
            return [event_to_dict(event) for event in self._log]

    @property
    def space(self) -> DesignSpace:
        """Where the designs come from."""
        return self._space

    @property
    def plan(self) -> Plan:
        """All settings, as objects."""
        return self._plan

    def replay(self) -> Iterator[Optimizer]:
        """The study anew: as it was before its first event and after each, for looking back.

        All of them are one copy, which moves on when the next is asked for.
        """
        with self._alone():
            events = list(self._log)
        again = Optimizer(self._space, self._first_anchors.values(), seed=self._seed, **self._options)
        yield again
        for event in events:
            again._replay(event)
            yield again

    def __len__(self) -> int:
        """Informative answers so far: wins and ties."""
        with self._alone():
            return len(self._log.record())

    def __repr__(self) -> str:
        strategy, duels, anchors = type(self._plan.acquisition).__name__, len(self), len(self.anchors)
        said = f"{duels} duel{'s'[: duels != 1]} and {anchors} anchor{'s'[: anchors != 1]}"
        return f"Optimizer({self._space!r}, {strategy}, {said})"

    def _repr_html_(self) -> str:
        from anchorpbo.study.html import optimizer_html

        return optimizer_html(self)

    # -- coming and going ---------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The whole study as text, see `anchorpbo.study.saving`."""
        with self._alone():
            record = self._log.record()
            learnt = self._beliefs.learnt(record) if len(record) else None
            return write(
                {
                    "study": {
                        "space": self._space.to_dict(),
                        "anchors": list(self._first_anchors.values()),
                        "seed": self._seed,
                        **self._written_options(),
                    },
                    "events": self.history,
                    "learnt": None if learnt is None else learnt.to_dict(),
                }
            )

    @classmethod
    def from_json(cls, text: str, **objects: Any) -> Optimizer:
        """The study of a text.

        Parameters
        ----------
        text
            What `to_json` gave, by this release or an older one.
        objects
            Options of `Optimizer` that were objects of your own: code is not saved.
        """
        layout = read(text)
        study = dict(layout["study"])
        try:
            space = space_from_dict(study.pop("space"), checked=True)
            anchors, seed = study.pop("anchors"), study.pop("seed")
            unknown = [name for name in objects if name not in study]
            if unknown:
                raise UnknownNameError.of("an object to give again", unknown[0], study)
            options = {name: object_from_json(name, value, objects) for name, value in study.items()}
            optimizer = cls(space, anchors, seed=seed, **options)
        except (KeyError, TypeError) as problem:
            remedy = "pass the text that to_json gave"
            rule = "a study must have a space, anchors, a seed and options"
            raise InputError(rule, f"trouble with {problem}", remedy) from problem
        optimizer.follow(0, layout["events"])
        optimizer._recall(layout.get("learnt"))
        return optimizer

    def save(self, path: str | PathLike[str]) -> None:
        """Write `to_json` to a file: all of it or, after a crash or on a full disk, what was there before."""
        save_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | PathLike[str], **objects: Any) -> Optimizer:
        """The study of a file that `save` wrote; see `from_json`."""
        return cls.from_json(load_text(path), **objects)

    def import_comparisons(self, source: Any) -> int:
        """Take in past comparisons from a CSV file, a data frame or records; return how many. All of them, or none.

        See `anchorpbo.study.importing` for the columns: a winner and a loser, or a ranking.
        """
        preferences = comparisons(source, self._space)
        with self._alone():
            for event in preferences:
                self._check_tie(event)
            for event in preferences:
                self._append(event)
        return len(preferences)

    # -- inside -------------------------------------------------------------------------------------------------------

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One call at a time, and BLAS on one thread, so that results do not depend on how many there are."""
        with self._lock, one_blas_thread():
            yield

    def _ask(self, record: Record, count: int, pending: list[Duel]) -> list[Duel]:
        out, found = list(pending), []
        for _ in range(count):
            key = (record.digest, *(duel.id for duel in out))
            ask = partial(self._questions.next, record, [self._pair(duel) for duel in out])
            try:
                duel = self._asked.get(key, ask)
            except NothingLeftError as problem:
                rule = "n must not be more than there are different duels"
                raise InputError(rule, f"{count}, with {len(pending)} more out", "ask for fewer at once") from problem
            out.append(duel)
            # A copy, so that what is done to it does not reach what is remembered.
            found.append(replace(duel, first=dict(duel.first), second=dict(duel.second)))
        return found

    def _encoded(self, name: str, designs: Iterable[Mapping[str, Any]]) -> Array:
        """Coordinates of designs, (n, d)."""
        if isinstance(designs, Mapping | str) or not isinstance(designs, Iterable):
            raise InputError(f"{name} must be a list of designs", repr(designs), f"write {name}=[{{...}}]")
        return np.array([self._space.encode(design) for design in designs]).reshape(-1, self._space.dimension)

    def _pair(self, duel: Duel) -> Array:
        return np.array([self._space.encode(design) for design in (duel.first, duel.second)])

    def _append(self, event: Event, points: Array | None = None) -> None:
        """Add an event to the log; without the coordinates of its designs, these have been checked."""
        self._check_tie(event)
        if points is None:
            points = np.array([self._space.locate(design) for design in designs_of(event)])
        self._log.append(event, points)

    def _check_tie(self, event: Event) -> None:
        """Raise where an event is a tie that the likelihood cannot explain."""
        tied = event.tie if isinstance(event, Preferred) else isinstance(event, Answered) and event.outcome == "tie"
        if tied and self._plan.likelihood.tie_threshold == 0.0:
            rule = "a likelihood with tie_threshold 0 has no ties"
            raise InputError(rule, "a tie", "leave tie_threshold out to have it learnt")

    def _checked(self, duel: Duel) -> Duel:
        """The duel, if this study asked it."""
        if not isinstance(duel, Duel):
            raise InputError("duel must be a Duel, as ask returns it", repr(duel), "or use tell_preference")
        if not duel.asked_in(self._study) and not duel.asked_in(self._written_study):
            rule, remedy = "only a duel of this study can be answered", "use tell_preference for others"
            raise InputError(rule, f"{duel.id}, never asked here or changed since", remedy)
        return duel

    def _digest(self, space: Any) -> str:
        """A name for what the study was made with, its space given as a text or a dict."""
        return digest_of([space, list(self._first_anchors.values()), self._seed, self._written_options()])

    @cached_property
    def _written_study(self) -> str:
        """The digest with all of the space written out, which duels were named by before lists had their own."""
        return self._digest(self._space.to_dict())

    def _preferred(self, winner: Mapping[str, Any], loser: Mapping[str, Any], tie: bool) -> Preferred:
        event = Preferred(self._space.check(winner), self._space.check(loser), tie)
        if np.array_equal(self._space.locate(event.winner), self._space.locate(event.loser)):
            rule = "the two designs of a comparison must differ"
            raise InputError(rule, f"{event.winner} and {event.loser}", "leave this comparison out")
        return event

    def _is_anchor(self, design: Design) -> bool:
        point = self._space.locate(design).tobytes()
        return any(other.tobytes() == point for other in self._log.record().anchors)

    def _written_options(self) -> dict[str, Any]:
        # What the preset stood for when the study was made, so that another release does not read it differently.
        plan = self._plan
        settled = {
            "strategy": plan.acquisition, "kernel": plan.kernel, "likelihood": plan.likelihood,
            "inference": plan.inference, "noise": plan.noise, "learn": plan.learn, "initial": plan.initial,
            "refit_every": plan.refit_every, "risk_weight": plan.risk_weight,
        }  # fmt: skip
        return {name: object_to_json(settled.get(name, value)) for name, value in self._options.items()}

    def _replay(self, event: Event) -> None:
        """Take in an event of a log as if it were told now."""
        if isinstance(event, Answered):
            self.tell(Duel(event.duel, event.first, event.second, "", event.gain), event.outcome)
        elif isinstance(event, Preferred):
            self.tell_preference(event.winner, event.loser, tie=event.tie)
        elif isinstance(event, AnchorAdded):
            self.add_anchor(event.design)
        else:
            self.remove_anchor(event.design)

    def _recall(self, learnt: Any) -> None:
        """Use hyper-parameters that were saved, rather than learning them again."""
        record = self._log.record()
        if learnt is None or not len(record):
            return
        self._beliefs.recall(record, learnt)


def _answer(duel: Duel, outcome: Outcome) -> Answered:
    return Answered(duel.id, dict(duel.first), dict(duel.second), outcome, duel.gain)


def _distinct_anchors(space: DesignSpace, anchors: Iterable[Mapping[str, Any]]) -> dict[bytes, Design]:
    """Anchors checked, by their coordinates; repeats dropped."""
    if isinstance(anchors, Mapping | str) or not isinstance(anchors, Iterable):
        raise InputError("anchors must be a list of designs", repr(anchors), "write anchors=[{...}]")
    found: dict[bytes, Design] = {}
    for anchor in anchors:
        found.setdefault(space.encode(anchor).tobytes(), space.check(anchor))
    return found
