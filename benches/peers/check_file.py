"""The smallest distance between atoms of different molecules in a file, found without any code of steric's.

    check_file.py FILE... [--tolerance 2.0] [--molecules auto|residue|chain] [--json]

GRO and PDB files are read here, mmCIF by gemmi, BinaryCIF by biotite; any of them may be gzipped. Where a model is made of
copies (`pdbx_struct_assembly_gen`), every copy is a molecule and all copies are written out. Elsewhere a molecule
is a residue, and residues that a peptide or phosphodiester bond joins are one. Distances come from scipy's k-d tree, through
the faces of the box where there is one. Atoms are sorted into slabs of at most half a million, each with a tree of its own,
so that memory is that of the coordinates and little more.

Exit codes: 0 no pair under the tolerance, 1 some, 2 the file could not be read.
"""

import argparse
import gzip
import io
import itertools
import json
import re
import sys
from array import array
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

# Atoms of one tree.
SLAB = 500_000
# Atoms that join residues: of the residue before, of the residue after, and the longest such bond in angstroms.
LINKS = [("C", "N", 2.0), ("O3'", "P", 2.0)]


class Model:
    """Coordinates in angstroms, the molecule of each atom, how to name an atom, and the three vectors of the box or None."""

    def __init__(self, positions, molecules, name_of, box=None):
        self.positions, self.molecules, self.name_of, self.box = positions, molecules, name_of, box


def text_of(path):
    raw = Path(path).read_bytes()[:2] == b"\x1f\x8b"
    return gzip.open(path, "rt", encoding="latin-1") if raw else open(path, encoding="latin-1")


class Residues:
    """Atoms as they are read, grouped into residues."""

    def __init__(self):
        self.names, self.titles, self.positions, self.starts, self.chains = [], [], array("d"), array("q"), []
        self.last = None

    def add(self, residue, chain, name, position):
        if residue != self.last:
            self.last = residue
            self.starts.append(len(self.names))
            self.titles.append(residue)
            self.chains.append(chain)
        # Interned: a file of millions of atoms has a few hundred names.
        self.names.append(sys.intern(name))
        self.positions.extend(position)

    def model(self, rule, box):
        positions = np.frombuffer(self.positions, float).reshape(-1, 3)
        starts = np.array(self.starts)
        residue_of = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(positions))))
        first = np.ones(len(starts), bool)
        for at in range(1, len(starts)):
            if rule == "chain":
                first[at] = self.chains[at] != self.chains[at - 1]
            elif rule == "auto":
                first[at] = not self.is_linked(at, positions)
        molecule_of_residue = np.cumsum(first) - 1

        def name_of(atom):
            return f"{' '.join(self.titles[residue_of[atom]].split())} {self.names[atom]}"

        return Model(positions, molecule_of_residue[residue_of], name_of, box)

    def is_linked(self, at, positions):
        """Whether a bond of a polymer joins a residue to the one before."""
        before, here = self.starts[at - 1], self.starts[at]
        after = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.names)
        for ending, beginning, longest in LINKS:
            try:
                first = self.names.index(ending, before, here)
                second = self.names.index(beginning, here, after)
            except ValueError:
                continue
            if np.linalg.norm(positions[first] - positions[second]) < longest:
                return True
        return False


def read_gro(path, rule):
    residues = Residues()
    with text_of(path) as lines:
        next(lines)
        count = int(next(lines))
        for line in itertools.islice(lines, count):
            # The width of a column follows from the distance between two decimal points.
            if not residues.names:
                points = [at for at, letter in enumerate(line) if letter == "."]
                width = points[1] - points[0]
            numbers = [10.0 * float(line[20 + width * axis : 20 + width * (axis + 1)]) for axis in range(3)]
            residues.add(line[:10], "", line[10:15].strip(), numbers)
        edges = [10.0 * float(word) for word in next(lines).split()]
    edges += [0.0] * (9 - len(edges))
    xx, yy, zz, xy, xz, yx, yz, zx, zy = edges
    box = np.array([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]])
    return residues.model(rule, box if np.linalg.det(box) > 0 else None)


def read_pdb(path, rule):
    residues, box = Residues(), None
    with text_of(path) as lines:
        for line in lines:
            if line.startswith("CRYST1"):
                box = box_of([float(line[at : at + width]) for at, width in zip((6, 15, 24, 33, 40, 47), (9, 9, 9, 7, 7, 7))])
            elif line.startswith(("ATOM  ", "HETATM")):
                position = (float(line[30:38]), float(line[38:46]), float(line[46:54]))
                residues.add(line[17:27], line[21], line[12:16].strip(), position)
            elif line.startswith("TER"):
                residues.last = None
            elif line.startswith("ENDMDL"):
                break
    return residues.model(rule, box)


def box_of(cell):
    """Box vectors as rows. A cell of one angstrom is how files say that there is none."""
    a, b, c, *angles = cell
    if min(a, b, c) <= 1.0:
        return None
    cos_a, cos_b, cos_c = np.cos(np.radians(angles))
    sin_c = np.sqrt(1.0 - cos_c**2)
    x, y = cos_b, (cos_a - cos_b * cos_c) / sin_c
    return np.array([[a, 0, 0], [b * cos_c, b * sin_c, 0], [c * x, c * y, c * np.sqrt(1.0 - x * x - y * y)]])


class Tables:
    """Columns of mmCIF categories as lists of text or arrays of numbers, by gemmi."""

    def __init__(self, path):
        import gemmi

        self.block = gemmi.cif.read(str(path)).sole_block()

    def text(self, category, column):
        from gemmi import cif

        return [cif.as_string(value) for value in self.block.find_values(f"_{category}.{column}")]

    def numbers(self, category, column):
        return np.array([float(value) for value in self.block.find_values(f"_{category}.{column}")])


class BinaryTables:
    """The same for BinaryCIF, by biotite."""

    def __init__(self, path):
        from biotite.structure.io import pdbx

        raw = Path(path).read_bytes()
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        self.block = pdbx.BinaryCIFFile.read(io.BytesIO(raw)).block

    def column(self, category, column, kind):
        if category not in self.block or column not in self.block[category]:
            return np.array([], kind)
        return self.block[category][column].as_array(kind)

    def text(self, category, column):
        return [str(value) for value in self.column(category, column, str)]

    def numbers(self, category, column):
        return self.column(category, column, float)


def operators_of(expression):
    """Lists of operator ids, one list for each copy: "1-3" and "(1,2)(5-6)"."""
    factors = re.findall(r"\(([^()]*)\)", expression) or [expression]
    lists = []
    for factor in factors:
        ids = []
        for part in factor.split(","):
            ends = part.strip().split("-")
            numbered = len(ends) == 2 and all(end.isdigit() for end in ends)
            ids += [str(number) for number in range(int(ends[0]), int(ends[1]) + 1)] if numbered else [part.strip()]
        lists.append(ids)
    return itertools.product(*lists)


def read_cif(tables, rule):
    positions = np.column_stack([tables.numbers("atom_site", f"Cartn_{axis}") for axis in "xyz"])
    columns = ("label_asym_id", "auth_seq_id", "label_comp_id", "label_atom_id")
    chains, numbers, kinds, names = (tables.text("atom_site", column) for column in columns)
    cell = [tables.numbers("cell", key) for key in ("length_a", "length_b", "length_c", "angle_alpha", "angle_beta", "angle_gamma")]
    box = box_of([float(value[0]) for value in cell]) if all(len(value) for value in cell) else None
    gen = [tables.text("pdbx_struct_assembly_gen", key) for key in ("assembly_id", "oper_expression", "asym_id_list")]
    rows = [row for row in zip(*gen) if row[0] == gen[0][0]]
    if sum(len(list(operators_of(row[1]))) for row in rows) <= 1:
        residues = Residues()
        for chain, number, kind, name, position in zip(chains, numbers, kinds, names, positions):
            residues.add(f"{chain} {kind} {number}", chain, name, position)
        return residues.model(rule, box)

    def name_of(atom):
        return f"{chains[atom]} {kinds[atom]} {numbers[atom]} {names[atom]}"

    return copies(tables, rows, positions, np.array(chains), name_of, box)


def copies(tables, rows, positions, chains, name_of, box):
    """All copies of an assembly written out: a copy of a row's chains is a molecule."""
    cells = [f"matrix[{row}][{column}]" for row in (1, 2, 3) for column in (1, 2, 3)]
    turns = np.column_stack([tables.numbers("pdbx_struct_oper_list", cell) for cell in cells]).reshape(-1, 3, 3)
    shifts = np.column_stack([tables.numbers("pdbx_struct_oper_list", f"vector[{row}]") for row in (1, 2, 3)])
    numbered = {name: at for at, name in enumerate(tables.text("pdbx_struct_oper_list", "id"))}
    placed, sources, sizes = [], [], []
    for _, expression, list_of_chains in rows:
        atoms = np.flatnonzero(np.isin(chains, list_of_chains.split(",")))
        for operators in operators_of(expression):
            moved = positions[atoms]
            for operator in reversed(operators):
                moved = moved @ turns[numbered[operator]].T + shifts[numbered[operator]]
            placed.append(moved)
            sources.append(atoms)
            sizes.append(len(atoms))
    molecules = np.repeat(np.arange(len(sizes)), sizes)
    sources = np.concatenate(sources)
    return Model(np.concatenate(placed), molecules, lambda atom: f"copy {molecules[atom] + 1} {name_of(sources[atom])}", box)


def read(path, rule):
    kind = Path(str(path).removesuffix(".gz")).suffix.lower()
    if kind == ".gro":
        return read_gro(path, rule)
    if kind in (".pdb", ".ent"):
        return read_pdb(path, rule)
    if kind in (".cif", ".mmcif"):
        return read_cif(Tables(path), rule)
    if kind == ".bcif":
        return read_cif(BinaryTables(path), rule)
    raise ValueError(f"expected a file that ends with .gro, .pdb, .cif or .bcif, found {kind}")


def with_images(model, reach):
    """Atoms brought into the box and the images of those near its faces: coordinates and atom numbers."""
    if model.box is None:
        return model.positions, np.arange(len(model.positions))
    inverse = np.linalg.inv(model.box)
    fractions = model.positions @ inverse
    fractions -= np.floor(fractions)
    # The height of the box over a face is one over the length of that axis of the reciprocal box.
    margin = reach * np.linalg.norm(inverse, axis=0)
    points, atoms = [fractions @ model.box], [np.arange(len(fractions))]
    for shift in itertools.product((-1, 0, 1), repeat=3):
        if any(shift):
            moved = fractions + shift
            near = np.flatnonzero(((moved > -margin) & (moved < 1.0 + margin)).all(axis=1))
            points.append(moved[near] @ model.box)
            atoms.append(near)
    return np.concatenate(points), np.concatenate(atoms)


def close_pairs(model, reach):
    """Pairs of atoms of different molecules within reach, each once, with their distances."""
    points, atoms = with_images(model, reach)
    axis = int(np.ptp(points, axis=0).argmax())
    order = np.argsort(points[:, axis], kind="stable")
    height = points[order, axis]
    found, lengths = [np.empty((0, 2), int)], [np.empty(0)]
    for start in range(0, len(order), SLAB):
        stop = min(start + SLAB, len(order))
        end = int(np.searchsorted(height, height[stop - 1] + reach, side="right"))
        part = order[start : max(end, stop)]
        pairs = cKDTree(points[part]).query_pairs(reach, output_type="ndarray")
        pairs = pairs[(pairs < stop - start).any(axis=1)]
        both = atoms[part[pairs]]
        apart = model.molecules[both[:, 0]] != model.molecules[both[:, 1]]
        pairs, both = part[pairs[apart]], both[apart]
        found.append(np.sort(both, axis=1))
        lengths.append(np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1))
    found, lengths = np.concatenate(found), np.concatenate(lengths)
    nearest_first = np.lexsort((lengths, found[:, 1], found[:, 0]))
    found, lengths = found[nearest_first], lengths[nearest_first]
    # A pair may meet inside the box and through a face, or be seen from both sides of a face.
    new = np.ones(len(found), bool)
    new[1:] = (found[1:] != found[:-1]).any(axis=1)
    return found[new], lengths[new]


def checked(path, tolerance, rule):
    model = read(path, rule)
    row = {"file": str(path), "atoms": len(model.positions), "molecules": int(model.molecules.max(initial=-1)) + 1}
    row |= {"periodic": model.box is not None, "tolerance": tolerance}
    for reach in (1.05 * tolerance, 2.0 * tolerance, 4.0 * tolerance):
        pairs, lengths = close_pairs(model, reach)
        if len(lengths):
            nearest = int(lengths.argmin())
            row |= {"min_distance": round(float(lengths[nearest]), 5), "nearest": [model.name_of(atom) for atom in pairs[nearest]]}
            break
    return row | {"pairs_under_tolerance": int(np.count_nonzero(lengths < tolerance))}


def main():
    parser = argparse.ArgumentParser(description="The smallest distance between atoms of different molecules.")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--tolerance", type=float, default=2.0, help="angstroms")
    parser.add_argument("--molecules", choices=["auto", "residue", "chain"], default="auto")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    worst = 0
    for path in options.files:
        try:
            row = checked(path, options.tolerance, options.molecules)
        except (OSError, ValueError, IndexError, KeyError, StopIteration, ImportError, RuntimeError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 2
        print(json.dumps(row) if options.json else "  ".join(f"{key}={value}" for key, value in row.items()), flush=True)
        worst = max(worst, int(row["pairs_under_tolerance"] > 0))
    return worst


if __name__ == "__main__":
    sys.exit(main())
