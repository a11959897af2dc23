"""Write the files of `tests/previous/files`, and what they are expected to give.

Run it with the code of the version whose files are wanted, from the root of its checkout::

    PYTHONPATH=src:tests python tests/previous/make_files.py

The files committed were written at aa266b7, before the library was renamed. They are not to be written again: that a
later version reads them is the point.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tarfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote
from zlib import compress, crc32

import previous_files as files
from previous_files import Visitor, observe_report, observe_server, observe_study, run_command

import anchorpbo as ap
from support.server_process import Server

# -- studies ----------------------------------------------------------------------------------------------------------

COFFEE = ap.Space(
    temperature=ap.Real(80, 96), dose=ap.Real(10, 20, log=True), grind=ap.Integer(1, 10),
    origin=ap.Categorical(["Kenya", "Brazil"]),
)  # fmt: skip
KNOWN = [
    {"temperature": 92.0, "dose": 15.0, "grind": 4, "origin": "Kenya"},
    {"temperature": 88.0, "dose": 12.5, "grind": 7, "origin": "Brazil"},
]
SQUARE, CORNER = ap.Space(a=ap.Real(0, 1), b=ap.Real(-3, 7.5)), [{"a": 0.25, "b": 1.0}, {"a": 0.3, "b": 2.5}]
ODD = ap.Space(
    x=ap.Real(0, 1, step=0.05), count=ap.Integer(1, 1000, log=True), roast=ap.Ordinal(["light", "medium", "dark"]),
    milk=ap.Boolean(), cup=ap.Constant("glass"),
)  # fmt: skip
LINE = ap.Space(a=ap.Real(0, 10), b=ap.Real(0, 10), c=ap.Integer(0, 5), constraints=["a + b <= 10", "c - a <= 0"])
MIXTURE = ap.Space(
    water=ap.Real(0, 1), milk=ap.Real(0, 1), syrup=ap.Real(0, 0.5), constraints="water + milk + syrup == 1"
)
ITEMS = [
    {"name": f"item {i}", "price": (37 * i % 83) / 4, "weight": 11 + 29 * i % 97, "colour": ("red", "blue")[i % 3 == 0],
     "bits": f"{(2654435761 * (i + 1)) % 2**16:016b}"}
    for i in range(14)
]  # fmt: skip


def liking(design: dict[str, Any]) -> float:
    """A utility of any design: the same on every machine."""
    total = 0.0
    for name, value in design.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            total -= abs(value - crc32(name.encode()) % 17) / (1.0 + crc32(name.encode()) % 5)
        else:
            total += crc32(str(value).encode()) % 3
    return total


def play(opt: ap.Optimizer, duels: int, other: tuple[str, ...] = ()) -> ap.Optimizer:
    """Answer so many duels by the liking, every third from the second on with one of the other outcomes, in turn."""
    for number in range(duels):
        duel = opt.ask()
        answer = "first" if liking(duel.first) >= liking(duel.second) else "second"
        opt.tell(duel, other[number // 3 % len(other)] if other and number % 3 == 1 else answer)
    return opt


def studies() -> Iterator[tuple[str, ap.Optimizer]]:
    """Studies of many kinds, by name."""
    yield "new", ap.Optimizer(COFFEE, KNOWN, seed=11)
    yield "among-the-initial-duels", play(ap.Optimizer(COFFEE, KNOWN, seed=1), 3)
    yield "anchors", play(ap.Optimizer(COFFEE, KNOWN, seed=2), 12)
    yield "no-anchors", play(ap.Optimizer(COFFEE, seed=3), 10)
    yield "ties-and-skips", play(ap.Optimizer(COFFEE, KNOWN[:1], seed=4), 13, ("tie", "skip"))
    yield "past-twenty-two", play(ap.Optimizer(SQUARE, CORNER, seed=5), 23)
    for number, strategy in enumerate(("ei", "ucb", "eubo", "anpei", "raeubo")):
        yield f"paper-{strategy}", play(ap.Optimizer(SQUARE, CORNER, strategy, "paper", number), 10)
    yield "paper-rahbo-refitted", play(ap.Optimizer(SQUARE, CORNER, "rahbo", "paper", 6), 20)
    yield "paper-anchored-baseline", play(ap.Optimizer(SQUARE, CORNER, "ei", "paper", 7, baseline="anchored"), 9)
    for name, likelihood in (("ep", "probit"), ("laplace", "logistic"), ("hallucination", "probit")):
        yield (
            f"inference-{name}",
            play(ap.Optimizer(SQUARE, CORNER, "ucb", seed=8, likelihood=likelihood, inference=name, initial=3), 7),
        )
    chain = {"likelihood": "logistic", "inference": ap.PolyaGamma(), "initial": 3}
    yield "inference-polya-gamma", play(ap.Optimizer(SQUARE, CORNER, "eubo", seed=21, **chain), 7)
    yield "odd-parameters", play(ap.Optimizer(ODD, [ODD.decode([0.5] * ODD.dimension)], seed=10), 8)
    yield "constraints", play(ap.Optimizer(LINE, [{"a": 4.0, "b": 3.0, "c": 2}], seed=11), 8)
    yield "mixture", play(ap.Optimizer(MIXTURE, seed=12), 8)
    for name, options in (
        ("features", {"features": ["price", "weight"]}),
        ("categories", {"features": ["price"], "categories": ["colour"]}),
        ("fingerprints", {"fingerprint": "bits"}),
        ("features-and-fingerprints", {"features": ["price"], "categories": ["colour"], "fingerprint": "bits"}),
    ):
        catalogue = ap.Catalogue(ITEMS, key="name", **options)
        yield f"catalogue-{name}", play(ap.Optimizer(catalogue, [catalogue[3], catalogue[8]], seed=13), 8)
    yield "objects", play(
        ap.Optimizer(
            SQUARE, CORNER, ap.acquisition.RAHBO(exploration=1.5, risk_aversion=0.5), seed=14,
            kernel=ap.RBF([0.3, 0.7], outputscale=2.5) + ap.Matern52(0.5),
            likelihood=ap.Logistic(form="difference", tie_threshold=0.2), inference=ap.EP(),
            noise=ap.PaperNoise(2.0), learn={"outputscale": None}, initial=2, refit_every=3, risk_weight=0.25,
        ), 7, ("tie",),
    )  # fmt: skip
    learn = {
        "lengthscale": ap.Learn((0.05, 5.0), ap.LogNormal(0.4, 0.5)), "outputscale": None, "noise_scale": None,
        "noise_strength": None, "tie_threshold": None,
    }  # fmt: skip
    yield "learnt-noise", play(
        ap.Optimizer(
            SQUARE, CORNER, seed=15, kernel=ap.Matern32([0.4, 0.4]), noise=ap.BoundedNoise(0.5, 2.0, 0.3), learn=learn
        ), 11, ("tie",),
    )  # fmt: skip
    yield "constant-noise", play(ap.Optimizer(SQUARE, CORNER, "anpei", seed=16, noise=ap.ConstantNoise(0.7)), 8)
    yield "undone", undone()
    yield "preferences", preferences()
    yield "changed-anchors", changed_anchors()
    yield "many-duels", many_duels()


def undone() -> ap.Optimizer:
    opt = play(ap.Optimizer(COFFEE, KNOWN, seed=17), 9)
    for _ in range(3):
        opt.undo()
    return play(opt, 1, ("tie",))


def preferences() -> ap.Optimizer:
    opt = play(ap.Optimizer(SQUARE, CORNER, seed=18), 2)
    for i in range(5):
        opt.tell_preference({"a": 0.1 * i, "b": 0.5}, {"a": 0.9, "b": 1.0 + i}, tie=i == 3)
    return play(opt, 3)


def changed_anchors() -> ap.Optimizer:
    opt = play(ap.Optimizer(COFFEE, KNOWN, seed=19), 6)
    opt.add_anchor({"temperature": 85.0, "dose": 18.0, "grind": 2, "origin": "Kenya"})
    play(opt, 2)
    opt.remove_anchor(KNOWN[0])
    return play(opt, 1)


def many_duels() -> ap.Optimizer:
    """More duels than pairs of designs."""
    catalogue = ap.Catalogue([{"name": str(i), "x": i / 8} for i in range(9)], features=["x"], key="name")
    opt = ap.Optimizer(catalogue, [catalogue[2]], seed=20)
    for i in range(120):
        one, other = catalogue[i % 9], catalogue[(i * i + 3 * i + 1) % 9]
        if one != other:
            one, other = (one, other) if (liking(one) > liking(other)) ^ (i % 7 == 0) else (other, one)
            opt.tell_preference(one, other)
    return play(opt, 2)


# -- the app ----------------------------------------------------------------------------------------------------------


def png(grey: int) -> str:
    """A picture of one pixel, as a data URL."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + crc32(kind + data).to_bytes(4, "big")

    head = chunk(b"IHDR", (1).to_bytes(4, "big") * 2 + b"\x08\x00\x00\x00\x00")
    content = b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", compress(bytes([0, grey]))) + chunk(b"IEND", b"")
    return f"data:image/png;base64,{b64encode(content).decode()}"


TEA: dict[str, Any] = {
    "name": "Tea, with a =formula",
    "description": "Which cup do you like better? ☕",
    "space": {
        "kind": "space",
        "parameters": [
            {"name": "minutes", "kind": "real", "low": 1.0, "high": 9.0},
            {"name": "leaves", "kind": "integer", "low": 1, "high": 9},
            {"name": "leaf", "kind": "categorical", "values": ["green", "black"]},
        ],
        "constraints": [],
    },
    "anchors": [{"minutes": 3.0, "leaves": 4, "leaf": "green"}],
    "display": {
        "units": {"minutes": "min"}, "labels": {"leaf": "kind of leaf"},
        "template": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90"><circle cx="45" cy="45" '
        'r="{{ minutes * 4 }}"/></svg>',
    },
    "options": {"seed": 5},
}  # fmt: skip
TREES: dict[str, Any] = {
    "name": "Trees",
    "space": {
        "kind": "catalogue",
        "columns": [
            {"name": "name", "values": ["Ash", "Birch", "Elm", "Oak", "Pine", "Yew"]},
            {"name": "price", "values": [5.0, 12.5, 9.0, 19.0, 7.5, 30.0]},
            {"name": "file", "values": ["ash.png", "birch.png", "elm.png", "oak.png", "pine.png", "yew.png"]},
        ],
        "features": ["price"],
        "key": "name",
    },
    "display": {"image": "file", "title": "name", "pictures": {"ash.png": png(40), "oak.png": png(200)}},
    "options": {"seed": 6, "strategy": "eubo", "likelihood": "logistic", "inference": "laplace", "initial": 3},
}
PAPER: dict[str, Any] = {
    "name": "As in the paper",
    "space": {"kind": "space", "parameters": [
        {"name": "a", "kind": "real", "low": 0.0, "high": 1.0}, {"name": "b", "kind": "real", "low": 0.0, "high": 1.0},
    ]},
    "anchors": [{"a": 0.2, "b": 0.3}, {"a": 0.25, "b": 0.4}],
    "options": {"preset": "paper", "strategy": "rahbo", "seed": 7},
}  # fmt: skip


def fill(visitor: Visitor) -> list[str]:
    """Make studies as people would, with all that can happen in them; return links that no longer count."""

    def post(path: str, body: Any = None, method: str = "POST") -> Any:
        found = visitor.send(method, f"/api/studies{path}", {} if body is None else body)
        assert not isinstance(found, dict) or "status" not in found, (path, found)
        return found

    def answer(study: str, count: int, who: str = "owner", other: str | None = None) -> None:
        for number in range(count):
            duel = post(f"/{study}/ask", {"participant": who})
            outcome = "first" if liking(duel["first"]) >= liking(duel["second"]) else "second"
            outcome = other if other and number % 3 == 1 else outcome
            given = {"duel_id": duel["id"], "outcome": outcome, "response_ms": 900 + 37 * number, "participant": who}
            post(f"/{study}/answers", given)

    tea, trees, paper = (post("", study)["id"] for study in (TEA, TREES, PAPER))
    answer(tea, 7, other="tie")
    post(f"/{tea}/undo")
    post(f"/{tea}/anchors", {"design": {"minutes": 5.0, "leaves": 2, "leaf": "black"}})
    post(f"/{tea}/comments", {"text": "=the second one was served cold", "event": 4})
    answer(tea, 2, other="skip")
    links = [post(f"/{tea}/participants", {"name": name})["link"] for name in ("Ana", "Bo Ö", "Cy")]
    answer(tea, 6, "Ana")
    answer(tea, 3, "Bo Ö")
    answer(tea, 2, "Cy")
    post(f"/{tea}/anchors", {"design": {"minutes": 2.0, "leaves": 3, "leaf": "green"}, "participant": "Ana"})
    post(f"/{tea}/participants/link", {"name": "Bo Ö"})
    visitor.send("DELETE", f"/api/studies/{tea}/participants?name=Cy")
    table = "winner.name,loser.name\nAsh,Yew\nOak,Elm\n"
    post(f"/{trees}/comparisons", table)
    answer(trees, 5, other="skip")
    post(f"/{trees}/ask")  # a duel that is out
    mark = {"design": {"a": 0.2, "b": 0.3}}
    post(f"/{paper}/anchors", mark, "DELETE")
    answer(paper, 9)
    post(f"/{paper}/undo")
    post(f"/{paper}/undo")
    return links[1:]


def make_app_files() -> dict[str, Any]:
    os.environ["ANCHORPBO_TOKEN"] = files.TOKEN
    with TemporaryDirectory() as folder:
        made, seen, imported = (Path(folder) / name for name in ("made.db", "seen.db", "imported.db"))
        void = with_server(made, fill)
        with closing(sqlite3.connect(made)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("VACUUM")
        shutil.copy(made, files.DATABASE)
        shutil.copy(made, seen)
        found = with_server(seen, lambda visitor: observe_server(visitor, void))
        tea = next(path.split()[1] for path, body in found.items() if path.endswith("/export") and "Tea" in str(body))
        export = found[f"GET {tea}"]
        files.EXPORT.write_text(json.dumps(export), "utf-8")

        def bring_in(visitor: Visitor) -> Any:
            return files.observe_import(visitor, visitor.send("POST", "/api/studies/import", export)["id"])

        return {"void links": void, "database": found, "export": with_server(imported, bring_in)}


def with_server(path: Path, act: Callable[[Visitor], Any]) -> Any:
    with Server(f"sqlite:///{quote(str(path))}") as server:
        found = act(Visitor(server.port))
        server.stop()
    return found


# -- experiments and benchmarks ---------------------------------------------------------------------------------------


def make_records() -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        out = Path(folder) / "reproduction"
        claims = {}
        for experiment in files.EXPERIMENTS:
            code, output = run_command("reproduce", *experiment, "--workers", "2", "--out", str(out), "--resume")
            assert code == 0, output
            report = files.report_folder(out, experiment)
            claims[" ".join(experiment)] = observe_report(report)
        kept = [out / "anchorpbo.json", *sorted((out / "records").iterdir()), *sorted(out.glob("*/elapsed.json"))]
        with tarfile.open(files.RECORDS, "w:xz", preset=9) as archive:
            for path in kept:
                archive.add(path, str(path.relative_to(out)), filter=_anonymous)
        return claims


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime, entry.mode = 0, 0o644
    return entry


def make_bench() -> list[list[str]]:
    with TemporaryDirectory() as folder:
        out = Path(folder) / "bench"
        ended = files.measure(out)
        assert ended.returncode == 0, ended.stderr
        shutil.copy(out / "results.jsonl", files.BENCH)
        return files.observe_tables(out)


def main() -> None:
    shutil.rmtree(files.FILES, ignore_errors=True)
    files.STUDIES.mkdir(parents=True)
    expected: dict[str, Any] = {"machine": files.machine(), "studies": {}}
    for name, opt in studies():
        path = files.STUDIES / f"{name}.json"
        opt.save(path)
        text = path.read_text("utf-8")
        observed = observe_study(ap.Optimizer.from_json(text))
        expected["studies"][path.name] = {"sha256": files.sha256(text), **observed}
        print(path.name, len(text), flush=True)
    expected |= make_app_files()
    expected["records"] = make_records()
    expected["bench"] = make_bench()
    files.EXPECTED.write_text(json.dumps(expected, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
