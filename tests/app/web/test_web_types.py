"""The types of the pages' scripts are those of the REST interface and of the templates."""

import json
import re
import runpy
from pathlib import Path

import pytest

from anchorpbo.app.definition.definition import OPTIONS
from anchorpbo.app.rendering.display import DISPLAY_KEYS
from anchorpbo.app.storage.journal import ENTRY_TYPES

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts" / "make_web_types.py"
PAGES = ROOT / "src" / "anchorpbo" / "app" / "web"


@pytest.fixture(scope="module")
def generator():
    return runpy.run_path(str(SCRIPT))


@pytest.mark.skipif(not (ROOT / "node_modules").exists(), reason="the generator is not installed: run make lint")
def test_the_types_of_requests_and_replies_are_those_of_openapi(generator):
    assert generator["REST"].read_text("utf-8") == generator["make_rest_types"](), "run make types"


def test_the_types_of_elements_are_those_of_the_templates(generator):
    assert generator["ELEMENTS"].read_text("utf-8") == generator["make_element_types"](), "run make types"


def test_every_template_has_its_elements_listed(generator):
    listed = generator["ELEMENTS"].read_text("utf-8")
    for template in (PAGES / "templates").glob("*.html"):
        assert f"\n  {template.stem}: {{" in listed
    assert '"toast": HTMLElementTagNameMap["div"];' in listed


def test_the_lock_file_names_no_registry():
    lock = json.loads((ROOT / "package-lock.json").read_text("utf-8"))
    assert not any("resolved" in package for package in lock["packages"].values())
    assert all("integrity" in package for name, package in lock["packages"].items() if name)


def test_versions_of_the_tools_are_exact():
    tools = json.loads((ROOT / "package.json").read_text("utf-8"))["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in tools.values()), tools


def test_no_script_repeats_a_limit_of_the_server():
    repeated = re.compile(r"32_000_000|10_000_000|200_000_000|240_000_000|604_800_000|maxlength: \"|slice\(0, 200\)")
    for script in (PAGES / "static").glob("*.js"):
        assert not repeated.findall(script.read_text("utf-8")), script.name


def test_replies_are_described_by_their_properties(generator):
    schemas = generator["make_app"](generator["MemoryStorage"]()).openapi()["components"]["schemas"]
    view = schemas["StudyView"]["properties"]
    named = {name: view[name]["$ref"].rsplit("/", 1)[-1] for name in ("space", "display", "options")}
    assert named == {"space": "Space", "display": "DisplayLayout", "options": "OptionsLayout"}
    assert schemas["DuelView"]["properties"]["first"]["$ref"].endswith("/Design")
    assert set(schemas["DisplayLayout"]["properties"]) == {*DISPLAY_KEYS} - {"pictures"}
    assert set(schemas["OptionsLayout"]["properties"]) == set(OPTIONS)
    kinds = {kind for one in _options(schemas, "Event") for kind in _kinds(one["properties"]["type"])}
    assert kinds == set(ENTRY_TYPES)
    assert "x-layout" not in json.dumps(schemas)


def _options(schemas, name):
    return [schemas[one["$ref"].rsplit("/", 1)[-1]] for one in schemas[name]["anyOf"]]


def _kinds(schema):
    return schema.get("enum") or [schema["const"]]
