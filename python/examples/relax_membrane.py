"""A bilayer of two kinds of lipids, pushed apart step by step, with the overlaps on the way.

    python relax_membrane.py [OUTPUT.gro]
"""

import sys

import numpy as np
import steric

SCENE = """
[[membrane]]
shape = "plane"
count = 160
area-per-lipid = 70
[[membrane.lipid]]
molecule = "POPC"
fraction = 0.75
[[membrane.lipid]]
molecule = "CHOL"
fraction = 0.25
"""


def main(output: str | None = None) -> None:
    membrane = steric.relaxation(SCENE, seed=3)
    print(membrane)
    for note in membrane.notes:
        print(" ", note)
    start = membrane.poses
    for iteration in membrane.steps():
        if iteration.iteration % 10 == 1:
            print(f"iteration {iteration.iteration:3}: {iteration.overlaps:5} overlaps, deepest {iteration.deepest:.2f} Å")
    report = membrane.report()
    moved = np.linalg.norm(membrane.poses[:, :3] - start[:, :3], axis=1)
    print(f"ended by {membrane.ended_by}; clean: {report.is_clean}; lipids moved {np.median(moved):.1f} Å in the median")
    if output:
        print("atoms written:", membrane.model().write(output))


if __name__ == "__main__":
    main(*sys.argv[1:2])
