"""Predicted and observed test-retest agreement of listeners (`soundquality`).

Symbols: g the margin of a pair, p(g) the probability that the first of the pair is chosen, F the distribution function
of the normal distribution, lambda the lapse probability.

A model learns from some answers of a listener to the pairs of one piece of music, and predicts for each pair the
probability that two further answers agree. Both have the same margin and errors of their own, so that given g they
agree with probability p(g)^2 + (1 - p(g))^2. The prediction is the mean of this over the posterior of g, and not its
value at the mean of p: uncertainty about g is shared by the two answers and does not make them disagree. For a probit
model and g ~ N(m, v), with T Owen's function,

    E p^2 + (1 - p)^2 = 1 - 2 E p (1 - p)                       p = lambda / 2 + (1 - lambda) F(g)
    E F (1 - F) = 2 T(m / sqrt(1 + v), 1 / sqrt(1 + 2 v))
    E p (1 - p) = lambda / 2 - lambda^2 / 4 + (1 - lambda)^2 E F (1 - F)

The observed agreement of a pair is the share of agreeing combinations of two answers that the model has not seen:

    same session    two answers before the other experiment
    later           one answer before and one after
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, ClassVar

import numpy as np
import polars as pl
from scipy.special import owens_t

from anchorpbo.errors import IncompatibleError, UnknownNameError
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Probit
from anchorpbo.model import Learn, PreferenceGP
from anchorpbo.model.priors import LogNormal
from anchorpbo.problems import PairAnswers, RepeatedAnswers, soundquality_answers
from anchorpbo.research.experiments.confidence_intervals import BOOTSTRAP_RESAMPLES, Interval
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.people.answer_consistency import tabulate_repeats
from anchorpbo.research.people.calibration import bootstrap_correlation
from anchorpbo.space import DesignSpace
from anchorpbo.study import Optimizer
from anchorpbo.study.plan import DEFAULT_LENGTHSCALE, DEFAULT_OUTPUTSCALE
from anchorpbo.typing import Array

LISTENERS = 40
TOLD = (1, 2)
"""Numbers of repetitions before the other experiment that a model learns from."""
TARGETS = ("same session", "later")
BAND_EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Bands of the predicted agreement of a pair."""
OBSERVED = "observed"
"""The agreement of the answers told, as a prediction without a model."""


# -- prediction --------------------------------------------------------------------------------------------------------


def predict_agreement(model: PreferenceGP, X: Array, Y: Array) -> Array:
    """Return the probability, (n,), that two answers to the pair x_i, y_i agree, given a fitted probit model.

    The mean of p^2 + (1 - p)^2 over the posterior of the margin and over the nodes of the hyper-parameters.
    """
    total = np.zeros(len(X))
    for part in model.components:
        if not isinstance(part.likelihood, Probit) or part.likelihood.tau > 0.0:
            remedy = "use Probit() and leave out ties"
            raise IncompatibleError("agreement is predicted for probit answers without ties", part.likelihood, remedy)
        lapse = part.likelihood.lapse

        def agree(mean: Array, variance: Array, lapse: float = lapse) -> Array:
            return average_agreement(mean, variance, lapse)

        a, b = part.generative.coefficients(X, Y)
        total += part.weight * part.posterior.average_over_margins(agree, X, Y, a, b)
    return total


def average_agreement(mean: Array, variance: Array, lapse: float = 0.0) -> Array:
    """Return E p(g)^2 + (1 - p(g))^2, (n,), for g ~ N(mean, variance) and a probit link with lapses."""
    differ = 2.0 * owens_t(mean / np.sqrt(1.0 + variance), 1.0 / np.sqrt(1.0 + 2.0 * variance))
    return np.asarray(1.0 - 2.0 * (lapse / 2.0 - lapse**2 / 4.0 + (1.0 - lapse) ** 2 * differ))


@dataclass(frozen=True)
class AgreementModel:
    """A model of a listener's answers."""

    title: str
    """Name in tables."""
    make_options: Callable[[DesignSpace], Mapping[str, Any]]
    """Options of `Optimizer` for a space."""
    effort: float = 1.0


_LENGTHSCALE = Learn((0.03, 10.0), DEFAULT_LENGTHSCALE)
# In units of the utility: the noise variance of a duel is 2 if that of a design is 1.
_OUTPUTSCALE = LogNormal(2.0 * DEFAULT_OUTPUTSCALE.median, DEFAULT_OUTPUTSCALE.spread)
_SCALES = {
    "lengthscale": _LENGTHSCALE,
    "outputscale": Learn((1e-4 * _OUTPUTSCALE.median, 1e3 * _OUTPUTSCALE.median), _OUTPUTSCALE),
}


def _make_fixed_kernel(space: DesignSpace) -> Mapping[str, Any]:
    kernel = RBF(
        np.full(space.dimension, DEFAULT_LENGTHSCALE.median), _OUTPUTSCALE.median, categorical=space.columns.categorical
    )
    return {"integration": "map", "kernel": kernel, "learn": {"lengthscale": _LENGTHSCALE}}


AGREEMENT_MODELS: Mapping[str, AgreementModel] = {
    "default": AgreementModel("Default preset", lambda _: {}, 2.0),
    "mode": AgreementModel("Output scale at its mode", lambda _: {"integration": "map"}),
    "lapse": AgreementModel(
        "Output scale and lapse at their mode",
        lambda _: {"integration": "map", "learn": {**_SCALES, "lapse": Learn((0.01, 0.4), LogNormal(0.05, 1.0))}},
        3.0,
    ),
    "fixed": AgreementModel("Fixed output scale", _make_fixed_kernel),
}
"""Models by name, all with constant noise. The first integrates over the output scale in units of the noise."""
AGREEMENT_TITLES = {**{name: each.title for name, each in AGREEMENT_MODELS.items()}, OBSERVED: "Agreement of the told"}


def fit_listener(name: str, told: PairAnswers) -> PreferenceGP:
    """Return a model of `AGREEMENT_MODELS` that has learnt from these answers."""
    study = Optimizer(told.space, **AGREEMENT_MODELS[name].make_options(told.space))
    for winner, loser in zip(told.winners, told.losers, strict=True):
        study.tell_preference(told.space.decode(winner), told.space.decode(loser))
    return study.model


# -- observation -------------------------------------------------------------------------------------------------------


def measure_agreement(tables: tuple[Array, Array], told: int) -> dict[str, Array]:
    """Return the agreement of each pair, (pairs,), by target, over answers that the model has not seen.

    Parameters
    ----------
    tables
        Answers before and after, (pairs, repetitions) each, see `tabulate_repeats`.
    told
        Number of repetitions before that the model has seen.
    """
    unseen, later = tables[0].T[told:], tables[1].T
    found = {"same session": list(combinations(unseen, 2)), "later": list(product(unseen, later))}
    return {target: np.mean([a == b for a, b in pairs], axis=0) for target, pairs in found.items() if pairs}


# -- task --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AgreementTask(ExperimentTask):
    """The predicted and observed agreement of some listeners; one row per pair, piece of music, target and `told`."""

    kind: ClassVar[str] = "agreement"
    model: str
    """Name of `AGREEMENT_MODELS`, or ``"observed"``."""
    start: int
    """Position of the first listener in the file."""
    stop: int
    """Position after the last listener."""

    def __post_init__(self) -> None:
        if self.model not in AGREEMENT_TITLES:
            raise UnknownNameError.of("a model", self.model, AGREEMENT_TITLES)

    def prepare(self) -> None:
        """Load the data set, or raise if it is missing."""
        soundquality_answers()

    @property
    def effort(self) -> float:
        """Seconds, roughly."""
        seconds = 0.1 * AGREEMENT_MODELS[self.model].effort if self.model != OBSERVED else 0.001
        return 4.0 * (self.stop - self.start) * seconds

    def run(self) -> RecordColumns:
        """Fit and predict each piece of music."""
        blocks = soundquality_answers()
        people = list(dict.fromkeys(block.answers.person for block in blocks))[self.start : self.stop]
        rows: list[tuple[Any, ...]] = []
        for block in blocks:
            if block.answers.person in people:
                rows += _compare_block(self.model, block)
        names = ("person", "material", "told", "target", "pair", "predicted", "observed")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _compare_block(name: str, block: RepeatedAnswers) -> list[tuple[Any, ...]]:
    tables, rows = tabulate_repeats(block), []
    _, firsts = np.unique(block.pair_numbers, return_index=True)
    pairs = block.answers.pairs[firsts]
    for told in TOLD:
        if name == OBSERVED:
            if told < 2:
                continue
            predicted = np.full(len(pairs), np.mean(tables[0][:, 0] == tables[0][:, 1]))
        else:
            seen = np.flatnonzero(~block.after & (block.repetitions <= told))
            model = fit_listener(name, block.answers.select(seen))
            predicted = predict_agreement(model, pairs[:, 0], pairs[:, 1])
        for target, observed in measure_agreement(tables, told).items():
            each = zip(range(len(pairs)), predicted.tolist(), observed.tolist(), strict=True)
            rows += [(block.answers.person, block.material, told, target, *values) for values in each]
    return rows


def make_agreement_tasks(listeners: int = LISTENERS, block: int = 10) -> list[AgreementTask]:
    """Return the tasks of the first listeners, with this many listeners per task."""
    listeners = min(listeners, LISTENERS)
    return [
        AgreementTask(model, start, min(start + block, listeners))
        for start in range(0, listeners, block)
        for model in AGREEMENT_TITLES
    ]


# -- summaries ---------------------------------------------------------------------------------------------------------

_SETTING = ("model", "told", "target")


def average_listeners(records: pl.DataFrame) -> pl.DataFrame:
    """Return the mean predicted and observed agreement of each listener, over pairs and pieces of music."""
    means = pl.col("predicted").mean(), pl.col("observed").mean()
    listeners = records.group_by(*_SETTING, "person", maintain_order=True).agg(*means)
    return listeners.sort(*_SETTING, "person")


def average_bands(records: pl.DataFrame) -> pl.DataFrame:
    """Return the mean predicted and observed agreement by band of the predicted agreement of a pair.

    The interval of the observed agreement is a bootstrap interval over listeners.
    """
    modelled = records.filter(pl.col("model") != OBSERVED)
    rows: list[tuple[Any, ...]] = []
    for setting, part in modelled.group_by(*_SETTING, maintain_order=True):
        bands = np.clip(np.searchsorted(BAND_EDGES, part["predicted"].to_numpy(), "right") - 1, 0, len(BAND_EDGES) - 2)
        for band in np.unique(bands).tolist():
            inside = part.filter(bands == band)
            observed = _bootstrap_mean(inside, "observed")
            low, high = BAND_EDGES[band : band + 2]
            predicted = float(inside["predicted"].to_numpy().mean())
            rows.append((*setting, low, high, inside.height, predicted, observed.mean, observed.low, observed.high))
    names = (*_SETTING, "from", "to", "pairs", "predicted", "observed", "low", "high")
    return pl.DataFrame(rows, schema=list(names), orient="row")


def _bootstrap_mean(rows: pl.DataFrame, name: str) -> Interval:
    """Return the mean over all rows with a bootstrap interval over people."""
    people = rows.group_by("person", maintain_order=True).agg(pl.col(name).sum().alias("total"), pl.len())
    totals, counts = people["total"].to_numpy(), people["len"].to_numpy()
    picks = np.random.default_rng(0).integers(len(totals), size=(BOOTSTRAP_RESAMPLES, len(totals)))
    low, high = np.quantile(totals[picks].sum(axis=1) / counts[picks].sum(axis=1), [0.025, 0.975])
    return Interval(float(totals.sum() / counts.sum()), float(low), float(high))


@dataclass(frozen=True)
class AgreementComparison:
    """Predicted against observed agreement over listeners."""

    listeners: int
    predicted: Interval
    observed: Interval
    difference: Interval
    """Mean of predicted less observed."""
    correlation: Interval
    slope: Interval
    """Slope of observed in predicted: 1 if a listener predicted to be more consistent by some amount is."""


def compare_agreement(predicted: Array, observed: Array) -> AgreementComparison:
    """Compare the predicted and observed agreement of at least three listeners, (n,) each."""
    slope = Interval.of_slope(predicted, observed) if np.ptp(predicted) > 0.0 else Interval(np.nan, np.nan, np.nan)
    return AgreementComparison(
        len(predicted),
        Interval.of_mean(predicted),
        Interval.of_mean(observed),
        Interval.of_mean(predicted - observed),
        bootstrap_correlation(predicted, observed),
        slope,
    )


def list_agreement_settings(listeners: pl.DataFrame) -> Sequence[tuple[int, str, str]]:
    """Return the settings told, target and model that are present, in the order of tables."""
    present = set(listeners.select("told", "target", "model").unique().rows())
    every = product(TOLD, TARGETS, AGREEMENT_TITLES)
    return [setting for setting in every if setting in present]
