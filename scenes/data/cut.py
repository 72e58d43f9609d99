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
        self.b_factor = float(line[60:66].strip() or 0)
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


def fitted(points, onto):
    """The turn and the shift that lay points onto others (Kabsch 1976)."""
    middle, other = points.mean(0), onto.mean(0)
    u, _, v = np.linalg.svd((points - middle).T @ (onto - other))
    turn = v.T @ np.diag([1.0, 1.0, np.sign(np.linalg.det(v.T @ u.T))]) @ u.T
    return turn, other - turn @ middle


RADII = {"C": 1.7, "N": 1.55, "O": 1.52, "S": 1.8}


def worth(drug, enzyme):
    """Lennard-Jones between heavy atoms at van der Waals radii, soft at the cores; hydrogen bonds may be as short as they are."""
    own, other = ([atom for atom in atoms if atom.element != "H"] for atoms in (drug, enzyme))
    apart = np.linalg.norm(heavy(own)[:, None] - heavy(other)[None], axis=2)
    polar = lambda atoms: np.array([atom.element in "NO" for atom in atoms])
    least = np.add.outer([RADII[atom.element] for atom in own], [RADII[atom.element] for atom in other])
    bonds = np.logical_and.outer(polar(own), polar(other))
    least = np.where(bonds, 2.95, least + 0.2)
    sixth = (least / np.maximum(apart, 0.7 * least)) ** 6
    return (np.where(bonds, 1.0, 0.15) * (sixth**2 - 2 * sixth)).sum()


def settle(drug, enzyme, bonds):
    """Turns bonds and shifts the whole at random, and keeps what makes it better (seeded, so that the bytes are the same each time)."""
    random = np.random.default_rng(1)
    number = {atom.serial: place for place, atom in enumerate(drug)}
    name = {atom.name: place for place, atom in enumerate(drug)}
    near = [atom for atom in enzyme if min(np.linalg.norm(atom.at - other.at) for other in drug) < 12.0]

    def beyond(a, b):
        found, wait = {b}, [b]
        while wait:
            for other in (number[serial] for serial in bonds[drug[wait.pop()].serial]):
                if other not in found and other != a:
                    found.add(other)
                    wait.append(other)
        return sorted(found)

    turning = [(name[a], name[b]) for a, b in [("C8", "C9"), ("C9", "C10"), ("C12", "O13"), ("C15", "O16"), ("C18", "O19")]]
    places = np.array([atom.at for atom in drug])

    def put(places):
        for atom, place in zip(drug, places):
            atom.at = place

    def turned(places, middle, axis, angle, which):
        x, y, z = axis / np.linalg.norm(axis)
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        new = places.copy()
        new[which] = (places[which] - middle) @ turn.T + middle
        return new

    def apart(start, steps):
        found = {start}
        for _ in range(steps):
            found |= {number[serial] for place in found for serial in bonds[drug[place].serial]}
        return found

    is_heavy = [atom.element != "H" for atom in drug]
    own = [(a, b) for a in range(len(drug)) for b in range(a) if is_heavy[a] and is_heavy[b] and b not in apart(a, 3)]
    one, other = map(list, zip(*own))

    def value(places):
        """With what it does to itself: no two atoms more than three bonds apart may come nearer than 3.2 A."""
        put(places)
        inside = np.maximum(0.0, 3.2 - np.linalg.norm(places[one] - places[other], axis=1))
        return worth(drug, near) + 20.0 * (inside**2).sum()

    best = value(places)
    for step in range(6000):
        size = 1.0 - step / 6000
        new = places
        for a, b in turning:
            if random.random() < 0.4:
                angle = random.normal() * (2.0 if step < 2000 else 0.5) * size
                new = turned(new, new[b], new[b] - new[a], angle, beyond(a, b))
        new = turned(new, new[:8].mean(0), random.normal(size=3), 0.1 * size * random.normal(), range(len(drug)))
        new = new + 0.15 * size * random.normal(size=3)
        now = value(new)
        if now < best:
            best, places = now, new
    put(places)


def cut_dhfr(source):
    """The enzyme of the JAC benchmark (entry 5DFR) without water and hydrogens, and trimethoprim in it.

    Where trimethoprim goes is told by methotrexate in entry 4DFR: the two enzymes are laid onto each other by their C-alpha, and the
    pyrimidine ring of the one drug, with its two amines, onto that of the other. The bonds between its rings and to its methyls are then turned, and the
    whole shifted a little, until it lies well: the ideal coordinates know nothing of an enzyme."""
    water = {"WAT"}
    enzyme = [atom for atom in read(source / "dhfr_system.pdb")[0] if atom.residue not in water and atom.name[0] in "CNOS"]
    for atom in enzyme:
        atom.element, atom.chain = atom.name[0], "A"
        atom.residue = {"HID": "HIS"}.get(atom.residue, atom.residue)
    other = [atom for atom in read(source / "4dfr.pdb")[0] if atom.chain == "B" and atom.alternate in " A"]
    alpha = lambda atoms: {atom.number: atom.at for atom in atoms if atom.name == "CA" and not atom.hetero}
    own, theirs = alpha(enzyme), alpha(other)
    both = sorted(own.keys() & theirs.keys())
    turn, shift = fitted(np.array([theirs[n] for n in both]), np.array([own[n] for n in both]))
    move(other, turn, shift)
    ring = {"N2": "N1", "C3": "C2", "N4": "NA2", "N5": "N3", "C6": "C4", "N7": "NA4", "C8": "C4A", "C1": "C8A"}
    drug, _, bonds = read(source / "TOP.pdb")
    place = lambda atoms, name: next(atom.at for atom in atoms if atom.name == name)
    methotrexate = [atom for atom in other if atom.residue == "MTX"]
    points = np.array([place(drug, name) for name in ring])
    onto = np.array([place(methotrexate, name) for name in ring.values()])
    move(drug, *fitted(points, onto))
    settle(drug, enzyme, bonds)
    center = heavy(enzyme).mean(0)
    for atoms in (enzyme, drug):
        move(atoms, np.eye(3), -center)
    for atom in drug:
        atom.chain, atom.number = "L", 1
    remark = "DIHYDROFOLATE REDUCTASE OF E. COLI, PDB ENTRY 5DFR (CC0) AS IN THE JAC BENCHMARK OF OPENMMTOOLS 0.27.0 (MIT)"
    write(HERE / "dhfr.pdb.gz", [remark, "CENTRED ON THE MEAN OF ITS ATOMS"], [enzyme])
    remarks = [
        "TRIMETHOPRIM, IDEAL COORDINATES OF THE WWPDB CHEMICAL COMPONENT TOP (CC0)",
        "WHERE METHOTREXATE IS IN PDB ENTRY 4DFR, RING ON RING, IN THE FRAME OF DHFR.PDB.GZ",
    ]
    write(HERE / "trimethoprim.pdb", remarks, [drug], bonds)


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
    cut_dhfr(source)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
