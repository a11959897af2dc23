"""Well-known molecules: a catalogue with fingerprints, compared by Tanimoto similarity.

scripts/make_molecules.py writes molecules.json; reading it needs only the standard library.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np

from anchorpbo.app.examples.example import Example, bump, make_noise
from anchorpbo.space import Catalogue, Design

FINGERPRINT_BITS = 2_048
"""Length of a Morgan fingerprint of radius 2."""
_DESCRIPTION = (
    "Two molecules: which would you rather start from to make a new medicine that is taken as a tablet? "
    "Mark as anchors the molecules you have worked with, or whose behaviour in the body you know. "
    "Molecules are taken to be alike where they are made of the same pieces."
)
_ANCHORS = ("Aspirin", "Paracetamol", "Ibuprofen", "Caffeine", "Glucose", "Ethanol")


def make_molecules() -> Example:
    """Return the example."""
    space = Catalogue.from_records(read_records(), fingerprint="fingerprint", key="name")
    anchors = tuple(space.check({"name": name}) for name in _ANCHORS)
    points = np.array([space.encode(anchor) for anchor in anchors])

    def distance(design: Design) -> float:
        bits = space.encode(design)
        both = points @ bits
        return float((1.0 - both / (points.sum(axis=1) + bits.sum() - both)).min())

    return Example(
        key="molecules",
        title="Molecules to start from",
        description=_DESCRIPTION,
        space=space,
        display={
            "title": "name",
            "svg": "svg",
            "labels": {
                "family": "Known as",
                "formula": "Formula",
                "weight": "Molecular weight",
                "logp": "log P",
                "tpsa": "Polar surface",
                "donors": "Hydrogen-bond donors",
                "rings": "Rings",
            },
            "units": {"weight": "g/mol", "tpsa": "Å²"},
            "hidden": ["smiles"],
        },
        suggested_anchors=anchors,
        utility=_utility,
        noise=make_noise(distance, least=0.1, most=0.4, reach=0.4),
    )


def read_records() -> list[dict[str, Any]]:
    """Read the molecules: one dict per molecule, with the fingerprint as a text of 2,048 bits."""
    rows: list[dict[str, Any]] = json.loads(
        files("anchorpbo.app.examples").joinpath("molecules.json").read_text("utf-8")
    )
    for row in rows:
        row["fingerprint"] = _fingerprint_text(row.pop("bits"))
    return rows


def _fingerprint_text(on: list[int]) -> str:
    bits = ["0"] * FINGERPRINT_BITS
    for bit in on:
        bits[bit] = "1"
    return "".join(bits)


def _utility(molecule: Design) -> float:
    """Return the utility for a chemist who wants a small molecule of medium polarity with a ring to build on."""
    size = 1.8 * bump(molecule["weight"], 270.0, 80.0)
    balance = 1.6 * bump(molecule["logp"], 2.2, 1.3) + 1.2 * bump(molecule["tpsa"], 60.0, 25.0)
    build_on = 0.6 * bump(molecule["rings"], 2, 1.0)
    return size + balance + build_on - 0.15 * max(int(molecule["donors"]) - 2, 0)
