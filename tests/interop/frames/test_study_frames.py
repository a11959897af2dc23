"""Studies as frames: what was said, what is known."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import anchorpbo as ap
from anchorpbo.errors import InputError, NotFittedError, UnsupportedError
from anchorpbo.interop.frames import (
    comparisons_to_frame,
    history_from_frame,
    history_to_frame,
    posterior_to_frame,
    utilities_to_frame,
)
from anchorpbo.interop.frames.frame_libraries import FrameLibrary, unify_types

FRAME_LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}
SPACE = ap.Space(
    {
        "dose": ap.Real(10, 20, log=True),
        "shots": ap.Integer(1, 4),
        "milk": ap.Categorical(["none", "oat", 3, True]),
        "roast": ap.Ordinal(["light", "dark"]),
        "stirred": ap.Boolean(),
        "cup.size": ap.Real(0.1, 0.5, step=0.05),
        "water": ap.Constant("soft"),
    }
)
ITEMS = [
    {"name": f"no {i}", "price": float(i), "weight": (3 * i) % 7, "note": "new" if i % 2 else None} for i in range(8)
]
SHELF = ap.Catalogue.from_records(ITEMS, features=["price", "weight"], key="name")


ITEM_FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table.from_pylist}


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_catalogues_are_read_from_frames_of_every_library(library):
    frame = ITEM_FRAMES[library](ITEMS)
    assert ap.Catalogue.from_frame(frame, features=["price", "weight"], key="name").to_dict() == SHELF.to_dict()


def said(space, **options):
    """A study with every type of event and every outcome."""
    opt = ap.Optimizer(space, initial=3, **options)
    designs = [space.decode(x) for x in space.sample(6, np.random.default_rng(1))]
    for outcome in ("first", "second", "tie", "skip", "first"):
        opt.tell(opt.ask(), outcome)
    opt.add_anchor(designs[0])
    opt.tell_preference(designs[1], designs[2])
    opt.tell_preference(designs[3], designs[4], tie=True)
    opt.add_anchor(designs[5])
    opt.remove_anchor(designs[0])
    return opt


STUDIES = {"space": said(SPACE), "catalogue": said(SHELF)}


@pytest.fixture(params=STUDIES)
def study(request):
    return STUDIES[request.param]


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_histories_come_back_exactly(study, library):
    frame = history_to_frame(study, library)
    assert isinstance(frame, FRAME_LIBRARIES[library])
    assert len(frame) == 10
    again = history_from_frame(frame, study.space)
    assert again == study.history
    assert [[type(v) for v in e.get("first", {}).values()] for e in again] == [
        [type(v) for v in e.get("first", {}).values()] for e in study.history
    ]


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_a_history_read_from_a_frame_is_a_study_again(study, library):
    import json

    text = json.loads(study.to_json())
    text["events"] = history_from_frame(history_to_frame(study, library), study.space)
    again = ap.Optimizer.from_json(json.dumps(text))
    assert again.ask() == study.ask()


def test_a_history_survives_a_file(tmp_path):
    study = STUDIES["space"]
    history_to_frame(study, "polars").write_parquet(tmp_path / "history.parquet")
    assert history_from_frame(pl.read_parquet(tmp_path / "history.parquet"), SPACE) == study.history
    history_to_frame(study, "pandas").to_csv(tmp_path / "history.csv", index=False)
    assert history_from_frame(pd.read_csv(tmp_path / "history.csv"), SPACE) == study.history


def test_a_history_has_an_event_a_row_and_empty_cells():
    frame = history_to_frame(STUDIES["space"], "pandas")
    assert list(frame.columns[:3]) == ["event", "type", "first.dose"]
    assert frame["type"].tolist() == ["answered"] * 5 + [
        "anchor_added",
        *["preferred"] * 2,
        "anchor_added",
        "anchor_removed",
    ]
    assert frame["outcome"].tolist()[:5] == ["first", "second", "tie", "skip", "first"]
    assert frame["winner.shots"].isna().tolist() == [True] * 6 + [False] * 2 + [True] * 2
    assert str(frame["winner.shots"].dtype) == "Int64"
    assert str(frame["tie"].dtype) == "boolean"
    names = history_to_frame(STUDIES["catalogue"], "polars").columns
    assert names == ["event", "type", "first", "second", "duel", "outcome", "gain", "winner", "loser", "tie", "design"]


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_an_empty_history_has_no_rows(library):
    empty = history_to_frame(ap.Optimizer(SPACE), library)
    assert len(empty) == 0
    assert history_from_frame(empty, SPACE) == []
    assert len(comparisons_to_frame(ap.Optimizer(SPACE), library)) == 0


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_comparisons_can_be_imported_elsewhere(study, library):
    frame = comparisons_to_frame(study, library)
    other = ap.Optimizer(study.space)
    assert other.import_comparisons(frame) == len(study) == 6
    # The winner before the loser, whichever of them was shown first.
    expected = []
    for event in study.history:
        if event["type"] == "preferred":
            expected.append((event["winner"], event["loser"], event["tie"]))
        elif event["type"] == "answered" and event["outcome"] != "skip":
            pair = event["first"], event["second"]
            expected.append((*(pair[::-1] if event["outcome"] == "second" else pair), event["outcome"] == "tie"))
    assert [(e["winner"], e["loser"], e["tie"]) for e in other.history] == expected


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_the_posterior_comes_beside_the_designs_in_their_own_library(library):
    rng = np.random.default_rng(0)
    X = rng.random((12, 2))
    duels = ap.Duels(X, range(6), range(6, 12))
    model = ap.PreferenceGP(noise=ap.NoiseMap.bounded([[0.5, 0.5]]), inference="ep").fit(duels)
    columns = {"name": [f"n{i}" for i in range(12)], "b": X[:, 1], "a": X[:, 0]}
    frame = pa.table(columns) if library == "pyarrow" else FRAME_LIBRARIES[library](columns)
    found = posterior_to_frame(model, frame, names=["a", "b"])
    assert type(found) is FRAME_LIBRARIES[library]
    assert (found.column_names if library == "pyarrow" else list(found.columns)) == [
        "name",
        "b",
        "a",
        "mean",
        "std",
        "noise",
    ]
    for name, values in (
        ("mean", model.posterior.mean(X)),
        ("std", np.sqrt(model.posterior.variance(X))),
        ("noise", model.noise(X)),
        ("a", X[:, 0]),
    ):
        np.testing.assert_array_equal(np.asarray(found[name]), values)
    assert len(frame.columns) == 3  # what was given stays as it was


def test_rows_of_pandas_keep_their_index():
    model = ap.PreferenceGP().fit(ap.Duels([[0.1], [0.9]], [0], [1]))
    frame = pd.DataFrame({"x": [0.1, 0.9]}, index=["left", "right"])
    found = posterior_to_frame(model, frame)
    assert list(found.index) == ["left", "right"]
    assert found.loc["left", "mean"] > found.loc["right", "mean"]


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_a_study_reads_designs_by_its_own_names(study, library):
    known = utilities_to_frame(study, library=library)
    if library == "pyarrow":
        known = known.rename_columns(["judged" if name == "noise" else name for name in known.column_names])
    else:
        known = known.rename(columns={"noise": "judged"}) if library == "pandas" else known.rename({"noise": "judged"})
    found = posterior_to_frame(study, known)
    X = np.array([study.space.encode(estimate.design) for estimate in study.utilities()])
    model = study.model
    np.testing.assert_array_equal(np.asarray(found["mean"]), model.posterior.mean(X))
    np.testing.assert_array_equal(np.asarray(found["noise"]), np.asarray(found["judged"]))


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_utilities_are_those_of_the_study(study, library):
    frame = utilities_to_frame(study, library=library)
    estimates = study.utilities()
    assert isinstance(frame, FRAME_LIBRARIES[library])
    assert np.asarray(frame["utility"]).tolist() == [estimate.utility for estimate in estimates]
    assert np.asarray(frame["low"]).tolist() == [estimate.interval[0] for estimate in estimates]
    assert np.asarray(frame["high"]).tolist() == [estimate.interval[1] for estimate in estimates]
    key = "name" if study.space is SHELF else "dose"
    assert np.asarray(frame[key]).tolist() == [estimate.design[key] for estimate in estimates]
    some = utilities_to_frame(study, [estimates[2].design], library, reference=estimates[0].design)
    assert np.asarray(some["utility"])[0] < 0


def test_values_of_several_types_are_text_where_a_column_has_one():
    assert unify_types(["none", 3, None, True]) == ["none", "3", None, "True"]
    assert unify_types([1, None, 2]) == [1, None, 2]


def test_values_that_are_written_alike_are_told_apart_or_refused():
    space = ap.Space(size=ap.Categorical(["3", 3]), roast=ap.Categorical(["A", "a", 7]))
    opt = ap.Optimizer(space)
    opt.tell_preference({"size": "3", "roast": "a"}, {"size": 3, "roast": "A"})
    opt.tell_preference({"size": 3, "roast": 7}, {"size": "3", "roast": "A"})
    assert history_from_frame(history_to_frame(opt, "pandas"), space) == opt.history
    for library in ("polars", "pyarrow"):
        with pytest.raises(
            InputError, match="values of size must differ as text; received '3' and 3; use library=\"pandas\""
        ):
            history_to_frame(opt, library)
        with pytest.raises(InputError, match="must differ as text"):
            utilities_to_frame(opt, library=library)
    numbered = ap.Catalogue.from_records([{"id": key, "x": x} for x, key in enumerate([1, "1", 2])], ["x"], key="id")
    with pytest.raises(InputError, match="values of id must differ as text; received 1 and '1'"):
        comparisons_to_frame(ap.Optimizer(numbered), "polars")


MODEL = ap.PreferenceGP().fit(ap.Duels([[0.1], [0.9]], [0], [1]))


def test_mistakes_are_named():
    study = STUDIES["space"]
    frame = history_to_frame(study, "pandas")
    with pytest.raises(InputError, match="a history must have a column type"):
        history_from_frame(frame.drop(columns="type"), SPACE)
    with pytest.raises(InputError, match="row 0: an event's type must be one of"):
        history_from_frame(frame.assign(type="said"), SPACE)
    with pytest.raises(InputError, match="row 2: outcome must be one of"):
        history_from_frame(frame.assign(outcome=["first", "second", "both", *["first"] * 7]), SPACE)
    with pytest.raises(InputError, match=r"row 0: a design must have a value for.*received none for 'dose'"):
        history_from_frame(frame.drop(columns="first.dose"), SPACE)
    with pytest.raises(InputError, match="row 0: dose must lie between"):
        history_from_frame(frame.assign(**{"first.dose": 99.0}), SPACE)
    for made in (comparisons_to_frame, history_to_frame, utilities_to_frame):
        with pytest.raises(InputError, match="needs the study; received PreferenceGP; give an Optimizer"):
            made(MODEL)
    with pytest.raises(InputError, match="space must be a Space or a Catalogue"):
        history_from_frame(frame, None)
    with pytest.raises(InputError, match="must not have columns mean, std and noise yet; received a column 'std'"):
        posterior_to_frame(MODEL, pd.DataFrame({"x": [0.1], "std": [1.0]}))
    with pytest.raises(InputError, match="one column per coordinate; received none called 'y'"):
        posterior_to_frame(MODEL, pd.DataFrame({"x": [0.1]}), names=["y"])
    designs = pd.DataFrame([estimate.design for estimate in study.utilities()[:2]])
    with pytest.raises(InputError, match="row 1: shots must be a whole number"):
        posterior_to_frame(study, designs.assign(shots=[1, 1.5]))
    with pytest.raises(
        InputError, match="must be a PreferenceGP or an Optimizer; received GaussianPosterior; give one"
    ):
        posterior_to_frame(MODEL.posterior, pd.DataFrame({"x": [0.1]}))
    with pytest.raises(NotFittedError, match="seen no duels yet"):
        posterior_to_frame(ap.PreferenceGP(), pd.DataFrame({"x": [0.1]}))


def test_a_library_that_is_not_installed_is_named():
    class Missing(FrameLibrary):
        name, frame_name = "no_such_library", "DataFrame"

        def make_frame(self, columns):
            raise NotImplementedError

        add_columns = make_frame

    with pytest.raises(UnsupportedError, match="needs no_such_library; pip install no_such_library"):
        Missing().load()
    assert not Missing().is_frame(3)


def test_no_library_is_loaded_before_it_is_needed():
    program = "import sys, anchorpbo.interop.frames; print(*{'pandas', 'polars', 'pyarrow'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
