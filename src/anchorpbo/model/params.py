"""Constructor parameters of a model, as `get_params` returns them.

A model has two versions of each part that can be learnt: `Params.kernel`, at which every `fit` starts, and
`PreferenceGP.kernel`, at the fitted hyper-parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from anchorpbo.errors import IncompatibleError, InputError, UnknownNameError
from anchorpbo.inference import Inference, InferenceName
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood, LikelihoodName
from anchorpbo.model.approximation import InducingChoice
from anchorpbo.model.fitting import base_name
from anchorpbo.model.integration import IntegrationName, IntegrationRule
from anchorpbo.model.priors import LEARNABLE, Learn
from anchorpbo.reliability import NoiseMap

LearnOption = Iterable[str] | Mapping[str, Learn | None] | None
"""Type of the argument `learn`: names, or a mapping from names to their bounds and priors."""

DEFAULT_LEARN = ("lengthscale", "outputscale")
"""Hyper-parameters that `fit` learns by default, if the kernel has them."""


@dataclass(frozen=True, eq=False)
class Params:
    """The arguments of a `PreferenceGP`, unchanged, by name."""

    kernel: Kernel | None = None
    likelihood: LikelihoodName | Likelihood = "probit"
    inference: InferenceName | Inference = "laplace"
    noise: NoiseMap | float = 1.0
    seed: int = 0
    learn: LearnOption = DEFAULT_LEARN
    starts: int = 2
    inducing: InducingChoice = "auto"
    integration: IntegrationName | IntegrationRule = "map"

    def __post_init__(self) -> None:
        if isinstance(self.learn, Iterator):  # an iterator could be read only once
            object.__setattr__(self, "learn", tuple(self.learn))

    def to_dict(self) -> dict[str, Any]:
        """Return all parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def replace(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters with some changed; raise on an unknown name."""
        params = self.to_dict()
        for name in changes:
            if name not in params:
                raise UnknownNameError.of("a parameter of PreferenceGP", name, params)
        return params | dict(changes)

    def __str__(self) -> str:
        """Format the arguments that differ from their default."""
        changed = {field.name: getattr(self, field.name) for field in fields(self) if not _is_default(self, field)}
        return ", ".join(f"{name}={value!r}" for name, value in changed.items())


def _is_default(params: Params, field: Any) -> bool:
    value, default = getattr(params, field.name), field.default
    # The types are compared first, because == of arrays and custom objects may not return a bool.
    return value is default or (type(value) is type(default) and bool(value == default))


def resolve_learn(learn: LearnOption, kernel: Kernel, noise: NoiseMap) -> dict[str, Learn | None]:
    """Return the specification of each name; ``None`` stands for the default, which depends on the dimension."""
    if isinstance(learn, str):
        learn = (learn,)
    if not isinstance(learn, Iterable | None):
        raise InputError("learn must be names or a mapping from names to Learn", repr(learn), "leave it out")
    is_default = isinstance(learn, tuple) and learn == DEFAULT_LEARN
    specs: dict[str, Learn | None] = dict(learn) if isinstance(learn, Mapping) else dict.fromkeys(learn or ())
    of_kernel = {*kernel.parameter_names, *map(base_name, kernel.parameter_names)}
    present = of_kernel | {"tie_threshold", "lapse"} | {base_name(f"noise_{name}") for name in noise.parameter_names}
    for name, spec in specs.items():
        if name not in LEARNABLE and name not in of_kernel:
            raise UnknownNameError.of("a hyper-parameter to learn", name, {*LEARNABLE, *of_kernel})
        if spec is None and name not in LEARNABLE and base_name(name) not in LEARNABLE:
            rule = f"a hyper-parameter of your own, such as {name}, needs bounds to be learnt"
            raise InputError(rule, None, f'pass learn={{"{name}": Learn((lower, upper))}}')
        if not isinstance(spec, Learn | None):
            raise InputError(f"learn[{name!r}] must be a Learn", repr(spec), "write Learn((lower, upper))")
        if name not in present and not is_default:
            raise IncompatibleError(
                f"{name} can only be learnt if the model has one", f"{kernel!r}, {noise!r}", "drop it"
            )
    return specs
