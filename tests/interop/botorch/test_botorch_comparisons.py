"""Duels to BoTorch's tensors and back."""

import numpy as np
import pytest
import torch
from interop_models import some_duels

import anchorpbo as ap
from anchorpbo.errors import IncompatibleError, InputError, ShapeError
from anchorpbo.interop.botorch import duels_from_tensors, duels_to_tensors


def test_there_and_back_again():
    points, comparisons = duels_to_tensors(some_duels())
    assert points.dtype == torch.float64
    assert comparisons.dtype == torch.long
    assert duels_from_tensors(points, comparisons) == some_duels()


def test_equal_designs_are_merged_and_others_kept_apart():
    points = torch.tensor([[0.1], [0.5], [0.1], [0.1 + 1e-9], [0.9]], dtype=torch.float64)
    duels = duels_from_tensors(points, torch.tensor([[0, 1], [2, 1], [3, 1]]))
    assert len(duels.points) == 3
    assert len(duels) == 3


def test_ties_come_over_but_do_not_go_back():
    points = torch.tensor([[0.1], [0.5], [0.9]])
    duels = duels_from_tensors(points, torch.tensor([[0, 1]]), torch.tensor([[1, 2]]))
    assert len(duels.ties) == 1
    with pytest.raises(IncompatibleError, match="have a winner and a loser; received 1 ties; drop them"):
        duels_to_tensors(duels)


def test_equal_duels_that_were_merged_are_counted_out():
    duels = ap.Duels([[0.1], [0.5], [0.9]], [0, 0, 2, 0], [1, 1, 1, 2])
    merged = duels.merge_repeats()
    assert len(merged) == 3
    _, comparisons = duels_to_tensors(merged)
    assert sorted(comparisons.tolist()) == sorted(np.stack([duels.winners, duels.losers], axis=1).tolist())


def test_designs_that_are_no_part_of_the_unit_cube():
    points, comparisons = torch.tensor([[3.0], [7.0]]), torch.tensor([[0, 1]])
    with pytest.raises(InputError, match=r"must lie in \[0\.0, 1\.0\]; received 3\.0"):
        duels_from_tensors(points, comparisons)
    assert duels_from_tensors(points, comparisons, bounds=None).points.max() == 7.0


def test_bad_tensors_are_refused():
    points, comparisons = torch.rand(3, 2), torch.tensor([[0, 1]])
    with pytest.raises(
        ShapeError, match=r"datapoints must have shape n x d; received \(2, 3, 2\); give the data of one model"
    ):
        duels_from_tensors(torch.rand(2, 3, 2), comparisons)
    with pytest.raises(InputError, match=r"comparisons must be a tensor of row numbers; received a tensor of torch\.f"):
        duels_from_tensors(points, comparisons.float())
    with pytest.raises(InputError, match="comparisons must be a tensor of row numbers; received list"):
        duels_from_tensors(points, [[0, 1]])
    with pytest.raises(ShapeError, match=r"comparisons must have shape m x 2; received \(2,\)"):
        duels_from_tensors(points, comparisons[0])
    with pytest.raises(InputError, match="losers must be row numbers of points, 0 to 2; received 5"):
        duels_from_tensors(points, torch.tensor([[0, 5]]))
    with pytest.raises(InputError, match="datapoints must be finite; received nan"):
        duels_from_tensors(torch.full((3, 2), torch.nan), comparisons)
