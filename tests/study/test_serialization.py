"""A study as JSON: the layout, older and newer versions, and texts that are no study."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from studies import SPACES, liking, play, small, unit

from anchorpbo import RBF, Learn, Logistic, LogNormal, Matern52, Optimizer, Probit, Real, Space, Tanimoto
from anchorpbo.acquisition import ACQUISITIONS, RAHBO, DesignAcquisition, Partials
from anchorpbo.errors import InputError
from anchorpbo.inference import EP, INFERENCES, Hallucination
from anchorpbo.likelihoods import LIKELIHOODS
from anchorpbo.study import BoundedNoise, ConstantNoise, PaperNoise, serialization


def played(**options):
    """A study with an event of every kind."""
    opt = small(anchors=[{"x0": 0.25}], **options)
    play(opt, 3)
    opt.tell(opt.ask(), "tie")
    opt.tell(opt.ask(), "skip")
    opt.tell_preference({"x0": 0.75}, {"x0": 0.5})
    opt.tell_preference({"x0": 0.1}, {"x0": 0.2}, tie=True)
    opt.add_anchor({"x0": 0.5})
    opt.remove_anchor({"x0": 0.25})
    return opt


@pytest.fixture(scope="module")
def text():
    return played().to_json()


def changed(text, change):
    layout = json.loads(text)
    change(layout)
    return json.dumps(layout)


# -- the layout -------------------------------------------------------------------------------------------------------


def test_the_layout_is_the_documented_one(text):
    layout = json.loads(text)
    assert list(layout) == ["format", "version", "study", "events", "learnt"]
    assert (layout["format"], layout["version"]) == ("anchorpbo-study", serialization.VERSION)
    assert {"space", "anchors", "strategy", "preset", "seed"} <= set(layout["study"])
    assert layout["study"]["anchors"] == [{"x0": 0.25}]
    # What the preset and the names stood for, so that another release does not read them differently.
    assert layout["study"]["strategy"] == {"class": "EI", "log": False}
    assert layout["study"]["kernel"]["class"] == "RBF"
    assert None not in [layout["study"][name] for name in ("likelihood", "inference", "noise", "learn", "initial")]
    assert layout["study"]["space"] == unit().to_dict()
    kinds = ["answered"] * 5 + ["preferred"] * 2 + ["anchor_added", "anchor_removed"]
    assert [event["type"] for event in layout["events"]] == kinds
    assert [event["outcome"] for event in layout["events"][3:5]] == ["tie", "skip"]
    assert layout["events"] == Optimizer.from_json(text).history
    assert layout["learnt"]["tie_threshold"] > 0
    model = Optimizer.from_json(text).model
    scales = dict(zip(model.kernel.parameter_names, model.kernel.log_parameters, strict=True))
    assert layout["learnt"]["log_parameters"] == pytest.approx(scales)


def test_a_study_without_answers_has_learnt_nothing():
    layout = json.loads(small().to_json())
    assert layout["events"] == []
    assert layout["learnt"] is None


def test_the_text_is_plain_json(text):
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_names_of_any_script_stay_readable():
    opt = Optimizer(SPACES["numeric catalogue"].from_records([{"名": "茶", "v": 1.0}, {"名": "café", "v": 2.0}], ["v"]))
    assert "茶" in opt.to_json()
    assert Optimizer.from_json(opt.to_json()).to_json() == opt.to_json()


@pytest.mark.parametrize("name", SPACES)
def test_every_space_survives_the_round_trip(name):
    space = SPACES[name]
    opt = Optimizer(space, [space.decode(space.sample(1, np.random.default_rng(0))[0])], "ei", initial=2, learn={})
    play(opt, 3)
    again = Optimizer.from_json(opt.to_json())
    assert again.to_json() == opt.to_json()
    assert again.space == space
    assert again.ask() == opt.ask()
    assert again.recommend() == opt.recommend()


def test_a_study_read_from_text_goes_on_like_the_original(text):
    again, more = Optimizer.from_json(text), played()
    for outcome in ("first", "tie", "second"):
        duel = again.ask()
        assert duel == more.ask()
        again.tell(duel, outcome)
        more.tell(duel, outcome)
    for _ in range(6):
        again.undo()
        more.undo()
    assert again.to_json() == more.to_json()
    assert again.ask() == more.ask()


def test_a_duel_asked_before_saving_can_be_answered_after(text):
    duels = played().ask(2)
    again = Optimizer.from_json(text)
    again.tell(duels[1], "second")
    again.tell(duels[0], "first")
    assert again.history[-1]["duel"] == duels[0].id


OBJECTS = {
    "kernel": Matern52([0.31, 7.3], outputscale=6.7),
    "product": RBF(5.1).on([0]) * Matern52(0.3, outputscale=11.9).on([1]),
    "sum": RBF(0.2, categorical=[1]) + Matern52(0.7),
}


@pytest.mark.parametrize("kernel", OBJECTS.values(), ids=OBJECTS)
@pytest.mark.parametrize("learn", [{}, {"lengthscale": None}], ids=["nothing learnt", "length-scale learnt"])
def test_scales_are_kept_to_the_last_bit(kernel, learn):
    """Logarithms of numbers that are not powers of two do not always lead back to them."""
    opt = Optimizer(unit(2), strategy="eubo", initial=2, kernel=kernel, learn=learn)
    play(opt, 3)
    again = Optimizer.from_json(opt.to_json())
    assert again.model.kernel == opt.model.kernel
    assert again.to_json() == opt.to_json()
    assert again.ask() == opt.ask()
    assert again.recommend() == opt.recommend()


def test_learnt_scales_whose_logarithms_do_not_lead_back_are_kept_to_the_last_bit():
    """exp(log(x)) is not x here, nor is it after a few rounds."""
    space, anchors = Space(p0=Real(0, 6e-6, step=1e-6)), [{"p0": 3e-6}]
    options = {"likelihood": "logistic", "inference": "ep", "initial": 1, "refit_every": 1}
    opt = Optimizer(space, anchors, "raeubo", seed=573, **options)
    for outcome in ("second", "first"):
        opt.tell(opt.ask(), outcome)
    again = Optimizer.from_json(opt.to_json())
    assert again.to_json() == opt.to_json()
    assert again.model.kernel == opt.model.kernel
    assert again.ask() == opt.ask()
    assert again.recommend() == opt.recommend()


@pytest.mark.parametrize("scale", [1e-40, 1e40])
def test_scales_far_from_one_are_read_again(scale):
    opt = small(kernel=RBF(0.3, scale), learn={}, noise=ConstantNoise(scale))
    play(opt, 3)
    again = Optimizer.from_json(opt.to_json())
    assert again.to_json() == opt.to_json()
    assert again.model.noise.scale == scale


def test_numbers_of_numpy_count_with_the_digits_that_are_saved():
    """A float32 would be fitted by in less than the digits that JSON gives back."""
    prior = LogNormal(np.float32(0.7), np.float32(0.3))
    opt = small(learn={"lengthscale": Learn((0.05, 5.0), prior)}, refit_every=np.int64(1), risk_weight=np.float32(0.1))
    play(opt, 4)
    again = Optimizer.from_json(opt.to_json())
    for study in (opt, again):
        play(study, 1)
    assert again.to_json() == opt.to_json()
    assert again.ask() == opt.ask()
    assert again.recommend() == opt.recommend()


def test_a_prior_of_whole_numbers_is_a_prior():
    opt = small(learn={"lengthscale": Learn((0.05, 5.0), LogNormal(1, 1))})
    play(opt, 3)
    again = Optimizer.from_json(opt.to_json())
    assert again.to_json() == opt.to_json()
    assert again.ask() == opt.ask()


def test_what_the_last_release_saved_is_read_and_stays_as_it_is():
    """Its learnt logarithms, which it would itself have changed in the last place when it saved them again."""
    text = (Path(__file__).parent / "saved_by_0_1_0.json").read_text()
    opt = Optimizer.from_json(text)
    assert opt.to_json() + "\n" == text
    assert len(opt) == 2
    opt.tell(opt.ask(), "first")
    opt.undo()
    assert opt.to_json() + "\n" == text


def test_objects_of_the_library_come_back_as_they_were():
    opt = Optimizer(
        unit(2),
        [{"x0": 0.5, "x1": 0.5}],
        RAHBO(exploration=1.5, risk_aversion=0.5),
        kernel=RBF([0.3, 0.7], outputscale=2.5),
        likelihood=Logistic(form="difference", tie_threshold=0.2),
        inference=EP(),
        noise=BoundedNoise(scale=0.5, strength=2.0, bandwidth=0.3),
        learn={"lengthscale": Learn((0.1, 3.0), LogNormal(0.4, 0.5)), "outputscale": None},
        initial=2,
        refit_every=3,
        risk_weight=0.25,
    )
    play(opt, 3)
    again = Optimizer.from_json(opt.to_json())
    assert again.plan == opt.plan
    assert again.to_json() == opt.to_json()
    assert again.ask() == opt.ask()


def test_other_objects_of_the_library_come_back_too():
    space = SPACES["fingerprints"]
    opt = Optimizer(space, [space[0]], kernel=Tanimoto(2.0), inference=Hallucination(sweeps=20), noise=PaperNoise(2.0))
    again = Optimizer.from_json(opt.to_json())
    assert again.plan == opt.plan
    assert again.plan.noise == PaperNoise(2.0)
    assert again.plan.inference == Hallucination(sweeps=20)


# -- objects of one's own ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mean(DesignAcquisition):
    weight: float = 1.0

    def partials(self, mean, std, noise, incumbent):
        zero = np.zeros_like(mean)
        return Partials(self.weight * mean, np.full_like(mean, self.weight), zero, zero)


class Kinked(Matern52):
    """A kernel of the test's own."""


@pytest.mark.parametrize(("name", "value"), [("strategy", Mean()), ("kernel", Kinked(0.4))])
def test_an_object_of_your_own_must_be_given_again(name, value):
    opt = small(**{name: value})
    play(opt, 3)
    text = opt.to_json()
    assert type(value).__name__ in json.dumps(json.loads(text)["study"][name])
    message = f"a study with a {name} of your own needs it again.*{type(value).__name__}.*from_json\\(text, {name}="
    with pytest.raises(InputError, match=message):
        Optimizer.from_json(text)
    again = Optimizer.from_json(text, **{name: value})
    assert again.to_json() == text
    assert again.ask() == opt.ask()


def test_a_kernel_of_your_own_inside_another_must_be_given_again():
    kernel = RBF(0.3) + Kinked(0.5)
    opt = small(kernel=kernel)
    play(opt, 3)
    with pytest.raises(InputError, match=r"a study with a kernel of your own needs it again.*Kinked"):
        Optimizer.from_json(opt.to_json())
    assert Optimizer.from_json(opt.to_json(), kernel=kernel).ask() == opt.ask()


def test_an_object_that_nobody_asked_for_is_refused(text):
    with pytest.raises((InputError, TypeError), match="kernal"):
        Optimizer.from_json(text, kernal=RBF(0.3))


# -- versions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [serialization.VERSION + 1, 0, -1, None, "1", 1.0, True])
def test_other_versions_are_refused(text, version):
    with pytest.raises(
        InputError, match=f"a study must be of a version up to {serialization.VERSION}.*received {version!r}"
    ):
        Optimizer.from_json(changed(text, lambda layout: layout.update(version=version)))


def test_an_older_version_is_brought_up_to_date_step_by_step(text, monkeypatch):
    """As if the layout had called events a log in version -1 and anchors known in version 0."""

    def renamed_log(layout):
        return {"events": layout["log"], **{key: value for key, value in layout.items() if key != "log"}}

    def renamed_anchors(layout):
        study = dict(layout["study"])
        return {**layout, "study": {"anchors": study.pop("known"), **study}}

    monkeypatch.setattr(serialization, "MIGRATIONS", {-1: renamed_log, 0: renamed_anchors, **serialization.MIGRATIONS})

    def age(layout):
        layout["version"] = -1
        layout["log"] = layout.pop("events")
        layout["study"]["known"] = layout["study"].pop("anchors")

    old = changed(text, age)
    assert Optimizer.from_json(old).to_json() == text
    with pytest.raises(InputError, match=r"received -2; .*restore a copy"):
        Optimizer.from_json(changed(old, lambda layout: layout.update(version=-2)))


# -- no study ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rubbish", ["", "study", "{", "[1, 2", None, 5, b"\xff\xfe", "[" * 100_000])
def test_what_is_not_json_is_refused(rubbish):
    with pytest.raises(
        InputError, match=r"a study must be JSON; received .*(anchorpbo saved or exported|restore a copy of it)"
    ):
        Optimizer.from_json(rubbish)


def test_a_text_cut_short_is_refused_wherever_it_is_cut(text):
    for end in range(0, len(text) - 1, max(len(text) // 40, 1)):
        with pytest.raises(InputError, match="a study must be JSON"):
            Optimizer.from_json(text[:end])


@pytest.mark.parametrize("other", ["[]", "5", "null", '"text"', "{}", '{"format": "optuna"}', '{"version": 1}'])
def test_json_of_something_else_is_refused(other):
    with pytest.raises(InputError, match='a study must be an object with "format": "anchorpbo-study"'):
        Optimizer.from_json(other)


@pytest.mark.parametrize("key", ["study", "events"])
@pytest.mark.parametrize("value", [None, 5, "text"])
def test_a_part_of_the_wrong_kind_is_refused(text, key, value):
    message = f'a study must have "{key}"; received {value!r}'
    with pytest.raises(InputError, match=message):
        Optimizer.from_json(changed(text, lambda layout: layout.update({key: value})))


@pytest.mark.parametrize("key", ["study", "events"])
def test_a_missing_part_is_named(text, key):
    with pytest.raises(InputError, match=f'a study must have "{key}"; received None'):
        Optimizer.from_json(changed(text, lambda layout: layout.pop(key)))


@pytest.mark.parametrize("key", ["space", "anchors", "seed"])
def test_a_missing_setting_is_named(text, key):
    with pytest.raises(InputError, match=f"a space, anchors, a seed and options; received .*{key}"):
        Optimizer.from_json(changed(text, lambda layout: layout["study"].pop(key)))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("space", 5, "a space must be an object; received 5"),
        ("space", {"kind": "cube"}, "kind of a space must be one of catalogue, space; received 'cube'"),
        ("anchors", 5, "anchors"),
        ("anchors", [{"x0": 7.0}], r"x0 must .*received 7\.0"),
        ("seed", "lucky", "seed must be a whole number of at least 0; received 'lucky'"),
        ("strategy", "luck", "must be one of .*; received 'luck'"),
        ("strategy", {"class": "Luck"}, "strategy must be of a class this version knows; received .*Luck"),
        ("strategy", {"class": "EI", "luck": 1}, "strategy must have the arguments of EI.*luck"),
        ("kernel", {"class": "RBF", "lengthscale": -1.0}, "lengthscale"),
        ("kernel", {"class": "EI"}, r"kernel must be a Kernel; received EI"),
        ("learn", {"names": 5}, "options|learn"),
        ("initial", -1, "initial must be a whole number of at least 0; received -1"),
        ("luck", 5, "luck"),
    ],
)
def test_a_wrong_setting_is_refused_in_words(text, key, value, message):
    with pytest.raises(InputError, match=message):
        Optimizer.from_json(changed(text, lambda layout: layout["study"].update({key: value})))


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (0, {"first": {"x0": 0.123}}, "only a duel of this study can be answered; received .*never asked here"),
        (0, {"second": {"x0": 7.0}}, r"x0 must .*received 7\.0"),
        (0, {"first": {"x1": 0.5}}, "'x1'"),
        (0, {"first": None}, "a design must have the values of its parameters by name; received None"),
        (0, {"duel": "0-000000000000"}, "never asked here"),
        (0, {"duel": None}, "an answer must name its duel"),
        (0, {"duel": "9" * 5000}, "only a duel of this study can be answered"),
        (0, {"outcome": "draw"}, "outcome must be one of first, second, tie, skip; received 'draw'"),
        (0, {"outcome": None}, "outcome must be one of first, second, tie, skip; received None"),
        (0, {"gain": "much"}, "gain must be a (finite )?number.*'much'"),
        (3, {"gain": float("nan")}, "gain|never asked"),
        (3, {"gain": float("inf")}, "gain|never asked"),
        (5, {"winner": {"x0": 0.5}}, "the two designs of a comparison must differ"),
        (5, {"tie": "no"}, "tie must be true or false; received 'no'"),
        (7, {"design": {"x0": 0.25}}, "a design can be an anchor once"),
        (8, {"design": {"x0": 0.3}}, "only an anchor can be removed"),
        (2, {"type": "guessed"}, "type must be one of .*answered.*; received 'guessed'"),
        (2, {"type": None}, "an event must be an object with a type"),
    ],
)
def test_an_event_that_was_tampered_with_is_named_by_its_number(text, number, change, message):
    with pytest.raises(InputError, match=f"(?s)event {number} .*{message}"):
        Optimizer.from_json(changed(text, lambda layout: layout["events"][number].update(change)))


@pytest.mark.parametrize(("number", "key"), [(0, "first"), (0, "outcome"), (0, "duel"), (5, "loser"), (7, "design")])
def test_an_event_with_something_missing_is_named_by_its_number(text, number, key):
    with pytest.raises(InputError, match=f"event {number} .*must have '{key}'"):
        Optimizer.from_json(changed(text, lambda layout: layout["events"][number].pop(key)))


@pytest.mark.parametrize("event", [None, 5, "answered", [], {}])
def test_an_event_that_is_none_is_named_by_its_number(text, event):
    with pytest.raises(InputError, match=r"event 9 .*an event must be an object with a type"):
        Optimizer.from_json(changed(text, lambda layout: layout["events"].append(event)))


def test_an_answer_given_twice_is_refused(text):
    with pytest.raises(InputError, match=r"event 9 .*a duel can be answered once"):
        Optimizer.from_json(changed(text, lambda layout: layout["events"].append(layout["events"][0])))


@pytest.mark.parametrize("learnt", [{}, 5, [], "text"], ids=repr)
def test_something_else_in_place_of_the_hyper_parameters_is_refused(text, learnt):
    with pytest.raises(InputError, match=r"learnt|log_parameters"):
        Optimizer.from_json(changed(text, lambda layout: layout.update(learnt=learnt)))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("log_parameters", None), ("log_parameters", 5.0), ("log_parameters", []), ("log_parameters", {}),
        ("log_parameters", {"lengthscale[0]": 0.0}), ("log_parameters", {"lengthscale[0]": 0.0, "outputscale": "a"}),
        ("log_parameters", {"lengthscale[0]": 0.0, "outputscale": None}),
        ("log_parameters", {"lengthscale[0]": 0.0, "outputscale": 1e9}),
        ("log_parameters", {"lengthscale[0]": float("nan"), "outputscale": 0.0}),
        ("log_parameters", {"lengthscale[0]": 0.0, "outputscale": 0.0, "luck": 0.0}),
        ("tie_threshold", "wide"), ("tie_threshold", -1.0), ("tie_threshold", float("inf")), ("tie_threshold", []),
        ("noise", None), ("noise", 5), ("noise", {"scale": "a"}), ("noise", {"scale": -1.0}), ("noise", {"luck": 1.0}),
    ],
)  # fmt: skip
def test_rubbish_among_the_hyper_parameters_is_refused_in_words(text, key, value):
    with pytest.raises(InputError, match=r"; received"):
        Optimizer.from_json(changed(text, lambda layout: layout["learnt"].update({key: value})))


@pytest.mark.parametrize("key", ["log_parameters", "tie_threshold", "noise"])
def test_a_missing_hyper_parameter_is_named(text, key):
    with pytest.raises(InputError, match=key):
        Optimizer.from_json(changed(text, lambda layout: layout["learnt"].pop(key)))


def test_hyper_parameters_that_are_absent_are_learnt_again(text):
    again = Optimizer.from_json(changed(text, lambda layout: layout.update(learnt=None)))
    assert again.to_json() == text
    assert again.ask() == played().ask()


def test_the_order_of_names_does_not_matter(text):
    """Not everything that stores JSON keeps it."""
    again = Optimizer.from_json(json.dumps(json.loads(text), sort_keys=True))
    assert again.to_json() == text
    assert again.ask() == played().ask()


def test_the_order_of_names_does_not_matter_where_the_alphabet_has_another():
    opt = Optimizer(unit(11), strategy="eubo", initial=4, kernel=RBF(np.linspace(1.0, 2.0, 11)))
    play(opt, 2)
    again = Optimizer.from_json(json.dumps(json.loads(opt.to_json()), sort_keys=True))
    assert again.model.kernel == opt.model.kernel
    assert again.to_json() == opt.to_json()


@pytest.mark.parametrize("threshold", [0.0, 0.3])
def test_a_tie_threshold_that_was_given_is_kept(threshold):
    opt = small(likelihood=Probit(tie_threshold=threshold))
    play(opt, 3)
    again = Optimizer.from_json(opt.to_json())
    assert again.to_json() == opt.to_json()
    assert again.model.likelihood == opt.model.likelihood
    assert again.ask() == opt.ask()


# -- elsewhere --------------------------------------------------------------------------------------------------------

_READER = """
import sys
from anchorpbo import Optimizer
for line in sys.stdin.read().split("\\0"):
    opt = Optimizer.from_json(line)
    best = opt.recommend()
    print(opt.ask(), best.design, best.utility, best.interval, best.p_best, sep="|")
"""


@pytest.mark.slow
def test_another_process_asks_the_same_duels_bit_for_bit():
    studies = [
        Optimizer(SPACES["mixed"], strategy="eubo", inference="laplace", initial=3, seed=4),
        Optimizer(unit(2), strategy="ei", inference="hallucination", initial=3, seed=5),
        Optimizer(SPACES["below a line"], strategy="rahbo", inference="ep", initial=3, seed=6),
    ]
    for opt in studies:
        opt.add_anchor(opt.space.decode(opt.space.sample(1, np.random.default_rng(1))[0]))
        play(opt, 5, liking(opt.space, seed=2))
    texts = "\0".join(opt.to_json() for opt in studies)
    command = [sys.executable, "-c", _READER]
    done = subprocess.run(command, input=texts, capture_output=True, text=True, env={**os.environ}, check=True)
    here = []
    for opt in studies:
        best = opt.recommend()
        here.append(f"{opt.ask()}|{best.design}|{best.utility}|{best.interval}|{best.p_best}")
    assert done.stdout.splitlines() == here


def test_an_inference_is_saved_under_the_keys_of_earlier_versions():
    opt = Optimizer(unit(), inference=EP(max_passes=7, latent="point"))
    saved = json.loads(opt.to_json())["study"]["inference"]
    assert saved == {"class": "EP", "tolerance": 1e-7, "most_passes": 7, "space": "point"}
    assert Optimizer.from_json(opt.to_json()).to_json() == opt.to_json()


def test_every_registered_part_is_saved_by_its_name():
    for registry in (ACQUISITIONS, INFERENCES, LIKELIHOODS):
        for part in registry.values():
            assert serialization.object_to_json(part())["class"] == part.__name__
