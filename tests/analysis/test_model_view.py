"""One view of studies, models and maps."""

import numpy as np
import pytest

from anchorpbo import Duels, NoiseMap, Optimizer, PreferenceGP, Real, Space
from anchorpbo.analysis import ModelView, grids, list_compared_designs
from anchorpbo.errors import InputError, NotFittedError, UnknownNameError, UnsupportedError
from anchorpbo.kernels.stationary import Stationary
from support.drawn_studies import ANCHORS, SPACE, played, shelved

POINTS = [[0.1, 0.3], [0.8, 0.6], [0.4, 0.2]]


def test_a_study_is_known_by_its_own_words():
    study = played(count=6)
    view = ModelView.of(study)
    assert (view.space, list(view.anchors)) == (SPACE, study.anchors)
    assert [duel.outcome for duel in view.duels][3:] == ["tie", "skip", view.duels[5].outcome, "first"]
    assert view.recommend() == view.base_design == study.recommend().design
    new = ModelView.of(played(count=0))
    assert (new.model, new.recommend(), new.duels) == (None, None, ())
    assert new.base_design == SPACE.check(new.base_design)
    assert new.base_design["heat"] == 88.0


def test_a_model_is_known_by_its_coordinates():
    noise = NoiseMap.bounded([[0.2, 0.3], [1.5, 0.2]])
    model = PreferenceGP(noise=noise).fit(Duels(POINTS, [0, 2], [1, 1], [[0, 2]]))
    view = ModelView.of(model)
    assert view.space.names == ("x1", "x2")
    assert view.anchors == ({"x1": 0.2, "x2": 0.3},)
    assert [duel.outcome for duel in view.duels] == ["first", "first", "tie"]
    assert view.duels[0].first == {"x1": 0.1, "x2": 0.3}
    best = POINTS[int(np.argmax(model.posterior.mean(POINTS)))]
    assert view.recommend() == {"x1": best[0], "x2": best[1]}
    grid = grids.compute_slices(view, view.base_design)[0].grid
    X = np.column_stack([np.linspace(0, 1, grids.SLICE_POINTS), np.full(grids.SLICE_POINTS, best[1])])
    assert np.allclose(grid.utility, model.posterior.mean(X) - model.posterior.mean(POINTS).mean())
    assert np.allclose(grid.noise, noise(X))


def test_a_model_of_merged_duels_has_each_of_them():
    duels = Duels(POINTS, [0, 0, 0, 1], [1, 1, 1, 0], [[0, 2], [0, 2]]).merge_repeats()
    (first, *_) = list_compared_designs(ModelView.of(PreferenceGP(learn=None).condition(duels)))
    assert (first.wins, first.losses, first.ties) == (3, 1, 2)


def test_a_noise_map_is_known_by_its_anchors():
    view = ModelView.of(NoiseMap.bounded([[0.2, 0.3]]))
    assert (view.model, view.anchors, view.recommend()) == (None, ({"x1": 0.2, "x2": 0.3},), None)


def test_what_cannot_be_drawn_says_why():
    with pytest.raises(UnsupportedError, match="without anchors is the same everywhere"):
        ModelView.of(NoiseMap.constant(1.0))
    with pytest.raises(NotFittedError, match="seen no duels"):
        ModelView.of(PreferenceGP())
    counts = Duels([[3.0], [5.0]], [0], [1], bounds=None)
    with pytest.raises(UnsupportedError, match="lie in the unit cube"):
        ModelView.of(PreferenceGP().fit(counts))
    with pytest.raises(InputError, match="an Optimizer, a PreferenceGP or a NoiseMap; received dict"):
        ModelView.of({})


def test_slices_may_be_of_some_parameters_only():
    view = ModelView.of(played(count=4))
    found = grids.compute_slices(view, view.base_design, ["stir", "dose"])
    assert [one.axis.name for one in found] == ["stir", "dose"]
    assert found[0].axis.values == [False, True]
    with pytest.raises(UnknownNameError, match="a parameter must be one of"):
        grids.compute_slices(view, view.base_design, ["water"])
    with pytest.raises(InputError, match="a space of parameters or a catalogue"):
        grids.compute_slices(ModelView.of(shelved()), {})


def test_anchors_and_answers_change_the_view():
    study = played(count=4)
    study.remove_anchor(ANCHORS[0])
    assert len(ModelView.of(study).anchors) == 1


def test_what_is_done_to_a_recommendation_does_not_reach_the_next():
    study = Optimizer(Space(a=Real(0, 1)), seed=3)
    study.tell_preference({"a": 0.2}, {"a": 0.9})
    first = study.recommend()
    again = study.recommend()
    first.design["a"] = first.credible_set[0]["a"] = 7.0
    assert study.recommend() == again
    assert study.recommend(3.0).risk_weight == 3.0
    study.tell_preference({"a": 0.5}, {"a": 0.2})
    assert study.recommend().design != again.design


def test_each_pair_of_compared_designs_is_looked_at_once_for_all_grids(monkeypatch):
    study = Optimizer(Space(a=Real(0, 1), b=Real(0, 1), c=Real(0, 1)), seed=3)
    for one, other in np.random.default_rng(0).random((150, 2, 3)):
        study.tell_preference(*(dict(zip("abc", each, strict=True)) for each in (one, other)))
    view = ModelView.of(study)
    at, u, looked = view.base_design, len(study.model.designs), []
    plain = Stationary.__call__

    def counting(kernel, X, Y):
        looked.append(len(X) * len(Y) if len(X) > 1 and len(Y) > 1 else 0)
        return plain(kernel, X, Y)

    monkeypatch.setattr(Stationary, "__call__", counting)
    grids.compute_slices(view, at)
    grids.compute_plane(view, at)
    points = 3 * grids.SLICE_POINTS + grids.PLANE_POINTS**2
    # At the points of the grids for the average and twice for the posterior; the average itself once, for all grids.
    assert sum(looked) <= len(study.model.components) * (3 * points * u + 2 * u * u)
