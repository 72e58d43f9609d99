"""Counts the pairs of atoms of different molecules that overlap, by Python packages, on one thread: those closer than
3.0 A in rods and solution, where all radii are 1.5 A; those closer than the sum of their radii in mixed.

    peers.py warp|scipy|mdanalysis|vesin SCENE.npz [REPEATS]

prints one JSON row. What is timed is what the package has to do each time the atoms move: building its index and
finding the pairs. Where a package returns a list, taking the pairs inside molecules out of it is not timed, so that
no numpy expression of ours counts against the package. The first, cold run is not counted (warp compiles its kernel).
"""

import json
import os
import statistics
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np

# Twice the largest radius of the scene: what the packages search by. Pairs that are farther apart than the sum of their own
# radii are taken out of the lists afterwards, which is not timed.
CUTOFF = 3.0
RADII = None


def between_molecules(first, second, positions, molecules):
    """How many of the pairs join different molecules and are strictly closer than the sum of their radii."""
    count = 0
    for part in range(0, len(first), 10_000_000):
        a, b = first[part : part + 10_000_000], second[part : part + 10_000_000]
        apart = molecules[a] != molecules[b]
        delta = positions[a[apart]].astype(np.float64) - positions[b[apart]]
        reach = RADII[a[apart]] + RADII[b[apart]]
        count += int(np.count_nonzero(np.einsum("ij,ij->i", delta, delta) < reach.astype(np.float64) ** 2))
    return count


def scipy_peer(positions, molecules):
    from scipy.spatial import cKDTree

    def search():
        return cKDTree(positions).query_pairs(CUTOFF, output_type="ndarray")

    return search, lambda pairs: between_molecules(pairs[:, 0], pairs[:, 1], positions, molecules)


def mdanalysis_peer(positions, molecules):
    from MDAnalysis.lib.distances import self_capped_distance

    # Left to itself the package takes its k-d tree when there is no box: 3.2 s where its grid needs 0.28 s (100,000 atoms).
    def search():
        return self_capped_distance(positions, CUTOFF, method="nsgrid", return_distances=False)

    return search, lambda pairs: between_molecules(pairs[:, 0], pairs[:, 1], positions, molecules)


def vesin_peer(positions, molecules):
    from vesin import NeighborList

    wide = positions.astype(np.float64)  # the only precision it takes
    finder = NeighborList(cutoff=CUTOFF, full_list=False)
    lattice = np.zeros((3, 3))

    def search():
        return finder.compute(points=wide, box=lattice, periodic=False, quantities="ij")

    return search, lambda found: between_molecules(found[0], found[1], positions, molecules)


def warp_peer(positions, molecules):
    import warp as wp

    wp.init()

    @wp.kernel
    def count(
        grid: wp.uint64,
        points: wp.array(dtype=wp.vec3),
        molecule: wp.array(dtype=wp.uint32),
        cutoff: float,
        radii: wp.array(dtype=float),
        uniform: bool,
        found: wp.array(dtype=wp.int32),
    ):
        # In the order of the grid, which is its documented way to read memory in runs.
        i = wp.hash_grid_point_id(grid, wp.tid())
        here = points[i]
        mine = molecule[i]
        near = wp.hash_grid_query(grid, here, cutoff)
        j = int(0)
        n = int(0)
        while wp.hash_grid_query_next(near, j):
            if j > i and molecule[j] != mine:
                apart = here - points[j]
                reach = cutoff
                if not uniform:
                    reach = radii[i] + radii[j]
                if wp.dot(apart, apart) < reach * reach:
                    n += 1
        found[i] = n

    device = "cpu"
    # A table of 128 cells a side is the package's own example; positions far apart share a cell and are told apart
    # by their distance. Twice the number of atoms in cells keeps those collisions rare.
    side = int(min(512, max(32, 2 ** np.ceil(np.log2((2 * len(positions)) ** (1 / 3))))))
    grid = wp.HashGrid(side, side, side, device=device)
    points = wp.array(positions, dtype=wp.vec3, device=device)
    molecule = wp.array(molecules, dtype=wp.uint32, device=device)
    radii = wp.array(RADII, dtype=float, device=device)
    uniform = bool(RADII.min() == RADII.max())
    found = wp.zeros(len(positions), dtype=wp.int32, device=device)

    def search():
        grid.build(points, CUTOFF)
        wp.launch(count, dim=len(positions), inputs=[grid.id, points, molecule, CUTOFF, radii, uniform, found], device=device)
        return found.numpy()

    return search, lambda counts: int(counts.sum(dtype=np.int64))


PEERS = {"scipy": scipy_peer, "mdanalysis": mdanalysis_peer, "vesin": vesin_peer, "warp": warp_peer}


def peak_mb():
    """The most memory this process has held, in MB; 0 where the system does not say."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024 / 1e6
    except (OSError, StopIteration):
        return 0.0


def main(program, path, repeats=5):
    scene = np.load(path)
    positions, molecules = np.ascontiguousarray(scene["positions"], np.float32), scene["molecules"]
    global CUTOFF, RADII
    RADII = np.ascontiguousarray(scene["radii"], np.float32)
    CUTOFF = 2.0 * float(RADII.max())
    search, count = PEERS[program](positions, molecules)
    pairs = count(search())
    peak = peak_mb()
    milliseconds = []
    for _ in range(int(repeats)):
        start = time.perf_counter()
        result = search()
        milliseconds.append((time.perf_counter() - start) * 1e3)
        del result
    row = {
        "program": program,
        "what": "count",
        "atoms": len(positions),
        "threads": 1,
        "pairs": pairs,
        "milliseconds": round(statistics.median(milliseconds), 3),
        "spread_ms": round(max(milliseconds) - min(milliseconds), 3),
        "peak_mb": round(peak, 1),
    }
    print(json.dumps(row))


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in PEERS:
        sys.exit(__doc__)
    main(*sys.argv[1:4])
