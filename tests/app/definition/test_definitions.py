"""What a study may be made with, and what is refused before anything is kept."""

import copy
import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anchorpbo.app.definition.definition import MAX_SEED, REPEAT_RATE, StudyDefinition
from anchorpbo.app.definition.validation import MAX_NESTING, check_json, raise_input_errors
from anchorpbo.app.service import StudyService
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import AnchorPBOError, InputError, UnknownNameError
from anchorpbo.model import MAP
from anchorpbo.study.plan import PRESET_VERSIONS
from anchorpbo.study.serialization import ADDED_OPTIONS
from support.corruption import spoilt
from support.service_studies import GREEN, QUICK, TREES, study

EXAMPLES = 150 if "ANCHORPBO_SOAK_SECONDS" not in os.environ else 5_000
FULL = {
    "name": "All there is",
    "description": "words",
    "example": None,
    "space": {
        "kind": "space",
        "parameters": [
            {"name": "a", "kind": "real", "low": 0.0, "high": 1.0, "step": 0.25},
            {"name": "b", "kind": "real", "low": 0.1, "high": 10.0, "log": True},
            {"name": "c", "kind": "integer", "low": 1, "high": 5},
            {"name": "d", "kind": "ordinal", "values": ["s", "m", "l"]},
            {"name": "e", "kind": "boolean"},
            {"name": "f", "kind": "constant", "value": 3},
        ],
        "constraints": [{"coefficients": {"a": 1.0, "c": 1.0}, "upper": 5.0}],
    },
    "anchors": [{"a": 0.5, "b": 1.0, "c": 2, "d": "m", "e": True, "f": 3}],
    "display": {"labels": {"a": "A"}, "units": {"b": "g"}, "hidden": ["f"]},
    "options": {"strategy": "eubo", "preset": "default", "seed": 1, "initial": 3, "refit_every": 2, "risk_weight": 0.5},
}


def _nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


def test_what_was_asked_for_is_what_there_is():
    studies, id = study(FULL)
    view = studies.show(id)
    assert (view.name, view.description, view.display) == (FULL["name"], "words", FULL["display"])
    assert view.options["seed"] == 1
    assert studies.anchors.list_designs(id) == FULL["anchors"]
    assert [one["name"] for one in view.space["parameters"]] == ["a", "b", "c", "d", "e", "f"]


@settings(deadline=None, derandomize=EXAMPLES < 1000, database=None, suppress_health_check=list(HealthCheck),
          max_examples=EXAMPLES)  # fmt: skip
@given(st.data(), st.sampled_from([QUICK, TREES, FULL]))
def test_a_spoilt_request_makes_a_study_that_works_or_none(data, request_):
    request_ = copy.deepcopy(request_)
    for _ in range(data.draw(st.integers(1, 2))):
        spoilt(request_, data.draw)
    studies = StudyService(MemoryStorage())
    try:
        id = studies.create(request_).id
    except AnchorPBOError:
        assert studies.list_studies() == []
        return
    json.dumps(vars(studies.show(id)), allow_nan=False).encode()
    studies.duels.answer(id, studies.duels.ask(id).id, "first")


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"more": 1}, UnknownNameError, "a key of a study"),
        ({"options": {"sed": 1}}, UnknownNameError, "an option"),
        ({"options": {"seed": -1}}, InputError, "seed must be"),
        ({"options": {"seed": MAX_SEED + 1}}, InputError, "seed must be"),
        ({"options": {"seed": 1.5}}, InputError, "seed must be"),
        ({"options": {"seed": True}}, InputError, "names and numbers"),
        ({"options": {"strategy": ["ei"]}}, InputError, "names and numbers"),
        ({"options": {"strategy": "best"}}, UnknownNameError, "strategy"),
        ({"options": {"risk_weight": float("nan")}}, InputError, "finite"),
        ({"options": {"initial": 10**400}}, InputError, "finite"),
        ({"options": {"repeat_rate": 1.5}}, InputError, "repeat_rate must be a number from 0 to 1"),
        ({"options": {"repeat_rate": "often"}}, InputError, "repeat_rate must be a number from 0 to 1"),
        ({"options": []}, None, None),
        ({"options": [1]}, InputError, "options must be an object"),
        ({"name": " "}, InputError, "name must be"),
        ({"name": "a" * 201}, InputError, "name must be"),
        ({"name": "a\0"}, InputError, "NUL"),
        ({"name": "\ud800"}, InputError, "surrogate"),
        ({"name": None}, InputError, "name must be"),
        ({"description": "a" * 5001}, InputError, "description"),
        ({"space": None}, InputError, "space must be an object"),
        ({"space": {"kind": "space", "parameters": []}}, InputError, ""),
        ({"space": {"kind": "space", "parameters": _nested(10)}}, InputError, ""),
        ({"space": {**TREES["space"], "columns": [*TREES["space"]["columns"], {"name": None, "values": [1] * 6}]}},
         InputError, "must have names"),
        ({"space": {**TREES["space"], "columns": [*TREES["space"]["columns"], {"name": 7, "values": [1] * 6}]}},
         InputError, "must have names"),
        ({"anchors": [GREEN] * 501}, InputError, "at most 500"),
        ({"anchors": GREEN}, InputError, "list"),
        ({"display": {"colour": "red"}}, UnknownNameError, "a key of display"),
        ({"display": {"image": "leaf"}}, InputError, "needs a catalogue"),
        ({"display": {"labels": {"x": "X"}}}, UnknownNameError, "display.labels"),
        ({"display": {"labels": {"leaf": "a" * 201}}}, InputError, "short texts"),
        ({"display": {"hidden": "leaf"}}, InputError, "a list of columns"),
        ({"display": {"hidden": [["leaf"]]}}, UnknownNameError, "display.hidden"),
        ({"description": _nested(MAX_NESTING + 1)}, InputError, "deep"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_request_is_named(change, error, match):
    studies = StudyService(MemoryStorage())
    if error is None:
        assert studies.create({**QUICK, **change}).id
        return
    with pytest.raises(error, match=match or None):
        studies.create({**QUICK, **change})
    assert studies.list_studies() == []


def test_numbers_that_are_too_large_to_calculate_with_are_refused():
    spoilt_space = copy.deepcopy(FULL)
    spoilt_space["space"]["constraints"][0]["coefficients"]["a"] = 1e308
    with pytest.raises(InputError, match="space must have the documented form"):
        StudyService(MemoryStorage()).create(spoilt_space)


def test_the_largest_seed_serves_everyone():
    studies, id = study(options={**QUICK["options"], "seed": MAX_SEED})
    for name in ("owner", "Ana", "Grüße 世界"):
        studies.participants.invite(id, name)
        assert studies.duels.ask(id, name).id
    assert studies.import_study(json.loads(json.dumps(studies.export(id)))).options["seed"] == MAX_SEED


def test_participants_have_seeds_of_their_own():
    studies, id = study()
    definition = studies.definition(id)
    seeds = {definition.make_optimizer(name)._settings.seed for name in ("owner", "Ana", "Ben")}
    assert len(seeds) == 3
    assert definition.make_optimizer("owner")._settings.seed == 3


@pytest.mark.parametrize("value", [
    float("nan"), float("inf"), 2**1023, -(2**1023), "\0", "a\udfff", {1: 2}, {"\ud800": 1}, object(), b"x", {1, 2},
    _nested(MAX_NESTING), _nested(100_000),
])  # fmt: skip
def test_what_json_cannot_carry_or_nobody_can_keep_is_refused(value):
    with pytest.raises(InputError, match="a thing must"):
        check_json("a thing", value)


@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, 2**64, "", "世界 🎻", [], {}, {"a": [1, {"b": None}]}, _nested(30)]
)
def test_plain_data_passes(value):
    check_json("a thing", value)


def test_only_what_data_can_cause_is_refused():
    with pytest.raises(InputError, match="must have the documented form"), raise_input_errors("a thing"):
        raise OverflowError("too large")
    with pytest.raises(UnknownNameError), raise_input_errors("a thing"):
        raise UnknownNameError.of("a", "b", ("c",))
    with pytest.raises(AssertionError), raise_input_errors("a thing"):
        raise AssertionError


def test_a_definition_of_a_release_without_preset_versions_has_the_first_one():
    now = StudyDefinition.from_request(FULL)
    assert now.make_optimizer(OWNER).plan.version == PRESET_VERSIONS["default"]
    layout = now.to_dict()
    older = {name: value for name, value in layout["engine"].items() if name not in ADDED_OPTIONS}
    before = StudyDefinition.from_dict(layout | {"engine": older}, trusted=True).make_optimizer(OWNER)
    assert (before.plan.version, before.plan.start, before.plan.recommends) == (1, "spread", "seen")
    assert before.plan.integration == MAP()
    assert (before.plan.repeat_rate, now.make_optimizer(OWNER).plan.repeat_rate) == (0.0, REPEAT_RATE)
