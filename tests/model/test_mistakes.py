"""Likely mistakes get the rule, what came instead, and what to do; never a raw error from below."""

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import AnchorPBOError, IncompatibleError, InputError, ShapeError
from anchorpbo.kernels import Stationary
from anchorpbo.model.fitting import FitInfo

DUELS = ap.Duels([[0.1, 0.2], [0.8, 0.7], [0.4, 0.9]], [0, 1], [1, 2])
MODEL = ap.PreferenceGP(ap.RBF(0.3), learn=None).condition(DUELS)
BOUND = ap.acquisition.EI().bind(MODEL.posterior, MODEL.noise)
RNG = np.random.default_rng(0)

MISTAKES = {
    "a model for its posterior": (lambda: ap.acquisition.EI().bind(MODEL, MODEL.noise), "pass model.posterior"),
    "a number for a noise map": (lambda: ap.acquisition.EUBO().bind(MODEL.posterior, 1.0), "pass model.noise"),
    "an acquisition that is not bound": (
        lambda: ap.search.maximise(ap.acquisition.EI(), 2, RNG),
        "is bound to a posterior",
    ),
    "the same, over a list": (
        lambda: ap.search.maximise_discrete(ap.acquisition.EI(), [[0.1, 0.2]]),
        "is bound to a posterior",
    ),
    "a seed for a generator": (lambda: ap.search.maximise(BOUND, 2, 0), "numpy.random.default_rng"),
    "the same, to sample": (lambda: MODEL.posterior.sample([[0.1, 0.2]], 3, 0), "numpy.random.default_rng"),
    "half a draw": (lambda: MODEL.posterior.sample([[0.1, 0.2]], 1.5, RNG), "n must be a whole number"),
    "half a start": (lambda: ap.search.maximise(BOUND, 2, RNG, raw=1.5), "raw must be a whole number"),
    "a pair for bounds to learn": (lambda: ap.PreferenceGP(learn={"lengthscale": (0.1, 1.0)}), "write Learn"),
    "a word for a prior": (lambda: ap.Learn((0.1, 1.0), prior="flat"), "write LogNormal"),
    "learn=True": (lambda: ap.PreferenceGP(learn=True), "learn must be names"),
    "a kernel plus one": (lambda: ap.RBF(0.3) + 1, "a kernel can only be combined with another kernel; received 1"),
    "a word for a column": (lambda: ap.RBF(0.3).on(["x"]), "columns must be one or more distinct whole numbers"),
    "no pass of EP": (lambda: ap.EP(max_passes=0), "max_passes must be a whole number of at least 1"),
    "a tolerance that is not a number": (lambda: ap.EP(tolerance=float("nan")), "tolerance must be a finite number"),
    "designs of no coordinates": (lambda: ap.Duels.empty(0), "dimension must be a whole number of at least 1"),
    "designs of half a coordinate": (lambda: ap.Duels.empty(2.5), "dimension must be a whole number"),
    "a class for a likelihood": (lambda: ap.PreferenceGP(likelihood=ap.Probit), r"write Probit\(\) rather than Probit"),
    "a class for an inference": (lambda: ap.PreferenceGP(inference=ap.EP), r"write EP\(\) rather than EP"),
    "anchors for a noise map": (lambda: ap.PreferenceGP(noise=[[0.2, 0.3]]), r"use NoiseMap.bounded\(anchors\)"),
    "NaN for a length-scale": (lambda: ap.RBF(float("nan")), "lengthscale must be finite"),
    "anchors of another dimension": (
        lambda: ap.PreferenceGP(noise=ap.NoiseMap.bounded([[0.1, 0.2, 0.3]])).fit(DUELS),
        "anchors must have the 2 coordinates of the designs; received 3 of them",
    ),
    "a strength of a constant map": (lambda: ap.PreferenceGP(learn=["noise_strength"]), "can only be learnt if"),
    "a length-scale of fingerprints": (
        lambda: ap.PreferenceGP(ap.Tanimoto(), learn=["lengthscale"]),
        "can only be learnt",
    ),
    "one more duel outside the cube": (lambda: MODEL.posterior_after([0.1, 7.0], [0.2, 0.3]), "must lie in"),
    "one more duel, outside, to keep": (lambda: DUELS.with_win([0.1, 7.0], [0.2, 0.3]), "received 7.0 in column 1"),
    "ragged winners": (lambda: ap.Duels([[0.1], [0.2]], [[0], [0, 1]], [1]), "winners must be integers.*equal length"),
    "ragged designs": (lambda: ap.Duels([[0.1], [0.2, 0.3]], [0], [1]), "points must be numbers.*equal length"),
    "complex designs": (lambda: ap.Duels([[0.1 + 2j], [0.2]], [0], [1]), "points must be numbers"),
    "masked designs": (lambda: ap.Duels(np.ma.masked_less([[0.1], [0.2]], 0.15), [0], [1]), "points must be numbers"),
    "a list for a latent vector": (lambda: ap.EP(latent=["duel"]), "latent must be one of auto, duel, point"),
    "pairs for rows to exclude": (
        lambda: ap.search.maximise_discrete(BOUND, [[0.1, 0.2], [0.3, 0.4]], exclude=[[0, 1]]),
        "exclude pairs by exclude_pairs",
    ),
    "bounds that fall": (lambda: ap.Duels([[0.1]], [], [], bounds=(1.0, 0.0)), "bounds must be a pair"),
    "a tie where there can be none": (
        lambda: (
            ap.PreferenceGP(likelihood=ap.Probit(0.0))
            .condition(DUELS)
            .posterior_after([0.1, 0.2], [0.3, 0.4], tie=True)
        ),
        "tie_threshold 0 cannot explain ties",
    ),
}


@pytest.mark.parametrize(("mistake", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_gets_an_error_of_ours(mistake, message):
    with pytest.raises(AnchorPBOError, match=message) as caught:
        mistake()
    assert len(str(caught.value)) < 500
    assert str(caught.value).endswith(".")


def test_long_values_are_cut_short():
    with pytest.raises(InputError) as caught:
        ap.PreferenceGP(noise=list(range(5000)))
    assert len(str(caught.value)) < 300


def test_errors_pickle():
    import pickle

    error = ShapeError("points must have shape (n, 2)", (3,), "give one design a row")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "points must have shape (n, 2); received (3,); give one design a row."
    assert type(again) is ShapeError


def test_what_is_printed_is_short():
    for thing in (MODEL, MODEL.posterior, BOUND, DUELS, MODEL.info):
        assert len(repr(thing)) < 600


class RationalQuadratic(Stationary):
    """(1 + r^2 / (2 alpha))^-alpha: a kernel of one's own, with something of its own to keep."""

    def __init__(self, lengthscale=0.3, outputscale=1.0, alpha=2.0):
        super().__init__(lengthscale, outputscale)
        object.__setattr__(self, "alpha", alpha)

    def shape(self, r2):
        base = 1.0 + r2 / (2.0 * self.alpha)
        return base**-self.alpha, -0.5 * base ** (-self.alpha - 1.0)


def test_a_kernel_of_ones_own_keeps_what_it_has():
    kernel = RationalQuadratic([0.3, 0.4], alpha=7.0)
    ap.testing.KernelContract(kernel, 2).check_all()
    model = ap.PreferenceGP(kernel).fit(DUELS)
    assert model.kernel.alpha == 7.0
    assert model.kernel.outputscale != 1.0
    assert kernel == RationalQuadratic([0.3, 0.4], alpha=7.0)
    assert kernel != RationalQuadratic([0.3, 0.4], alpha=6.0)
    assert ap.RBF(0.3) != ap.RBF([0.3])


class LearnsAlpha(RationalQuadratic):
    """The same with alpha among its hyper-parameters."""

    @property
    def parameter_names(self):
        return (*super().parameter_names, "alpha")

    @property
    def log_parameters(self):
        return np.append(super().log_parameters, np.log(self.alpha))

    def with_log_parameters(self, theta):
        new = super().with_log_parameters(theta[:-1])
        object.__setattr__(new, "alpha", float(np.exp(theta[-1])))
        return new

    def parameter_gradient(self, X, A):
        up, down = (self.with_log_parameters(self.log_parameters + np.array([0, 0, h]))(X, X) for h in (1e-5, -1e-5))
        return np.append(super().parameter_gradient(X, A), np.vdot(A, up - down) / 2e-5)


def test_hyper_parameters_of_ones_own_can_be_learnt():
    kernel = LearnsAlpha(0.3, alpha=7.0)
    model = ap.PreferenceGP(kernel, learn={"alpha": ap.Learn((0.5, 20.0), ap.LogNormal(2.0, 0.5))}).fit(DUELS)
    assert model.fit_info.learnt == ("alpha",)
    assert model.kernel.alpha != 7.0
    with pytest.raises(InputError, match=r'such as alpha, needs bounds to be learnt; pass learn={"alpha"'):
        ap.PreferenceGP(kernel, learn=["alpha"])


def test_one_of_several_length_scales_can_be_learnt():
    kernel = ap.RBF(0.3) * ap.RBF(0.8)
    model = ap.PreferenceGP(kernel, learn=["left.lengthscale"]).fit(DUELS)
    assert isinstance(model.fit_info, FitInfo)
    assert model.fit_info.learnt == ("left.lengthscale",)
    assert model.kernel.right.lengthscale == pytest.approx(0.8, rel=1e-12)


def test_the_default_learns_what_a_kernel_has():
    assert ap.PreferenceGP(ap.Tanimoto()).fit(ap.Duels([[0, 1], [1, 1]], [0], [1])).fit_info.learnt == ("outputscale",)


def test_probabilities_of_three_answers_add_up():
    model = ap.PreferenceGP(likelihood=ap.Logistic(0.6), learn=None).condition(DUELS)
    X, Y = RNG.random((2, 5, 2))
    total = model.prob_choose(X, Y) + model.prob_choose(Y, X) + model.prob_tie(X, Y)
    np.testing.assert_allclose(total, 1.0, atol=1e-12)
    np.testing.assert_allclose(MODEL.prob_tie(X, Y), 0.0, atol=1e-12)


def test_incompatible_choices_are_named():
    with pytest.raises(IncompatibleError, match="noise_strength can only be learnt if the model has one"):
        ap.PreferenceGP(noise=0.3, learn=["noise_strength"])
