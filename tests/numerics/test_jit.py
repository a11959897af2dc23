"""Compiled functions: what the cache must notice, and doing without one."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anchorpbo.numerics.jit import jit


def run(code: str, folder: Path) -> str:
    """Run code in a fresh process that finds modules, and keeps its cache, in a folder."""
    paths = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_second_process_takes_draws_from_the_cache(tmp_path: Path) -> None:
    code = (
        "import numpy as np; from anchorpbo.numerics.variates import draw_above as f; "
        "f(np.random.default_rng(0), 0.5); print(sum(f.stats.cache_hits.values()))"
    )
    assert run(code, tmp_path) == "0"
    assert run(code, tmp_path) == "1"


def test_machine_code_is_loaded_without_what_only_compiling_needs(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np; from anchorpbo.likelihoods.probit import probit_wins; f = probit_wins.dispatcher; "
        "out = np.empty((4, 2)); probit_wins.compile((np.array([0.0, -9.0]), out)); "
        "print(sum(f.stats.cache_hits.values()), 'numba.np.arraymath' in sys.modules, out.round(6).tolist())"
    )
    compiled_here, loaded = run(code, tmp_path), run(code, tmp_path)
    assert compiled_here.startswith("0 True")
    assert loaded.startswith("1 False")
    assert compiled_here.split(maxsplit=2)[2] == loaded.split(maxsplit=2)[2]


@pytest.mark.parametrize("how", ["jit", "jit_inline"])
def test_an_edited_callee_reaches_its_cached_caller(how: str, tmp_path: Path) -> None:
    header = "from anchorpbo.numerics.jit import jit, jit_inline\n"
    below, above = tmp_path / "below.py", tmp_path / "above.py"
    above.write_text(header + "from below import callee\n@jit\ndef caller(x: float) -> float:\n    return callee(x)\n")
    code = "from above import caller; print(caller(1.0), sum(caller.stats.cache_hits.values()))"
    callee = header + f"@{how}\ndef callee(x: float) -> float:\n    return x + "
    below.write_text(callee + "1.0\n")
    assert run(code, tmp_path) == "2.0 0"
    assert run(code, tmp_path) == "2.0 1"
    below.write_text(callee + "9.0\n")
    assert run(code, tmp_path) == "10.0 0"


def test_a_function_that_no_cache_can_hold_is_compiled_all_the_same() -> None:
    scope: dict[str, object] = {}
    exec("def double(x: float) -> float:\n    return 2.0 * x\n", scope)  # has no file, so numba refuses to cache it
    double = jit(scope["double"])  # type: ignore[type-var]
    assert double(1.5) == 3.0
    assert double.signatures


def test_division_by_zero_is_an_infinity() -> None:
    @jit
    def inverse(x: float) -> float:
        return 1.0 / x

    assert inverse(0.0) == np.inf


def test_the_stamp_does_not_depend_on_the_order_of_sets():
    code = (
        "from anchorpbo.inference.polya_gamma import _run; from anchorpbo.numerics.jit import _stamp;"
        "print(_stamp(_run.sources))"
    )
    stamps = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(stamps) == 1
