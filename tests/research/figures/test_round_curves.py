import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_hex

from anchorpbo.errors import InputError
from anchorpbo.research.figures.rank_figure import plot_ranks
from anchorpbo.research.figures.round_curves import METRIC_LABELS, mix_tone, plot_ablation, plot_curves, sort_variants
from anchorpbo.research.figures.strategy_styles import BLUE, find_style

SIX = ("ei", "ucb", "eubo", "anpei", "rahbo", "raeubo")
THREE = ("risk_adjusted", "value", "pair_noise")


def summary(problems, strategies=SIX, variants=("",), rounds=4, runs=3):
    """A summary in which every mean tells where it belongs."""
    rows = []
    for p, problem in enumerate(problems):
        for s, strategy in enumerate(strategies):
            for v, variant in enumerate(variants):
                for t in range(rounds + 1):
                    row = {"problem": problem, "strategy": strategy, "variant": variant, "round": t, "runs": runs}
                    for m, metric in enumerate(THREE):
                        missing = metric == "pair_noise" and t == 0
                        row[f"{metric}_mean"] = None if missing else 1000.0 * p + 100 * s + 10 * v + m + 0.1 * t
                        row[f"{metric}_std"] = None if missing else 1.0
                    row["risk_adjusted_rank_mean"], row["value_rank_mean"] = float(s), float(5 - s)
                    rows.append(row)
    return pl.DataFrame(rows).sample(fraction=1.0, shuffle=True, seed=0)


def drawn(axes):
    return {round(float(line.get_ydata()[-1]), 6): line for line in axes.lines if len(line.get_ydata())}


def test_each_strategy_has_a_line_and_a_band_in_each_panel():
    figure = plot_curves(summary(["sushi", "hartmann3"]), THREE)
    panels = np.array(figure.axes).reshape(3, 2)
    # Hartmann comes first, as in the paper, though it is second in the frame.
    for column, p in enumerate((1, 0)):
        for m, axes in enumerate(panels[:, column]):
            lines = drawn(axes)
            assert sorted(lines) == [round(1000 * p + 100 * s + m + 0.4, 6) for s in range(6)]
            assert len(axes.collections) == 6
            for s, strategy in enumerate(SIX):
                line = lines[round(1000 * p + 100 * s + m + 0.4, 6)]
                assert to_hex(line.get_color()) == find_style(strategy).colour.lower()
                assert line.is_dashed() == (strategy in {"ei", "ucb", "eubo"})
                np.testing.assert_array_equal(line.get_xdata(), range(5))
    assert [axes.get_title() for axes in panels[0]] == ["Hartmann 3D", "Sushi 4D"]
    assert [axes.get_ylabel() for axes in panels[:, 0]] == [METRIC_LABELS[metric] for metric in THREE]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "HB-ANPEI", "HB-EI", "HB-RAHBO", "HB-UCB", "Laplace-RAEUBO", "Laplace-EUBO",
    ]  # fmt: skip
    assert figure.legends[0].get_title().get_text() == "mean ± 0.2 std over 3 runs"


def test_metrics_of_one_problem_stand_side_by_side():
    figure = plot_curves(summary(["ackley6"]), THREE)
    assert [axes.get_ylabel() for axes in figure.axes] == [METRIC_LABELS[metric] for metric in THREE]
    assert len({axes.get_position().y0 for axes in figure.axes}) == 1
    assert figure.get_suptitle() == "Ackley 6D"
    # All panels begin at round 0, also that of a metric which has no value there.
    assert {axes.get_xlim() for axes in figure.axes} == {(0.0, 4.0)}
    assert np.isnan(figure.axes[2].lines[0].get_ydata()[0])


def test_nothing_overlaps_or_is_cut_off():
    figure = plot_curves(summary(["sushi", "hartmann3", "hartmann4"], rounds=150), THREE)
    figure.draw_without_rendering()
    page, legend = figure.bbox, figure.legends[0].get_window_extent()
    for axes in figure.axes:
        box = axes.get_tightbbox()
        assert page.x0 <= box.x0
        assert box.x1 <= page.x1
        assert box.y1 <= page.y1
        assert legend.y1 <= box.y0
        assert sum(box.overlaps(other.get_tightbbox()) for other in figure.axes) == 1


def test_one_round_can_be_drawn():
    figure = plot_curves(summary(["candy"], rounds=0).drop("pair_noise_mean"), THREE[:2])
    assert figure.axes[0].get_xlim() == (0.0, 1.0)


def test_curves_refuses_variants_and_missing_columns():
    with pytest.raises(InputError, match=r"one variant of a strategy.*use ablation"):
        plot_curves(summary(["candy"], variants=("near", "far")), THREE)
    with pytest.raises(InputError, match="received none of regret_mean, regret_std"):
        plot_curves(summary(["candy"]), ["regret"])
    with pytest.raises(InputError, match="0 rows"):
        plot_curves(summary(["candy"]).head(0), THREE)


def test_problems_as_columns_tell_variants_by_dashes():
    data = summary(["hartmann3", "hartmann4"], SIX[3:], ("away", "near"))
    figure = plot_ablation(data, THREE[:2])
    assert [axes.get_title() for axes in figure.axes[:2]] == ["Hartmann 3D", "Hartmann 4D"]
    lines = drawn(figure.axes[0])
    assert len(lines) == 6
    assert {value: line.is_dashed() for value, line in lines.items()} == {
        0.4: True, 10.4: False, 100.4: True, 110.4: False, 200.4: True, 210.4: False,
    }  # fmt: skip
    assert [text.get_text().strip() for text in figure.legends[0].get_texts()] == [
        "HB-ANPEI", "anchors near the optimum", "HB-RAHBO", "anchors away from the optimum", "Laplace-RAEUBO", "",
    ]  # fmt: skip


def test_strategies_as_columns_tell_variants_by_shades():
    figure = plot_ablation(summary(["hartmann3"], SIX[3:], ("10", "5", "50", "20")), THREE)
    assert [axes.get_title() for axes in figure.axes[:3]] == ["HB-ANPEI", "HB-RAHBO", "Laplace-RAEUBO"]
    for axes in figure.axes:
        assert len(axes.lines) == len({line.get_color() for line in axes.lines}) == 4
        assert not any(line.is_dashed() for line in axes.lines)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [f"{n} anchors" for n in (5, 10, 20, 50)]


def test_twins_get_panels_of_their_own_and_the_inference_is_named_once():
    data = summary(["hartmann3", "sushi"], ("ei", "anpei"), ("hallucination", "laplace", "ep"))
    figure = plot_ablation(data, THREE[:1])
    assert [axes.get_title() for axes in figure.axes[:2]] == ["EI", "ANPEI"]
    assert figure.axes[2].get_ylabel() == "Sushi 4D\nrisk-adjusted best value"
    with pytest.raises(InputError, match="share a hue"):
        plot_ablation(data, THREE[:1], columns="problem")


def test_tones_and_orders():
    assert mix_tone(BLUE, 0.0) == BLUE.lower()
    assert [mix_tone("#000000", 1.0), mix_tone("#ffffff", -1.0)] == ["#999999", "#808080"]
    assert sort_variants(["20", "5", "100"]) == ["5", "20", "100"]
    assert sort_variants(["ep", "mine", "laplace"]) == ["laplace", "ep", "mine"]


@pytest.mark.parametrize(("problems", "shape"), [(["sushi", "candy"], (2, 2)), (["candy"], (1, 2))])
def test_ranks_have_the_best_on_top(problems, shape):
    figure = plot_ranks(summary(problems))
    panels = np.array(figure.axes).reshape(shape)
    bottom, top = panels[0, 0].get_ylim()
    assert top < 0
    assert bottom > 5
    averse, neutral = (panels[0, 0], panels[0, 1]) if shape == (1, 2) else (panels[0, 0], panels[1, 0])
    assert averse.get_ylabel().startswith("risk-averse")
    assert neutral.get_ylabel().startswith("risk-neutral")
    assert sorted(drawn(averse)) == [0, 1, 2, 3, 4, 5]
    assert to_hex(drawn(averse)[0].get_color()) == find_style("ei").colour.lower()
    assert to_hex(drawn(neutral)[0].get_color()) == find_style("raeubo").colour.lower()
    with pytest.raises(InputError, match="none of value_rank_mean"):
        plot_ranks(summary(problems).drop("value_rank_mean"))
