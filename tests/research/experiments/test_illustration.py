import numpy as np
import polars as pl
import pytest
from claim_rows import check_rows, row_of

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.problems import TOY
from anchorpbo.research.experiments.experiment import ExperimentSize
from anchorpbo.research.experiments.illustration import (
    GRID_POINTS,
    MEASURES,
    NOISE_AWARE,
    RISK_NEUTRAL,
    IllustrationExperiment,
    IllustrationTask,
    fit_affine,
    measure_agreement,
    measure_studies,
)

EXPERIMENT = IllustrationExperiment()


def frame(task):
    columns = {name: list(values) for name, values in task.run().items()}
    return pl.DataFrame(columns).with_columns(pl.lit(value).alias(name) for name, value in task.settings.items())


@pytest.fixture(scope="module")
def records():
    return pl.concat(
        [frame(task) for task in EXPERIMENT.make_tasks(ExperimentSize(seeds=2, rounds=3))], how="diagonal_relaxed"
    )


def made(gaps, *, strategy_error=(0.0, 1.0)):
    """Records whose surrogates are off by a given wave, aware and vanilla; exact moments otherwise."""
    x = np.linspace(0.0, 1.0, GRID_POINTS)
    frames = []
    for seed, gap in enumerate(gaps):
        for strategy, size in zip((NOISE_AWARE, RISK_NEUTRAL), strategy_error, strict=True):
            f = TOY(x[:, None])
            wave = (size + gap) * np.cos(40 * np.pi * x)
            grid = pl.DataFrame(
                {"part": "grid", "x": x, "utility": f, "mean": f + wave, "std": np.full(GRID_POINTS, 0.1), "noise": x,
                 "acquisition": -np.abs(x - (0.25 if strategy == NOISE_AWARE else 0.75)), "plain": -np.abs(x - 0.75)}
            )  # fmt: skip
            duel = pl.DataFrame({"part": ["duel"] * 2, "round": [0, 1], "pair_noise": [9.0, 0.1 + size + 0.01 * gap]})
            both = pl.concat([grid, duel], how="diagonal")
            labels = {"kind": "illustration", "map": "bounded", "strategy": strategy, "seed": seed}
            frames.append(both.with_columns(pl.lit(value).alias(name) for name, value in labels.items()))
    return pl.concat(frames)


def test_a_record_holds_all_that_the_figure_shows(records):
    run = records.filter(pl.col("strategy") == NOISE_AWARE, pl.col("seed") == 0, pl.col("map") == "bounded")
    grid, duels = (run.filter(pl.col("part") == part) for part in ("grid", "duel"))
    x = grid["x"].to_numpy()
    np.testing.assert_allclose(x, np.linspace(0, 1, GRID_POINTS))
    np.testing.assert_array_equal(grid["utility"].to_numpy(), TOY(x[:, None]))
    np.testing.assert_allclose(grid["estimated"].to_numpy(), grid["noise"].to_numpy(), rtol=1e-12)
    plain = grid["mean"].to_numpy() + 2.0 * grid["std"].to_numpy()
    np.testing.assert_allclose(grid["plain"].to_numpy(), plain, rtol=1e-12)
    np.testing.assert_allclose(grid["acquisition"].to_numpy(), plain - grid["noise"].to_numpy(), rtol=1e-9)
    assert duels["round"].to_list() == [0] * 8 + [1, 2, 3]
    assert duels["other"].is_between(0, 1).all()
    assert run.filter(pl.col("part") == "evaluation").height == 80


def test_studies_of_one_seed_start_alike_and_a_vanilla_one_takes_the_noise_for_constant(records):
    aware, vanilla = (
        records.filter(pl.col("strategy") == name, pl.col("seed") == 1, pl.col("map") == "bounded")
        for name in (NOISE_AWARE, RISK_NEUTRAL)
    )
    starts = [run.filter(pl.col("part") == "duel").head(8).select("x", "other") for run in (aware, vanilla)]
    assert starts[0].equals(starts[1])
    assert vanilla["estimated"].drop_nulls().unique().to_list() == [1.0]


def test_a_task_gives_the_same_again_and_checks_its_settings():
    task = IllustrationTask(NOISE_AWARE, 5, rounds=1)
    assert frame(task).equals(frame(task))
    with pytest.raises(UnknownNameError, match="strategy must be one of"):
        IllustrationTask("ei", 0)
    with pytest.raises(UnknownNameError, match="map must be one of bounded, paper"):
        IllustrationTask(NOISE_AWARE, 0, map="flat")


@pytest.mark.parametrize(
    ("size", "count"),
    [(ExperimentSize(), 120), (ExperimentSize(quick=True), 12), (ExperimentSize(seeds=1, quick=True), 4)],
)
def test_sizes(size, count):
    tasks = EXPERIMENT.make_tasks(size)
    assert len(tasks) == len({task.key for task in tasks}) == count
    assert {task.rounds for task in tasks} == {20}


def test_the_best_affine_map_is_that_of_least_squares():
    rng = np.random.default_rng(0)
    f, m = rng.normal(size=(2, 50))
    expected = np.linalg.lstsq(np.stack([np.ones(50), m], axis=1), f, rcond=None)[0]
    np.testing.assert_allclose(fit_affine(f, m), expected)
    assert fit_affine(f, np.ones(50)) == (pytest.approx(f.mean()), 0.0)


def test_agreement_of_surrogates_worked_out_by_hand():
    f = np.arange(5.0)
    right = measure_agreement(f, 3.0 - 2.0 * f, np.ones(5))
    assert right == pytest.approx(
        {"error": 0.0, "order": -1.0, "coverage": 1.0, "coverage_near_best": 1.0, "miss": 0.05}, abs=1e-12
    )
    # The line is 1.5 + 0.5 m: residuals -1.5, -0.5, 0.5, 1.5, 0 and bands of 2.94, 0.98, 0.98, 0.98, 0.
    m = np.array([0.0, 0.0, 0.0, 0.0, 5.0])
    found = measure_agreement(f, m, np.array([3.0, 1.0, 1.0, 1.0, 0.0]))
    assert fit_affine(f, m) == pytest.approx((1.5, 0.5))
    assert found["error"] == pytest.approx(np.sqrt((1.5**2 + 0.5**2 + 0.5**2 + 1.5**2) / 5))
    assert found["coverage"] == pytest.approx(0.8)


def test_the_verdict_follows_the_numbers():
    small = [0.01, 0.02, 0.03, 0.04]
    claims = EXPERIMENT.judge_claims(made(small))
    assert [claim.verdict for claim in claims] == ["agrees"] * 4
    closer = row_of(claims, "Noise-aware queries lead to a surrogate closer to the utility", "bounded map")
    assert closer.found.startswith("-0.")
    assert "against" in closer.found
    moved = row_of(claims, "The noise penalty moves the maximiser", "bounded map")
    assert moved.found == "-0.500, moved in 100% of the studies"
    turned = EXPERIMENT.judge_claims(made(small, strategy_error=(1.0, 0.0)))
    assert [claim.verdict for claim in turned[:3]] == ["differs"] * 3
    assert EXPERIMENT.judge_claims(made([0.5]))[0].verdict == "open"


def test_measures_leave_out_the_first_duels_and_see_the_maximiser_move():
    table = measure_studies(made([0.0]))
    assert table["pair_noise"].to_list() == pytest.approx([0.1, 1.1])
    assert table["moved"].to_list() == [1.0, 0.0]
    assert table["quieter"].to_list() == pytest.approx([-0.5, 0.0])


def test_the_summary_is_small_and_complete(records):
    summary = EXPERIMENT.summarise(records)
    assert summary.height == 4 * len(MEASURES)
    assert summary["runs"].unique().to_list() == [2]
    assert (summary["low"] <= summary["mean"]).all()


def test_claims_have_a_row_a_map(records):
    claims = EXPERIMENT.judge_claims(records)
    check_rows("illustration", claims)
    assert [claim.setting for claim in claims] == ["bounded map", "paper's map"] * 4
    # The figure is drawn with the bounded map, which is ours; the paper speaks of calibration, not of distance.
    told = [claim for claim in claims if claim.reading == "paper"]
    assert {claim.setting for claim in told} == {"paper's map"}
    assert len(told) == 3
    assert not any("closer to the utility" in claim.text for claim in told)


def test_the_figure_has_its_panels(records):
    from anchorpbo.research.figures.illustration_figure import plot_illustration

    figure = plot_illustration(records, seed=1)
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "utility", "noise variance", "utility", "utility", "acquisition", "estimated noise",
    ]  # fmt: skip
    figure.draw_without_rendering()
    assert all(figure.bbox.x0 <= axes.get_tightbbox().x0 for axes in figure.axes)
    assert all(axes.get_tightbbox().x1 <= figure.bbox.x1 for axes in figure.axes)
    with pytest.raises(InputError, match="no study of ucb, seed 9, bounded map"):
        plot_illustration(records, seed=9)
