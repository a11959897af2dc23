"""Files that an earlier version wrote: where they are, what is observed in them, and how observations are compared.

Only public names, commands and requests are used here, so that the same code observes every version.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import math
import os
import platform
import re
import runpy
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import llvmlite.binding
import scipy.linalg  # noqa: F401  # it brings a BLAS of its own
import threadpoolctl

import anchorpbo as ap

FILES = Path(__file__).parent / "files"
EXPECTED = FILES / "expected.json"
STUDIES, DATABASE, EXPORT = FILES / "studies", FILES / "studies.db", FILES / "export.json"
RECORDS, BENCH = FILES / "reproduction.tar.xz", FILES / "results.jsonl"
TOKEN = "the-token-of-the-files-of-the-previous-version"
_SHORT = ("--seeds", "1", "--rounds", "1")
EXPERIMENTS = (
    ("main", "--seeds", "2", "--rounds", "2", "--only", "hartmann3", "--only", "rahbo,ucb"),
    ("anchor-count", *_SHORT, "--only", "anpei"),
    ("anchor-quality", *_SHORT, "--only", "hartmann3,rahbo"),
    ("inference", *_SHORT, "--only", "hartmann3"),
    ("sensitivity", *_SHORT, "--only", "hartmann3,rahbo"),
    ("ackley6", *_SHORT, "--only", "raeubo"),
    ("five-anchors", "--seeds", "2", "--rounds", "2"),
    ("illustration", "--quick", "--seeds", "1"),
    ("anchor-process", "--quick", "--seeds", "2"),
    ("consistency", "--quick", "--seeds", "2"),
    ("concentration", "--quick", "--seeds", "2"),
    ("one-step", "--quick", "--seeds", "2"),
    ("kde-time", "--quick", "--seeds", "1"),
)
"""Arguments of `anchorpbo reproduce` whose records are kept."""
MEASURED = ("rounds", "--quick", "--sizes", "5", "--dimensions", "3", "--only", "anchorpbo")
"""Arguments of `anchorpbo bench` whose results are kept."""


# -- comparing --------------------------------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """What the last bits of a computation depend on."""
    blas = [pool for pool in threadpoolctl.threadpool_info() if pool["internal_api"] == "openblas"]
    return {
        "processor": os.environ.get("NUMBA_CPU_NAME") or llvmlite.binding.get_host_cpu_name(),
        "system": f"{platform.system()} {platform.machine()} {' '.join(platform.libc_ver())}",
        "blas": sorted({f"{pool['version']} {pool['architecture']}" for pool in blas}),
        **{name: version(name) for name in ("numpy", "scipy", "numba", "llvmlite")},
    }


BITS = ("id", "duel_id", "cards", "credible_set", "credible_probabilities")
"""Digests and texts of bits, and what is counted in draws, whose order follows from them."""
COUNTED = {"p_best": 0.05}
"""Shares of draws, and what they may differ by: six standard deviations of a share of 4096."""
STOPPING = ("stop", "remaining")
"""Keys that follow from the stopping rule, which is not part of a study: a later version may have another rule."""


def difference(found: Any, expected: Any, tolerance: float = 0.0, path: str = "") -> str | None:
    """The first place where two JSON values differ, in words; ``None`` where they are equal.

    With tolerance 0 numbers must have equal digits, which for a float means equal bits. With another, floats may differ
    by that much, relative or absolute, shares of draws by the noise of the draws, and `BITS` do not count. Nor do keys
    that a later version adds, and `STOPPING`.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        if not expected.keys() <= found.keys():
            return f"{path}: keys {sorted(found)} for {sorted(expected)}"
        keys = [key for key in expected if key not in STOPPING and not (tolerance and key in BITS)]
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            return f"{path}: {len(found)} elements for {len(expected)}"
        keys = list(range(len(expected)))
    elif tolerance and isinstance(expected, float) and isinstance(found, float):
        close = math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)
        return None if close else f"{path}: {found!r} for {expected!r}"
    else:
        return None if json.dumps(found) == json.dumps(expected) else f"{path}: {found!r} for {expected!r}"
    for key in keys:
        within = COUNTED.get(key, tolerance) if tolerance else 0.0
        if text := difference(found[key], expected[key], within, f"{path}/{key}"):
            return text
    return None


def as_json(value: Any) -> Any:
    """A value as it comes back from JSON: lists for tuples."""
    return json.loads(json.dumps(value, allow_nan=False))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# -- studies ----------------------------------------------------------------------------------------------------------


def observe_study(opt: ap.Optimizer) -> dict[str, Any]:
    """What follows from a saved study: the next duels and the recommendation; the study stays as it is."""
    duel = opt.ask()
    seen: dict[str, Any] = {"ask": _duel(duel), "ask 2": [_duel(each) for each in opt.ask(2)]}
    if any(event["type"] == "preferred" or event.get("outcome", "skip") != "skip" for event in opt.history):
        seen["recommend"] = _recommendation(opt.recommend())
        seen["recommend the plain best"] = _recommendation(opt.recommend(risk_weight=0.0))
    opt.tell(duel, "second")
    seen["ask after an answer"] = _duel(opt.ask())
    opt.undo()
    return as_json(seen)


def _duel(duel: ap.Duel) -> dict[str, Any]:
    """A duel without its reason: words may change."""
    return {"id": duel.id, "first": duel.first, "second": duel.second, "gain": duel.gain}


def _recommendation(best: ap.Recommendation) -> dict[str, Any]:
    return {name: getattr(best, name) for name in ("design", "utility", "interval", "noise", "p_best", "credible_set")}


# -- the app ----------------------------------------------------------------------------------------------------------

VOLATILE = ("id", "study", "created", "updated", "time")
"""What an imported study has anew."""
WORDS = ("why", "sentence", "reference")
"""Sentences that the server makes anew: words may change."""


class Visitor:
    """The owner of the studies of a server."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}"

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a request: JSON, a text, or the digest of another file; the status of one that is refused."""
        data = None if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with _OPENER.open(request, timeout=60) as response:
                kind, content = response.headers.get_content_type(), response.read()
        except urllib.error.HTTPError as problem:
            return {"status": problem.code}
        if not content:
            return None
        if kind == "application/json":
            return json.loads(content)
        return content.decode() if kind == "text/csv" else {"type": kind, "sha256": hashlib.sha256(content).hexdigest()}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def observe_server(visitor: Visitor, void_links: list[str]) -> dict[str, Any]:
    """What a server says of its studies and of links that no longer count; requests for a duel, which add one, last."""
    seen: dict[str, Any] = {}

    def look(method: str, path: str, body: Any = None) -> Any:
        found = visitor.send(method, path, body)
        key = f"{method} {path}" if body is None else f"{method} {path} {json.dumps(body)}"
        seen[key] = found if "/history" in path or "/export" in path else without(_designs_of(path, found), WORDS)
        return found

    asking = []
    for line in look("GET", "/api/studies"):
        study = f"/api/studies/{line['id']}"
        shown = look("GET", study)
        for path in ("export", "export?format=csv", "agreement", "anchors/proposals?n=3"):
            look("GET", f"{study}/{path}")
        for one in look("GET", f"{study}/participants"):
            if one["link"]:
                look("GET", one["link"])
        for name in shown["participants"]:
            who = f"participant={urllib.parse.quote(name)}"
            for path in ("history", "anchors", "convergence", "recommendation", "recommendation?risk_weight=0"):
                look("GET", f"{study}/{path}{'&' if '?' in path else '?'}{who}")
            asked = next(event for event in seen[f"GET {study}/history?{who}"] if "first" in event)
            look("POST", f"{study}/cards", {"designs": [asked["first"], asked["second"]]})
            asking.append((study, who))
        columns = {column["name"]: column["values"] for column in shown["space"].get("columns", ())}
        for name in columns.get(shown["display"].get("image"), ()):
            look("GET", f"/studies/{line['id']}/images/{name}")
        if columns:  # the grids of other maps are long
            look("GET", f"{study}/map")
    for link in void_links:
        look("GET", link)
    for study, who in asking:
        look("POST", f"{study}/ask?{who}")
    return seen


def observe_import(visitor: Visitor, id: str) -> dict[str, Any]:
    """What a server says of a study that was just imported."""
    study = f"/api/studies/{id}"
    paths = ("", "/history", "/export", "/anchors", "/recommendation", "/participants", "/agreement")
    seen = {path: _designs_of(path, visitor.send("GET", study + path)) for path in paths}
    seen["/ask"] = visitor.send("POST", f"{study}/ask")
    return {path: without(found, (*WORDS, *VOLATILE, "link")) for path, found in seen.items()}


def _designs_of(path: str, found: Any) -> Any:
    """The designs of anchors: the version that wrote the files knew neither their names nor an object around them."""
    if not path.partition("?")[0].endswith("/anchors"):
        return found
    return [one["design"] for one in found["anchors"]]


def without(value: Any, names: tuple[str, ...]) -> Any:
    """A JSON value without the entries of these names, wherever they are."""
    if isinstance(value, dict):
        return {key: without(each, names) for key, each in value.items() if key not in names or isinstance(each, dict)}
    return [without(each, names) for each in value] if isinstance(value, list) else value


# -- commands ---------------------------------------------------------------------------------------------------------


def run_command(*arguments: str) -> tuple[int, str]:
    """Run a command of anchorpbo in this process; return its exit code and what it printed."""
    output = io.StringIO()
    sys.modules.pop("anchorpbo.__main__", None)  # of a test before: runpy warns of a module that is there
    with mock.patch.object(sys, "argv", ["anchorpbo", *arguments]), contextlib.redirect_stdout(output):
        try:
            runpy.run_module("anchorpbo", run_name="__main__")
        except SystemExit as ended:
            return int(ended.code or 0), output.getvalue()
    return 0, output.getvalue()


def report_folder(out: Path, experiment: tuple[str, ...]) -> Path:
    """Where `anchorpbo reproduce` puts the report of an experiment."""
    only = [name for option, values in pairwise(experiment) if option == "--only"
            for name in values.split(",")]  # fmt: skip
    return out / "-".join([experiment[0], *sorted(only)])


def observe_report(folder: Path) -> list[Any]:
    """The claims of a report: verdicts and numbers, not their words."""
    path = folder / "claims.json"
    claims = json.loads(path.read_text("utf-8")) if path.exists() else []
    return [[one["reading"], one["verdict"], *_numbers(f"{one['found']} {one['interval']}")] for one in claims]


def observe_tables(folder: Path) -> list[list[str]]:
    """The numbers in the tables of a benchmark, row by row."""
    rows = [line for line in (folder / "table.md").read_text("utf-8").splitlines() if line.startswith("|")]
    return [numbers for row in rows if (numbers := _numbers(row))]


def _numbers(text: str) -> list[str]:
    return re.findall(r"[-+]?\d[\d.,]*", text)


def measure(out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run `anchorpbo bench`, in a process of its own: what else a process has loaded is a part of the machine."""
    command = [sys.executable, "-m", "anchorpbo", "bench", *MEASURED, "--out", str(out), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)
