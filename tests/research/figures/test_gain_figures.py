"""What the figures of gains show, from a table made by hand."""

import numpy as np
import polars as pl
import pytest

from anchorpbo.errors import InputError
from anchorpbo.research.figures.gain_figures import plot_gain_by_distance, plot_gain_forest


def table(problems=("hartmann3",), variants=("away", "corner-000", "corner-011", "corner-111")):
    rows = [
        {
            "problem": problem, "variant": variant, "strategy": strategy, "metric": metric,
            "distance": 0.5 + 0.1 * v, "seeds": 20, "mean": p + s + 0.1 * v, "low": p + s + 0.1 * v - 0.3,
            "high": p + s + 0.1 * v + 0.4,
        }
        for p, problem in enumerate(problems) for s, strategy in enumerate(("anpei", "rahbo", "raeubo"))
        for v, variant in enumerate(variants) for metric in ("risk_adjusted", "value")
        if not (variant == "ANPEI penalises the variance" and strategy != "anpei")
    ]  # fmt: skip
    return pl.DataFrame(rows)


def test_placement_has_a_panel_a_problem_and_strategy_with_a_point_a_place():
    figure = plot_gain_by_distance(table(("hartmann3", "hartmann4")))
    assert [axes.get_title() for axes in figure.axes[:3]] == ["ANPEI on EI", "RAHBO on UCB", "RAEUBO on EUBO"]
    assert [axes.get_ylabel().split("\n")[0] for axes in figure.axes[::3]] == ["Hartmann 3D", "Hartmann 4D"]
    corners, drawn = figure.axes[4].containers
    np.testing.assert_allclose(corners.lines[0].get_data(), [[0.6, 0.7, 0.8], [2.1, 2.2, 2.3]])
    np.testing.assert_allclose(drawn.lines[0].get_data(), [[0.5], [2.0]])
    (bar,) = drawn.lines[2]
    np.testing.assert_allclose(bar.get_segments()[0][:, 1], [1.7, 2.4])
    assert "20 seeds" in figure.legends[0].get_title().get_text()


def test_the_fit_is_through_the_corners_alone():
    lift = pl.when(pl.col("variant") == "away").then(99.0).otherwise(0.0)
    data = table().with_columns(*(pl.col(name) + lift for name in ("mean", "low", "high")))
    fits = [line for line in plot_gain_by_distance(data).axes[0].lines if line.get_linestyle() == ":"]
    np.testing.assert_allclose(fits[-1].get_data(), [[0.6, 0.8], [0.1, 0.3]])


def test_settings_have_a_row_each_in_their_order_and_problems_stand_apart():
    variants = ("nothing changed", "wider prior", "ANPEI penalises the variance")
    figure = plot_gain_forest(table(("hartmann3", "sushi"), variants))
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == [
        "Hartmann 3D: nothing changed", "wider prior", "ANPEI penalises the variance",
        "Sushi 4D: nothing changed", "wider prior", "ANPEI penalises the variance",
    ]  # fmt: skip
    heights = figure.axes[0].get_yticks()
    assert (np.diff(heights) > 0.0).all()
    assert heights[3] - heights[2] > heights[2] - heights[1]
    bars = {tuple(line.get_ydata()): line.get_xdata() for line in figure.axes[1].lines if len(line.get_ydata()) == 2}
    np.testing.assert_allclose(bars[heights[1], heights[1]], [0.8, 1.5])
    assert (heights[2], heights[2]) not in bars  # RAHBO has no such penalty


@pytest.mark.parametrize("draw", [plot_gain_by_distance, plot_gain_forest])
def test_mistakes_are_named(draw):
    with pytest.raises(InputError, match="none of distance"):
        draw(table().drop("distance"))
    with pytest.raises(InputError, match="no rows of pair_noise"):
        draw(table(), metric="pair_noise")
