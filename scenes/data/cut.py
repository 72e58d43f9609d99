"""Makes the embedded molecules of this folder again: python3 cut.py SOURCES

How it works: SOURCES holds the files named in README.md. Of each equilibrated patch every lipid is made whole across the
periodic box, lipids of the lower leaflet are turned over about x, and all are sorted by how far their heavy atoms stand
from their own axis (lateral radius of gyration): five of the slimmer half become chains A to E. Cholesterol and gramicidin
are stood along their longest axis. Of the proteins one biological unit is kept, without water, buffer and detergent.
Needs numpy alone; the same sources give the same bytes.
"""

import gzip
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
# Places among the 128 lipids of a patch, sorted by lateral radius of gyration: slim enough to pack, and unlike each other.
CONFORMERS = (8, 20, 32, 44, 56)
SOLVENT = {"HOH", "C8E", "PO4"}


class Atom:
    """One atom of a PDB file."""

    def __init__(self, line):
        self.hetero = line.startswith("HETATM")
        self.serial = int(line[6:11])
        self.name = plain_name(line[12:16].strip())
        self.alternate = line[16]
        self.residue = line[17:20].strip()
        self.chain = line[21]
        self.number = int(line[22:26])
        self.at = np.array([float(line[30:38]), float(line[38:46]), float(line[46:54])])
        self.b_factor = float(line[60:66])
        self.element = line[76:78].strip() or self.name[0]


def plain_name(name):
    """The patches of DPPC and DOPC write C210 as 0C21: the fourth letter has gone to the front."""
    return name[1:] + name[0] if name[0].isdigit() and name[1] == "C" else name


def read(path):
    """The atoms of a PDB file, its box and its stated bonds."""
    atoms, box, bonds = [], None, {}
    for line in path.read_text().splitlines():
        if line.startswith("CRYST1"):
            box = np.array([float(line[6:15]), float(line[15:24]), float(line[24:33])])
        elif line.startswith(("ATOM  ", "HETATM")):
            atoms.append(Atom(line))
        elif line.startswith("CONECT"):
            first, *others = (int(line[at : at + 5]) for at in range(6, len(line.rstrip()), 5))
            bonds.setdefault(first, set()).update(others)
    return atoms, box, bonds


def heavy(atoms):
    """Coordinates of all atoms but hydrogens."""
    return np.array([atom.at for atom in atoms if atom.element != "H"])


def move(atoms, turn, shift):
    for atom in atoms:
        atom.at = turn @ atom.at + shift


def write(path, remarks, molecules, bonds=None):
    """Writes molecules one after another; CONECT names each bond from both ends."""
    lines = [f"REMARK   1 {remark}" for remark in remarks]
    number = 0
    stated = []
    for atoms in molecules:
        new = {}
        for atom in atoms:
            number += 1
            new[atom.serial] = number
            lines.append(line_of(atom, number))
        for first in sorted(new) if bonds else ():
            others = sorted(new[other] for other in bonds.get(first, ()) if other in new)
            stated.append(f"CONECT{new[first]:5d}" + "".join(f"{other:5d}" for other in others))
    text = "\n".join([*lines, *stated, "END", ""])
    # No time stamp, so that the same atoms are the same bytes.
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0) if path.suffix == ".gz" else text.encode())


def line_of(atom, number):
    name = atom.name if len(atom.name) == 4 or len(atom.element) == 2 else " " + atom.name
    x, y, z = atom.at + 0.0  # no negative zero
    kind = "HETATM" if atom.hetero else "ATOM"
    return (
        f"{kind:6}{number:5d} {name:4} {atom.residue:>3} {atom.chain}{atom.number:4d}    "
        f"{x:8.3f}{y:8.3f}{z:8.3f}{1:6.2f}{atom.b_factor:6.2f}          {atom.element:>2}"
    )


def lipids(path, residue):
    """The lipids of a patch, whole, heads up, the middle of the bilayer at z = 0; and the patch's bonds."""
    atoms, box, bonds = read(path)
    found = {}
    for atom in atoms:
        if atom.residue == residue:
            found.setdefault(atom.number, []).append(atom)
    found = list(found.values())
    for lipid in found:
        for atom in lipid:
            atom.at -= box * np.round((atom.at - lipid[0].at) / box)
    middle = np.mean([heavy(lipid)[:, 2].mean() for lipid in found])
    for lipid in found:
        turn = np.diag([1.0, -1.0, -1.0]) if heavy(lipid)[:, 2].mean() < middle else np.eye(3)
        move(lipid, turn, turn @ [0.0, 0.0, -middle])
    return found, bonds


def lateral_radius(lipid):
    across = heavy(lipid)[:, :2]
    return np.sqrt(((across - across.mean(0)) ** 2).sum(1).mean())


def cut_lipid(source, name, residue):
    found, bonds = lipids(source / f"{name}.pdb", residue)
    order = np.argsort([lateral_radius(lipid) for lipid in found])
    chosen = [found[order[place]] for place in CONFORMERS]
    for chain, lipid in zip("ABCDE", chosen):
        center = heavy(lipid).mean(0)
        move(lipid, np.eye(3), [-center[0], -center[1], 0.0])
        for atom in lipid:
            atom.chain, atom.number = chain, 1
    remarks = [
        f"FIVE {name} LIPIDS OF THE MEMBRANE PATCH IN OPENMM 8.6.1 (MIT), APP/DATA/{name}.PDB",
        "Z IS OUTWARD, Z = 0 THE MIDDLE OF THE BILAYER; HEAVY ATOMS CENTRED AT X = Y = 0",
    ]
    write(HERE / f"{name.lower()}.pdb", remarks, chosen, bonds)
    return found


def ester_height(popc):
    """Mean height of the two ester groups' carbonyl oxygens."""
    return np.mean([atom.at[2] for lipid in popc for atom in lipid if atom.name in ("O22", "O32")])


def upright(points):
    """The rotation that stands the longest axis of some points along z."""
    _, axes = np.linalg.eigh(np.cov(points.T))
    axes *= np.sign(axes[np.abs(axes).argmax(0), [0, 1, 2]])
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    return axes.T


def cut_cholesterol(source, height):
    atoms, _, bonds = read(source / "CLR.pdb")
    turn = upright(heavy(atoms))
    oxygen = next(atom for atom in atoms if atom.name == "O1")
    if (turn @ (oxygen.at - heavy(atoms).mean(0)))[2] < 0:
        turn = np.diag([1.0, -1.0, -1.0]) @ turn
    move(atoms, turn, np.zeros(3))
    center = heavy(atoms).mean(0)
    move(atoms, np.eye(3), [-center[0], -center[1], height - oxygen.at[2]])
    for atom in atoms:
        atom.chain, atom.number = "A", 1
    remarks = [
        "CHOLESTEROL, IDEAL COORDINATES OF THE WWPDB CHEMICAL COMPONENT CLR (CC0)",
        f"Z IS OUTWARD, Z = 0 THE MIDDLE OF A BILAYER; THE HYDROXYL O1 IS AT {height:.1f}",
    ]
    write(HERE / "cholesterol.pdb", remarks, [atoms], bonds)


def cut_water():
    """Bond length 0.9572 A and angle 104.52 degrees, as in the gas and in TIP3P."""
    half = np.radians(104.52 / 2)
    places = [(0, 0), (np.sin(half), np.cos(half)), (-np.sin(half), np.cos(half))]
    atoms = []
    for serial, (name, (x, z)) in enumerate(zip(("O", "H1", "H2"), places), 1):
        x, z = 0.9572 * x, 0.9572 * z
        atoms.append(Atom(f"HETATM{serial:5d}  {name:3} HOH A   1    {x:8.3f}{0:8.3f}{z:8.3f}  1.00  0.00           {name[0]}"))
    write(HERE / "water.pdb", ["WATER, 0.9572 A AND 104.52 DEGREES"], [atoms], {1: {2, 3}, 2: {1}, 3: {1}})


def unit(path, chains):
    """The chains of one biological unit, first alternate locations, heavy atoms, without what the crystal was grown in."""
    atoms, _, _ = read(path)
    kept = [atom for atom in atoms if atom.chain in chains and atom.residue not in SOLVENT and atom.alternate in " A"]
    # Chains in one piece each, with their ligands.
    return sorted(kept, key=lambda atom: atom.chain)


def cut_protein(source, file, remark, chains="A"):
    atoms = unit(source, chains)
    move(atoms, np.eye(3), -heavy(atoms).mean(0))
    write(HERE / file, [remark, "CENTRED ON THE MEAN OF ITS ATOMS"], [atoms])


def cut_gramicidin(source):
    atoms = unit(source, "AB")
    turn = upright(heavy(atoms))
    move(atoms, turn, -turn @ heavy(atoms).mean(0))
    remarks = ["GRAMICIDIN A, PDB ENTRY 1GRM (CC0), FIRST MODEL", "Z IS THE AXIS OF THE CHANNEL, Z = 0 ITS MIDDLE"]
    write(HERE / "gramicidin.pdb", remarks, [atoms])


def cut_porin(source):
    """The trimer about z that REMARK 350 of the entry asks for, the outside of the cell up, its belt at z = 0."""
    trimer = []
    for chain, angle in zip("ABC", np.radians([0, 120, 240])):
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        copy = unit(source, "A")
        move(copy, turn, np.zeros(3))
        for atom in copy:
            atom.chain = chain
        trimer += copy
    # Both ends of a porin's chain are on the inner side of the outer membrane.
    ends = [atom.at[2] for atom in trimer if atom.name == "CA" and atom.number in (1, 301)]
    if np.mean(ends) > heavy(trimer)[:, 2].mean():
        move(trimer, np.diag([1.0, -1.0, -1.0]), np.zeros(3))
    move(trimer, np.eye(3), [0.0, 0.0, -belt(trimer)])
    remarks = [
        "PORIN OF RHODOBACTER CAPSULATUS, PDB ENTRY 2POR (CC0), TRIMER OF REMARK 350",
        "Z IS THE AXIS OF THE TRIMER AND POINTS OUT OF THE CELL, Z = 0 THE MIDDLE OF ITS HYDROPHOBIC BELT",
    ]
    write(HERE / "porin.pdb.gz", remarks, [trimer])


def belt(atoms, thickness=24.0):
    """Height of the slab in which the outermost atoms (one per sector of 5 degrees and slice of 1 A) are most often carbon.

    Slabs of 18 to 26 A have their middles within 2 A of each other; with 24 A the rings of tyrosine and tryptophan that
    line both rims of the belt stand evenly, 10 to 15 A above and below."""
    outermost = {}
    for atom in atoms:
        x, y, z = atom.at
        key = (int(np.floor(np.degrees(np.arctan2(y, x)) / 5)), int(np.floor(z)))
        if key not in outermost or np.hypot(x, y) > outermost[key][0]:
            outermost[key] = (np.hypot(x, y), z, atom.element in ("N", "O"))
    heights = np.array([z for _, z, _ in outermost.values()])
    polar = np.array([polar for _, _, polar in outermost.values()])
    middles = np.arange(np.floor(heights.min()) + thickness / 2, heights.max() - thickness / 2, 0.5)
    shares = [polar[np.abs(heights - middle) < thickness / 2].mean() for middle in middles]
    return middles[int(np.argmin(shares))]


def main(source):
    popc = cut_lipid(source, "POPC", "POP")
    cut_lipid(source, "DPPC", "DPP")
    cut_lipid(source, "DOPC", "DOP")
    cut_cholesterol(source, round(ester_height(popc), 1))
    cut_water()
    cut_protein(source / "1crn.pdb", "crambin.pdb", "CRAMBIN, PDB ENTRY 1CRN (CC0)")
    cut_protein(source / "1ubq.pdb", "ubiquitin.pdb", "UBIQUITIN, PDB ENTRY 1UBQ (CC0)")
    cut_protein(source / "1hel.pdb", "lysozyme.pdb", "HEN EGG-WHITE LYSOZYME, PDB ENTRY 1HEL (CC0)")
    cut_protein(source / "1ake.pdb", "adenylate_kinase.pdb", "ADENYLATE KINASE WITH AP5A, PDB ENTRY 1AKE (CC0), CHAIN A")
    cut_protein(source / "4HHB.pdb", "haemoglobin.pdb.gz", "HUMAN DEOXYHAEMOGLOBIN, PDB ENTRY 4HHB (CC0)", "ABCD")
    cut_gramicidin(source / "1grm_single.pdb")
    cut_porin(source / "2por.pdb")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
