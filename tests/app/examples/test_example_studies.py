"""The example studies: valid, shown well, and worth asking."""

import json
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from anchorpbo import Optimizer
from anchorpbo.app.examples import EXAMPLES, Example, get_example
from anchorpbo.app.rendering.display import check_display
from anchorpbo.app.rendering.svg import sanitize_svg
from anchorpbo.app.rendering.templates import Template
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.kernels import Tanimoto
from anchorpbo.space import Categorical, space_from_dict

KEYS = ("coffee", "poster", "molecules")
COLUMNS = ("svg", "image", "smiles", "link", "title")
DUELS = 25


@pytest.fixture(params=KEYS)
def study(request):
    return get_example(request.param)


def random_utilities(study: Example, n: int = 300):
    points = study.space.sample(n, np.random.default_rng(11))
    return np.array([study.judge(study.space.decode(x)) for x in points])


def test_the_examples_are_listed_and_made_once():
    assert tuple(EXAMPLES) == KEYS
    assert len(EXAMPLES) == 3
    assert get_example("coffee") is EXAMPLES["coffee"]


@pytest.mark.parametrize("key", ["tea", "", None, 3, ["coffee"]])
def test_an_unknown_example_is_answered_with_those_there_are(key):
    with pytest.raises(UnknownNameError, match="an example must be one of coffee, molecules, poster"):
        get_example(key)


def test_importing_the_examples_reads_no_data():
    program = (
        "import sys, anchorpbo.app.examples as e; list(e.EXAMPLES)\n"
        "print(*(m for m in sys.modules if 'examples.' in m))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["anchorpbo.app.examples.example"]


def test_a_definition_survives_json(study):
    definition = json.loads(json.dumps(study.definition, allow_nan=False))
    assert definition == study.definition
    assert list(definition) == ["name", "description", "example", "space", "anchors", "display", "options"]
    assert definition["example"] == study.key
    assert definition["anchors"] == []
    assert space_from_dict(definition["space"]) == study.space
    assert len(Optimizer(space_from_dict(definition["space"]), definition["anchors"], **definition["options"])) == 0


def test_a_definition_is_a_new_one_each_time(study):
    study.definition["display"]["labels"].clear()
    study.definition["options"]["seed"] = 99
    assert study.definition["display"]["labels"]
    assert study.definition["options"]["seed"] == 0


def test_descriptions_say_what_to_compare_and_what_to_mark(study):
    assert study.description.count(".") + study.description.count("?") in (2, 3)
    assert "Mark as anchors" in study.description


def test_what_is_shown_is_there(study):
    names = set(study.space.names)
    assert set(study.display) <= {"template", *COLUMNS, "labels", "units", "hidden"}
    assert {study.display[key] for key in COLUMNS if key in study.display} <= names
    assert {*study.display["units"], *study.display["labels"], *study.display.get("hidden", ())} <= names
    shown = names - {study.display.get("svg"), study.display.get("title"), *study.display.get("hidden", ())}
    assert set(study.display["labels"]) == shown


def test_the_display_is_what_the_pages_accept(study):
    assert check_display(study.display, study.space) == study.display


def test_suggested_anchors_are_designs_that_differ(study):
    checked = [study.space.check(anchor) for anchor in study.suggested_anchors]
    assert checked == list(study.suggested_anchors)
    points = np.array([study.space.encode(anchor) for anchor in checked])
    assert len(np.unique(points, axis=0)) == len(points) >= 4
    # Known well does not mean good: there is more to find.
    assert max(map(study.judge, checked)) < random_utilities(study).max()


def test_the_noise_is_least_at_the_anchors(study):
    near = max(study.noise(anchor) for anchor in study.suggested_anchors)
    points = study.space.sample(50, np.random.default_rng(0))
    noises = np.array([study.noise(study.space.decode(x)) for x in points])
    assert near < np.quantile(noises, 0.1)
    assert noises.max() < random_utilities(study).std()


def test_an_answer_is_mostly_the_better_one(study):
    rng = np.random.default_rng(0)
    points = study.space.sample(60, rng)
    right = 0
    for x, y in zip(points[::2], points[1::2], strict=True):
        first, second = study.space.decode(x), study.space.decode(y)
        better = "first" if study.judge(first) > study.judge(second) else "second"
        right += study.answer(first, second, rng) == better
    assert right >= 20
    assert study.answer(first, second, rng, tie=1e9) == "tie"


def test_a_study_finds_what_is_clearly_better_than_a_random_design(study):
    reached = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        opt = Optimizer(study.space, study.suggested_anchors, **{**study.options, "seed": seed})
        for _ in range(DUELS):
            duel = opt.ask()
            opt.tell(duel, study.answer(duel.first, duel.second, rng))
        reached.append(study.judge(opt.recommend().design))
    random = random_utilities(study)
    assert min(reached) > np.median(random)
    assert np.mean(reached) > np.quantile(random, 0.85)


# -- coffee -----------------------------------------------------------------------------------------------------------


def test_a_recipe_that_takes_too_long_is_refused():
    coffee = get_example("coffee")
    with pytest.raises(InputError, match="bloom"):
        coffee.judge({**coffee.suggested_anchors[0], "bloom": 60.0, "pours": 5})


# -- poster -----------------------------------------------------------------------------------------------------------


def corners(space):
    """Every pair of ends of the numbers, all low or all high, with every choice of the categories."""
    ends = {}
    for name, parameter in space.parameters.items():
        listed = isinstance(parameter, Categorical)
        ends[name] = parameter.values if listed else (parameter.decode(0.0), parameter.decode(1.0))
    return [dict(zip(ends, values, strict=True)) for values in product(*ends.values())]


def test_the_poster_can_be_drawn_in_every_corner_of_its_space():
    poster = get_example("poster")
    template = Template(poster.display["template"])
    template.check(poster.space.names)
    assert template.names == set(poster.space.names)
    every = corners(poster.space)
    assert len(every) == 2**7 * 12
    for design in every[::7]:
        svg = template.render(poster.space.check(design), "left-")
        assert svg.count('display="inline"') == 1
        assert "Tide</text>" in svg
        assert "url(#left-ground)" in svg


def test_colours_of_a_poster_are_colours():
    poster = get_example("poster")
    template = Template(poster.display["template"])
    for design in corners(poster.space)[::11]:
        for part in template.render(design).split("hsl(")[1:]:
            hue, saturation, lightness = (float(number.strip(" %")) for number in part.split(")")[0].split(","))
            assert 0 <= hue < 360
            assert 0 <= saturation <= 100
            assert 0 <= lightness <= 100


# -- molecules --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def listed():
    from anchorpbo.app.examples.molecules import read_records

    return read_records()


def test_molecules_differ_in_all_that_names_them(listed):
    assert len(listed) >= 60
    for column in ("name", "smiles", "svg", "fingerprint"):
        assert len({row[column] for row in listed}) == len(listed), column


def test_fingerprints_have_2048_bits_and_few_of_them_set(listed):
    for row in listed:
        assert len(row["fingerprint"]) == 2_048
        assert set(row["fingerprint"]) == {"0", "1"}
        assert 3 <= row["fingerprint"].count("1") <= 100


def test_properties_are_those_of_small_molecules(listed):
    for row in listed:
        assert 40 < row["weight"] < 450
        assert -6 < row["logp"] < 8
        assert 0 <= row["tpsa"] < 200
        assert isinstance(row["donors"], int)
        assert isinstance(row["rings"], int)
    caffeine = next(row for row in listed if row["name"] == "Caffeine")
    assert caffeine["formula"] == "C8H10N4O2"
    assert caffeine["weight"] == pytest.approx(194.2)
    assert caffeine["donors"] == 0
    assert caffeine["rings"] == 2


def test_drawings_are_allowed_small_and_take_the_colour_of_the_text(listed):
    for row in listed:
        assert sanitize_svg(row["svg"]) == row["svg"]
        assert "currentColor" in row["svg"]
        assert len(row["svg"]) < 4_000


def test_molecules_are_compared_by_tanimoto():
    molecules = get_example("molecules")
    assert molecules.space.key == "name"
    assert molecules.space.dimension == 2_048
    assert len(molecules.space.candidates) == len(molecules.space)
    assert isinstance(Optimizer(molecules.space).plan.kernel, Tanimoto)
    kernel = Tanimoto()
    pairs = [("Caffeine", "Theobromine"), ("Caffeine", "Cholesterol"), ("Penicillin G", "Amoxicillin")]
    alike = [
        float(kernel(*(molecules.space.encode({"name": name})[None] for name in pair))[0, 0]) / kernel.outputscale
        for pair in pairs
    ]
    assert alike[0] > 0.5 > alike[1]
    assert alike[2] > 0.5


def test_the_list_is_what_rdkit_makes_of_it(listed):
    chem = pytest.importorskip("rdkit.Chem")
    formulas = pytest.importorskip("rdkit.Chem.rdMolDescriptors")
    for row in listed:
        molecule = chem.MolFromSmiles(row["smiles"])
        assert molecule is not None, row["name"]
        assert formulas.CalcMolFormula(molecule) == row["formula"]
