"""A study with a simulated user, as in the paper, and its metrics in every round (docs/reproduction.md).

Symbols: f the utility, m(x) the posterior mean of the surrogate that chooses the duels, n^(x) the noise map from the
anchors known to the method, n(x) the user's true map, rho the risk weight.

    x*_t               argmax over the cube of m(x) - rho n^(x)
    value              f(x*_t)                      the conventional best value
    risk_adjusted      f(x*_t) - rho n(x*_t)        the risk-adjusted best value
    plain_value        f(argmax m(x)), with plain_risk_adjusted: the choice of a user who is indifferent to noise
    pair_noise         mean of n over the duel asked in this round
    bandwidth          h of n^; anchor_distance: from the mean of the user's anchors to the optimum; both one per run

All strategies are measured with the same n^, including those that assume constant noise, because the aversion to noise
is the user's. The plain columns show the results without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from anchorpbo.acquisition import ANPEI, RAHBO, Acquisition
from anchorpbo.errors import UnknownNameError
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.numerics.validation import as_integer, as_positive
from anchorpbo.problems import ExactJudge, Problem, SimulatedDuel, SimulatedJudge, get_problem, play
from anchorpbo.reliability import NoiseMap
from anchorpbo.reliability.profile import as_profile
from anchorpbo.research.experiments.anchor_placement import DEFAULT_ANCHORS, check_placement, place_anchors
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.search import maximise
from anchorpbo.study import Optimizer, PaperNoise
from anchorpbo.typing import Array

RISK_WEIGHT = 10.0
"""rho."""
PAPER_ROUNDS = 150
STRATEGIES = ("ei", "ucb", "eubo", "anpei", "rahbo", "raeubo")
TWINS: Mapping[str, str] = {"anpei": "ei", "rahbo": "ucb", "raeubo": "eubo"}
"""Risk-averse strategies and their risk-neutral twins, to which they reduce if the noise is constant."""
_RAW_SAMPLES, _RESTARTS = 128, 4
"""Raw samples and restarts of the search for x*_t, which also starts from all designs seen; larger numbers changed the
value by less than 1e-7."""

JudgeName = Literal["matching", "probit", "logistic", "difference", "exact"]
_JUDGES: Mapping[str, Likelihood] = {
    "probit": Probit(),
    "logistic": Logistic(form="paper"),
    "difference": Logistic(form="difference"),
}


@dataclass(frozen=True)
class SimulatedStudy(ExperimentTask):
    """A problem, a strategy and a seed; other settings default to the paper's, or to ours if it gives none.

    Runs with one seed share anchors, initial duels and the user's random numbers across strategies.
    """

    kind: ClassVar[str] = "trial"

    problem: str
    strategy: str
    seed: int
    rounds: int = PAPER_ROUNDS
    """Duels chosen by the strategy, after the eight initial ones."""
    anchors: str = "away"
    """Placement of the user's anchors, see `anchorpbo.research.experiments.anchor_placement`."""
    count: int = DEFAULT_ANCHORS
    """Number of anchors of the user's true map, if they are drawn."""
    told: int | None = None
    """Number of these anchors known to the method; ``None`` for all."""
    judge: JudgeName = "matching"
    """How the user answers: by the strategy's own likelihood, by a given one, or without error."""
    baseline: Literal["constant", "anchored"] = "constant"
    """Noise that risk-neutral strategies assume."""
    inference: Literal["hallucination", "laplace", "ep"] | None = None
    likelihood: Literal["probit", "logistic"] | None = None
    outputscale: float = 1.0
    """Prior variance of the utility in the surrogate; the paper fits only length-scales."""
    ard: bool = False
    """Whether the surrogate has one length-scale per dimension instead of one for all."""
    profile: str = "gaussian"
    """The kernel of the density estimate, for the user's map and the method's."""
    penalty: Literal["std", "variance"] = "std"
    """ANPEI's penalty: the noise's standard deviation (the paper's text) or its variance (the appendix)."""
    offset: float = 0.0
    """Number added to the utility; the answers of the paper's logistic judge depend on it."""

    def __post_init__(self) -> None:
        # Convert to plain numbers, so that equal studies have equal keys.
        plain: dict[str, int | float] = {
            "rounds": as_integer("rounds", self.rounds, 1),
            "seed": as_integer("seed", self.seed, 0),
            "count": as_integer("count", self.count, 1),
            "outputscale": as_positive("outputscale", self.outputscale),
            "offset": float(self.offset),
        }
        if self.told is not None:
            plain["told"] = as_integer("told", self.told, 1)
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        if self.strategy not in STRATEGIES:
            raise UnknownNameError.of("strategy", self.strategy, STRATEGIES)
        if self.judge not in get_args(JudgeName):
            raise UnknownNameError.of("judge", self.judge, get_args(JudgeName))
        as_profile(self.profile)
        check_placement(self.anchors)

    def prepare(self) -> None:
        """Load the data set, or raise if it is missing."""
        get_problem(self.problem)

    @property
    def effort(self) -> float:
        """Rounds."""
        return float(self.rounds)

    def run(self) -> RecordColumns:
        """Run the study and return one row per round, the first after the initial duels."""
        problem = _add_offset(get_problem(self.problem), self.offset)
        anchors = place_anchors(problem, self.anchors, self.count, self.seed)
        told = anchors[: self.told]
        space = problem.space
        noise = PaperNoise(profile=self.profile)
        heeds = self.strategy in TWINS or self.baseline == "anchored"
        optimizer = Optimizer(
            space, [space.decode(x) for x in told], self._acquisition(), "paper", self.seed,
            kernel=self._kernel(problem.dimension), noise=noise if heeds else None,
            baseline=self.baseline, inference=self.inference, likelihood=self.likelihood,
        )  # fmt: skip
        truth, estimate = (noise(each, optimizer.plan.metric) for each in (anchors, told))
        judge = self._judge(problem, optimizer.plan.likelihood, truth)
        rows = list(_play_rounds(optimizer, judge, estimate, self.rounds, self.seed))
        distance = float(np.linalg.norm(anchors.mean(axis=0) - problem.optimum))
        fixed = {"bandwidth": estimate.bandwidth, "anchor_distance": distance}
        return {name: [row[name] for row in rows] for name in rows[0]} | {
            name: [value] * len(rows) for name, value in fixed.items()
        }

    def _acquisition(self) -> str | Acquisition:
        return ANPEI(penalty=self.penalty) if self.strategy == "anpei" else self.strategy

    def _kernel(self, dimension: int) -> RBF:
        start = np.sqrt(0.1)
        return RBF(np.full(dimension, start) if self.ard else start, self.outputscale)

    def _judge(self, problem: Problem, matching: Likelihood, noise: NoiseMap) -> SimulatedJudge:
        if self.judge == "exact":
            return ExactJudge(problem, matching, noise)
        return SimulatedJudge(problem, _JUDGES.get(self.judge, matching), noise)


def _play_rounds(
    optimizer: Optimizer, judge: SimulatedJudge, estimate: NoiseMap, rounds: int, seed: int
) -> Iterator[dict[str, Any]]:
    initial = optimizer.plan.initial
    for turn in play(optimizer, judge, initial + rounds, seed):
        number = turn.number - initial
        if number >= 0:
            yield {
                "round": number,
                **_describe_duel(turn, chosen=number > 0),
                **_measure_round(optimizer, judge, estimate),
            }


def _describe_duel(turn: SimulatedDuel, *, chosen: bool) -> dict[str, Any]:
    """Return the duel of a round; the duel before the first round was not chosen by the strategy."""
    first, second = turn.pair.tolist()
    return {
        "first": first,
        "second": second,
        "first_won": turn.outcome == "first",
        "pair_noise": turn.pair_noise if chosen else None,
        "seconds": turn.seconds if chosen else None,
    }


def _measure_round(optimizer: Optimizer, judge: SimulatedJudge, estimate: NoiseMap) -> dict[str, Any]:
    """Return the metrics after a round."""
    surrogate = optimizer.acquisition_model
    best, plain = (maximise_risk_adjusted(surrogate.posterior, estimate, weight) for weight in (RISK_WEIGHT, 0.0))
    X = np.array([best, plain])
    (value, plain_value), (cost, plain_cost) = judge.problem(X).tolist(), (RISK_WEIGHT * judge.noise(X)).tolist()
    return {
        "best": best.tolist(),
        "value": value,
        "risk_adjusted": value - cost,
        "plain_value": plain_value,
        "plain_risk_adjusted": plain_value - plain_cost,
        "lengthscale": float(np.exp(surrogate.kernel.log_parameters[:-1].mean())),
    }


def maximise_risk_adjusted(posterior: Any, noise: NoiseMap, risk_weight: float) -> Array:
    """Return argmax of m(x) - rho n^(x), (d,), over the cube."""
    # The mean minus the noise penalty is RAHBO without exploration.
    bound = RAHBO(exploration=0.0, risk_aversion=risk_weight).bind(posterior, noise)
    seen = posterior.points
    rng = np.random.default_rng(len(seen))
    return maximise(bound, posterior.dimension, rng, raw=_RAW_SAMPLES, restarts=_RESTARTS, extra=seen).x


def _add_offset(problem: Problem, offset: float) -> Problem:
    """Return the problem with a number added to its utility."""
    if offset == 0.0:
        return problem
    utility = partial(_evaluate_with_offset, problem.utility, offset)
    return replace(problem, utility=utility, maximum=problem.maximum + offset, minimum=problem.minimum + offset)


def _evaluate_with_offset(utility: Any, offset: float, X: Array) -> Array:
    return np.asarray(utility(X) + offset)
