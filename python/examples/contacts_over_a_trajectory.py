"""Which lipids touch, and for how long: contacts over a trajectory, with cells that are kept from frame to frame.

    python contacts_over_a_trajectory.py [TOPOLOGY TRAJECTORY]

With files MDAnalysis reads them; without, fifty lipids wander.
"""

import sys

import numpy as np
import steric

CUTOFF = 4.0


def main(*files: str) -> None:
    index = steric.Index(CUTOFF, skin=0.4)
    lifetimes: dict[tuple[int, int], int] = {}
    frames = 0
    for positions, residues, box in read(*files) if files else wander():
        frames += 1
        found = index.neighbors(positions, box=box)
        pairs = np.sort(residues[found.pairs], axis=1)
        for a, b in np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0).tolist():
            lifetimes[a, b] = lifetimes.get((a, b), 0) + 1
    print(f"{frames} frames, cells made {index.builds} times, {len(lifetimes)} pairs of residues that touch")
    for (a, b), often in sorted(lifetimes.items(), key=lambda one: (-one[1], one[0]))[:5]:
        print(f"  {a} and {b}: {often / frames:.0%} of the time")


def read(topology: str, trajectory: str):
    import MDAnalysis

    universe = MDAnalysis.Universe(topology, trajectory)
    atoms = universe.select_atoms("not name H*")
    for frame in universe.trajectory:
        yield atoms.positions, atoms.resindices, frame.dimensions


def wander():
    model = steric.build("bilayer", count=50).expand()
    residues = model.residues
    positions = model.positions.astype(np.float64)
    random = np.random.default_rng(1)
    for _ in range(40):
        steps = random.normal(0.0, 0.12, (residues.max() + 1, 3))
        positions = positions + steps[residues] + random.normal(0.0, 0.03, positions.shape)
        yield positions, residues, model.box


if __name__ == "__main__":
    main(*sys.argv[1:3])
