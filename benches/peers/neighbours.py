"""Pairs of points within a cutoff, by steric's Python package and by the packages that people use, on the same arrays in turns.

    neighbours.py --scenes FOLDER [--csv FILE] [--cutoffs 3,5] [--threads 1,2] [--repeats 5]

The folder holds `rods.npz` and `solution.npz` from `steric build rods --atoms 1000000 -o rods.npz`. In its turn a program searches twice: once
after the others, in memory that the system has to find first (the median is in `first_ms`), and once more, as over a trajectory. A row is the median
of these second searches; the list of pairs is part of the time, the tree or grid too, and every program must find the same number. Cutoffs get 1/300 of an angstrom more,
so that no pair of the lattice of rods lies on the limit. Programs that cannot use several threads stand in the rows of one thread alone; what
they are compared with there is steric on one thread. `ratio` is the row's time over steric's, with the same threads.

MDAnalysis has no list without a box or a search of its own for it, so its grid is asked; freud wants a box, so it gets one that is wide enough;
vesin takes double precision only, which is made before the clock starts. freud gives each pair from both sides.

The last rows say what a call of `steric.neighbors` costs beyond the engine's own time: `overhead`, in nanoseconds, for a few sizes.
"""

import argparse
import csv
import gc
import importlib.metadata
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import steric

COLUMNS = "scene,atoms,cutoff,program,version,threads,pairs,milliseconds,spread_ms,first_ms,turns,ratio,commit".split(",")


def steric_peer(points, cutoff, threads):
    return lambda: steric.neighbors(points, cutoff, threads=threads), len


def scipy_peer(points, cutoff, threads):
    from scipy.spatial import cKDTree

    if threads > 1:
        return None
    return lambda: cKDTree(points).query_pairs(cutoff, output_type="ndarray"), len


def mdanalysis_peer(points, cutoff, threads):
    from MDAnalysis.lib.distances import self_capped_distance

    if threads > 1:
        return None
    return lambda: self_capped_distance(points, cutoff, method="nsgrid", return_distances=False), len


def freud_peer(points, cutoff, threads):
    import freud

    freud.parallel.set_num_threads(threads)
    low, high = points.min(axis=0), points.max(axis=0)
    box = freud.box.Box(*(high - low + 2.5 * cutoff))
    centred = np.ascontiguousarray(points - 0.5 * (low + high), dtype=np.float32)

    def search():
        # Its cells (LinkCell) took minutes for a million points; this is its default.
        query = freud.locality.AABBQuery(box, centred)
        return query.query(centred, {"r_max": cutoff, "exclude_ii": True}).toNeighborList()

    return search, lambda found: len(found) // 2


def vesin_peer(points, cutoff, threads):
    from vesin import NeighborList

    if threads > 1:
        return None
    wide = points.astype(np.float64)
    finder = NeighborList(cutoff=cutoff, full_list=False)
    lattice = np.zeros((3, 3))
    return lambda: finder.compute(points=wide, box=lattice, periodic=False, quantities="ij"), lambda found: len(found[0])


PEERS = {
    "steric": steric_peer,
    "scipy": scipy_peer,
    "MDAnalysis": mdanalysis_peer,
    "freud": freud_peer,
    "vesin": vesin_peer,
}
PACKAGES = {"freud": "freud-analysis"}


def timed(search):
    gc.collect()
    began = time.perf_counter()
    found = search()
    return found, (time.perf_counter() - began) * 1e3


def measure(scene, points, cutoff, threads, programs, repeats, most_seconds):
    searches = {name: PEERS[name](points, cutoff, threads) for name in ["steric", *programs]}
    searches = {name: made for name, made in searches.items() if made is not None}
    firsts, times, counts = {name: [] for name in searches}, {name: [] for name in searches}, {}
    for turn in range(repeats):
        for name, (search, count) in searches.items():
            # A slow program takes fewer turns.
            if turn > 0 and sum(times[name]) > most_seconds * 1e3:
                continue
            for took in (firsts[name], times[name]):
                found, milliseconds = timed(search)
                counts[name] = count(found)
                del found
                took.append(milliseconds)
    ours = statistics.median(times["steric"])
    rows = []
    for name in searches:
        median = statistics.median(times[name])
        rows.append(
            {
                "scene": scene,
                "atoms": len(points),
                "cutoff": round(cutoff, 4),
                "program": name,
                "version": steric.__version__ if name == "steric" else importlib.metadata.version(PACKAGES.get(name, name)),
                "threads": threads,
                "pairs": counts[name],
                "milliseconds": round(median, 2),
                "spread_ms": round(max(times[name]) - min(times[name]), 2),
                "first_ms": round(statistics.median(firsts[name]), 2),
                "turns": len(times[name]),
                "ratio": round(median / ours, 2),
            }
        )
        print(f"{scene:9} {cutoff:6.3f} {threads} {name:10} {median:10.1f} ms {median / ours:7.2f} {counts[name]:>12,}", flush=True)
    if len(set(counts.values())) > 1:
        # Programs in single precision may differ where a distance is the cutoff's nearest neighbour.
        spread = max(counts.values()) - min(counts.values())
        print(f"  counts differ by {spread}", file=sys.stderr)
        if spread > 1e-6 * max(counts.values()) + 8:
            sys.exit(f"{scene}: other pairs: {counts}")
    return rows


def overheads():
    """What a call costs beyond the engine."""
    random = np.random.default_rng(0)
    rows = []
    for atoms in (1, 100, 10_000, 1_000_000):
        points = random.uniform(0, 1e4, (atoms, 3))
        beyond = []
        for _ in range(3_000 if atoms < 10_000 else 15):
            began = time.perf_counter()
            found = steric.neighbors(points, 1.0)
            beyond.append((time.perf_counter() - began - found.seconds) * 1e9)
            del found
        nanoseconds = statistics.median(beyond)
        print(f"overhead {atoms:>9,} atoms: {nanoseconds:,.0f} ns", flush=True)
        rows.append(
            {
                "scene": "overhead",
                "atoms": atoms,
                "program": "steric",
                "version": steric.__version__,
                "milliseconds": round(nanoseconds * 1e-6, 6),
                "turns": len(beyond),
            }
        )
    return rows


def commit():
    def git(*words):
        return subprocess.run(["git", *words], capture_output=True, text=True, cwd=Path(__file__).parent).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=Path, required=True)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--cutoffs", default="3,5")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--programs", default="scipy,MDAnalysis,freud,vesin", help="beside steric")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--most-seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    rows = overheads()
    for scene in ("solution", "rods"):
        points = np.ascontiguousarray(np.load(arguments.scenes / f"{scene}.npz")["positions"], np.float32)
        for cutoff in map(float, arguments.cutoffs.split(",")):
            for threads in map(int, arguments.threads.split(",")):
                rows += measure(scene, points, cutoff + 1 / 300, threads, arguments.programs.split(","), arguments.repeats, arguments.most_seconds)
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows({**row, "commit": commit()} for row in rows)


if __name__ == "__main__":
    main()
