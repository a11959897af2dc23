"""The audit of a study: each check against an independent computation, and simulated judges with and without faults."""

import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal, theilslopes

import anchorpbo as ap
from anchorpbo import Categorical, Optimizer, Probit, Real, Space
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.numerics.shares import GridPosterior, jeffreys_interval
from anchorpbo.research.anchors.audit_power import AuditSetting, AuditTask, plan_audits, simulate_study
from anchorpbo.study.audit import Audit, Finding
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.coins import compare_with_coins
from anchorpbo.study.audit.cycles import count_cycles, count_reversals, find_cycles
from anchorpbo.study.audit.evidence import VariantEvidence
from anchorpbo.study.audit.repeats import compare_repeats
from anchorpbo.study.audit.response_times import estimate_slope
from anchorpbo.study.audit.time_course import TimeCourse, average_around, find_drift

SPACE = Space(x=Real(0, 1), y=Real(0, 1))
NAMES = [
    "accuracy", "calibration", "contradictions", "cycles", "side_bias", "drift", "fatigue", "lapses", "ties",
]  # fmt: skip
UNKNOWN = ("Not enough to say", "More answers are needed", "cannot be told from coin flips yet")


def tabulate(opt, seconds=None):
    with opt._lock_state() as state:
        model = state.report_model() if len(opt) else None
        return AnswerTable.create(model, state._resolve_priors(), state.data, list(state.log), seconds, 0)


def line_study(answers, **options):
    """A study on a line; each answer is (winner, loser), or with a third entry a tie."""
    opt = Optimizer(Space(x=Real(0, 1)), **options)
    for winner, loser, *tie in answers:
        opt.tell_preference({"x": winner}, {"x": loser}, tie=bool(tie))
    return opt


# -- the result -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", [0, 1, 2, 9, 25])
def test_an_audit_of_few_answers_says_so_and_raises_nothing(answers):
    audit = simulate_study(AuditTask("none", 0, max(answers, 1))).audit() if answers else Optimizer(SPACE).audit()
    assert [one.name for one in audit] == NAMES
    assert audit.answers == answers
    for one in audit:
        assert one.sentence.endswith(".")
        assert one.interval is not None
        assert one.interval[0] < one.interval[1]
        assert one.level != "unknown" or any(words in one.sentence for words in UNKNOWN) or not answers
        assert one.value is None or one.interval[0] <= one.value <= one.interval[1]
    if answers < 10:
        assert audit["accuracy"].value is None
    if not answers:
        assert audit.sentence == "There are not enough answers yet to say whether they can be trusted."


def test_the_text_of_an_audit_is_the_whole_report():
    audit = simulate_study(AuditTask("none", 0)).audit()
    assert str(audit).splitlines()[0] == audit.sentence
    for one, line in zip(audit, str(audit).splitlines()[1:], strict=True):
        assert line.startswith(one.title)
        assert f" {one.level_text} " in line
        assert line.endswith(one.sentence)
        assert one.sentence.replace("'", "&#39;") in audit._repr_html_()
    assert audit["drift"] is audit.findings[5]
    assert pickle.loads(pickle.dumps(audit)) == audit
    with pytest.raises(UnknownNameError, match="finding"):
        audit["taste"]


def test_the_audit_is_computed_once_per_log():
    opt = simulate_study(AuditTask("none", 1, 12))
    audit = opt.audit()
    assert opt.audit() is audit
    opt.add_anchor({"x": 0.5, "y": 0.5})
    assert opt.audit() is not audit
    opt.undo()
    assert opt.audit() is audit
    assert Optimizer.from_json(opt.to_json()).audit() == audit


@pytest.mark.parametrize(
    "options", [{"preset": "paper"}, {"likelihood": "logistic"}, {"likelihood": Probit(lapse=0.05)}, {"learn": {}}]
)
def test_an_audit_takes_any_model(options):
    rng, opt = np.random.default_rng(0), Optimizer(SPACE, [{"x": 0.5, "y": 0.5}], **options)
    for k in range(24):
        first, second = ({"x": float(x), "y": float(y)} for x, y in rng.random((2, 2)))
        opt.tell(opt.ask_pair(first, second), "tie" if k % 6 == 5 else "skip" if k == 3 else "first")
    audit = opt.audit(seconds=[None, *[4.0] * (len(opt.history) - 1)])
    assert [one.name for one in audit] == [*NAMES, "response_time"]
    assert audit["ties"].value == pytest.approx(4 / 23)
    assert "skipped 1 pair" in audit["ties"].sentence
    assert not any(np.isnan(each) for one in audit for each in (*one.interval, one.value or 0.0))


def test_an_audit_takes_a_catalogue():
    shelf = ap.Catalogue([{"name": f"item {k}", "size": k, "kind": "ab"[k % 2]} for k in range(8)], ["size"], ["kind"])
    rng, opt = np.random.default_rng(0), Optimizer(shelf)
    for _ in range(30):
        a, b = rng.choice(8, 2, replace=False)
        opt.tell_preference(shelf.decode(shelf.points[max(a, b)]), shelf.decode(shelf.points[min(a, b)]))
    audit = opt.audit()
    assert audit["cycles"].value == 0.0
    assert audit["contradictions"].value == 0.0
    assert audit["side_bias"].value is None  # nobody was shown two sides
    assert audit["accuracy"].value > 0.9


def finding(name, level, fault=""):
    return Finding(name, 0.5, (0.4, 0.6), "A sentence.", level, fault=fault)


COINS = "answers that cannot be told from coin flips"


@pytest.mark.parametrize(
    ("levels", "sentence"),
    [
        ("gggg", "All 4 checks are fine."),
        ("ggug", "No check found a problem; cannot tell yet: drift."),
        ("gnng", "No check found a problem; worth a look: side bias, drift."),
        ("gnug", "No check found a problem; worth a look: side bias; cannot tell yet: drift."),
        ("gwgg", "1 of 4 checks found a problem: side bias."),
        ("wwgg", f"2 of 4 checks found a problem: {COINS}, side bias."),
        ("wngg", f"1 of 4 checks found a problem: {COINS}; worth a look: side bias."),
        ("wugg", f"1 of 4 checks found a problem: {COINS}; cannot tell yet: side bias."),
        ("wnuu", f"1 of 4 checks found a problem: {COINS}; worth a look: side bias; cannot tell yet: drift, ties."),
        ("uuuu", "There are not enough answers yet to say whether they can be trusted."),
        ("uuug", "There are not enough answers yet to say whether they can be trusted."),
        ("uuun", "No check found a problem; worth a look: ties; cannot tell yet: accuracy, side bias, drift."),
        ("nuuu", "No check found a problem; worth a look: accuracy; cannot tell yet: side bias, drift, ties."),
    ],
)
def test_the_sentence_of_an_audit_is_true_of_every_level(levels, sentence):
    words = {"g": "good", "n": "note", "w": "warning", "u": "unknown"}
    names = ("accuracy", "side_bias", "drift", "ties")
    found = [finding(name, words[level]) for name, level in zip(names, levels, strict=True)]
    if found[0].level == "warning":
        found[0] = replace(found[0], fault=COINS)
    assert Audit(tuple(found), 30).sentence == sentence


EXCLUDES = {
    "calibration": lambda low, high: low > 0.5,
    "side_bias": lambda low, high: 0.3 < low < 0.5 < high < 0.7,
    "drift": lambda low, high: low > 0.3,
    "fatigue": lambda low, high: high < 3.0,
    "lapses": lambda low, high: high < 0.2,
    "ties": lambda low, high: high < 0.5,
}
"""Whether an interval excludes a fault of the size that docs/trust.md calls one."""


@pytest.mark.parametrize(("fault", "answers"), [("none", 24), ("none", 60), ("coins", 60), ("none", 120)])
def test_a_finding_is_good_only_if_its_interval_excludes_the_fault(fault, answers):
    audit = simulate_study(AuditTask(fault, 8, answers, 0.2)).audit()
    for name, excludes in EXCLUDES.items():
        one = audit[name]
        if one.value is not None and one.level in ("good", "unknown"):
            assert excludes(*one.interval) == (one.level == "good"), one
    contradictions = audit["contradictions"]
    assert contradictions.level != "good" or contradictions.interval[1] < 0.5


# -- coin flips -------------------------------------------------------------------------------------------------------

PAIRS = [(0.8, 0.2), (0.3, 0.6), (0.9, 0.3), (0.45, 0.7)]


def integrate_naively(answers):
    """The probability of answers on a line, by a sum over a grid of both hyper-parameters, times 2^n."""
    X = np.array(answers)
    signs = np.array([1.0, -1.0])
    log_l, log_s = (np.linspace(np.log(m) - 3 * s, np.log(m) + 3 * s, 13) for m, s in ((0.3, 0.45), (6.0, 1.5)))
    weights = np.exp(-0.5 * np.linspace(-3, 3, 13) ** 2)
    weights /= weights.sum()
    n, total, rng = len(X), 0.0, np.random.default_rng(0)
    for scale, u in zip(np.exp(log_l), weights, strict=True):
        K = np.exp(-0.5 * (X.ravel()[:, None] - X.ravel()) ** 2 / scale**2).reshape(n, 2, n, 2)
        C = np.einsum("a,iajb,b->ij", signs, K, signs)
        for s, v in zip(np.exp(log_s), weights, strict=True):
            # Each design has a noise variance of 1.
            margins = multivariate_normal(np.zeros(n), s * C / 2.0 + np.eye(n), seed=rng)
            total += u * v * margins.cdf(np.zeros(n))
    return total * 2.0**n


@pytest.mark.parametrize("flipped", [(), (0,), (1, 2)])
def test_the_evidence_against_coins_integrates_over_the_hyperparameters(flipped):
    answers = [pair[::-1] if k in flipped else pair for k, pair in enumerate(PAIRS)]
    assert compare_with_coins(tabulate(line_study(answers))) == pytest.approx(integrate_naively(answers), rel=0.1)


def test_the_evidence_against_coins_is_one_on_average_over_coin_flips():
    factors = [
        compare_with_coins(tabulate(line_study([pair[::step] for pair, step in zip(PAIRS, steps, strict=True)])))
        for steps in itertools.product((1, -1), repeat=4)
    ]
    assert np.mean(factors) == pytest.approx(1.0, abs=0.1)
    assert max(factors) > 2.0 * min(factors)


def test_the_evidence_against_coins_leaves_out_ties():
    with_tie = line_study([*PAIRS, (0.1, 0.9, True)], likelihood=Probit(tie_threshold=0.3))
    found, without = (compare_with_coins(tabulate(study)) for study in (with_tie, line_study(PAIRS)))
    assert found == pytest.approx(without, rel=1e-2)


def test_coin_flips_are_noticed_and_a_steady_judge_is_not_called_one():
    flips, steady = (simulate_study(AuditTask(fault, 900, 60)).audit() for fault in ("coins", "none"))
    assert flips["accuracy"].level == "warning"
    assert "Your answers cannot be told from coin flips" in flips["accuracy"].sentence
    assert COINS in flips.sentence
    assert steady["accuracy"].level == "good"
    assert "to 1 against coin flips." in steady["accuracy"].sentence


def test_few_answers_are_not_called_coin_flips():
    audit = simulate_study(AuditTask("coins", 901, 30)).audit()
    assert COINS not in audit.sentence
    assert "for coin flips." in audit["accuracy"].sentence


# -- predictions ------------------------------------------------------------------------------------------------------


def test_outcomes_given_all_other_answers_agree_with_the_model_without_the_answer():
    answers = [(0.8, 0.2), (0.6, 0.1), (0.9, 0.3), (0.7, 0.5, True), (0.2, 0.6), (0.75, 0.4)]
    opt = line_study(answers, likelihood=Probit(tie_threshold=0.3), learn={}, integration="map")
    model = opt.model
    found, duels = model.prob_outcomes(), model.duels
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    tied = duels.tied
    np.testing.assert_allclose(np.where(tied, found[:, 1], found[:, 0]), model.prob_answers(), rtol=1e-9)
    wins = [answer for answer in answers if len(answer) == 2]
    for k, (winner, loser) in enumerate(wins):
        others = line_study(
            [each for each in answers if each != wins[k]], likelihood=Probit(tie_threshold=0.3), learn={},
            integration="map",
        ).model  # fmt: skip
        pair = np.array([[winner]]), np.array([[loser]])
        expected = [others.prob_choose(*pair)[0], others.prob_tie(*pair)[0], others.prob_choose(*pair[::-1])[0]]
        np.testing.assert_allclose(found[k], expected, atol=1e-2)


def test_outcomes_of_a_mixture_weigh_the_nodes_without_the_answer():
    opt = simulate_study(AuditTask("none", 2, 15))
    model = opt.model
    assert len(model.components) > 1
    found = model.prob_outcomes()
    np.testing.assert_allclose(found[:, 0], model.prob_answers(), rtol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_the_side_bias_of_equal_predictions_is_the_share_of_first_choices():
    rng, opt = np.random.default_rng(0), Optimizer(SPACE, kernel=ap.RBF(0.3, outputscale=1e-8), learn={})
    for k in range(20):
        first, second = ({"x": float(x), "y": float(y)} for x, y in rng.random((2, 2)))
        opt.tell(opt.ask_pair(first, second), "first" if k < 15 else "second")
    bias = opt.audit()["side_bias"]
    assert bias.interval == pytest.approx(jeffreys_interval(15, 20), abs=5e-3)
    assert bias.level == "warning"
    assert "15 times in 20" in bias.sentence


# -- repeats and cycles -----------------------------------------------------------------------------------------------


def test_a_repeat_is_compared_with_the_last_answer_on_either_side():
    answers = [(0.1, 0.9), (0.9, 0.1), (0.9, 0.1), (0.1, 0.9, True), (0.9, 0.1, True), (0.3, 0.4), (0.1, 0.9)]
    table = tabulate(line_study(answers, likelihood=Probit(tie_threshold=0.3)))
    differs, expected = compare_repeats(table)
    assert differs.tolist() == [True, False, True, False, True]
    # Each repeat differs unless it has the outcome before, in the orientation of its own row.
    columns = [(1, 2), (2, 0), (3, 2), (4, 1), (6, 1)]
    np.testing.assert_allclose(expected, [1.0 - table.outcomes[k, column] for k, column in columns])


def test_contradictions_count_repeats():
    found = line_study([(0.1, 0.9), (0.9, 0.1), (0.9, 0.1), (0.9, 0.1)]).audit()["contradictions"]
    assert found.value == pytest.approx(1 / 3)
    assert found.interval == jeffreys_interval(1, 3)


def count_reversals_naively(W):
    n = len(W)
    return min(
        sum(W[order[b], order[a]] for a in range(n) for b in range(a + 1, n))
        for order in itertools.permutations(range(n))
    )


@pytest.mark.parametrize("seed", range(6))
def test_reversals_are_the_minimum_over_all_orders(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    W = rng.integers(0, 4, (6, 6)).astype(float)
    np.fill_diagonal(W, 0.0)
    best = count_reversals_naively(W)
    assert count_reversals(W) == best
    monkeypatch.setattr("anchorpbo.study.audit.cycles.MAX_EXACT_DESIGNS", 0)
    bound = count_reversals(W)
    assert best <= bound <= best + 2


@pytest.mark.parametrize("seed", range(4))
def test_cyclic_triads_are_counted_as_by_hand(seed):
    rng = np.random.default_rng(seed)
    edges = np.array([rng.choice(8, 2, replace=False) for _ in range(25)])
    W = np.zeros((8, 8))
    for a, b in edges:
        W[a, b] += 1
    wins = W > W.T
    triads = cyclic = 0
    for three in itertools.combinations(range(8), 3):
        pairs = list(itertools.combinations(three, 2))
        if all(W[a, b] != W[b, a] for a, b in pairs):
            triads += 1
            cyclic += sorted(sum(wins[a, b] for b in three) for a in three) == [1, 1, 1]
    found = count_cycles(edges, 8)
    assert (found.triads, found.cyclic) == (triads, cyclic)


def test_parts_of_a_graph_have_separate_cycles():
    circle = [(0, 1), (1, 2), (2, 0)]
    edges = np.array([*circle, *[(a + 3, b + 3) for a, b in circle], (0, 3)])
    assert count_cycles(edges, 6).reversals == 2
    assert count_cycles(np.array([(0, 1), (1, 2), (0, 2)]), 3).reversals == 0


def test_more_circles_than_the_model_expects_are_a_problem():
    # Clear preferences along a line, and sets of three far designs that go round in circles.
    line = [(a / 20, b / 20) for a in range(20) for b in range(0, a, 3)]
    circles = [(0.02, 0.98), (0.98, 0.52), (0.52, 0.02), (0.03, 0.97), (0.97, 0.51), (0.51, 0.03)]
    steady, circular = line_study(line), line_study(line + circles)
    assert (steady.audit()["cycles"].value, steady.audit()["cycles"].level) == (0.0, "good")
    assert "2 are cyclic" in circular.audit()["cycles"].sentence
    # A model that knows the circles expects errors; one that knows the line alone does not.
    found = find_cycles(replace(tabulate(circular), model=steady.model))
    assert (found.level, found.value) == ("warning", pytest.approx(2 / len(line + circles)))
    assert found.data.observed > np.quantile(found.data.values, 0.9)


def course_with(drift_factor, lowest):
    posterior = GridPosterior.from_log_density(np.linspace(lowest, 1.0, 50), np.zeros(50))
    return TimeCourse(posterior, posterior, drift_factor, 1.0)


@pytest.mark.parametrize(
    ("factor", "lowest", "level", "start"),
    [
        (0.3, 0.5, "good", "Early and late answers agree:"),
        (0.3, 0.1, "unknown", "Early and late answers agree as far as can be told:"),
        (6.0, 0.1, "note", "Early and late answers may contradict each other:"),
        (20.0, 0.1, "warning", "Early and late answers contradict each other:"),
    ],
)
def test_the_words_about_drift_follow_its_evidence_and_its_interval(factor, lowest, level, start):
    finding = find_drift(tabulate(line_study([(0.8, 0.2)])), course_with(factor, lowest))
    assert finding.level == level
    assert finding.sentence.startswith(start)
    assert ("More answers are needed to exclude a correlation of 0.3." in finding.sentence) == (level == "unknown")


# -- evidence of variants ---------------------------------------------------------------------------------------------


def test_the_evidence_of_a_variant_is_that_of_its_covariance():
    opt = line_study([(0.8, 0.2), (0.3, 0.7), (0.9, 0.4)], learn={}, integration="map")
    table, rho, beta, c = tabulate(opt), 0.4, 1.1, 2.5
    evidence = VariantEvidence.of(table)
    g = opt.model.components[0].generative
    pairs, times = table.pairs, np.array([0.0, 0.5, 1.0])
    C = np.empty((3, 3))
    for j in range(3):
        for k in range(3):
            (wj, lj), (wk, lk) = pairs[j], pairs[k]
            cov = sum(
                s * g.kernel(a[None], b[None])[0, 0]
                for s, a, b in ((1, wj, wk), (-1, wj, lk), (-1, lj, wk), (1, lj, lk))
            )
            noise = [np.sqrt(g.noise(pair).sum()) for pair in (pairs[j], pairs[k])]
            fading = np.exp(-beta * (times[j] - 0.5) - beta * (times[k] - 0.5))
            C[j, k] = c * cov / np.prod(noise) * rho ** ((times[j] - times[k]) ** 2) * fading
    # P(all three margins plus unit noise are above 0), exactly.
    exact = np.log(multivariate_normal(np.zeros(3), C + np.eye(3)).cdf(np.zeros(3)))
    assert evidence.compute(c, rho, beta) == pytest.approx(exact, abs=0.02)
    scales = [evidence.compute(each, rho, beta) for each in (0.4, 1.0, 2.5, 6.0)]
    assert evidence.average_scales(rho, beta) == pytest.approx(np.log(np.mean(np.exp(scales))))


def test_the_evidence_of_slips_mixes_coins_into_the_answers():
    evidence = VariantEvidence.of(tabulate(line_study([(0.8, 0.2)], learn={}, integration="map")))
    slip = evidence.likelihood.with_lapse(0.3)
    # One answer has a probability of one half, with or without slips.
    assert evidence.compute(likelihood=slip) == pytest.approx(np.log(0.5), abs=1e-6)


def test_the_average_around_an_answer_has_fewer_values_at_the_ends():
    np.testing.assert_allclose(average_around(np.array([1.0, 2.0, 6.0, 3.0]), 3), [1.5, 3.0, 11 / 3, 4.5])


# -- response times ---------------------------------------------------------------------------------------------------


def test_the_slope_of_theil_and_sen_agrees_with_scipy():
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(30))
    y = 2.0 * x + rng.standard_t(2, 30)
    slope, _, low, high = theilslopes(y, x, 0.9)
    found = estimate_slope(x, y)
    assert found[0] == pytest.approx(slope)
    assert found[1] <= low + 1e-9
    assert found[2] >= high - 1e-9
    near = np.sort([(y[j] - y[i]) / (x[j] - x[i]) for i in range(30) for j in range(i + 1, 30)])
    assert near.searchsorted(low) - near.searchsorted(found[1]) <= 1
    assert near.searchsorted(found[2]) - near.searchsorted(high) <= 1


def test_response_times_have_a_median_and_a_trend():
    opt = simulate_study(AuditTask("none", 0, 20))
    seconds = [3.0 * 2.0 ** (k / 19) for k in range(20)]
    found = opt.audit(seconds=seconds)["response_time"]
    assert found.value == pytest.approx(2.0)
    assert "typical answer takes 4.2 s" in found.sentence
    assert opt.audit(seconds=[None] * 20)["response_time"].value is None


@pytest.mark.parametrize(
    ("seconds", "match"), [([1.0], "one entry per event"), ([-1.0] * 12, "seconds must be"), (["1"] * 12, "seconds")]
)
def test_response_times_must_fit_the_history(seconds, match):
    with pytest.raises(InputError, match=match):
        simulate_study(AuditTask("none", 0, 12)).audit(seconds=seconds)


# -- simulated judges -------------------------------------------------------------------------------------------------


def test_a_steady_judge_has_no_problem():
    audit = simulate_study(AuditTask("none", 3)).audit()
    assert audit.warnings == ()
    assert audit["drift"].interval[1] == pytest.approx(1.0)
    assert audit["fatigue"].interval[0] < 1.0 < audit["fatigue"].interval[1]
    assert audit["calibration"].interval[0] < 1.0 < audit["calibration"].interval[1]


def count_warnings(fault, finding, studies, answers=60, noise=0.35, first=500):
    tasks = [AuditTask(fault, seed, answers, noise) for seed in range(first, first + studies)]
    return sum(simulate_study(task).audit()[finding].level == "warning" for task in tasks)


@pytest.mark.parametrize(
    ("fault", "finding", "answers", "noise", "studies"),
    [("sides", "side_bias", 60, 0.6, 8), ("drift", "drift", 80, 0.2, 4), ("lapses", "lapses", 100, 0.2, 4)],
)
def test_a_fault_is_found_in_at_least_half_of_a_few_studies(fault, finding, answers, noise, studies):
    # docs/decisions/0049-audit.md has the rates of a hundred studies.
    assert count_warnings(fault, finding, studies, answers, noise) >= studies / 2


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "at_least", "at_most"), [("coins", 16, 20), ("none", 0, 3)])
def test_coin_flips_and_steady_judges_are_told_apart_by_their_answers_to_the_questions_of_a_study(
    fault, at_least, at_most
):
    audits = [simulate_study(AuditTask(fault, seed, 40, questions="asked")).audit() for seed in range(500, 520)]
    # Of 20 studies at rates of 9 in 10 and 1 in 20, one experiment in twenty has fewer than 16, or more than 3.
    assert at_least <= sum(COINS in audit.sentence for audit in audits) <= at_most


@pytest.mark.slow
def test_steady_judges_are_rarely_called_faulty():
    audits = [simulate_study(task).audit() for task in plan_audits((AuditSetting(60, 0.35, ("none",)),), 45)]
    for name in NAMES:
        warnings = sum(audit[name].level == "warning" for audit in audits)
        # At most one in ten; with that rate, one in twenty experiments has more than 8 of 45.
        assert warnings <= 8, name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "finding", "at_least"),
    [("sides", "side_bias", 11), ("drift", "drift", 24), ("fatigue", "fatigue", 11), ("lapses", "lapses", 12)],
)
def test_faults_are_found(fault, finding, at_least):
    assert count_warnings(fault, finding, 40, first=0) >= at_least


def test_a_space_with_a_single_choice_has_an_audit():
    opt = Optimizer(Space(kind=Categorical(["a", "b"])))
    for k in range(30):
        opt.tell(opt.ask_pair({"kind": "a"}, {"kind": "b"}), "first" if k % 3 else "second")
    audit = opt.audit()
    assert audit["contradictions"].value == pytest.approx(19 / 29, abs=0.1)
    assert audit["cycles"].value == pytest.approx(1 / 3)
