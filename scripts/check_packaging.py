"""Build the sdist and the wheel, and test them in clean environments, one per extra.

python scripts/check_packaging.py                  each extra separately, with packages borrowed from here
python scripts/check_packaging.py core web         only these; `core` is the package without extras
python scripts/check_packaging.py --download       the same, installed from the package index

Borrowing needs no network and takes seconds: a clean environment gets links to the requirements in the wheel's metadata
and, recursively, to theirs. A forgotten requirement is therefore missing there too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
CORE = "core"


@dataclass(frozen=True)
class Step:
    """A program to run in the clean environment, with its expected output and exit code."""

    arguments: tuple[str, ...]
    """Arguments after the name of the interpreter."""
    says: str = ""
    code: int = 0


def _python(text: str, says: str = "") -> Step:
    return Step(("-c", text), says)


def _command(*arguments: str, says: str = "", code: int = 0) -> Step:
    return Step(("-m", "anchorpbo", *arguments), says, code)


_ASK = """
import anchorpbo as ap
study = ap.Optimizer(ap.Space(x=ap.Real(0, 1), n=ap.Integer(1, 5)), [{"x": 0.5, "n": 2}], initial=1, seed=0)
study.tell(study.ask(), "first")
print("asked:", study.ask().why)
"""
_DRIVER = """
from anchorpbo.errors import DataError
from anchorpbo.app.storage import open_storage
try:
    open_storage("postgresql://nobody:nothing@127.0.0.1:1/studies")
except DataError as problem:
    print(problem)
"""
_DRAW = "from anchorpbo.app.rendering.molecules import draw_molecule; print(draw_molecule('CCO')[:4])"
_SERVE = """
from anchorpbo.app.storage import open_storage
from anchorpbo.app.web import Settings, make_app
print(len(make_app(open_storage("memory"), Settings()).openapi()["paths"]), "paths")
"""
_CLUSTER = "import distributed; from anchorpbo.research.experiments.dask_backend import DaskBackend; print(DaskBackend('tcp://host:8786').address)"
_BRIDGE = """
import torch
from anchorpbo.interop.botorch import NoiseMap
print("noise", NoiseMap.constant(2.0)(torch.zeros(1, 2)).item())
"""
_SAMPLE = """
from optuna_dashboard.preferential import create_study
from anchorpbo.interop.optuna import AnchoredPreferentialSampler
study = create_study(n_generate=2, sampler=AnchoredPreferentialSampler([{"dose": 15.0}], initial=0))
for _ in range(2):
    study.ask().suggest_float("dose", 10, 20)
study.report_preference(*study.trials)
print("proposed:", study.ask().suggest_float("dose", 10, 20))
"""
_PLOT = """
import anchorpbo as ap
noise = ap.NoiseMap.bounded([[0.2, 0.3], [0.5, 0.5]])
figures = [ap.plots.reliability_map(noise, backend=backend) for backend in ("plotly", "matplotlib")]
print("drawn:", len(figures[0].to_json()) > 0 and len(figures[1]._repr_png_()) > 0)
"""
_WIDGET = """
import anchorpbo as ap
widget = ap.notebook.DuelWidget(ap.Optimizer(ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1))))
widget.answer("first")
print("shown:", widget.view["answers"])
"""
_OTHERS = (
    "from anchorpbo.research.bench import botorch_contender, optuna_contender; "
    "import botorch, optuna_dashboard; print('loaded')"
)

ENTRIES: dict[str, tuple[Step, ...]] = {
    CORE: (
        _python(_ASK, "asked: "),
        _python("import anchorpbo; print(anchorpbo.__version__, *map(anchorpbo.__getattr__, anchorpbo.__all__))"),
        _command(says='pip install "anchorpbo[cli]"', code=1),
    ),
    "cli": (
        _command("--version", says="anchorpbo "),
        _command("demo", "--rounds", "2", says="Recommended"),
        _command("reproduce", says='pip install "anchorpbo[reproduce]"', code=2),
    ),
    "reproduce": (_command("reproduce", "anchor-process", "--quick", "--workers", "1", says="anchor-process"),),
    "plots": (_python(_PLOT, "drawn: True"),),
    "notebook": (_python(_WIDGET, "shown: 1"), _python(_PLOT, "drawn: True")),
    "dask": (_python(_CLUSTER, "tcp://host:8786"),),
    "web": (
        _command("study", "new", "--example", "coffee", "--db", "studies.db", says="anchorpbo duel"),
        _python(_SERVE, " paths"),
    ),
    "postgresql": (_python(_DRIVER, "the server must be reachable"),),
    "molecules": (_python(_DRAW, "<svg"),),
    "botorch": (_python(_BRIDGE, "noise 2.0"),),
    "optuna": (_python(_SAMPLE, "proposed: "),),
    "bench": (_python(_OTHERS, "loaded"),),
    "docs": (Step(("-m", "properdocs", "--version"), "properdocs"),),
    "dev": (Step(("-m", "pytest", "--version"), "pytest"),),
}
"""Programs that must work in an environment with only one extra."""


def build(folder: Path, *, isolated: bool) -> tuple[Path, Path]:
    """Build the sdist, then the wheel from it."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder), *([] if isolated else ["--no-isolation"])]
    _run([*command, str(ROOT)], ROOT)
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


def check_contents(sdist: Path, wheel: Path) -> None:
    """Check that the wheel has exactly the files of the package, and the sdist all files to build and test it."""
    package = {path.relative_to(ROOT / "src").as_posix() for path in _source_files()}
    with zipfile.ZipFile(wheel) as file:
        inside = {name for name in file.namelist() if ".dist-info/" not in name}
    _require(inside == package, f"the wheel differs from src: {sorted(inside ^ package)[:5]}")
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    needed = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", *(f"src/{n}" for n in package)}
    _require(needed <= names, f"the sdist lacks {sorted(needed - names)[:5]}")
    odd = [name for name in names if Path(name).suffix in UNWANTED or "__pycache__" in name]
    _require(not odd, f"the sdist has {odd[:5]}")


UNWANTED = {".csv", ".db", ".idata", ".nbc", ".nbi", ".order", ".parquet", ".pyc", ".score"}
"""File endings of data sets, databases and caches."""


def _source_files() -> Iterator[Path]:
    for path in (ROOT / "src").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in UNWANTED:
            yield path


def extras() -> list[str]:
    """Return all extras of the package."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return list(tomllib.load(file)["project"]["optional-dependencies"])


class Environment:
    """A clean virtual environment in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder, with_pip=False, symlinks=os.name != "nt")
        self.python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
        self.packages = Path(_run([str(self.python), "-c", ask], folder).strip())

    def borrow(self, wheel: Path, extra: str) -> None:
        """Install the wheel, and link its requirements from the environment of this script."""
        self._pip("--no-deps", "--no-index", str(wheel))
        with zipfile.ZipFile(wheel) as file:
            metadata = next(name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
            lines = file.read(metadata).decode("utf-8").partition("\n\n")[0].splitlines()
        wanted = [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist: ")]
        for name in sorted(_closure({"anchorpbo": wanted}, extra)):
            self._link(name)

    def download(self, wheel: Path, extra: str) -> None:
        """Install the wheel with an extra from the package index, in the versions that `make` installs."""
        wanted = str(wheel) if extra == CORE else f"{wheel}[{extra}]"
        self._pip("-c", str(ROOT / "constraints.txt"), wanted)

    def try_out(self, step: Step) -> None:
        """Run a program and check its output and exit code."""
        code = step.arguments[1] if step.arguments[0] == "-c" else " ".join(step.arguments)
        done = subprocess.run(
            [str(self.python), "-W", "error::ImportWarning", *step.arguments],
            cwd=self.folder, env=_environment(), capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        said = done.stdout + done.stderr
        _require(done.returncode == step.code and step.says in said, f"{code}\nended with {done.returncode}:\n{said}")

    def _pip(self, *arguments: str) -> None:
        options = ["install", "--quiet", "--disable-pip-version-check", *arguments]
        _run([sys.executable, "-m", "pip", "--python", str(self.python), *options], self.folder)

    def _link(self, name: str) -> None:
        found = distribution(name)
        tops = {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}
        for top in tops:
            source, target = Path(str(found.locate_file(top))), self.packages / top
            if not target.exists():
                try:
                    target.symlink_to(source, source.is_dir())
                except OSError:  # Windows, without the right to create links
                    shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)


def _closure(wheel: dict[str, list[str]], extra: str) -> set[str]:
    """Return the names of all packages that the wheel with an extra needs, by the metadata installed here."""
    todo = [("anchorpbo", "" if extra == CORE else extra), ("anchorpbo", "")]
    seen: set[tuple[str, str]] = set()
    while todo:
        name, wish = todo.pop()
        if (name, wish) in seen:
            continue
        seen.add((name, wish))
        try:
            requirements = wheel[name] if name in wheel else distribution(name).requires or []
        except PackageNotFoundError:
            raise SystemExit(f"check_packaging: {name} is not installed here; run `make` first.") from None
        for requirement in map(Requirement, requirements):
            if requirement.marker is None or requirement.marker.evaluate({"extra": wish}):
                found = canonicalize_name(requirement.name)
                todo += [(found, each) for each in ("", *requirement.extras)]
    return {name for name, _ in seen} - {"anchorpbo"}


def _environment() -> dict[str, str]:
    """Return the environment variables without those that lead back to this checkout."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False)
    _require(done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(f"check_packaging: {otherwise}")


def main() -> None:
    """Build, check the contents, and test each extra."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="core or extras; by default all")
    parser.add_argument("--download", action="store_true", help="install from the package index")
    wishes = parser.parse_args()
    known = [CORE, *extras()]
    unknown = sorted(set(wishes.names) - set(known))
    _require(not unknown, f"unknown extra: {', '.join(unknown)}")
    with tempfile.TemporaryDirectory(prefix="anchorpbo-packaging-") as folder:
        sdist, wheel = build(Path(folder), isolated=wishes.download)
        check_contents(sdist, wheel)
        print(f"built {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, and {sdist.name}, "
              f"{sdist.stat().st_size / 1e6:.1f} MB")  # fmt: skip
        for name in wishes.names or known:
            start = time.perf_counter()
            environment = Environment(Path(folder) / name)
            (environment.download if wishes.download else environment.borrow)(wheel, name)
            for step in ENTRIES[name]:
                environment.try_out(step)
            shutil.rmtree(environment.folder)  # one with torch in it takes a gigabyte
            print(f"{name} works ({time.perf_counter() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
