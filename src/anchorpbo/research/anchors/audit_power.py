"""Power of the audit: simulated judges with one fault each, and the share of audits that report it.

Symbols: t in [0, 1] is the time of an answer, e standard normal, u(x) = -3 |x - x*| the utility on the unit square,
with a random optimum x* in its middle. A judge prefers the first design of a pair if u(first) - u(second) + s e > 0.
Questions are random pairs of 25 random designs, or those that a study of the default preset asks.

::

    none       as above
    sides      a bias of 0.524 s towards the first design: of two equal designs, the first is chosen in 70 %
    drift      x* moves on a line from its place to the opposite one, (1, 1) - x*
    fatigue    with probability 0.8 t the answer is random: the share of errors rises by up to 40 % towards the end
    lapses     with probability 0.2 the answer is random
    coins      every answer is a coin flip

`summarise_power` counts, for each fault, answers and check, the audits with a warning, those with a warning or a note,
and those without enough answers. A row of the fault none is a rate of false alarms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl

from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.shares import jeffreys_interval
from anchorpbo.numerics.validation import as_integer, as_positive
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.space import Design, Real, Space
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array

Fault = Literal["none", "sides", "drift", "fatigue", "lapses", "coins"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
Questions = Literal["random", "asked"]
QUESTIONS: tuple[Questions, ...] = get_args(Questions)
DESIGNS = 25
"""Number of designs that pairs are drawn from."""
SIDE_BIAS, FATIGUE, LAPSE = 0.524, 0.8, 0.2
REPORTED = ("accuracy", "side_bias", "drift", "fatigue", "lapses", "contradictions", "cycles", "calibration")
"""Findings in the table, those of the simulated faults first."""
_SPACE = Space(x=Real(0, 1), y=Real(0, 1))


@dataclass(frozen=True)
class AuditSetting:
    """Studies of one length, kind of questions and noise, with several faults."""

    answers: int
    noise: float
    faults: tuple[Fault, ...] = FAULTS
    questions: Questions = "random"


SHORT = (AuditSetting(60, 0.35),)
"""Studies with random pairs, in which one answer in eight is wrong."""
LONG = (AuditSetting(120, 0.2),)
"""Longer studies with less noise, in which one answer in 13 is wrong."""
ASKED = (AuditSetting(40, 0.35, ("none", "coins"), "asked"),)
"""Studies with the questions of the default preset."""
ASKED_NOISY = (AuditSetting(40, 0.6, ("none",), "asked"),)
"""The same with a noise that makes one answer in five to random pairs wrong."""
SHORT_SEEDS, LONG_SEEDS, ASKED_SEEDS, ASKED_NOISY_SEEDS = 20, 10, 20, 10
"""Numbers of seeds at full size."""


@dataclass(frozen=True)
class AuditTask(ExperimentTask):
    """The audit of one simulated study; one row per finding."""

    kind: ClassVar[str] = "audit"

    fault: str
    seed: int
    answers: int = 60
    noise: float = 0.35
    """Standard deviation s of the noise."""
    questions: str = "random"
    """``"random"`` pairs, or those ``"asked"`` by the default preset."""

    def __post_init__(self) -> None:
        for kind, name, known in (("a fault", self.fault, FAULTS), ("questions", self.questions, QUESTIONS)):
            if name not in known:
                raise UnknownNameError.of(kind, name, known)
        object.__setattr__(self, "seed", as_integer("seed", self.seed, 0))
        object.__setattr__(self, "answers", as_integer("answers", self.answers, 1))
        object.__setattr__(self, "noise", as_positive("noise", self.noise))

    def run(self) -> RecordColumns:
        """Simulate the study and audit it."""
        findings = list(simulate_study(self).audit())
        return {
            "finding": [each.name for each in findings],
            "level": [each.level for each in findings],
            "value": np.array([np.nan if each.value is None else each.value for each in findings]),
            "low": np.array([each.interval[0] for each in findings]),
            "high": np.array([each.interval[1] for each in findings]),
        }


def simulate_study(task: AuditTask) -> Optimizer:
    """Return a study with the answers of a simulated judge."""
    rng = np.random.default_rng([task.seed, task.answers])
    study, designs, optimum = Optimizer(_SPACE, seed=task.seed), rng.random((DESIGNS, 2)), 0.2 + 0.6 * rng.random(2)
    for t in np.linspace(0.0, 1.0, task.answers).tolist():
        first, second = designs[rng.choice(DESIGNS, 2, replace=False)]
        if task.questions == "asked":
            duel = study.ask()
            first, second = _encode(duel.first), _encode(duel.second)
        else:
            duel = study.ask_pair(_decode(first), _decode(second))
        here = optimum + t * (1.0 - 2.0 * optimum) if task.fault == "drift" else optimum
        margin = _utility(first, here) - _utility(second, here) + task.noise * rng.standard_normal()
        margin += SIDE_BIAS * task.noise if task.fault == "sides" else 0.0
        random = rng.random() < {"fatigue": FATIGUE * t, "lapses": LAPSE, "coins": 1.0}.get(task.fault, 0.0)
        chooses_first = rng.random() < 0.5 if random else margin > 0.0
        study.tell(duel, "first" if chooses_first else "second")
    return study


def plan_audits(settings: Sequence[AuditSetting], seeds: int, first_seed: int = 0) -> list[AuditTask]:
    """Return the tasks of all settings."""
    return [
        AuditTask(fault, seed, each.answers, each.noise, each.questions)
        for seed in range(first_seed, first_seed + seeds)
        for each in settings
        for fault in each.faults
    ]


def summarise_power(records: pl.DataFrame) -> pl.DataFrame:
    """Return the shares of warnings, with 90 % intervals, and of notes, by setting, fault and finding."""
    rows = []
    keys = ["questions", "answers", "noise", "fault", "finding"]
    order = pl.col("fault").replace_strict({fault: at for at, fault in enumerate(FAULTS)})
    settings = pl.col("questions").replace_strict({name: at for at, name in enumerate(QUESTIONS)})
    for key, part in records.sort(settings, "answers", "noise", order, "seed").group_by(keys, maintain_order=True):
        n = len(part)
        warnings, notes, unknown = (int((part["level"] == level).sum()) for level in ("warning", "note", "unknown"))
        low, high = jeffreys_interval(warnings, n)
        rows.append((*key, n, warnings / n, low, high, (warnings + notes) / n, unknown / n))
    columns = [*keys, "studies", "warning", "low", "high", "warning_or_note", "unknown"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def format_power(power: pl.DataFrame) -> str:
    """Format the shares of warnings as a Markdown table, one row per setting and fault."""
    names = ("questions", "answers", "noise", "fault")
    lines = [
        f"| {' | '.join(names)} | studies | {' | '.join(name.replace('_', ' ') for name in REPORTED)} |",
        f"| --- | ---: | ---: | --- | ---: {'| ---: ' * len(REPORTED)}|",
    ]
    for key, part in power.group_by(names, maintain_order=True):
        found = {row["finding"]: row for row in part.to_dicts()}
        cells = [*map(str, key), str(found[REPORTED[0]]["studies"]), *(_format_rate(found[name]) for name in REPORTED)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _format_rate(row: Mapping[str, Any]) -> str:
    share, low, high = (f"{100 * row[name]:.0f}" for name in ("warning", "low", "high"))
    return f"{share} % ({low} to {high})"


def _utility(design: Array, optimum: Array) -> float:
    return -3.0 * float(np.linalg.norm(design - optimum))


def _encode(design: Design) -> Array:
    return np.array([design["x"], design["y"]])


def _decode(design: Array) -> Design:
    return {"x": float(design[0]), "y": float(design[1])}
