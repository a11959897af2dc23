"""Write src/anchorpbo/app/examples/molecules.json, the catalogue of the example study of molecules.

python scripts/make_molecules.py    needs rdkit; the example itself does not

Each line of the file is one molecule: its name, SMILES and family as listed here; a few properties and the set bits of
its Morgan fingerprint (radius 2, 2,048 bits), computed by RDKit; and a drawing of its skeletal formula from RDKit's
two-dimensional coordinates. Bonds have the colour of the surrounding text, and atoms the usual colours in tones that
are visible on light and on dark pages.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rdkit import Chem
from rdkit.Chem import Crippen, Descriptors, rdDepictor, rdFingerprintGenerator, rdMolDescriptors

MOLECULES = """
Aspirin | painkiller | C9H8O4 | CC(=O)Oc1ccccc1C(=O)O
Paracetamol | painkiller | C8H9NO2 | CC(=O)Nc1ccc(O)cc1
Ibuprofen | painkiller | C13H18O2 | CC(C)Cc1ccc(cc1)C(C)C(=O)O
Naproxen | painkiller | C14H14O3 | C[C@H](C(=O)O)c1ccc2cc(OC)ccc2c1
Diclofenac | painkiller | C14H11Cl2NO2 | OC(=O)Cc1ccccc1Nc1c(Cl)cccc1Cl
Celecoxib | painkiller | C17H14F3N3O2S | Cc1ccc(cc1)-c1cc(nn1-c1ccc(cc1)S(N)(=O)=O)C(F)(F)F
Morphine | painkiller | C17H19NO3 | CN1CC[C@]23c4c5ccc(O)c4O[C@H]2[C@@H](O)C=C[C@H]3[C@H]1C5
Lidocaine | anaesthetic | C14H22N2O | CCN(CC)CC(=O)Nc1c(C)cccc1C
Benzocaine | anaesthetic | C9H11NO2 | CCOC(=O)c1ccc(N)cc1
Caffeine | stimulant | C8H10N4O2 | Cn1cnc2c1c(=O)n(C)c(=O)n2C
Theobromine | stimulant | C7H8N4O2 | Cn1cnc2c1c(=O)[nH]c(=O)n2C
Theophylline | stimulant | C7H8N4O2 | Cn1c2nc[nH]c2c(=O)n(C)c1=O
Nicotine | stimulant | C10H14N2 | CN1CCC[C@H]1c1cccnc1
Dopamine | messenger | C8H11NO2 | NCCc1ccc(O)c(O)c1
Adrenaline | messenger | C9H13NO3 | CNC[C@H](O)c1ccc(O)c(O)c1
Serotonin | messenger | C10H12N2O | NCCc1c[nH]c2ccc(O)cc12
Melatonin | messenger | C13H16N2O2 | COc1ccc2[nH]cc(CCNC(C)=O)c2c1
Histamine | messenger | C5H9N3 | NCCc1c[nH]cn1
GABA | messenger | C4H9NO2 | NCCCC(=O)O
Testosterone | hormone | C19H28O2 | C[C@]12CC[C@H]3[C@@H](CCC4=CC(=O)CC[C@]34C)[C@@H]1CC[C@@H]2O
Estradiol | hormone | C18H24O2 | C[C@]12CC[C@H]3[C@@H](CCc4cc(O)ccc34)[C@@H]1CC[C@@H]2O
Cholesterol | building block | C27H46O | CC(C)CCC[C@@H](C)[C@H]1CC[C@H]2[C@@H]3CC=C4C[C@@H](O)CC[C@]4(C)[C@H]3CC[C@]12C
Glycine | building block | C2H5NO2 | NCC(=O)O
Phenylalanine | building block | C9H11NO2 | N[C@@H](Cc1ccccc1)C(=O)O
Tryptophan | building block | C11H12N2O2 | N[C@@H](Cc1c[nH]c2ccccc12)C(=O)O
Urea | building block | CH4N2O | NC(N)=O
Glucose | sugar | C6H12O6 | OC[C@H]1OC(O)[C@H](O)[C@@H](O)[C@@H]1O
Sucrose | sugar | C12H22O11 | OC[C@H]1O[C@H](O[C@]2(CO)O[C@H](CO)[C@@H](O)[C@@H]2O)[C@H](O)[C@@H](O)[C@@H]1O
Saccharin | sweetener | C7H5NO3S | O=C1NS(=O)(=O)c2ccccc12
Aspartame | sweetener | C14H18N2O5 | COC(=O)[C@H](Cc1ccccc1)NC(=O)[C@@H](N)CC(=O)O
Ethanol | solvent | C2H6O | CCO
Glycerol | solvent | C3H8O3 | OCC(O)CO
Acetone | solvent | C3H6O | CC(C)=O
Acetic acid | acid | C2H4O2 | CC(=O)O
Lactic acid | acid | C3H6O3 | C[C@H](O)C(=O)O
Citric acid | acid | C6H8O7 | OC(=O)CC(O)(CC(=O)O)C(=O)O
Salicylic acid | acid | C7H6O3 | OC(=O)c1ccccc1O
Ascorbic acid | vitamin | C6H8O6 | OC[C@H](O)[C@H]1OC(=O)C(O)=C1O
Niacin | vitamin | C6H5NO2 | OC(=O)c1cccnc1
Pyridoxine | vitamin | C8H11NO3 | Cc1ncc(CO)c(CO)c1O
Biotin | vitamin | C10H16N2O3S | OC(=O)CCCC[C@@H]1SC[C@@H]2NC(=O)N[C@H]12
Vanillin | flavour | C8H8O3 | COc1cc(C=O)ccc1O
Eugenol | flavour | C10H12O2 | COc1cc(CC=C)ccc1O
Cinnamaldehyde | flavour | C9H8O | O=C/C=C/c1ccccc1
Capsaicin | flavour | C18H27NO3 | COc1cc(CNC(=O)CCCC/C=C/C(C)C)ccc1O
Menthol | flavour | C10H20O | CC(C)[C@@H]1CC[C@@H](C)C[C@H]1O
Limonene | fragrance | C10H16 | CC1=CC[C@@H](CC1)C(C)=C
Carvone | fragrance | C10H14O | CC1=CC[C@H](CC1=O)C(C)=C
Thymol | fragrance | C10H14O | Cc1ccc(C(C)C)c(O)c1
Linalool | fragrance | C10H18O | CC(C)=CCCC(C)(O)C=C
Coumarin | fragrance | C9H6O2 | O=c1ccc2ccccc2o1
Resveratrol | plant substance | C14H12O3 | Oc1ccc(/C=C/c2cc(O)cc(O)c2)cc1
Quercetin | plant substance | C15H10O7 | Oc1cc(O)c2c(c1)oc(-c1ccc(O)c(O)c1)c(O)c2=O
Curcumin | plant substance | C21H20O6 | COc1cc(/C=C/C(=O)CC(=O)/C=C/c2ccc(O)c(OC)c2)ccc1O
Penicillin G | antibiotic | C16H18N2O4S | CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O
Amoxicillin | antibiotic | C16H19N3O5S | CC1(C)S[C@@H]2[C@H](NC(=O)[C@H](N)c3ccc(O)cc3)C(=O)N2[C@H]1C(=O)O
Ciprofloxacin | antibiotic | C17H18FN3O3 | O=C(O)c1cn(C2CC2)c2cc(N3CCNCC3)c(F)cc2c1=O
Sulfamethoxazole | antibiotic | C10H11N3O3S | Cc1cc(NS(=O)(=O)c2ccc(N)cc2)no1
Trimethoprim | antibiotic | C14H18N4O3 | COc1cc(Cc2cnc(N)nc2N)cc(OC)c1OC
Isoniazid | antibiotic | C6H7N3O | NNC(=O)c1ccncc1
Metformin | medicine | C4H11N5 | CN(C)C(=N)NC(=N)N
Warfarin | medicine | C19H16O4 | CC(=O)CC(c1ccccc1)c1c(O)c2ccccc2oc1=O
Diazepam | medicine | C16H13ClN2O | CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc12
Fluoxetine | medicine | C17H18F3NO | CNCCC(Oc1ccc(cc1)C(F)(F)F)c1ccccc1
Propranolol | medicine | C16H21NO2 | CC(C)NCC(O)COc1cccc2ccccc12
Salbutamol | medicine | C13H21NO3 | CC(C)(C)NCC(O)c1ccc(O)c(CO)c1
Omeprazole | medicine | C17H19N3O3S | COc1ccc2[nH]c(nc2c1)S(=O)Cc1ncc(C)c(OC)c1C
Diphenhydramine | medicine | C17H21NO | CN(C)CCOC(c1ccccc1)c1ccccc1
"""
HANDED = {
    "Naproxen": "S", "Nicotine": "S", "Adrenaline": "R", "Lactic acid": "S", "Tryptophan": "S", "Phenylalanine": "S",
    "Aspartame": "SS", "Limonene": "R", "Carvone": "R", "Menthol": "SRR", "Penicillin G": "RRS", "Amoxicillin": "RRRS",
    "Biotin": "SRS", "Ascorbic acid": "SR",
}  # fmt: skip
"""Known configurations (R or S) of the stereocentres, in the order of the SMILES; used to check the SMILES above."""

BITS, RADIUS = 2_048, 2
BOND, FONT, LINE = 24.0, 13.0, 1.5
APART = 4.2
"""Distance between the lines of a double bond."""
CLEAR = 8.2
"""Distance from the middle of a letter to the end of a bond."""
LEAST = (176.0, 132.0)
"""Smallest size of a drawing, so that a small molecule is not enlarged to fill a card."""
LONG = 240.0
"""Width above which a drawing is rotated if that makes it larger."""
TONES = {"O": "#d9483b", "N": "#3b7dd8", "S": "#b07d00", "F": "#2b9a4b", "Cl": "#2b9a4b"}
WIDTHS = {"Cl": 1.0, "F": 0.61, "S": 0.67, "N": 0.72, "O": 0.78}
"""Widths of the symbols, in ems of a sans-serif font."""
SIDES = {"right": (1.0, 0.0), "left": (-1.0, 0.0), "down": (0.0, 1.0), "up": (0.0, -1.0)}


def number(value: float) -> str:
    """Format a coordinate to one decimal, as short as possible."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if abs(value) >= 0.05 else "0"


def line(start: np.ndarray, end: np.ndarray) -> str:
    """Return a line as part of an SVG path."""
    return f"M{number(start[0])} {number(start[1])}L{number(end[0])} {number(end[1])}"


def letter(text: str, x: float, y: float, style: str) -> str:
    """Return a text element centred at (x, y)."""
    return f'<text {style} x="{number(x)}" y="{number(y)}">{text}</text>'


class Drawing:
    """The skeletal formula of one molecule."""

    def __init__(self, molecule: Chem.Mol) -> None:
        flat = Chem.Mol(molecule)
        Chem.Kekulize(flat, clearAromaticFlags=True)
        rdDepictor.SetPreferCoordGen(True)
        rdDepictor.Compute2DCoords(flat)
        Chem.WedgeMolBonds(flat, flat.GetConformer())
        self.molecule = flat
        at = flat.GetConformer().GetPositions()[:, :2] * [1.0, -1.0]
        ends = np.array([[bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()] for bond in flat.GetBonds()])
        self.at = at * BOND / np.median(np.linalg.norm(at[ends[:, 0]] - at[ends[:, 1]], axis=1))
        self.turn()
        self.at -= (self.at.min(axis=0) + self.at.max(axis=0)) / 2
        self.rings = [set(ring) for ring in flat.GetRingInfo().AtomRings()]

    def turn(self) -> None:
        """Rotate a long molecule so that it can be drawn larger; leave others in their usual orientation."""
        as_it_is, widths = self.at, {}
        for angle in range(0, 180, 30):
            turned = np.deg2rad(angle)
            self.at = as_it_is @ np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]])
            widths[self.size()[0]] = self.at
        self.at = as_it_is
        if self.size()[0] > LONG and min(widths) < 0.93 * self.size()[0]:
            self.at = widths[min(widths)]

    def svg(self, title: str) -> str:
        """Return the drawing as an SVG document."""
        lines, shapes, labels = [], [], []
        for bond in self.molecule.GetBonds():
            drawn = self.stereo(bond)
            if drawn:
                shapes.append(drawn)
            else:
                lines.extend(self.strokes(bond))
        for atom in self.molecule.GetAtoms():
            if self.is_labelled(atom):
                labels.extend(self.label(atom))
        width, height = self.size()
        box = f"{number(-width / 2)} {number(-height / 2)} {number(width)} {number(height)}"
        stroke = f'fill="none" stroke="currentColor" stroke-width="{LINE}" stroke-linecap="round"'
        letters = f'font-family="Helvetica, Arial, sans-serif" font-size="{number(FONT)}" text-anchor="middle"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label="{title}">'
            f'<path {stroke} d="{"".join(lines)}"/>{"".join(shapes)}'
            + (f"<g {letters}>{''.join(labels)}</g>" if labels else "")
            + "</svg>"
        )

    def size(self) -> tuple[float, float]:
        """Return width and height with room for labels, in a ratio of four to three."""
        across, down = self.at.max(axis=0) - self.at.min(axis=0)
        width, height = max(across + 60, LEAST[0]), max(down + 44, LEAST[1])
        return max(width, height * 4 / 3), max(height, width * 3 / 4)

    @staticmethod
    def is_labelled(atom: Chem.Atom) -> bool:
        """Return whether an atom is drawn as a symbol instead of a corner."""
        return atom.GetSymbol() != "C" or atom.GetDegree() == 0

    def clear(self, i: int, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of a bond, shortened to leave room for symbols."""
        first, second = self.at[i], self.at[j]
        along = (second - first) / np.linalg.norm(second - first)
        for index, sign in ((i, 1.0), (j, -1.0)):
            if self.is_labelled(self.molecule.GetAtomWithIdx(index)):
                if sign > 0:
                    first = first + along * CLEAR
                else:
                    second = second - along * CLEAR
        return first, second

    def strokes(self, bond: Chem.Bond) -> Iterator[str]:
        """Yield the lines of a bond."""
        i, j = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        first, second = self.clear(i, j)
        along = (self.at[j] - self.at[i]) / np.linalg.norm(self.at[j] - self.at[i])
        across = np.array([-along[1], along[0]])
        order = int(bond.GetBondTypeAsDouble())
        if order == 2:
            side = self.inner_side(i, j, across)
            if side == 0:
                yield line(first + across * APART / 2, second + across * APART / 2)
                yield line(first - across * APART / 2, second - across * APART / 2)
                return
            inset = [0.0 if self.is_labelled(self.molecule.GetAtomWithIdx(index)) else 3.2 for index in (i, j)]
            yield line(first, second)
            yield line(
                first + across * APART * side + along * inset[0], second + across * APART * side - along * inset[1]
            )
            return
        yield line(first, second)

    def inner_side(self, i: int, j: int, across: np.ndarray) -> int:
        """Return the side of a double bond's second line: inside a ring, towards neighbours, or 0 for the middle."""
        shared = sorted((ring for ring in self.rings if {i, j} <= ring), key=self.rank)
        if shared:
            middle = self.at[sorted(shared[0])].mean(axis=0)
            return 1 if (middle - self.at[i]) @ across > 0 else -1
        ends = [self.molecule.GetAtomWithIdx(index) for index in (i, j)]
        if any(atom.GetDegree() == 1 for atom in ends):
            return 0
        others = [n.GetIdx() for atom in ends for n in atom.GetNeighbors() if n.GetIdx() not in (i, j)]
        balance = sum(math.copysign(1.0, float((self.at[k] - self.at[i]) @ across)) for k in others)
        return 1 if balance >= 0 else -1

    def rank(self, ring: set[int]) -> tuple[int, int]:
        """Return the sort key of a ring: six-membered rings first, then rings with more double bonds."""
        doubles = sum(
            bond.GetBondTypeAsDouble() == 2 and {bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()} <= ring
            for bond in self.molecule.GetBonds()
        )
        return (-doubles, abs(len(ring) - 6))

    def stereo(self, bond: Chem.Bond) -> str:
        """Return a wedged or hashed bond, or an empty string."""
        kind = bond.GetBondDir()
        if kind not in (Chem.BondDir.BEGINWEDGE, Chem.BondDir.BEGINDASH):
            return ""
        first, second = self.clear(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())
        across = np.array([first[1] - second[1], second[0] - first[0]])
        across = across / np.linalg.norm(across) * 3.4
        if kind == Chem.BondDir.BEGINWEDGE:
            corners = [first, second + across, second - across]
            points = " ".join(f"{number(x)},{number(y)}" for x, y in corners)
            return f'<polygon fill="currentColor" points="{points}"/>'
        rungs = []
        for share in np.linspace(0.12, 1.0, 6):
            middle = first + (second - first) * share
            rungs.append(line(middle + across * share, middle - across * share))
        return f'<path fill="none" stroke="currentColor" stroke-width="1.2" d="{"".join(rungs)}"/>'

    def label(self, atom: Chem.Atom) -> Iterator[str]:
        """Yield the symbol of an atom and its hydrogens, placed on a free side."""
        symbol, hydrogens = atom.GetSymbol(), atom.GetTotalNumHs()
        x, y = self.at[atom.GetIdx()]
        tone = f'fill="{TONES.get(symbol, "currentColor")}"'
        base = y + 0.36 * FONT
        half = WIDTHS.get(symbol, 0.72) * FONT / 2
        if not hydrogens:
            yield letter(symbol, x, base, tone)
            return
        side = self.free_side(atom)
        way = SIDES[side]
        # Each letter is placed separately, because not every program can measure the width of a text.
        after = half + (0.44 * FONT if side == "left" and hydrogens > 1 else 0.0)
        h = (x + way[0] * (after + 0.37 * FONT), base + way[1] * 0.86 * FONT)
        yield letter(symbol, x, base, tone)
        yield letter("H", *h, tone)
        if hydrogens > 1:
            yield letter(str(hydrogens), h[0] + 0.58 * FONT, h[1] + 3, f'{tone} font-size="9"')

    def free_side(self, atom: Chem.Atom) -> str:
        """Return the side of an atom with most room between its neighbours, preferably left or right."""
        here = self.at[atom.GetIdx()]
        towards = [self.at[n.GetIdx()] - here for n in atom.GetNeighbors()]
        closest = {
            side: max((float(np.dot(way, t) / np.linalg.norm(t)) for t in towards), default=-1.0)
            for side, way in SIDES.items()
        }
        sideways = min(("right", "left"), key=lambda side: round(closest[side], 3))
        return sideways if closest[sideways] < 0.55 else min(("down", "up"), key=lambda side: round(closest[side], 3))


def record(name: str, family: str, formula: str, smiles: str) -> dict[str, object]:
    """Return the file's entry for a molecule."""
    molecule = Chem.MolFromSmiles(smiles)
    found = rdMolDescriptors.CalcMolFormula(molecule)
    if found != formula:
        raise SystemExit(f"{name}: {smiles} is {found}, not {formula}")
    centres = Chem.FindMolChiralCenters(molecule, useLegacyImplementation=False)
    if name in HANDED and "".join(hand for _, hand in centres) != HANDED[name]:
        raise SystemExit(f"{name}: {centres}, not {HANDED[name]}")
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=RADIUS, fpSize=BITS)
    return {
        "name": name,
        "family": family,
        "formula": formula,
        "smiles": smiles,
        "weight": round(Descriptors.MolWt(molecule), 1),
        "logp": round(Crippen.MolLogP(molecule), 2),
        "tpsa": round(rdMolDescriptors.CalcTPSA(molecule), 1),
        "donors": rdMolDescriptors.CalcNumHBD(molecule),
        "rings": rdMolDescriptors.CalcNumRings(molecule),
        "bits": list(generator.GetFingerprint(molecule).GetOnBits()),
        "svg": Drawing(molecule).svg(name),
    }


def main() -> None:
    """Write the file."""
    rows = [[cell.strip() for cell in row.split("|")] for row in MOLECULES.strip().splitlines()]
    lines = [json.dumps(record(*row), separators=(",", ":")) for row in rows]
    target = Path(__file__).parents[1] / "src" / "anchorpbo" / "app" / "examples" / "molecules.json"
    target.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    print(f"wrote {target.name}: {len(lines)} molecules, {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
