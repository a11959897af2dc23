"""Frames of designs with their posterior mean, standard deviation and noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.interop.frames.design_table import DesignTable, get_space, name_columns
from anchorpbo.interop.frames.frame_libraries import LibraryName, as_table, detect_library, get_library
from anchorpbo.model import PreferenceGP
from anchorpbo.space.table import Table
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array


def posterior_to_frame(model: PreferenceGP | Optimizer, frame: Any, names: Sequence[str] | None = None) -> Any:
    """Return a copy of a frame of designs, in the same library, with the columns mean, std and noise.

    These are the posterior mean and standard deviation of the utility, and the noise. A mean has no origin: only
    differences of means are meaningful.

    Parameters
    ----------
    model
        A fitted `PreferenceGP`, for designs in the unit cube; or an `Optimizer`, for designs of its space.
    frame
        A DataFrame of pandas or polars, or a Table of pyarrow, with one row per design.
    names
        Columns of the coordinates, in order, for a `PreferenceGP`; by default all. Not needed for an `Optimizer`.
    """
    library, table = detect_library(frame), as_table(frame)
    taken = [name for name in ("mean", "std", "noise") if name in table.columns]
    if taken:
        raise InputError(
            "a frame must not have columns mean, std and noise yet", f"a column {taken[0]!r}", "rename or drop it"
        )
    if isinstance(model, Optimizer):
        # Columns that are not parameters are ignored.
        X, model = DesignTable(table, model.space).encode(name_columns(model.space)), model.model
    elif isinstance(model, PreferenceGP):
        X = _get_coordinates(table, names)
    else:
        raise InputError("model must be a PreferenceGP or an Optimizer", type(model).__name__, "give one of these")
    posterior = model.posterior
    found = {"mean": posterior.mean(X), "std": np.sqrt(posterior.variance(X)), "noise": model.noise(X)}
    return library.add_columns(frame, found)


def utilities_to_frame(
    optimizer: Optimizer,
    designs: Iterable[Mapping[str, Any]] | None = None,
    library: LibraryName = "pandas",
    *,
    reference: Mapping[str, Any] | None = None,
) -> Any:
    """Return a frame of designs with their estimates, one row per design: values, utility, low, high and noise.

    Parameters
    ----------
    optimizer
        The study.
    designs, reference
        See `Optimizer.utilities`; by default all compared designs, best first.
    library
        Library of the frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``.
    """
    frames = get_library(library)
    get_space(optimizer, frames)
    found = optimizer.utilities(designs, reference=reference)
    names = list(dict.fromkeys(name for estimate in found for name in estimate.design))
    columns: dict[str, Any] = {name: [estimate.design.get(name) for estimate in found] for name in names}
    for name, values in (
        ("utility", [estimate.utility for estimate in found]),
        ("low", [estimate.interval[0] for estimate in found]),
        ("high", [estimate.interval[1] for estimate in found]),
        ("noise", [estimate.noise for estimate in found]),
    ):
        columns[name if name not in columns else f"{name} (estimated)"] = np.array(values, dtype=np.float64)
    return frames.make_frame(columns)


def _get_coordinates(table: Table, names: Sequence[str] | None) -> Array:
    called = list(table.columns) if names is None else list(names)
    missing = [name for name in called if name not in table.columns]
    if missing or not called:
        received = f"none called {missing[0]!r}" if missing else "none"
        raise InputError("a frame of designs must have one column per coordinate", received, ", ".join(table.columns))
    return np.stack([table.numbers(name) for name in called], axis=1)
