"""What importing the package costs and pulls in."""

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import anchorpbo
from support.optional import HAS_TORCH


def loaded_after(code):
    program = f"import sys\n{code}\nprint(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_next_to_nothing():
    modules = loaded_after("import anchorpbo")
    assert not modules & {"numpy", "scipy", "numba", "typer", "rich"}


def test_the_engine_never_loads_scipy_stats_nor_the_extras():
    modules = loaded_after(
        "import anchorpbo as ap, numpy as np\n"
        "m = ap.PreferenceGP(inference='ep').fit(ap.Duels([[0.1], [0.5]], [0], [1]))\n"
        "ap.search.maximise(ap.acquisition.EUBO().bind(m.posterior, m.noise), 1, np.random.default_rng(0))\n"
    )
    assert not modules & {"scipy.stats", "typer", "rich", "torch", "pandas", "matplotlib"}


def test_a_first_ask_loads_neither_solvers_it_does_not_need_nor_a_compiler():
    # Twice: the first may have to compile.
    for _ in range(2):
        modules = loaded_after(
            "import anchorpbo as ap\n"
            "space = ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1))\n"
            "opt = ap.Optimizer(space, anchors=[{'x': 0.5, 'y': 0.5}, {'x': 0.2, 'y': 0.5}])\n"
            "for i in range(10):\n"
            "    opt.tell_preference({'x': 0.1 * i, 'y': 0.2}, {'x': 0.3, 'y': 0.1 * i + 0.05})\n"
            "opt.ask()\n"
        )
    assert not modules & {"scipy.optimize", "scipy.spatial", "scipy.sparse", "numba.np.arraymath", "numba.np.linalg"}


CORE = (
    "numerics",
    "duels",
    "kernels",
    "likelihoods",
    "reliability",
    "posterior",
    "inference",
    "acquisition",
    "model",
    "search",
    "insight",
)


@pytest.mark.parametrize("package", CORE)
def test_the_core_imports_four_packages_only(package):
    allowed = {"numpy", "scipy", "numba", "threadpoolctl", "anchorpbo", *sys.stdlib_module_names}
    for file in (Path(anchorpbo.__file__).parent / package).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= allowed, file.name


def test_examples_in_docstrings_are_true():
    def on_error(name):
        assert name == "anchorpbo.interop.botorch"
        assert not HAS_TORCH

    tried = 0
    for module in pkgutil.walk_packages(anchorpbo.__path__, "anchorpbo.", on_error):
        if not module.name.endswith("__main__") and (HAS_TORCH or "botorch" not in module.name):
            result = doctest.testmod(importlib.import_module(module.name))
            assert result.failed == 0, module.name
            tried += result.attempted
    assert tried >= 6
