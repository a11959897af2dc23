"""What a model was made with, kept as it came.

A model has two of everything that can be learnt: the kernel it was given, where every `fit` starts, and the kernel it
has now. The first is `Given.kernel`, the second `PreferenceGP.kernel`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from anchorpbo.errors import UnknownNameError
from anchorpbo.inference import Inference, InferenceName
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood, LikelihoodName
from anchorpbo.model.approximation import InducingChoice
from anchorpbo.model.priors import Learn
from anchorpbo.reliability import NoiseMap

Learnt = Iterable[str] | Mapping[str, Learn | None] | None

DEFAULT_LEARN = ("lengthscale", "outputscale")
"""What `fit` learns unless told otherwise, of what the kernel has."""


@dataclass(frozen=True, eq=False)
class Given:
    """The arguments of a `PreferenceGP`, the very objects, each under its own name."""

    kernel: Kernel | None = None
    likelihood: LikelihoodName | Likelihood = "probit"
    inference: InferenceName | Inference = "laplace"
    noise: NoiseMap | float = 1.0
    seed: int = 0
    learn: Learnt = DEFAULT_LEARN
    starts: int = 2
    inducing: InducingChoice = "auto"

    def __post_init__(self) -> None:
        if isinstance(self.learn, Iterator):  # which could be read only once
            object.__setattr__(self, "learn", tuple(self.learn))

    def to_dict(self) -> dict[str, Any]:
        """All of them by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def but(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """All of them, some changed, or an error that lists the names there are."""
        here = self.to_dict()
        for name in changes:
            if name not in here:
                raise UnknownNameError.of("a parameter of PreferenceGP", name, here)
        return here | dict(changes)

    def __str__(self) -> str:
        """Those that are not at their default, as they were written."""
        unusual = {field.name: getattr(self, field.name) for field in fields(self) if not _is_default(self, field)}
        return ", ".join(f"{name}={value!r}" for name, value in unusual.items())


def _is_default(given: Given, field: Any) -> bool:
    value, default = getattr(given, field.name), field.default
    # Of one kind first: what an array or an object of somebody's own makes of == is anybody's guess.
    return value is default or (type(value) is type(default) and bool(value == default))
