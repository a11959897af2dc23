"""Fingerprints of molecules by RDKit, an optional dependency (extra ``molecules``)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from anchorpbo.errors import InputError
from anchorpbo.formatting import truncate

BITS, RADIUS = 1024, 2
"""Number of bits and radius, in bonds, of the Morgan fingerprint, as in ECFP4."""
MAX_MOLECULES = 20_000
"""Largest number of molecules: their fingerprints are part of the study, which is sent as JSON."""
MAX_CHARACTERS = 1_000
"""Largest length of a SMILES, in characters."""
MAX_SHOWN_CHARACTERS = 24
"""Largest length of a SMILES in an error."""


def has_rdkit() -> bool:
    """Return whether RDKit is installed."""
    return find_spec("rdkit") is not None


def compute_fingerprints(smiles: Sequence[str | None]) -> tuple[list[str], list[tuple[int, str]]]:
    """Return the Morgan fingerprints of molecules, with chirality, and the faults of their SMILES; needs RDKit.

    Parameters
    ----------
    smiles
        SMILES of the molecules; ``None`` for an empty cell, which is a fault.

    Returns
    -------
    fingerprints
        Texts of 0 and 1; empty for a SMILES with a fault.
    faults
        Rows and what is wrong with them, such as ``no SMILES``.
    """
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdFingerprintGenerator

    if len(smiles) > MAX_MOLECULES:
        rule = f"a table of molecules must have at most {MAX_MOLECULES:,} rows"
        raise InputError(rule, f"{len(smiles):,}", "choose the likely molecules first")
    generator: Any = rdFingerprintGenerator.GetMorganGenerator(radius=RADIUS, fpSize=BITS, includeChirality=True)
    found, faults = [""] * len(smiles), list[tuple[int, str]]()
    with rdBase.BlockLogs():  # an invalid SMILES is a fault
        for row, text in enumerate(smiles):
            if text is None:
                faults.append((row, "no SMILES"))
            elif len(text) > MAX_CHARACTERS:
                faults.append((row, f"a SMILES of {len(text):,} characters (at most {MAX_CHARACTERS:,})"))
            elif (molecule := Chem.MolFromSmiles(text)) is None or not molecule.GetNumAtoms():
                faults.append((row, f"the SMILES {truncate(text, MAX_SHOWN_CHARACTERS)!r}"))
            else:
                found[row] = generator.GetFingerprint(molecule).ToBitString()
    return found, faults
