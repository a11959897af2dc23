"""Molecules by RDKit, an optional dependency (extra ``molecules``): drawings and fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from anchorpbo.app.rendering.svg import sanitize_svg
from anchorpbo.errors import InputError

_WIDTH, _HEIGHT = 400, 300
"""Size of a drawing, in the ratio of the pictures of a card."""
MAX_SMILES_CHARACTERS = 300
"""Maximum length of a SMILES; the time to draw it grows at least quadratically."""


FINGERPRINT_BITS, FINGERPRINT_RADIUS = 1024, 2
"""Number of bits and radius, in bonds, of the Morgan fingerprint, as in ECFP4."""


def has_rdkit() -> bool:
    """Return whether RDKit is installed."""
    return find_spec("rdkit") is not None


def compute_fingerprints(smiles: Sequence[str], places: Sequence[str]) -> list[str]:
    """Return the Morgan fingerprints of molecules as texts of 0 and 1; needs RDKit.

    Parameters
    ----------
    smiles
        SMILES of the molecules.
    places
        Where each comes from, for errors: ``line 2``.
    """
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdFingerprintGenerator

    generator: Any = rdFingerprintGenerator.GetMorganGenerator(radius=FINGERPRINT_RADIUS, fpSize=FINGERPRINT_BITS)
    found = []
    with rdBase.BlockLogs():  # an invalid SMILES is named in the error
        for text, place in zip(smiles, places, strict=True):
            if len(text) > MAX_SMILES_CHARACTERS:
                rule = f"a SMILES must have at most {MAX_SMILES_CHARACTERS} characters"
                raise InputError(rule, f"{len(text)} in {place}", "leave out the row")
            molecule = Chem.MolFromSmiles(text)
            if molecule is None or not molecule.GetNumAtoms():
                remedy = "correct it, or leave out the row"
                raise InputError("a SMILES must describe a molecule", f"{text!r} in {place}", remedy)
            found.append(generator.GetFingerprint(molecule).ToBitString())
    return found


@lru_cache(maxsize=4096)
def draw_molecule(smiles: str) -> str | None:
    """Draw a molecule as SVG; ``None`` if the SMILES is invalid or too long, or RDKit is missing."""
    if len(smiles) > MAX_SMILES_CHARACTERS:
        return None
    try:
        from rdkit import Chem, rdBase
        from rdkit.Chem.Draw import rdMolDraw2D
    except ImportError:
        return None
    with rdBase.BlockLogs():  # invalid SMILES need no log line
        molecule = Chem.MolFromSmiles(smiles)
    if molecule is None:
        return None
    drawer: Any = rdMolDraw2D.MolDraw2DSVG(_WIDTH, _HEIGHT)
    drawer.drawOptions().clearBackground = False
    drawer.DrawMolecule(molecule)
    drawer.FinishDrawing()
    text: str = drawer.GetDrawingText()
    return sanitize_svg(text[text.index("<svg") :])
