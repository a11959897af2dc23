import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.image import imread

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.research.figures import strategy_styles

TWINS = [("anpei", "ei"), ("rahbo", "ucb"), ("raeubo", "eubo")]


def _example():
    figure, panels = strategy_styles.figure(1, 2, width=4.0, height=2.0)
    for axes in panels.flat:
        strategy_styles.band(
            axes, [0, 1, 2], [1.0, 2.0, 4.0], [0.5, 1.0, 2.0], colour=strategy_styles.BLUE, label="a line"
        )
        axes.set_xlabel("round")
    return figure


def test_a_band_is_a_fifth_of_the_deviation_either_side_of_the_mean():
    _, panels = strategy_styles.figure()
    line = strategy_styles.band(panels[0, 0], [0, 1, 2], [1.0, 2.0, 4.0], [0.5, 1.0, 2.0], colour=strategy_styles.RED)
    (band,) = (artist for artist in panels[0, 0].collections if isinstance(artist, PolyCollection))
    corners = {(x, y) for x, y in band.get_paths()[0].vertices.tolist()}
    assert {(0.0, 0.9), (1.0, 1.8), (2.0, 3.6), (0.0, 1.1), (1.0, 2.2), (2.0, 4.4)} <= corners
    assert len(corners) == 6
    np.testing.assert_array_equal(line.get_ydata(), [1.0, 2.0, 4.0])


def test_a_band_stops_where_there_is_no_value():
    _, panels = strategy_styles.figure()
    strategy_styles.band(panels[0, 0], [0, 1, 2], [np.nan, 2.0, 4.0], [np.nan, 1.0, 2.0], colour=strategy_styles.RED)
    (band,) = panels[0, 0].collections
    assert band.get_paths()[0].vertices[:, 0].min() == 1.0


@pytest.mark.parametrize(("averse", "neutral"), TWINS)
def test_twins_share_a_hue_and_differ_in_their_dashes(averse, neutral):
    assert strategy_styles.find_style(averse).colour == strategy_styles.find_style(neutral).colour
    assert (strategy_styles.find_style(averse).dash, strategy_styles.find_style(neutral).dash) == (
        "-",
        strategy_styles.DASHED,
    )


def test_names_are_those_of_the_paper():
    assert [strategy_styles.format_strategy(name) for name in ("ei", "ucb", "eubo", "anpei", "rahbo", "raeubo")] == [
        "HB-EI", "HB-UCB", "Laplace-EUBO", "HB-ANPEI", "HB-RAHBO", "Laplace-RAEUBO",
    ]  # fmt: skip
    assert [strategy_styles.format_problem(name) for name in ("hartmann3", "ackley6", "sushi", "other")] == [
        "Hartmann 3D", "Ackley 6D", "Sushi 4D", "other",
    ]  # fmt: skip
    assert (strategy_styles.format_acquisition("raeubo"), strategy_styles.format_acquisition("ei")) == ("RAEUBO", "EI")
    with pytest.raises(UnknownNameError, match="strategy must be one of anpei"):
        strategy_styles.format_strategy("random")


def test_saves_a_picture_of_the_right_size_and_a_vector_file(tmp_path):
    png, pdf = strategy_styles.save_figure(_example(), tmp_path / "new" / "figure.1")
    assert (png.name, pdf.name) == ("figure.1.png", "figure.1.pdf")
    assert imread(png).shape[:2] == (2 * strategy_styles.DPI, 4 * strategy_styles.DPI)
    content = pdf.read_bytes()
    assert content.startswith(b"%PDF")
    assert b"CreationDate" not in content
    assert b"/FontFile2" in content
    assert b"/Subtype /Image" not in content


def test_the_same_data_drawn_anew_give_the_same_bytes(tmp_path):
    first, second = (strategy_styles.save_figure(_example(), tmp_path / name) for name in ("one", "two"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_a_save_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    paths = strategy_styles.save_figure(_example(), tmp_path / "figure")
    before = [path.read_bytes() for path in paths]
    figure = _example()
    figure.suptitle("another")

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(InputError, match=r"must be writable; received .*No space left.*; free some space"):
        strategy_styles.save_figure(figure, tmp_path / "figure")
    assert [path.read_bytes() for path in paths] == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure.pdf", "figure.png"]


def test_global_settings_neither_change_nor_matter(tmp_path, monkeypatch):
    before = dict(matplotlib.rcParams)
    plain = strategy_styles.save_figure(_example(), tmp_path / "plain")[0].read_bytes()
    assert dict(matplotlib.rcParams) == before
    with matplotlib.rc_context({"font.size": 20.0, "lines.linewidth": 9.0, "axes.grid": False}):
        assert strategy_styles.save_figure(_example(), tmp_path / "own")[0].read_bytes() == plain


@pytest.mark.parametrize("package", ["matplotlib", "polars"])
def test_a_missing_package_is_told_in_a_sentence(package):
    code = f"""
import sys
sys.modules[{package!r}] = None
from anchorpbo.errors import AnchorPBOError
try:
    import anchorpbo.research.figures.strategy_styles
except AnchorPBOError as problem:
    print(type(problem).__name__, problem)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("UnsupportedError")
    assert 'pip install "anchorpbo[reproduce]"' in said
    assert len(said.splitlines()) == 1
