"""Fingerprints of molecules by RDKit, an optional dependency (extra ``molecules``)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from anchorpbo.errors import InputError

BITS, RADIUS = 1024, 2
"""Number of bits and radius, in bonds, of the Morgan fingerprint, as in ECFP4."""
MAX_MOLECULES = 20_000
"""Largest number of molecules: their fingerprints are part of the study, which is sent as JSON."""
MAX_CHARACTERS = 1_000
"""Largest length of a SMILES, in characters."""


def has_rdkit() -> bool:
    """Return whether RDKit is installed."""
    return find_spec("rdkit") is not None


def compute_fingerprints(smiles: Sequence[str | None], places: Sequence[str]) -> list[str]:
    """Return the Morgan fingerprints of molecules, with chirality, as texts of 0 and 1; needs RDKit.

    Parameters
    ----------
    smiles
        SMILES of the molecules; ``None`` for an empty cell, which is an error.
    places
        Origin of each, named in errors: ``line 2``.
    """
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdFingerprintGenerator

    if len(smiles) > MAX_MOLECULES:
        rule = f"a table of molecules must have at most {MAX_MOLECULES:,} rows"
        raise InputError(rule, f"{len(smiles):,}", "choose the likely molecules first")
    generator: Any = rdFingerprintGenerator.GetMorganGenerator(radius=RADIUS, fpSize=BITS, includeChirality=True)
    found = []
    with rdBase.BlockLogs():  # an invalid SMILES is named in the error
        for text, place in zip(smiles, places, strict=True):
            if text is None:
                raise InputError(
                    "every row must have a SMILES", f"an empty cell in {place}", "fill it in, or leave out the row"
                )
            if len(text) > MAX_CHARACTERS:
                rule = f"a SMILES must have at most {MAX_CHARACTERS:,} characters"
                raise InputError(rule, f"{len(text):,} in {place}", "leave out the row")
            molecule = Chem.MolFromSmiles(text)
            if molecule is None or not molecule.GetNumAtoms():
                remedy = "correct it, or leave out the row"
                raise InputError("a SMILES must describe a molecule", f"{text!r} in {place}", remedy)
            found.append(generator.GetFingerprint(molecule).ToBitString())
    return found
