"""Private attributes of other libraries: those in the source are listed, and those that are listed exist."""

import ast
import importlib
import re
from functools import reduce
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "anchorpbo"
RECORD = ROOT / "docs" / "decisions" / "0034-private-attributes.md"


def listed() -> list[tuple[str, str, list[str], list[str]]]:
    """Library, attribute, files and versions of each row of the table."""
    rows = [line.split("|")[1:-1] for line in RECORD.read_text(encoding="utf-8").splitlines() if "`" in line]
    return [
        (library.strip(), attribute.strip(" `"), re.findall(r"`([^`]+)`", files), tried.replace(",", " ").split())
        for library, attribute, files, _, tried in (row for row in rows if len(row) == 5)
    ]


def installed(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        pytest.skip(f"{library} is not installed")


def example(name: str) -> object:
    """The object, or the module, that the path of an attribute begins with."""
    if name == "dispatcher":
        from anchorpbo.numerics.variates import draw_above

        return draw_above
    if name == "module":
        import torch

        return torch.nn.Module()
    if name == "preferential_sampler":
        from optuna_dashboard.preferential.samplers.gp import PreferentialGPSampler

        return PreferentialGPSampler()
    if name in ("study", "trial", "preferential_study"):
        import optuna
        from optuna_dashboard.preferential import create_study

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study = optuna.create_study()
        study.ask()
        return {"study": study, "trial": study.trials[0]}.get(name) or create_study(n_generate=2)
    return importlib.import_module(name)


def resolve(attribute: str) -> object:
    first, *others = attribute.split(".")

    def step(value: object, name: str) -> object:
        if isinstance(value, ModuleType) and not hasattr(value, name):
            return importlib.import_module(f"{value.__name__}.{name}")
        return getattr(value, name)

    return reduce(step, others, example(first))


@pytest.mark.parametrize(("library", "attribute"), [row[:2] for row in listed()], ids=lambda value: value)
def test_a_listed_attribute_exists(library: str, attribute: str) -> None:
    release = installed(library)
    try:
        resolve(attribute)
    except (AttributeError, ImportError) as error:
        tried = next(row[3] for row in listed() if row[1] == attribute)
        pytest.fail(f"{library} {release} has no {attribute} (tried on {', '.join(tried)}): {error}")


@pytest.mark.parametrize("library", sorted({row[0] for row in listed()}))
def test_the_pinned_version_was_tried(library: str) -> None:
    pins = dict(re.findall(r"^([\w-]+)==(\S+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M))
    for name, attribute, _, tried in listed():
        if name == library:
            assert pins[library] in tried, f"{attribute} was not tried on {library} {pins[library]} of constraints.txt"


def used(source: str) -> set[str]:
    """Names that code takes from inside other libraries: private attributes, and parts of private modules."""
    tree, names = ast.parse(source), set()
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    own |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_own(node.value)}
    in_texts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in in_texts:
            continue
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and node.attr not in own:
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"_[a-z]\w+", node.value):
            names |= {node.value} - own
        elif isinstance(node, ast.ImportFrom) and re.search(r"(^|\.)_(?!_)|^numba\.core", node.module or ""):
            names |= {alias.name for alias in node.names}
    return {name for name in names if not name.startswith("__")}


def _is_own(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def files_with_private_attributes() -> dict[str, set[str]]:
    libraries = r"^\s*(?:from|import) (?:numba|optuna|torch|botorch|gpytorch)"
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if re.search(libraries, source, re.M):
            found[file.relative_to(PACKAGE).as_posix()] = used(source)
    return {name: names for name, names in found.items() if names}


def test_the_source_uses_none_that_is_not_listed() -> None:
    parts: dict[str, set[str]] = {file: set() for _, _, files, _ in listed() for file in files}
    for _, attribute, files, _ in listed():
        for file in files:
            parts[file] |= set(attribute.split("."))
    for file, names in files_with_private_attributes().items():
        unlisted = names - parts.get(file, set())
        assert not unlisted, f"{file} uses {sorted(unlisted)}: list them in {RECORD.name}, with the versions tried"


@pytest.mark.parametrize(("attribute", "file"), [(row[1], file) for row in listed() for file in row[2]])
def test_a_listed_attribute_is_used_where_it_is_said_to_be(attribute: str, file: str) -> None:
    assert re.search(rf"\b{attribute.rsplit('.', 1)[1]}\b", (PACKAGE / file).read_text(encoding="utf-8"))


def test_a_missing_attribute_is_found_missing() -> None:
    with pytest.raises((AttributeError, ImportError)):
        resolve("dispatcher._cache._gone")
