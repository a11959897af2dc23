"""What importing the package costs and pulls in."""

import subprocess
import sys


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
