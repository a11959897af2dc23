"""What holds for the numbers of every acquisition, without any posterior."""

import numpy as np
import pytest

from anchorpbo.acquisition import ANPEI, EI, EUBO, RAEUBO, RAHBO, UCB
from anchorpbo.errors import InputError, UnknownNameError

DESIGN_ACQUISITIONS = [
    EI(),
    EI(log=True),
    ANPEI(3.0),
    ANPEI(3.0, penalty="variance"),
    ANPEI(3.0, log=True),
    UCB(1.5),
    RAHBO(1.5, 3.0),
]
PAIR_ACQUISITIONS = [EUBO(), RAEUBO(3.0)]
DESIGN_PARTIALS = ("by_mean", "by_std", "by_noise")
PAIR_PARTIALS = ("by_mean_first", "by_mean_second", "by_std", "by_noise_first", "by_noise_second")


def design_inputs(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(0.0, 2.0, n), rng.uniform(0.2, 2.0, n), rng.uniform(0.05, 1.0, n)]


def pair_inputs(n=200, seed=0):
    rng = np.random.default_rng(seed)
    noises = rng.uniform(0.05, 1.0, (2, n))
    return [*rng.normal(0.0, 2.0, (2, n)), rng.uniform(0.2, 2.0, n), *noises]


def moved(inputs, index, step):
    return [x + step if i == index else x for i, x in enumerate(inputs)]


@pytest.mark.parametrize("acquisition", DESIGN_ACQUISITIONS, ids=repr)
def test_partials_of_designs_agree_with_central_differences(acquisition):
    inputs, h = design_inputs(), 1e-5
    partials = acquisition.partials(*inputs, 0.4)
    for index, name in enumerate(DESIGN_PARTIALS):
        up, down = (acquisition.partials(*moved(inputs, index, step), 0.4).value for step in (h, -h))
        np.testing.assert_allclose(getattr(partials, name), (up - down) / (2 * h), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("acquisition", PAIR_ACQUISITIONS, ids=repr)
def test_partials_of_pairs_agree_with_central_differences(acquisition):
    inputs, h = pair_inputs(), 1e-5
    partials = acquisition.partials(*inputs)
    for index, name in enumerate(PAIR_PARTIALS):
        up, down = (acquisition.partials(*moved(inputs, index, step)).value for step in (h, -h))
        np.testing.assert_allclose(getattr(partials, name), (up - down) / (2 * h), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("acquisition", PAIR_ACQUISITIONS, ids=repr)
def test_pairs_never_lose_by_a_larger_mean_or_std_or_a_smaller_noise(acquisition):
    rng = np.random.default_rng(1)
    for scale in (1e-9, 1e-2, 1.0, 30.0):
        inputs = pair_inputs(2000, seed=2)
        inputs[2] = inputs[2] * rng.choice([0.0, 1e-8, 1.0], 2000)
        value = acquisition.partials(*inputs).value
        for index, sign in enumerate((1.0, 1.0, 1.0, -1.0, -1.0)):
            step = rng.uniform(0.0, scale, 2000)
            if index > 2:
                step = np.minimum(step, 0.9 * inputs[index])
            better = acquisition.partials(*moved(inputs, index, sign * step)).value
            assert (better >= value - 1e-14 * (1.0 + np.abs(value))).all()


@pytest.mark.parametrize("acquisition", PAIR_ACQUISITIONS, ids=repr)
def test_signs_of_the_partials_follow_the_contract_of_pairs(acquisition):
    partials = acquisition.partials(*pair_inputs(2000))
    assert (partials.by_mean_first >= 0).all()
    assert (partials.by_mean_second >= 0).all()
    assert (partials.by_std >= 0).all()
    assert (partials.by_noise_first <= 0).all()
    assert (partials.by_noise_second <= 0).all()


@pytest.mark.parametrize("acquisition", PAIR_ACQUISITIONS, ids=repr)
def test_a_pair_is_worth_the_same_in_either_order(acquisition):
    m1, m2, s, n1, n2 = pair_inputs()
    there, back = acquisition.partials(m1, m2, s, n1, n2), acquisition.partials(m2, m1, s, n2, n1)
    assert np.array_equal(there.value, back.value)
    assert np.array_equal(there.by_mean_first, back.by_mean_second)
    assert np.array_equal(there.by_noise_first, back.by_noise_second)


@pytest.mark.parametrize("acquisition", PAIR_ACQUISITIONS, ids=repr)
def test_pairs_broadcast_to_a_table(acquisition):
    m1, m2, s, n1, n2 = (x[:6].reshape(shape) for x, shape in zip(pair_inputs(), [(3, 2)] * 5, strict=True))
    table = acquisition.partials(m1[:, :1], m2[:, 0], s[:, :1] + s[:, 0], n1[:, :1], n2[:, 0])
    for name in ("value", *PAIR_PARTIALS):
        assert getattr(table, name).shape == (3, 3)
    for i in range(3):
        for j in range(3):
            one = acquisition.partials(m1[i, 0], m2[j, 0], s[i, 0] + s[j, 0], n1[i, 0], n2[j, 0])
            assert one.value == table.value[i, j]


@pytest.mark.parametrize("acquisition", DESIGN_ACQUISITIONS, ids=repr)
def test_designs_without_uncertainty_are_finite(acquisition):
    mean, noise = np.array([-1e3, -1.0, -1e-12, 0.0, 1e-12, 1.0, 1e3]), np.full(7, 0.3)
    for std in (np.zeros(7), np.full(7, 1e-200), np.full(7, 1e-60), np.full(7, 1e-40), np.full(7, 1e-9)):
        partials = acquisition.partials(mean, std, noise, 0.0)
        for name in ("value", *DESIGN_PARTIALS):
            assert np.isfinite(getattr(partials, name)).all()
        assert (np.diff(partials.value) >= 0).all()


@pytest.mark.parametrize("acquisition", PAIR_ACQUISITIONS, ids=repr)
def test_pairs_without_uncertainty_are_worth_the_better_one(acquisition):
    m1, m2, _, n1, n2 = pair_inputs()
    m2[0], n2[0] = m1[0], n1[0]
    partials = acquisition.partials(m1, m2, np.zeros(200), n1, n2)
    alpha = getattr(acquisition, "risk_aversion", 0.0)
    assert np.array_equal(partials.value, np.maximum(m1 - alpha * n1, m2 - alpha * n2))
    for name in PAIR_PARTIALS:
        assert np.isfinite(getattr(partials, name)).all()


def test_improvement_without_uncertainty_is_the_certain_gain():
    mean = np.array([0.1, 0.3, 0.7])
    assert np.array_equal(EI().partials(mean, np.zeros(3), np.ones(3), 0.3).value, [0.0, 0.0, 0.7 - 0.3])


def test_log_improvement_of_a_certain_loss_orders_designs_by_their_means():
    partials = EI(log=True).partials(np.array([-2.0, -1.0, 0.0]), np.zeros(3), np.ones(3), 0.0)
    assert partials.value[0] < partials.value[1] < -1e98
    assert partials.value[2] == pytest.approx(np.log(1e-50) - 0.5 * np.log(2.0 * np.pi))
    certain = EI(log=True).partials(np.array([0.25]), np.zeros(1), np.ones(1), 0.0)
    assert certain.value[0] == pytest.approx(np.log(0.25), rel=1e-13)


@pytest.mark.parametrize(
    ("averse", "neutral"),
    [
        (ANPEI(0.0), EI()),
        (ANPEI(0.0, penalty="variance"), EI()),
        (ANPEI(0.0, log=True), EI(log=True)),
        (RAHBO(1.7, 0.0), UCB(1.7)),
    ],
    ids=repr,
)
def test_designs_without_risk_aversion_are_the_neutral_ones_bit_for_bit(averse, neutral):
    inputs = design_inputs(2000)
    inputs[1][:10] = 0.0
    ours, theirs = averse.partials(*inputs, 0.4), neutral.partials(*inputs, 0.4)
    for name in ("value", *DESIGN_PARTIALS):
        assert getattr(ours, name).tobytes() == getattr(theirs, name).tobytes()


def test_raeubo_without_risk_aversion_is_eubo_bit_for_bit():
    inputs = pair_inputs(2000)
    inputs[2][:10] = 0.0
    ours, theirs = RAEUBO(0.0).partials(*inputs), EUBO().partials(*inputs)
    for name in ("value", *PAIR_PARTIALS):
        assert getattr(ours, name).tobytes() == getattr(theirs, name).tobytes()


@pytest.mark.parametrize("acquisition", [ANPEI, RAHBO, RAEUBO])
@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "much", True])
def test_risk_aversion_must_be_a_finite_number_of_at_least_zero(acquisition, value):
    with pytest.raises(InputError, match=r"risk_aversion must be a finite number of at least 0; received .*; choose 0"):
        acquisition(risk_aversion=value)


@pytest.mark.parametrize("acquisition", [UCB, RAHBO])
def test_exploration_must_be_a_finite_number_of_at_least_zero(acquisition):
    with pytest.raises(InputError, match="exploration must be a finite number of at least 0; received -2"):
        acquisition(exploration=-2)


def test_penalty_is_one_of_two():
    with pytest.raises(UnknownNameError, match=r"penalty must be one of std, variance; received 'noise'"):
        ANPEI(penalty="noise")
