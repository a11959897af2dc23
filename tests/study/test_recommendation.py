"""What is recommended, how sure that is, and when to stop; against naive computations from the posterior."""

import numpy as np
import pytest
from scipy.stats import norm
from studies import SPACES, answer, chooser, liking, play, small, unit

from anchorpbo import RBF, Logistic, Optimizer
from anchorpbo.errors import NotFittedError
from anchorpbo.study import ConstantNoise
from anchorpbo.study.progress import MAX_REMAINING, assess_progress, estimate_remaining


def seen_by(opt):
    """Coordinates of every design in an informative duel, naively from the history."""
    points = []
    for event in opt.history:
        if event["type"] == "answered" and event["outcome"] != "skip":
            points += [event["first"], event["second"]]
        if event["type"] == "preferred":
            points += [event["winner"], event["loser"]]
    return np.unique([opt.space.encode(design) for design in points], axis=0)


@pytest.fixture(scope="module", params=["reals", "mixed", "mixed catalogue"])
def opt(request):
    """A study with anchors, ties and a skip."""
    space = SPACES[request.param]
    anchors = [space.decode(x) for x in space.sample(2, np.random.default_rng(3))]
    study = Optimizer(space, anchors, "ei", seed=2, initial=4, inference="laplace")
    play(study, 7)
    study.tell(study.ask(), "skip")
    study.tell(study.ask(), "tie")
    return study


def mean_and_noise(opt, points):
    return opt.model.posterior.mean(points), opt.model.noise(points)


def sum_is_below(posterior, points, weights, end):
    """The probability that a weighted sum of utilities is below a number, naively from all components."""
    return sum(
        share * norm.cdf((end - weights @ part.mean(points)) / np.sqrt(weights @ part.covariance(points) @ weights))
        for share, part in posterior.components
    )


@pytest.mark.parametrize("weight", [0.0, 0.5, 10.0])
def test_the_best_risk_adjusted_mean_of_those_seen_is_recommended(opt, weight):
    points = seen_by(opt)
    mean, noise = mean_and_noise(opt, points)
    best = opt.recommend(weight, among="seen")
    expected = points[np.argmax(mean - weight * noise)]
    assert np.array_equal(opt.space.encode(best.design), expected)
    assert best.risk_weight == weight
    assert best.noise == pytest.approx(opt.model.noise(expected[None])[0], rel=1e-12)
    assert opt.space.check(best.design) == best.design


def test_without_a_weight_the_study_has_its_own(opt):
    own = opt.plan.risk_weight
    assert opt.recommend() == opt.recommend(own)
    assert opt.recommend().risk_weight == own


def test_a_skip_recommends_nothing(opt):
    skipped = [event for event in opt.history if event.get("outcome") == "skip"]
    assert len(skipped) == 1
    assert len(opt.model.posterior.points) == len(seen_by(opt))


def test_a_large_weight_prefers_quiet_designs():
    study = Optimizer(unit(), [{"x0": 0.1}], "ei", initial=6, risk_weight=0.0)
    for loud, quiet in [(0.9, 0.1), (0.85, 0.12), (0.95, 0.15)]:
        study.tell_preference({"x0": loud}, {"x0": quiet})
    plain, careful = study.recommend(), study.recommend(100.0)
    assert plain.design["x0"] >= 0.85
    assert careful.design["x0"] <= 0.15
    assert careful.noise < plain.noise
    assert careful.utility < plain.utility


@pytest.mark.parametrize("among", ["seen", "space"])
def test_more_weight_never_recommends_a_noisier_design(opt, among):
    noises = [opt.recommend(weight, among=among).noise for weight in (0.0, 0.3, 1.0, 5.0, 50.0)]
    # Over a space the search is not exact to the last digit.
    assert np.diff(noises).max() <= (0.0 if among == "seen" else 1e-3)


def test_utilities_are_relative_to_the_average_of_those_seen(opt):
    points = seen_by(opt)
    posterior = opt.model.posterior
    best = opt.recommend(0.0)
    x = opt.space.encode(best.design)
    assert best.utility == pytest.approx(posterior.mean(x[None])[0] - posterior.mean(points).mean(), abs=1e-9)
    weights = np.r_[1.0, np.full(len(points), -1.0 / len(points))]
    assert [sum_is_below(posterior, np.vstack([x, points]), weights, end) for end in best.interval] == pytest.approx(
        [0.05, 0.95], abs=1e-8
    )
    assert f"average of the {len(points)} designs" in best.reference
    assert "no natural zero" in best.reference


def test_ninety_of_a_hundred_draws_are_in_the_interval(opt):
    points, best = seen_by(opt), opt.recommend(0.0)
    x = opt.space.encode(best.design)
    draws = opt.model.posterior.sample(np.vstack([x, points]), 20_000, np.random.default_rng(0))
    relative = draws[:, 0] - draws[:, 1:].mean(axis=1)
    inside = (relative >= best.interval[0]) & (relative <= best.interval[1])
    assert inside.mean() == pytest.approx(0.9, abs=0.01)


def test_a_reference_has_no_utility_of_its_own(opt):
    best = opt.recommend(0.0)
    same = opt.recommend(0.0, reference=best.design)
    assert same.utility == pytest.approx(0.0, abs=1e-9)
    assert same.interval == pytest.approx((0.0, 0.0), abs=1e-5)
    assert same.reference == "the reference design"
    assert same.design == best.design


def test_utilities_relative_to_a_reference_are_differences(opt):
    points, posterior = seen_by(opt), opt.model.posterior
    reference = points[0]
    best = opt.recommend(0.0, reference=opt.space.decode(reference))
    x = opt.space.encode(best.design)
    assert best.utility == pytest.approx(posterior.mean(x[None])[0] - posterior.mean(reference[None])[0], abs=1e-9)
    both = np.array([x, reference])
    assert [sum_is_below(posterior, both, np.array([1.0, -1.0]), end) for end in best.interval] == pytest.approx(
        [0.05, 0.95], abs=1e-8
    )


def test_the_papers_logistic_form_has_an_origin_and_says_so():
    study = Optimizer(unit(2), [{"x0": 0.2, "x1": 0.2}], "raeubo", "paper", seed=1)
    play(study, 9)
    best = study.recommend(0.0)
    x = study.space.encode(best.design)
    posterior = study.model.posterior
    assert best.utility == pytest.approx(posterior.mean(x[None])[0], abs=1e-9)
    half = norm.ppf(0.95) * np.sqrt(posterior.variance(x[None])[0])
    assert best.interval == pytest.approx((best.utility - half, best.utility + half), abs=1e-8)
    assert "origin" in best.reference
    assert "no natural zero" not in best.reference
    assert study.recommend(0.0, reference=best.design).utility == pytest.approx(0.0, abs=1e-9)


def test_the_other_logistic_form_has_none():
    study = small("eubo", likelihood=Logistic(form="difference"))
    play(study, 3)
    assert "no natural zero" in study.recommend().reference


# -- probability of being the best ------------------------------------------------------------------------------------


def test_of_two_designs_the_probability_has_a_closed_form():
    study = Optimizer(unit(), initial=3, kernel=RBF(0.5, outputscale=4.0), learn={}, noise=ConstantNoise(1.0))
    study.tell_preference({"x0": 0.9}, {"x0": 0.1})
    best = study.recommend(0.0, among="seen")
    x, y = np.array([[0.9], [0.1]])
    posterior = study.model.posterior
    K = posterior.covariance(np.array([x, y]))
    difference = (posterior.mean(x[None]) - posterior.mean(y[None]))[0]
    exact = norm.cdf(difference / np.sqrt(K[0, 0] + K[1, 1] - 2 * K[0, 1]))
    assert best.p_best == pytest.approx(exact, abs=0.03)
    assert exact == pytest.approx(study.model.posterior.prob_prefer(x[None], y[None])[0], abs=1e-9)


def test_the_probability_of_being_the_best_is_that_of_draws(opt):
    points, best = seen_by(opt), opt.recommend(among="seen")
    draws = opt.model.posterior.sample(points, 40_000, np.random.default_rng(99))
    shares = np.bincount(draws.argmax(axis=1), minlength=len(points)) / len(draws)
    place = {opt.space.encode(design).tobytes() for design in best.credible_set}
    mine = shares[[np.array_equal(point, opt.space.encode(best.design)) for point in points]]
    assert best.p_best == pytest.approx(mine[0], abs=0.03)
    told = {
        opt.space.encode(design).tobytes(): probability
        for design, probability in zip(best.credible_set, best.credible_probabilities, strict=True)
    }
    for point, share in zip(points, shares, strict=True):
        if point.tobytes() in place:
            assert told[point.tobytes()] == pytest.approx(share, abs=0.03)


def test_a_design_never_shown_is_best_when_it_beats_all_that_were():
    study = small("ei")
    for _ in range(3):
        study.tell_preference({"x0": 0.6}, {"x0": 0.1})
        study.tell_preference({"x0": 0.7}, {"x0": 0.95})
    best = study.recommend(0.0, among="space")
    points = seen_by(study)
    x = study.space.encode(best.design)
    assert not (points == x).all(axis=1).any()
    draws = study.model.posterior.sample(np.vstack([points, x]), 40_000, np.random.default_rng(1))
    assert best.p_best == pytest.approx((draws[:, -1] >= draws[:, :-1].max(axis=1)).mean(), abs=0.03)
    assert all((points == study.space.encode(design)).all(axis=1).any() for design in best.credible_set)


def test_the_credible_set_is_the_smallest_that_holds_the_best(opt):
    best = opt.recommend()
    probabilities = np.array(best.credible_probabilities)
    assert len(best.credible_set) == len(probabilities)
    assert probabilities.sum() >= 0.9
    assert probabilities[:-1].sum() < 0.9
    assert (np.diff(probabilities) <= 0).all()
    assert (probabilities > 0).all()
    keys = {opt.space.encode(design).tobytes() for design in best.credible_set}
    assert len(keys) == len(probabilities)
    assert keys <= {point.tobytes() for point in seen_by(opt)}


def test_what_is_clear_is_said_clearly():
    study = small("ei")
    for _ in range(25):
        study.tell_preference({"x0": 0.9}, {"x0": 0.1})
    best = study.recommend(0.0, among="seen")
    assert best.design == {"x0": 0.9}
    assert best.p_best > 0.95
    assert best.credible_set == ({"x0": 0.9},)
    assert best.interval[0] > 0


# -- over the whole space ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPACES)
def test_the_whole_space_is_never_worse_than_what_was_seen(name):
    space = SPACES[name]
    anchors = [space.decode(x) for x in space.sample(2, np.random.default_rng(1))]
    study = Optimizer(space, anchors, "ei", initial=4, seed=1, learn={})
    play(study, 4)
    for weight in (0.0, 1.0):
        values = []
        for among in ("seen", "space"):
            best = study.recommend(weight, among=among)
            assert space.check(best.design) == best.design
            mean, noise = mean_and_noise(study, space.encode(best.design)[None])
            values.append(mean[0] - weight * noise[0])
        assert values[1] >= values[0] - 1e-12


def test_of_a_catalogue_any_item_can_be_recommended():
    space = SPACES["numeric catalogue"]
    study = Optimizer(space, strategy="ei", initial=4, seed=1)
    play(study, 4)
    best = study.recommend(0.0, among="space")
    mean = study.model.posterior.mean(space.candidates)
    assert space.encode(best.design).tobytes() == space.candidates[np.argmax(mean)].tobytes()


def test_the_plain_best_of_an_interval_is_that_of_a_fine_grid():
    study = small("ei")
    play(study, 6)
    x = np.linspace(0, 1, 2001)[:, None]
    best = study.recommend(0.0, among="space")
    found = study.model.posterior.mean(study.space.encode(best.design)[None])[0]
    assert found >= study.model.posterior.mean(x).max() - 1e-9


@pytest.mark.parametrize("call", [lambda s: s.recommend(), lambda s: s.recommend(among="space"), lambda s: s.model])
def test_there_is_nothing_to_recommend_before_an_answer(call):
    study = small()
    study.tell(study.ask(), "skip")
    study.add_anchor({"x0": 0.5})
    with pytest.raises(NotFittedError, match=r"one answer that is not a skip.*ask a duel"):
        call(study)


def test_a_single_tie_is_an_answer():
    study = small()
    study.tell_preference({"x0": 0.2}, {"x0": 0.7}, tie=True)
    best = study.recommend()
    assert best.design in ({"x0": 0.2}, {"x0": 0.7})
    assert best.p_best == pytest.approx(0.5, abs=0.05)


# -- progress ---------------------------------------------------------------------------------------------------------


def test_at_the_start_there_is_no_gain_and_no_stop():
    study = small(initial=3)
    for left in (3, 2, 1):
        now = study.progress()
        assert (now.duels, now.gain, now.stop) == (3 - left, None, False)
        assert now.sentence.startswith(f"{left} more")
        assert now.remaining >= left
        study.tell(study.ask(), "first")
    assert study.progress().gain is not None


def test_the_gain_is_that_of_the_next_duel_and_never_negative():
    study = small("eubo", initial=2)
    play(study, 2)
    for _ in range(4):
        now = study.progress()
        assert now.gain == study.ask().gain >= 0.0
        assert now.duels == len(study)
        play(study, 1)


def test_asking_how_far_it_is_changes_nothing():
    study, twin = small("eubo"), small("eubo")
    for _ in range(4):
        study.progress()
        play(study, 1)
        play(twin, 1)
    assert study.to_json() == twin.to_json()


@pytest.mark.parametrize(("strategy", "inference", "version"), [("ei", "laplace", 1), ("eubo", "ep", 1), (None,) * 3])
def test_a_study_without_noise_in_its_answers_comes_to_an_end(strategy, inference, version):
    study = small(strategy, initial=4, noise=ConstantNoise(0.05), inference=inference, preset_version=version)
    stops = []
    for _ in range(30):
        stops.append(study.progress().stop)
        if stops[-1]:
            break
        duel = study.ask()
        study.tell(duel, answer(duel, lambda design: -abs(design["x0"] - 0.37)))
    assert stops[-1]
    assert not any(stops[:8])
    assert study.recommend(0.0).design["x0"] == pytest.approx(0.37, abs=0.1)


def test_a_study_does_not_stop_by_its_first_few_duels():
    for seed in range(4):
        study = Optimizer(SPACES["reals"], strategy="eubo", seed=seed, initial=3)
        play(study, 3, liking(study.space, seed))
        assert not study.progress().stop


@pytest.mark.parametrize("strategy", ["ei", "raeubo"])
@pytest.mark.parametrize("ties", [0, 1])
def test_the_gain_is_what_an_answer_is_expected_to_add_to_the_best_mean(strategy, ties):
    """By conditioning the model that chose the duel on each of its answers."""
    study = small(strategy, initial=3, seed=8, anchors=[{"x0": 0.3}])
    play(study, 4)
    for _ in range(ties):
        study.tell_preference({"x0": 0.31}, {"x0": 0.72}, tie=True)
    duel, model = study.ask(), chooser(study, 8)
    pair = np.array([study.space.encode(design) for design in (duel.first, duel.second)])
    points = np.vstack([seen_by(study), pair])
    answers = [
        (model.prob_choose(*pair[:, None])[0], model.posterior_after(*pair)),
        (model.prob_choose(*pair[::-1, None])[0], model.posterior_after(*pair[::-1])),
    ]
    if ties:
        answers.append((model.prob_tie(*pair[:, None])[0], model.posterior_after(*pair, tie=True)))
    assert sum(probability for probability, _ in answers) == pytest.approx(1.0)
    expected = sum(probability * posterior.mean(points).max() for probability, posterior in answers)
    gain = (expected - model.posterior.mean(points).max()) / np.ptp(model.posterior.mean(seen_by(study)))
    assert duel.gain == pytest.approx(gain, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize(("p_within", "stop"), [(0.0, False), (0.5, False), (0.8999, False), (0.9, True), (1.0, True)])
def test_it_is_time_to_stop_from_ninety_percent_on(p_within, stop):
    now = assess_progress(20, 0.01, p_within)
    assert now.stop is stop
    assert (now.remaining == 0) is stop
    assert now.p_within == p_within
    assert ("You can stop" in now.sentence) is stop


def test_the_less_probable_the_more_remains_up_to_a_limit():
    remaining = [estimate_remaining(p) for p in (0.0, 1e-6, 0.3, 0.6, 0.8, 0.89, 0.8999, 0.9)]
    assert remaining[0] == remaining[1] == MAX_REMAINING
    assert remaining == sorted(remaining, reverse=True)
    assert remaining[-2:] == [1, 0]


def test_a_small_expected_gain_alone_is_no_reason_to_stop():
    assert not assess_progress(200, 0.0, 0.5).stop


def test_what_remains_at_the_start_includes_the_start():
    now = assess_progress(1, None, None, initial=3)
    assert now.remaining == 3 + estimate_remaining(0.5)
    assert not now.stop
    assert now.p_within is None


@pytest.mark.parametrize(
    ("p_within", "initial", "sentence"),
    [
        (None, 9, "9 more to get a first idea of what you like."),
        (0.1, 0, "The {} 10 % probability; reaching 90 % takes {} or more comparisons."),
        (0.5, 0, "The {} 50 % probability; reaching 90 % takes about {} more comparisons."),
        (0.8999, 0, "The {} 89 % probability; reaching 90 % takes about 1 more comparison."),
        (0.93, 0, "You can stop: the {} 93 % probability."),
    ],
)
def test_the_sentence_says_what_the_fields_say(p_within, initial, sentence):
    now = assess_progress(20, None if initial else 0.1, p_within, initial)
    assert now.sentence == sentence.format("recommended design is close to the best with", now.remaining)


def test_progress_stops_exactly_when_the_recommendation_is_within_the_margin():
    study = small("eubo", initial=2, noise=ConstantNoise(0.05), learn={})
    for _ in range(14):
        play(study, 1, lambda design: -abs(design["x0"] - 0.37))
        now = study.progress()
        if now.p_within is not None:
            assert now.p_within == study.recommend().p_within
            assert now.stop == (now.p_within >= 0.9)


def test_no_study_stops_before_its_initial_duels_are_over():
    study = Optimizer(unit(), initial=12, kernel=RBF(2.0, outputscale=1e4), learn={}, noise=ConstantNoise(1e-3))
    for _ in range(11):
        duel = study.ask()
        study.tell(duel, answer(duel, lambda design: design["x0"]))
        assert not study.progress().stop
    duel = study.ask()
    study.tell(duel, answer(duel, lambda design: design["x0"]))
    assert study.progress().stop
