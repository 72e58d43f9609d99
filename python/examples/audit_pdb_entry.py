"""Is a model free of clashes? By three definitions, down to the worst pairs.

    python audit_pdb_entry.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np
import steric

PORIN = Path(__file__).resolve().parents[2] / "scenes" / "data" / "porin.pdb.gz"


def main(path: str | Path = PORIN) -> None:
    model = steric.read(path)
    print(model)
    for warning in model.warnings:
        print("warning:", warning)
    for name, how in {
        "nearer than 2 Å": {"tolerance": 2.0},
        "ChimeraX": {"clash": "chimerax"},
        "MolProbity": {"clash": "molprobity"},
    }.items():
        report = steric.check(model, **how)
        print(f"{name:16} {report.overlaps:5} clashes in {report.molecules} molecules; {report.definition}")
    print("the worst:")
    for pair in report.worst[:5]:
        first, second = pair.first, pair.second
        print(f"  {pair.depth:.2f} Å  {describe(first)} – {describe(second)}")
    # The arrays serve whatever comes next: here, which residues clash most.
    residues = model.residues[report.atoms_of_pairs].ravel()
    which, often = np.unique(residues, return_counts=True)
    for residue, count in sorted(zip(which, often), key=lambda one: (-one[1], one[0]))[:5]:
        atom = int(np.argmax(model.residues == residue))
        print(f"  {model.chains[atom]} {model.residue_names[atom]} {model.residue_numbers[atom]}: {count} clashes")


def describe(atom: steric.Report) -> str:
    return " ".join(str(value) for value in atom.values() if value not in (None, ""))


if __name__ == "__main__":
    main(*sys.argv[1:2])
