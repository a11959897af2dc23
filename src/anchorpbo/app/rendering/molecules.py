"""Drawings of molecules by RDKit, an optional dependency (extra ``molecules``)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from anchorpbo.app.rendering.svg import sanitize_svg

_WIDTH, _HEIGHT = 400, 300
"""Size of a drawing, in the ratio of the pictures of a card."""
MAX_SMILES_CHARACTERS = 300
"""Maximum length of a SMILES; the time to draw it grows at least quadratically."""


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
