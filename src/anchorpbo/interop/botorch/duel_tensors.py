"""Conversion between duels and the tensors of BoTorch's comparisons.

BoTorch keeps designs as `datapoints`, (n, d), and answers as `comparisons`, (m, 2): row numbers of the winner and of
the loser. `Duels` has the same layout. It also has ties, which BoTorch lacks, and merges only exactly equal designs.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from anchorpbo.duels import Duels
from anchorpbo.errors import IncompatibleError, InputError, ShapeError
from anchorpbo.interop.botorch.tensors import as_designs, to_array, to_tensor
from anchorpbo.typing import IntArray


def duels_from_tensors(
    datapoints: Tensor,
    comparisons: Tensor,
    ties: Tensor | None = None,
    bounds: tuple[float, float] | None = (0.0, 1.0),
) -> Duels:
    """Return the duels that BoTorch's tensors describe.

    Parameters
    ----------
    datapoints
        Designs, n x d.
    comparisons
        Row numbers of the winner and of the loser, m x 2.
    ties
        Row numbers of two designs judged equal, m' x 2.
    bounds
        The range of every coordinate, or ``None``, see `Duels`.

    Examples
    --------
    >>> duels_from_tensors(torch.tensor([[0.1], [0.5], [0.9]]), torch.tensor([[1, 0], [1, 2]]))
    Duels(2 wins and 0 ties on 3 designs, d=1)
    """
    designs = as_designs(datapoints, name="datapoints")
    if designs.dim() != 2:
        remedy = "give the data of one model; create one model per batch element"
        raise ShapeError("datapoints must have shape n x d", tuple(designs.shape), remedy)
    winners, losers = as_index_pairs("comparisons", comparisons).T
    return Duels(to_array(designs), winners, losers, None if ties is None else as_index_pairs("ties", ties), bounds)


def duels_to_tensors(duels: Duels) -> tuple[Tensor, Tensor]:
    """Return datapoints, u x d and float64, and comparisons, m x 2, in the form of `PairwiseGP`."""
    if len(duels.ties):
        remedy = "drop them: Duels(duels.points, duels.winners, duels.losers)"
        raise IncompatibleError("BoTorch's comparisons have a winner and a loser", f"{len(duels.ties)} ties", remedy)
    return to_tensor(duels.points), get_win_rows(duels)


def get_win_rows(duels: Duels) -> Tensor:
    """Return the row numbers of winners and losers, m x 2, one row per duel even if equal duels are merged."""
    each = duels.expand_repeats()
    return torch.tensor(np.stack([each.winners, each.losers], axis=1), dtype=torch.long)


def as_index_pairs(name: str, indices: Tensor) -> IntArray:
    """Return row numbers, m x 2, as an array; their range is checked later, with the designs."""
    if not isinstance(indices, Tensor) or indices.is_floating_point() or indices.is_complex():
        kind = f"a tensor of {indices.dtype}" if isinstance(indices, Tensor) else type(indices).__name__
        raise InputError(f"{name} must be a tensor of row numbers", kind, "give pairs (winner, loser) of dtype long")
    if indices.dim() != 2 or indices.shape[1] != 2:
        raise ShapeError(f"{name} must have shape m x 2", tuple(indices.shape), "give two row numbers per duel")
    return indices.detach().cpu().numpy().astype(np.intp)
