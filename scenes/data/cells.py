"""Makes the embedded molecules that the cells are built of again: python3 cells.py SOURCES

How it works: as `cut.py`, whose functions it uses; SOURCES holds the files named in README.md. Coordinates are rounded to 0.1 A, which is
nothing at the size of a cell and makes the files a third smaller. What is called a stand-in is put together from parts of other
proteins that have about the right weight and shape, and says so in its remarks. Needs numpy alone; the same sources give the same bytes.
"""

import sys
from pathlib import Path

import numpy as np

from cut import HERE, Atom, belt, fitted, heavy, move, read, upright, write

CHAINS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def about_z(degrees):
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def about_y(degrees):
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    return np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])


def protein(path, chains):
    """The protein of some chains: heavy atoms, first alternate locations, no ligands; one list for each chain."""
    # Some programs leave the column of the B-factor empty.
    atoms, _, _ = read(path)
    wanted = lambda atom: not atom.hetero and atom.element != "H" and atom.alternate in " A"
    return [[atom for atom in atoms if atom.chain == chain and wanted(atom)] for chain in chains]


def copied(atoms, turn, shift):
    found = [Atom.__new__(Atom) for _ in atoms]
    for new, old in zip(found, atoms):
        new.__dict__.update(old.__dict__)
        new.at = turn @ old.at + shift
    return found


def save(name, remarks, chains):
    """Chains under new letters, rounded."""
    for letter, atoms in zip(CHAINS, chains):
        for atom in atoms:
            atom.chain, atom.b_factor, atom.at = letter, 0.0, np.round(atom.at, 1)
    write(HERE / name, remarks, chains)


def all_of(chains):
    return [atom for chain in chains for atom in chain]


def centred(chains):
    middle = heavy(all_of(chains)).mean(0)
    move(all_of(chains), np.eye(3), -middle)
    return chains


def axis_of(chains, fold):
    """The rotation axis that lays each chain onto the next, as a direction and a point of it."""
    turn, shift = np.eye(3), np.zeros(3)
    both = lambda a, b: (lambda own, other: (np.array([own[n] for n in sorted(own.keys() & other.keys())]), np.array([other[n] for n in sorted(own.keys() & other.keys())])))(alpha(a), alpha(b))
    turn, shift = fitted(*both(chains[0], chains[1]))
    direction = np.linalg.eigh(turn + turn.T)[1][:, -1]
    point = np.linalg.lstsq(np.eye(3) - turn, shift, rcond=None)[0]
    return direction, point


def alpha(atoms):
    return {atom.number: atom.at for atom in atoms if atom.name == "CA"}


def onto_z(direction):
    """The rotation that turns a direction to z."""
    cross, cosine = np.cross(direction, [0, 0, 1]), direction[2]
    x, y, z = cross
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + skew + skew @ skew / (1 + cosine) if cosine > -0.999 else np.diag([1.0, -1.0, -1.0])


def stand_on_axis(chains, fold):
    direction, point = axis_of(chains, fold)
    move(all_of(chains), np.eye(3), -point)
    move(all_of(chains), onto_z(direction), np.zeros(3))
    middle = heavy(all_of(chains)).mean(0)
    move(all_of(chains), np.eye(3), [-middle[0], -middle[1], -middle[2]])
    return chains


def base_pair(source):
    """One base pair of a dodecamer about the axis of its helix, which is z, without the oxygen that joins it to the next."""
    atoms = [atom for atom in read(source / "4c64_no_mg.pdb")[0] if not atom.hetero and atom.element != "H" and atom.residue[0] == "D" and atom.alternate in " A"]
    of = lambda number: [atom for atom in atoms if atom.number == number]
    backbone = ("P", "O5'", "C5'", "C4'", "C3'", "C1'", "O4'", "C2'", "O3'")
    place = lambda number, name: next(atom.at for atom in of(number) if atom.name == name)
    one, next_one = [], []
    for pair in range(3, 10):
        for own, other in ((pair, pair + 1), (25 - pair, 24 - pair)):
            for name in backbone:
                one.append(place(own, name))
                next_one.append(place(other, name))
    turn, shift = fitted(np.array(one), np.array(next_one))
    direction = np.linalg.eigh(turn + turn.T)[1][:, -1]
    direction *= np.sign(direction @ shift)
    point = np.linalg.lstsq(np.eye(3) - turn, shift - direction * (direction @ shift), rcond=None)[0]
    move(atoms, np.eye(3), -point)
    move(atoms, onto_z(direction), np.zeros(3))
    print("rise", direction @ shift, "twist", np.degrees(np.arccos((np.trace(turn) - 1) / 2)))
    best = None
    for pair in range(3, 10):
        chains = [copied(of(pair), np.eye(3), np.zeros(3)), copied(of(25 - pair), np.eye(3), np.zeros(3))]
        both = all_of(chains)
        move(both, np.eye(3), [0, 0, -np.mean([atom.at[2] for atom in both if atom.name == "C1'"])])
        kept = [[atom for atom in chain if atom.name not in ("O3'",)] for chain in chains]
        own = heavy(all_of(kept))
        up = own @ about_z(360 / 10.5).T + [0, 0, 3.4]
        nearest = np.linalg.norm(own[:, None] - up[None], axis=2).min()
        print(pair, both[0].residue, len(own), "nearest to the next", nearest, "radius", np.hypot(own[:, 0], own[:, 1]).max())
        if best is None or nearest > best[0]:
            best = (nearest, kept)
    save("base_pair.pdb", ["A BASE PAIR OF THE DODECAMER OF PDB ENTRY 4C64 (CC0), WITHOUT O3', WHICH JOINS IT TO THE NEXT", "Z IS THE AXIS OF THE HELIX; THE NEXT PAIR STANDS 3.4 HIGHER, TURNED BY 360/10.5 DEGREES"], best[1])


def nucleotide():
    lines = [("P", "P", (0.0, 0.0, -1.6)), ("C4'", "C", (1.2, 0.0, 1.3)), ("N1", "N", (4.2, 0.0, 1.3))]
    atoms = [Atom(f"HETATM{n:5d}  {name:3}   N A   1    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00           {element}") for n, (name, element, (x, y, z)) in enumerate(lines, 1)]
    save("nucleotide.pdb", ["A NUCLEOTIDE OF RNA AS THREE BEADS: PHOSPHATE, SUGAR, BASE", "Z IS ALONG THE STRAND; THE NEXT STANDS 5.9 HIGHER"], [atoms])


def ribosome(source):
    """Two beads a residue (alpha carbon and the middle of the side chain), two a nucleotide (phosphate, base)."""
    residues = {}
    for line in (source / "mmcif_6zu5.cif").read_text().splitlines():
        if not line.startswith("ATOM"):
            continue
        words = line.split()
        name, alternate, component, chain = words[3].strip('"'), words[4], words[5], words[6]
        if words[2] == "H" or alternate not in (".", "A"):
            continue
        residues.setdefault((chain, int(words[16])), (component, []))[1].append((name, words[2], np.array([float(words[at]) for at in (10, 11, 12)])))
    chains, number = {}, 0
    for (chain, _), (component, atoms) in residues.items():
        place = {name: at for name, _, at in atoms}
        beads = []
        if "CA" in place:
            beads.append(("CA", "C", place["CA"]))
            side = [at for name, _, at in atoms if name not in ("N", "CA", "C", "O", "OXT")]
            if len(side) > 1:
                beads.append(("CB", "C", np.mean(side, axis=0)))
        elif "C1'" in place:
            if "P" in place:
                beads.append(("P", "P", place["P"]))
            base = [at for name, _, at in atoms if "'" not in name and "P" not in name]
            if base:
                beads.append(("N1", "N", np.mean(base, axis=0)))
        kind = "RNA" if "C1'" in place else "PRO"
        number += 1
        for name, element, at in beads:
            atom = Atom(f"ATOM  {1:5d}  {name:3} {'RIB':>3} A{number % 9999 + 1:4d}    {0:8.3f}{0:8.3f}{0:8.3f}  1.00  0.00           {element}")
            atom.at, atom.serial = at, len(chains)
            chains.setdefault(kind, []).append(atom)
    print({kind: len(atoms) for kind, atoms in chains.items()}, number)
    chains = centred([chains["RNA"], chains["PRO"]])
    points = heavy(all_of(chains))
    print("ribosome", points.min(0), points.max(0), "Rg", np.sqrt((points**2).sum(1).mean()))
    save("ribosome.pdb.gz", ["RIBOSOME OF PARANOSEMA LOCUSTAE, PDB ENTRY 6ZU5 (CC0), TWO BEADS A RESIDUE OR NUCLEOTIDE", "CENTRED ON THE MEAN OF ITS BEADS"], chains)


def antibody(source):
    """Three ectodomains of a T-cell receptor, which are built like the arms of an antibody, as a Y."""
    pair = protein(source / "1BD2.pdb", "DE")
    arm = all_of(pair)
    turn = upright(heavy(arm))
    move(arm, turn, -turn @ heavy(arm).mean(0))
    # The ends of the chains, where the receptor goes into its membrane, point to the hinge.
    ends = np.mean([max(chain, key=lambda atom: atom.number).at[2] for chain in pair])
    if ends > 0:
        move(arm, np.diag([1.0, -1.0, -1.0]), np.zeros(3))
    low = heavy(arm)[:, 2].min()
    move(arm, np.eye(3), [0, 0, 16.0 - low])
    chains = []
    for turn in (about_y(58), about_y(-58), about_y(180)):
        chains += [copied(chain, turn, np.zeros(3)) for chain in pair]
    parts = [heavy(all_of(chains[at : at + 2])) for at in (0, 2, 4)]
    print("antibody", len(all_of(chains)), [np.linalg.norm(parts[a][:, None] - parts[b][None], axis=2).min() for a, b in ((0, 1), (0, 2), (1, 2))])
    save("antibody.pdb.gz", ["STAND-IN FOR AN IMMUNOGLOBULIN G: THREE ECTODOMAINS OF THE T-CELL RECEPTOR OF PDB ENTRY 1BD2 (CC0) AS A Y", "CENTRED ON THE MEAN OF ITS ATOMS"], centred(chains))


def hla(source):
    chains = protein(source / "1BD2.pdb", "ABC")
    tcr = heavy(all_of(protein(source / "1BD2.pdb", "DE"))).mean(0)
    up = tcr - heavy(all_of(chains)).mean(0)
    centred(chains)
    move(all_of(chains), onto_z(up / np.linalg.norm(up)), np.zeros(3))
    print("hla", len(all_of(chains)), heavy(all_of(chains))[:, 2].min())
    save("hla.pdb.gz", ["HLA-A2 WITH A VIRAL PEPTIDE, PDB ENTRY 1BD2 (CC0), CHAINS A TO C; ITS HELIX THROUGH THE MEMBRANE IS NOT IN THE ENTRY", "Z POINTS AWAY FROM THE CELL"], chains)


def protease(source):
    chains = protein(source / "1hvr.pdb", "AB")
    save("protease.pdb.gz", ["PROTEASE OF HIV-1, PDB ENTRY 1HVR (CC0)", "CENTRED ON THE MEAN OF ITS ATOMS"], centred(chains))


def transporter_chains(source):
    chains = stand_on_axis(protein(source / "pdb2nwl-opm.pdb", "ABC"), 3)
    move(all_of(chains), np.eye(3), [0.0, 0.0, -belt(all_of(chains))])
    return chains


def transporter(source):
    """One of the three: 8 helices and two hairpins, as it stands in the membrane."""
    own = transporter_chains(source)[:1]
    middle = heavy(own[0]).mean(0)
    move(own[0], np.eye(3), [-middle[0], -middle[1], 0.0])
    points = heavy(own[0])
    print("transporter", len(points), points.min(0), points.max(0), points.mean(0))
    save("transporter.pdb.gz", ["ASPARTATE TRANSPORTER OF PYROCOCCUS HORIKOSHII, PDB ENTRY 2NWL (CC0), ONE OF ITS THREE CHAINS", "Z IS THE AXIS OF THE TRIMER, Z = 0 THE MIDDLE OF ITS HYDROPHOBIC BELT"], own)


def synthase(source):
    """A ring of six for the head, a coiled coil for the stalk, a trimer in the membrane."""
    ring = protein(source / "pdb7pbl.pdb", "ABCDEF")
    normal = np.linalg.svd(np.array([heavy(chain).mean(0) for chain in ring]) - np.mean([heavy(chain).mean(0) for chain in ring], axis=0))[2][-1]
    middle = np.mean([heavy(chain).mean(0) for chain in ring], axis=0)
    move(all_of(ring), np.eye(3), -middle)
    move(all_of(ring), onto_z(normal), np.zeros(3))
    coil = protein(source / "4C46.pdb", "ABC")
    turn = upright(heavy(all_of(coil)))
    move(all_of(coil), turn, -turn @ heavy(all_of(coil)).mean(0))
    base = transporter_chains(source)
    # The coil reaches from the trimer into the ring.
    low = heavy(all_of(coil))[:, 2].min()
    top = heavy(all_of(base))[np.hypot(*heavy(all_of(base))[:, :2].T) < 12][:, 2].max()
    move(all_of(coil), np.eye(3), [0, 0, top + 3.0 - low])
    height = heavy(all_of(coil))[:, 2].max() - 28.0
    move(all_of(ring), np.eye(3), [0, 0, height])
    chains = base + coil + ring
    middle = heavy(all_of(chains)).mean(0)
    move(all_of(chains), np.eye(3), [-middle[0], -middle[1], 0.0])
    print("synthase middle", middle)
    points = heavy(all_of(chains))
    near = np.linalg.norm(heavy(all_of(coil))[:, None] - heavy(all_of(ring))[None], axis=2)
    print("synthase", len(points), points.min(0), points.max(0), "ring at", height, "coil to ring", near.min(), (near < 2.5).any(axis=1).sum())
    # z = 0 stays the middle of the membrane.
    save("synthase.pdb.gz", ["STAND-IN FOR AN ATP SYNTHASE: THE RING OF RUVB OF PDB ENTRY 7PBL, THE COIL OF 4C46, THE TRIMER OF 2NWL (ALL CC0)", "Z IS ITS AXIS AND POINTS TO THE HEAD, Z = 0 THE MIDDLE OF THE MEMBRANE"], chains)
    return points


def spike(source):
    """Three copies of a receptor's amino-terminal domains about an axis."""
    pair = protein(source / "pdb3o21.pdb", "AB")
    centred(pair)
    turn = upright(heavy(all_of(pair)))
    move(all_of(pair), turn, np.zeros(3))
    for out in np.arange(20, 60, 1.0):
        best = max(
            ((np.linalg.norm(a[:, None] - (a @ about_z(120).T)[None], axis=2).min(), spin) for spin in range(0, 360, 30) for a in [heavy(all_of(pair))[::4] @ about_z(spin).T + [out, 0, 0]]),
        )
        if best[0] > 4.0:
            break
    move(all_of(pair), about_z(best[1]), [out, 0, 0])
    chains = [copied(chain, about_z(angle), np.zeros(3)) for angle in (0, 120, 240) for chain in pair]
    points = heavy(all_of(chains))
    print("spike", len(points), out, best, points.min(0), points.max(0))
    save("spike.pdb.gz", ["STAND-IN FOR THE SPIKE OF HIV-1: AMINO-TERMINAL DOMAINS OF A GLUTAMATE RECEPTOR, PDB ENTRY 3O21 (CC0), AS A TRIMER", "Z IS ITS AXIS AND POINTS AWAY FROM THE MEMBRANE"], centred(chains))


def main(source):
    base_pair(source)
    nucleotide()
    ribosome(source)
    antibody(source)
    hla(source)
    protease(source)
    transporter(source)
    synthase(source)
    spike(source)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
