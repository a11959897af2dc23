"""Random studies of every kind, with events in any order, for tests of saving and loading.

The number of a study determines it. ``python tests/support/random_studies.py 1000`` saves and reads 1,000 studies.
"""

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import anchorpbo as ap
from anchorpbo.errors import InputError

ODD = (0.1 + 0.2, 1 / 3, 5e-324, 1e-310, -0.0, 1e300, 2.0**53 + 2, 6e-6)
"""Numbers that careless formatting changes."""


def _numbers(rng: np.random.Generator) -> tuple[float, float]:
    """Draw the ends of a range: wide or narrow, far from 0 or around it."""
    width = float(10.0 ** rng.integers(-9, 10)) * (1.0 if rng.random() < 0.5 else rng.random() + 0.1)
    low = (0.0, -width / 3, width * float(rng.integers(-30, 30)), float(rng.normal()) * width)[rng.integers(4)]
    return low, low + width


def random_parameter(rng: np.random.Generator) -> Any:  # noqa: PLR0911 (one for each kind)
    """Draw a parameter of any kind."""
    kind = rng.integers(9)
    low, high = _numbers(rng)
    if kind == 0:
        return ap.Real(low, high)
    if kind == 1:
        return ap.Real(abs(high - low), abs(high - low) * float(10.0 ** rng.uniform(0.1, 6)), log=True)
    if kind == 2:
        step, places = float(f"{high - low:.3g}"), int(rng.integers(1, 40))
        return (
            ap.Real(0, places * step, step=step)
            if rng.random() < 0.7
            else ap.Real(step, places * step + step, True, step)
        )
    if kind == 3:
        return ap.Integer(int(rng.integers(-5, 5)), int(rng.integers(6, 200)))
    if kind == 4:
        return ap.Integer(1, int(rng.integers(2, 1000)), log=True)
    if kind == 5:
        return ap.Ordinal(sorted({*rng.choice(ODD, 3).tolist(), int(rng.integers(2, 9))}))
    if kind == 6:
        return ap.Categorical(["a", "ä", True, 0, 2.5, -1e-310][: int(rng.integers(2, 7))])
    return ap.Boolean() if kind == 7 else ap.Constant((5e-324, -0.0, 1, True, "text", 0.1 + 0.2)[rng.integers(6)])


def random_space(rng: np.random.Generator) -> Any:
    """Draw a space of parameters, sometimes with a constraint, or a catalogue."""
    if rng.random() < 0.3:
        return random_catalogue(rng)
    parameters = {f"p{i}": random_parameter(rng) for i in range(int(rng.integers(1, 5)))}
    numeric = [name for name, p in parameters.items() if isinstance(p, ap.Real) and not p.log and p.step is None]
    constraints = []
    if len(numeric) > 1 and rng.random() < 0.5:
        one, other = (parameters[name] for name in numeric[:2])
        limit = one.low + other.low + 0.7 * (one.high - one.low + other.high - other.low)
        constraints = [ap.Linear({numeric[0]: 1, numeric[1]: 1.0}, "<=", limit)] if math.isfinite(limit) else []
    return ap.Space(parameters, constraints=constraints)


def random_catalogue(rng: np.random.Generator) -> Any:
    """Draw items with numbers of every size, categories and fingerprints."""
    n = int(rng.integers(3, 15))
    size = float(10.0 ** rng.integers(-6, 7))
    values = [float(rng.normal() * size), int(rng.integers(-9, 9)), -0.0, 5e-324 * int(rng.integers(1, 9)), 0.1 + 0.2]
    records = [
        {
            "name": f"item {i}",
            "a": float(rng.normal() * size),
            "b": values[rng.integers(len(values))],
            "kind": ("x", 1, 2.5, "ü")[rng.integers(4)],
            "bits": "".join(map(str, rng.integers(0, 2, 12))),
            "shown": (None, 1, 1.0, -0.0, "text")[rng.integers(5)],
        }
        for i in range(n)
    ]
    roles = (
        {"features": ["a"]},
        {"features": ["a", "b"]},
        {"features": ["a"], "categories": ["kind"]},
        {"fingerprint": "bits"},
        {"features": ["a"], "categories": ["kind"], "fingerprint": "bits"},
    )[rng.integers(5)]
    return ap.Catalogue(records, key="name", **roles)


def random_options(rng: np.random.Generator, d: int, fingerprint: bool) -> dict[str, Any]:
    """Draw options of an optimizer, with numbers in the many types that users pass."""
    number = (float, np.float32, np.float64, lambda value: max(round(value), 1))[rng.integers(4)]
    scale = number(float(np.exp(rng.normal())))
    likelihood, inference = (
        (None, None),
        ("probit", "ep"),
        ("probit", ap.Hallucination(sweeps=20)),
        ("probit", ap.Hallucination(sweeps=10, draws=2)),
        ("logistic", "laplace"),
        ("logistic", "ep"),
        (ap.Logistic(number(0.3), "difference"), ap.EP(tolerance=1e-6)),
        (ap.Logistic(), ap.PolyaGamma(sweeps=5, draws=2)),
        (ap.Probit(0.0), ap.Laplace()),
    )[rng.integers(9)]
    kernels = (ap.RBF, ap.Matern32, ap.Matern52)
    length = np.asarray(np.exp(rng.normal(-1, 0.5, size=d if rng.random() < 0.5 else ())))
    kernel = kernels[rng.integers(3)](np.clip(length, 0.11, 0.99), scale)
    if rng.random() < 0.2:
        kernel = kernel + ap.RBF(0.5)
    learn = (
        None,
        {},
        {"lengthscale": None, "outputscale": None, "noise_scale": None},
        {"outputscale": ap.Learn((0.01, 1000), ap.LogNormal(scale, number(1.0)))},
        {"lengthscale": ap.Learn((1e-3, 1e3)), "noise_strength": None, "tie_threshold": None},
    )[rng.integers(5)]
    noise = (None, ap.BoundedNoise(scale, number(2.0)), ap.PaperNoise(scale), ap.ConstantNoise(scale))[rng.integers(4)]
    return {
        "strategy": (None, "ei", "ucb", "eubo", "anpei", "rahbo", "raeubo", ap.acquisition.RAHBO(scale, number(1.0)))[
            rng.integers(8)
        ],
        "preset": ("default", "paper")[rng.integers(2)],
        "seed": int(rng.integers(1000)),
        "kernel": None if fingerprint or rng.random() < 0.5 else kernel,
        "likelihood": likelihood,
        "inference": inference,
        "noise": noise,
        "learn": learn,
        "initial": (None, 0, 1, 2)[rng.integers(4)],
        "refit_every": (None, 1, 2, np.int64(3))[rng.integers(4)],
        "risk_weight": (None, 0, scale)[rng.integers(3)],
    }


def random_design(space: Any, rng: np.random.Generator) -> Any:
    """Draw a design, sometimes with other types than the space's own."""
    points = space.sample(3, rng)
    return space.decode(points[rng.integers(len(points))])


def random_study(number: int) -> Iterator[Any]:
    """Yield a study before its first event and after each event; nothing if its options are incompatible."""
    rng = np.random.default_rng([number, 16])
    try:
        space = random_space(rng)
        anchors = [random_design(space, rng) for _ in range(int(rng.integers(3)))]
        study = ap.Optimizer(space, anchors, **random_options(rng, space.dimension, bool(space.columns.fingerprint)))
    except (InputError, ap.errors.IncompatibleError):
        return
    yield study
    for _ in range(int(rng.integers(1, 7))):
        try:
            random_event(study, rng)
        except InputError:  # a tie that is not allowed, a duplicate anchor, two equal designs
            continue
        yield study


def random_event(study: Any, rng: np.random.Generator) -> None:
    """Tell an answer (mostly), tell a preference, change the anchors, or undo."""
    kind = rng.integers(10)
    if kind < 6:
        study.tell(study.ask(), ("first", "second", "first", "second", "tie", "skip")[rng.integers(6)])
    elif kind == 6:
        study.tell_preference(*(random_design(study.space, rng) for _ in range(2)), tie=bool(rng.random() < 0.2))
    elif kind == 7:
        study.add_anchor(random_design(study.space, rng))
    elif kind == 8 and study.anchors:
        study.remove_anchor(study.anchors[-1])
    elif kind == 9 and study.history:
        study.undo()


def seen(study: Any) -> dict[str, str]:
    """Return all visible state of a study to the last bit; repr distinguishes -0.0 from 0.0 and any two doubles."""
    found = {"text": study.to_json(), "duel": repr(study.ask()), "anchors": repr(study.anchors)}
    if len(study):
        model = study.model
        found["recommendation"] = repr(study.recommend())
        parts = (model.kernel.log_parameters.tolist(), np.exp(model.kernel.log_parameters).tolist())
        found["parameters"] = repr((*parts, model.noise.scale, model.noise.strength, model.likelihood))
        found["kernel"] = repr([vars(part) for part in _leaves(model.kernel)])
    return found


def _leaves(kernel: Any) -> list[Any]:
    parts = [part for part in vars(kernel).values() if isinstance(part, ap.kernels.Kernel)]
    return [leaf for part in parts for leaf in _leaves(part)] or [kernel]


def differences(number: int, every: bool = False) -> list[str]:
    """Return the differences after saving and reading a study, at the end or after every event."""
    return [
        f"study {number}, view {step}: {name}: {before[name]} became {after[name]}"
        for step, (before, after) in enumerate(_views(number, every))
        for name in before
        if before[name] != after[name]
    ]


def _views(number: int, every: bool) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Yield the states of a study and of its copy read from JSON, now and after one more answer."""
    study = None
    for study in random_study(number):
        if every:
            yield seen(study), seen(ap.Optimizer.from_json(study.to_json()))
    if study is not None:
        again = ap.Optimizer.from_json(study.to_json())
        yield seen(study), seen(again)
        for one in (study, again):
            one.tell(one.ask(), "second")
        yield seen(study), seen(again)


def main(count: int, start: int = 0) -> None:
    """Print the differences, and the number of studies with a difference."""
    spoilt = 0
    for number in range(start, start + count):
        try:
            lost = differences(number)
        except Exception as problem:
            lost = [f"study {number}: {type(problem).__name__}: {problem}"]
        spoilt += bool(lost)
        for line in lost:
            print(line[:600], flush=True)
    print(f"{spoilt} of {count} studies changed")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
