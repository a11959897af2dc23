"""Molecules drawn by RDKit, where it is installed (extra ``molecules``)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from anchorpbo.app.rendering.svg import checked_svg

_SIZE = 320
LONGEST = 300
"""Signs of a SMILES; drawing takes the square of it and more."""


@lru_cache(maxsize=4096)
def draw_molecule(smiles: str) -> str | None:
    """An SVG of a molecule; ``None`` where it, or RDKit, is unknown, and of one too large to be looked at."""
    if len(smiles) > LONGEST:
        return None
    try:
        from rdkit import Chem, rdBase
        from rdkit.Chem.Draw import rdMolDraw2D
    except ImportError:
        return None
    with rdBase.BlockLogs():  # what is no molecule is not worth a line in the log
        molecule = Chem.MolFromSmiles(smiles)
    if molecule is None:
        return None
    drawer: Any = rdMolDraw2D.MolDraw2DSVG(_SIZE, _SIZE)
    drawer.drawOptions().clearBackground = False
    drawer.DrawMolecule(molecule)
    drawer.FinishDrawing()
    text: str = drawer.GetDrawingText()
    return checked_svg(text[text.index("<svg") :])
