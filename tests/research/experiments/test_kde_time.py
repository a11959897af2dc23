"""The time of the noise map: what is fitted and when a claim agrees, with made-up times, which no load can change."""

import numpy as np
import polars as pl
import pytest
from claim_rows import check_rows, row_of, verdicts

from anchorpbo.research.experiments import kde_time
from anchorpbo.research.experiments.experiment import ExperimentSize
from anchorpbo.research.experiments.kde_time import MAX_EXPONENT, KdeTimeExperiment, KdeTimeTask, fit_exponents
from anchorpbo.research.experiments.records import MEASURED_COLUMNS
from anchorpbo.research.figures import theory_figures

GROWS = "The time of N anchors at M designs grows no faster than N M"


def made_up(in_anchors, in_designs, seeds=5, wobble=0.0):
    """Records of times c N^a M^b, each seed with a factor of its own."""
    N, M = (grid.ravel() for grid in np.meshgrid(kde_time.MAP_SIZES, kde_time.MAP_SIZES, indexing="ij"))
    rng, frames = np.random.default_rng(0), []
    for seed in range(seeds):
        a, b = in_anchors + wobble * rng.normal(), in_designs + wobble * rng.normal()
        seconds = (1 + seed) * 1e-8 * N.astype(float) ** a * M.astype(float) ** b
        frame = pl.DataFrame({"anchors": N, "designs": M, "seconds": seconds})
        frames.append(frame.with_columns(seed=pl.lit(seed), kind=pl.lit(KdeTimeTask.kind)))
    return pl.concat(frames)


def test_exponents_of_a_power_law_are_its_own():
    rows = made_up(1.5, 0.7, seeds=1)
    assert fit_exponents(rows) == {"anchors": pytest.approx(1.5), "designs": pytest.approx(0.7)}


def test_exponents_are_those_of_least_squares_on_logarithms():
    rng = np.random.default_rng(1)
    rows = made_up(1.0, 1.0, seeds=1).with_columns(seconds=np.exp(rng.normal(size=len(kde_time.MAP_SIZES) ** 2)))
    logs = np.log(rows.select("anchors", "designs", "seconds").to_numpy())
    design = np.column_stack([np.ones(len(logs)), logs[:, :2]])
    expected = np.linalg.lstsq(design, logs[:, 2], rcond=None)[0]
    assert list(fit_exponents(rows).values()) == [pytest.approx(value) for value in expected[1:]]


@pytest.mark.parametrize(
    ("exponent", "verdict"),
    [(1.0, "agrees"), (0.5, "agrees"), (MAX_EXPONENT - 0.01, "agrees"), (MAX_EXPONENT + 0.01, "differs")],
)
def test_the_verdict_follows_the_exponent(exponent, verdict):
    claims = KdeTimeExperiment().judge_claims(made_up(exponent, 1.0))
    check_rows("kde-time", claims)
    assert [claim.setting for claim in claims] == ["anchors N", "designs M"]
    assert [claim.verdict for claim in claims] == [verdict, "agrees"]


def test_a_time_of_n_log_n_would_be_seen():
    rows = made_up(1.0, 1.0).with_columns(seconds=pl.col("seconds") * pl.col("anchors").log())
    assert row_of(KdeTimeExperiment().judge_claims(rows), GROWS, "anchors N").verdict == "differs"


def test_times_that_vary_too_much_settle_nothing():
    assert verdicts(KdeTimeExperiment().judge_claims(made_up(1.1, 1.1, wobble=0.2))) == {GROWS: "open"}
    assert verdicts(KdeTimeExperiment().judge_claims(made_up(1.0, 1.0, seeds=1))) == {GROWS: "open"}


def test_the_row_tells_exponent_interval_and_time_of_a_pair():
    claim = row_of(KdeTimeExperiment().judge_claims(made_up(1.0, 1.0, seeds=2)), GROWS, "designs M")
    assert claim.found == "1.000, 15.0 ns a pair"
    assert claim.interval == "1.000 to 1.000"


def test_a_task_times_every_pair_of_sizes():
    rows = pl.DataFrame(dict(KdeTimeTask(0, largest=512, tries=1).run()))
    assert rows.select("anchors", "designs").rows() == [(N, M) for N in (256, 512) for M in (256, 512)]
    assert (rows["seconds"] > 0).all()
    assert "seconds" in MEASURED_COLUMNS  # differs from run to run, so that records may


def test_the_summary_and_its_figure():
    summary = KdeTimeExperiment().summarise(made_up(1.0, 0.9))
    sizes = len(kde_time.MAP_SIZES)
    assert summary.filter(pl.col("measure") == "seconds").height == sizes**2
    own = summary.filter(pl.col("measure") == "exponent of M").row(0, named=True)
    assert own["mean"] == pytest.approx(0.9)
    figure = theory_figures.plot_kde_time(summary)
    assert [axes.get_xlabel() for axes in figure.axes] == ["anchors N", "designs M"]
    for axes in figure.axes:
        *lines, guide = axes.get_lines()
        assert len(lines) == sizes
        x, y = guide.get_data()
        assert np.polyfit(np.log(x), np.log(y), 1)[0] == pytest.approx(1.0)


def test_sizes():
    tasks = KdeTimeExperiment().make_tasks(ExperimentSize())
    assert len({task.key for task in tasks}) == len(tasks) == 10
    quick = KdeTimeExperiment().make_tasks(ExperimentSize(quick=True))
    assert sum(task.effort for task in quick) < 0.1 * sum(task.effort for task in tasks)
