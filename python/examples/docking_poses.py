"""Poses of a ligand, filtered by clash and sorted by energy; the best one brought downhill.

    python docking_poses.py [RECEPTOR LIGAND]

With files every pose of the ligand is judged (PDBQT, SDF, MOL2, PDB); without, trimethoprim is put at random places in the pocket of
dihydrofolate reductase.
"""

import sys

import numpy as np
import steric


def main(*files: str) -> None:
    docking = steric.dock(*files) if files else steric.dock("dhfr")
    print(docking)
    if files:
        poses = docking.report().poses
    else:
        poses = [pose for pose in at_random(docking, 300)]
    free = [pose for pose in poses if pose.clashes == 0 and pose.own_clashes == 0]
    print(f"{len(poses)} poses, {len(free)} without a clash")
    for pose in sorted(free, key=energy)[:3]:
        print(f"  {pose.contacts} contacts, {energy(pose):8.2f} kcal/mol")
    model, best = docking.minimize(0, steps=50)
    print(f"the first pose downhill: {energy(best):.2f} kcal/mol, {best.clashes} clashes, {len(model)} atoms")


def energy(pose: steric.Report) -> float:
    parts = pose.energy
    return sum(parts.values()) if isinstance(parts, steric.Report) else parts


def at_random(docking: steric.Docking, count: int):
    random = np.random.default_rng(2)
    docking.take(0)
    here = docking.pose
    for number in range(count):
        shift = random.normal(0.0, 0.02 * number / 3, 3)
        docking.put([*(here[:3] + shift), *here[3:]])
        yield docking.here()


if __name__ == "__main__":
    main(*sys.argv[1:3])
