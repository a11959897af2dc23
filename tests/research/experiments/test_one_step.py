from dataclasses import asdict

import numpy as np
import polars as pl
import pytest
from claim_rows import CELL, check_rows, row_of, verdicts
from scipy import integrate

from anchorpbo.acquisition.best_option import lambert_constant
from anchorpbo.errors import UnknownNameError
from anchorpbo.research.experiments.experiment import ExperimentSize
from anchorpbo.research.experiments.one_step import (
    LIKELIHOOD_FORMS,
    MAX_LEVEL,
    MIN_LEVEL,
    RISK_AVERSIONS,
    OneStepExperiment,
    PointwiseTask,
    PosteriorTask,
    RandomPosteriors,
    compute_coefficients,
    compute_loss,
    compute_printed_level,
    compute_step_values,
    format_percent,
    integrate_answers,
    search_hardest,
)
from anchorpbo.research.figures import theory_figures


@pytest.fixture(scope="module")
def records():
    frames = []
    for task in OneStepExperiment().make_tasks(ExperimentSize(quick=True, seeds=1)):
        settings = asdict(task) | {"kind": task.kind, "key": task.key}
        frames.append(pl.DataFrame(dict(task.run())).with_columns(**{k: pl.lit(v) for k, v in settings.items()}))
    return pl.concat(frames, how="diagonal")


def naive_loss(form, alpha, f1, f2, lam1, lam2):
    if form == "paper":
        first = np.exp(f1 / lam1) / (np.exp(f1 / lam1) + np.exp(f2 / lam2))
    else:
        first = 1 / (1 + np.exp(-2 * (f1 - f2) / (lam1 + lam2)))
    mv1, mv2 = f1 - alpha * lam1, f2 - alpha * lam2
    return max(mv1, mv2) - first * mv1 - (1 - first) * mv2


@pytest.mark.parametrize("form", ["paper", "difference"])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 10.0])
def test_the_loss_is_the_naive_one(form, alpha):
    rng = np.random.default_rng(0)
    f, lam = rng.normal(size=(2, 20)), rng.uniform(MIN_LEVEL, MAX_LEVEL, (2, 20))
    expected = [naive_loss(form, alpha, *values) for values in zip(*f, *lam, strict=True)]
    np.testing.assert_allclose(compute_loss(form, alpha, *f, *lam), expected, atol=1e-14)


def test_the_counterexample():
    values = [np.array(value) for value in (20.0, 50.9, np.exp(-1.0), 1.0)]
    lost = float(compute_loss("paper", 0.0, *values))
    assert lost / 30.9 == pytest.approx(0.97, abs=0.005)  # how often the worse design wins
    assert lost == pytest.approx(30.0, abs=0.1)
    assert lost > float(compute_printed_level(0.0, *values)) * lambert_constant()
    assert float(compute_loss("difference", 0.0, *values)) < lambert_constant()


def test_the_constant_of_one_level_is_lamberts():
    gaps = np.linspace(0.0, 10.0, 100_001)
    one = np.ones_like(gaps)
    assert compute_loss("paper", 0.0, gaps, 0.0 * gaps, one, one).max() == pytest.approx(lambert_constant(), abs=1e-9)


def test_unknown_forms_are_refused():
    with pytest.raises(UnknownNameError, match="form must be one of difference, paper"):
        compute_coefficients("ratio", np.ones(1), np.ones(1))


def test_the_search_finds_a_corner_and_an_inner_maximum():
    def objective(points):
        return points[:, 0] - points[:, 1] - np.square(points[:, 2:] - 0.3).sum(axis=1)

    value, where = search_hardest(objective, np.random.default_rng(1), 2000)
    assert value == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(where, [1.0, 0.0, 0.3, 0.3], atol=1e-3)


def test_the_search_finds_lamberts_constant():
    row = pl.DataFrame(dict(PointwiseTask("difference", 0.0, 10.0, 0, draws=1000).run())).row(0, named=True)
    assert row["hardest"] == pytest.approx(lambert_constant(), abs=1e-6)
    assert row["violations"] == 0


def test_the_largest_loss_of_the_papers_form_grows_with_the_utilities():
    small, large = (PointwiseTask("paper", 0.0, size, 0, draws=1000).run()["hardest"][0] for size in (10.0, 100.0))
    assert large > 10 * small
    assert large == pytest.approx(100 * (1 - np.exp(-1.0)), rel=0.05)


@pytest.mark.parametrize(("mean", "std"), [(0.3, 1.0), (-4.0, 8.0), (20.0, 60.0), (150.0, 5.0)])
def test_answers_are_integrals(mean, std):
    got = integrate_answers(np.array([mean]), np.array([std]), steep=False)
    kink = -mean / std
    for power, value in enumerate(got):
        expected = integrate.quad(
            lambda t, power=power: t**power * np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi) / (1 + np.exp(-mean - std * t)),
            -9.0, 9.0, points=[np.clip(kink, -9, 9)], limit=500, epsabs=1e-12,
        )[0]  # fmt: skip
        assert value[0] == pytest.approx(expected, abs=1e-9)


def test_a_judge_without_noise_is_the_limit():
    mean, std = np.array([0.4]), np.array([1.3])
    scale = 30.0
    for steep, soft in zip(
        integrate_answers(mean, std, True), integrate_answers(scale * mean, scale * std, False), strict=True
    ):
        assert steep[0] == pytest.approx(soft[0], abs=1e-3)


@pytest.mark.parametrize("judge", ["paper", "difference", "by f", "by MV"])
def test_values_of_a_step_are_those_of_simulation(judge):
    rng, alpha = np.random.default_rng(2), 1.0
    beliefs = RandomPosteriors.draw(rng, 1, 4, 0.5, 1.0)
    level = beliefs.level[0]
    f = rng.multivariate_normal(beliefs.mean[0], beliefs.covariance[0], 400_000)
    mv = f - alpha * level
    if judge in ("by f", "by MV"):
        first = (f if judge == "by f" else mv) @ np.array([1.0, -1.0, 0.0, 0.0]) > 0
    else:
        a, b = compute_coefficients(judge, level[0], level[1])
        first = rng.random(len(f)) < 1 / (1 + np.exp(-(a * f[:, 0] - b * f[:, 1])))
    winner = np.where(first, mv[:, 0], mv[:, 1])
    value = sum(rows.mean() * mv[rows].mean(axis=0).max() for rows in (first, ~first))
    got = compute_step_values(beliefs, 0, 1, alpha, judge)
    assert got[0][0] == pytest.approx(winner.mean(), abs=0.01)
    assert got[1][0] == pytest.approx(value, abs=0.01)
    assert got[1][0] >= got[0][0]


def test_tasks_repeat_themselves_and_seeds_differ():
    for make in (
        lambda seed: PointwiseTask("paper", 1.0, 3.0, seed, draws=500),
        lambda seed: PosteriorTask("paper", 1.0, 3.0, 1.0, seed, instances=20),
    ):
        first, again, other = (make(seed).run() for seed in (0, 0, 1))
        assert first == again
        assert first != other


def test_a_constant_added_to_utilities_is_nothing_to_the_difference_form():
    first, second = (PosteriorTask("difference", 10.0, offset, 1.0, 0, instances=20).run() for offset in (0.0, 50.0))
    assert first["lemma_violations"] == second["lemma_violations"]
    assert first["step_constant"] == pytest.approx(second["step_constant"])


def enumerated(mean, covariance, level, alpha, form, nodes=60):
    """U and V of a duel of the first two of three designs, by a sum over all utilities of a Gauss-Hermite grid.

    Both by their definitions: of each utility the probability of either answer, of each answer the mean MV of every
    design, and V by the design that is then best.
    """
    at, weight = np.polynomial.hermite_e.hermegauss(nodes)
    t = np.stack(np.meshgrid(at, at, at, indexing="ij"), axis=-1).reshape(-1, 3)
    p = np.prod(np.stack(np.meshgrid(weight, weight, weight, indexing="ij"), axis=-1).reshape(-1, 3), axis=1)
    p /= p.sum()
    f = mean + t @ np.linalg.cholesky(covariance).T
    strength = f[:, :2] / (level[:2] if form == "paper" else level[:2].mean())
    first = 1 / (1 + np.exp(strength[:, 1] - strength[:, 0]))
    mv = f - alpha * level
    answers_ = [p * first, p * (1 - first)]
    winner = sum((weights * mv[:, r]).sum() for r, weights in enumerate(answers_))
    value = sum(weights.sum() * max((weights @ mv) / weights.sum()) for weights in answers_)
    return winner, value


@pytest.mark.parametrize("form", ["paper", "difference"])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 10.0])
def test_a_step_is_worth_at_least_its_winner(form, alpha):
    """Lemma parallel-A3, V >= U, against a sum over utilities that shares no code with the integral."""
    rng = np.random.default_rng(7)
    ahead = []
    for _ in range(6):
        points, level = rng.random((3, 1)), rng.uniform(MIN_LEVEL, MAX_LEVEL, 3)
        covariance = 0.25 * np.exp(-2.0 * np.square(points - points.T)) + 0.01 * np.eye(3)
        mean = rng.normal(0.0, 0.5, 3)
        winner, value = enumerated(mean, covariance, level, alpha, form)
        got = compute_step_values(RandomPosteriors(mean[None], covariance[None], level[None]), 0, 1, alpha, form)
        assert (got[0][0], got[1][0]) == (pytest.approx(winner, abs=1e-7), pytest.approx(value, abs=1e-7))
        assert value >= winner
        ahead.append(value - winner)
    assert max(ahead) > 0.01  # which says that the two differ


@pytest.mark.parametrize("form", LIKELIHOOD_FORMS)
@pytest.mark.parametrize("alpha", RISK_AVERSIONS)
def test_no_belief_has_a_winner_worth_more_than_the_step(form, alpha):
    found = PosteriorTask(form, alpha, -10.0, 3.0, 0, instances=20).run()
    assert found["dominance_trials"] == [20 * 15]
    assert found["dominance_violations"] == [0]
    assert found["dominance_constant"][0] <= 0.0


LEMMA = "E[MV(winner)] >= RAEUBO - lam_max C"
STEP = "V^lam(X*) >= max V^0 - lam_max C, X* the argmax of RAEUBO"
BY_MV = "V^lam(X*) >= max V^0 - lam_max C, V^0 by MV, as in the proof"
DOMINANCE = "V^lam(X) >= U^lam(X) for all X"
BOUNDED = "The loss of a duel of known utilities is bounded, whatever these are, with alpha = 0"


def test_claims_have_a_row_a_form_and_risk_aversion(records):
    claims = OneStepExperiment().judge_claims(records)
    check_rows("one-step", claims)
    settings = [f"{form} form, alpha = {alpha:g}" for form in LIKELIHOOD_FORMS for alpha in RISK_AVERSIONS]
    for text in (LEMMA, STEP, BY_MV, DOMINANCE):
        assert [claim.setting for claim in claims if claim.text.startswith(text)] == settings
    assert [claim.setting for claim in claims if claim.text.startswith(BOUNDED)] == ["paper form", "difference form"]
    assert len(claims) == 4 * 6 + 2
    ours = [claim for claim in claims if claim.reading == "ours"]
    assert all("difference form" in claim.setting or claim.text.startswith((BY_MV, DOMINANCE)) for claim in ours)
    assert len(ours) == 3 + 3 + 6 + 6 + 1


def test_claims_follow_from_violations(records):
    claims = OneStepExperiment().judge_claims(records)
    assert verdicts(claims) == {
        LEMMA: "depends", STEP: "depends", BY_MV: "depends", DOMINANCE: "agrees", BOUNDED: "depends",
    }  # fmt: skip
    of = {claim.setting: claim.verdict for claim in claims if claim.text.startswith(LEMMA)}
    assert [name for name, verdict in of.items() if verdict == "agrees"] == ["difference form, alpha = 0"]
    assert row_of(claims, BOUNDED, "paper form").verdict == "differs"
    assert row_of(claims, BOUNDED, "difference form").verdict == "agrees"


def test_one_violation_of_dominance_is_enough(records):
    """A record in which U exceeds V once, by 0.5, among the beliefs around 30."""
    spoilt = (pl.col("form") == "paper") & (pl.col("risk_aversion") == 1.0) & (pl.col("offset") == 30.0)
    claims = OneStepExperiment().judge_claims(
        records.with_columns(
            dominance_violations=pl.when(spoilt).then(1).otherwise("dominance_violations"),
            dominance_constant=pl.when(spoilt).then(0.5).otherwise("dominance_constant"),
        )
    )
    bad = row_of(claims, DOMINANCE, "paper form, alpha = 1")
    assert bad.verdict == "differs"
    assert bad.found == "0.13 % at mean utility 30, spread 1"
    good = row_of(claims, DOMINANCE, "paper form, alpha = 0")
    assert (good.verdict, good.found, good.interval) == ("agrees", "0.00 % of 9750 cases", "-")
    assert verdicts(claims)[DOMINANCE] == "depends"


def test_a_rare_violation_is_not_written_as_none():
    assert [format_percent(share) for share in (0.0, 1e-7, 4.9e-5, 5e-5, 0.5)] == [
        "0.00 %", "< 0.01 %", "< 0.01 %", "0.01 %", "50.00 %",
    ]  # fmt: skip


def test_the_table_of_violations_has_both_ends(records):
    summary = OneStepExperiment().summarise(records)
    table = theory_figures.tabulate_violations(summary)
    assert len(table.rows) == 4 * 6
    assert all(len(cell.text) <= CELL for cells in table.rows for cell in cells)
    own = summary.filter(
        pl.col("inequality") == "lemma", pl.col("form") == "paper", pl.col("risk_aversion") == 10.0
    )  # fmt: skip
    usual = own.filter(pl.col("offset") == 0.0, pl.col("spread") == 1.0).row(0, named=True)
    (cells,) = [
        [cell.text for cell in cells]
        for cells in table.rows
        if [cell.text for cell in cells[:3]] == ["lemma", "paper", "10"]
    ]
    worst = own.sort("constant").row(-1, named=True)
    assert cells[3:] == [
        f"{100 * usual['share']:.2f} %",
        f"{100 * own['share'].max():.2f} %",
        f"{usual['constant']:.3g}",
        f"{worst['constant']:.3g}",
        f"mean utility {worst['offset']:g}, spread {worst['spread']:g}",
    ]


def test_the_summary_and_its_figure(records):
    summary = OneStepExperiment().summarise(records)
    own = summary.filter(
        pl.col("inequality") == "lemma", pl.col("form") == "paper", pl.col("risk_aversion") == 0.0,
        pl.col("offset") == 10.0,
    ).row(0, named=True)  # fmt: skip
    row = PosteriorTask("paper", 0.0, 10.0, 1.0, 0, instances=50).run()
    assert own["share"] == pytest.approx(row["lemma_violations"][0] / row["lemma_trials"][0])
    assert own["constant"] == row["lemma_constant"][0]
    assert len(theory_figures.plot_one_step(summary).axes) == 4


def test_sizes():
    tasks = OneStepExperiment().make_tasks(ExperimentSize())
    assert len({task.key for task in tasks}) == len(tasks) == 20 * 6 * (5 + 13)
