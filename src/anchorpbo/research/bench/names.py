"""The libraries that take part, and which of them can. A module is loaded when its contender is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from anchorpbo.errors import UnknownNameError, UnsupportedError
from anchorpbo.research.bench.contender import Contender

_CONTENDER_CLASSES = {
    "botorch": ("with_botorch", "BoTorch"),
    "optuna": ("with_optuna", "Optuna"),
    "anchorpbo": ("equal_work", "EqualWork"),
    "anchorpbo-study": ("product", "Product"),
}
CONTENDERS = tuple(_CONTENDER_CLASSES)
"""Of the contenders, in the order of tables."""
MEASURED_LIBRARIES = ("anchorpbo", "botorch", "optuna")


def load_contender(name: str) -> type[Contender]:
    """The class of a contender."""
    if name not in _CONTENDER_CLASSES:
        raise UnknownNameError.of("a contender", name, _CONTENDER_CLASSES)
    module, kind = _CONTENDER_CLASSES[name]
    return cast(type[Contender], getattr(import_module(f"anchorpbo.research.bench.{module}"), kind))


def select_contenders(only: Sequence[str] = ()) -> tuple[str, ...]:
    """The contenders of some libraries, or of all; raises where one is not installed."""
    only = [library.lower() for library in only]
    for library in only:
        if library not in MEASURED_LIBRARIES:
            raise UnknownNameError.of("a library to measure", library, MEASURED_LIBRARIES)
    names = tuple(name for name in CONTENDERS if not only or load_contender(name).library in only)
    needed = dict.fromkeys(package for name in names for package in load_contender(name).packages)
    missing = [package for package in needed if find_spec(package) is None]
    if missing:
        raise UnsupportedError(
            "a comparison needs the other libraries",
            f"a Python without {', '.join(missing)}",
            'pip install "anchorpbo[bench]", or measure this library alone with --only anchorpbo',
        )
    return names
