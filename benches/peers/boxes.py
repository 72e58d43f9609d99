"""Candidate pairs of two surfaces in contact by steric and by the broad phases of the IPC Toolkit, side by side.

    boxes.py MESH [MESH] [--steric PATH] [--threads 1,2] [--turns N] [--csv FILE]

The surfaces are those of two meshes of tetrahedra, or of one mesh twice; the second is shifted along x by a quarter of
the extent of the first, so that they reach into each other. A candidate is a pair of edges, or a face and a point, that
share no point and whose boxes touch; the inflation radius is 0. Pairs inside a surface count as well.

A turn of a broad phase is its build and its detect_collision_candidates(), which keeps the candidates on the side of
C++: no time is spent on making Python objects. All of them take turns, after one turn that is not timed, so that a busy
machine slows all; the median counts. Steric makes the boxes, the index and the same two lists of pairs in each pass, and
times its own passes (`steric bench S2 --only meshes`).

Every candidate of a broad phase is then looked for among steric's pairs. `missed` are those that steric does not have
although the boxes touch in double precision: the program fails where there is one. `beyond` are those whose boxes do
not touch, because a broad phase may round its boxes or report whole cells; `more` are pairs that only steric has, whose
boxes are grown by the rounding of single precision.
"""

import argparse
import csv
import importlib.metadata
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ipctk
import meshio
import numpy as np

SHIFT = 0.25  # of the extent along x
BROAD_PHASES = ["HashGrid", "SpatialHash", "BVH", "LBVH", "SweepAndPrune"]  # those that a version has
COLUMNS = "program,version,broad_phase,mesh,edges,faces,points,threads,turns,median_ms,spread_ms,edge_edge,face_vertex,missed,beyond,more".split(",")


class Surfaces:
    """Both surfaces: places of all points of both meshes, and edges, faces and points by their numbers."""

    def __init__(self, files):
        meshes = [meshio.read(file) for file in files]
        first, second = meshes[0], meshes[-1]
        places = [np.asarray(mesh.points, dtype=np.float64) for mesh in (first, second)]
        self.shift = SHIFT * np.ptp(places[0][:, 0])
        places[1] = places[1] + [self.shift, 0.0, 0.0]
        self.places = np.vstack(places)
        faces = [surface(mesh.cells_dict["tetra"]) for mesh in (first, second)]
        self.faces = np.vstack([faces[0], faces[1] + len(places[0])])
        sides = np.vstack([self.faces[:, [0, 1]], self.faces[:, [1, 2]], self.faces[:, [2, 0]]])
        self.edges = np.unique(np.sort(sides, axis=1), axis=0)
        self.points = np.unique(self.faces)

    def packed(self):
        """Places, edges and faces without the points inside, as the toolkit wants them."""
        number = np.full(len(self.places), -1, dtype=np.int32)
        number[self.points] = np.arange(len(self.points), dtype=np.int32)
        places = np.asfortranarray(self.places[self.points])
        return places, np.asfortranarray(number[self.edges]), np.asfortranarray(number[self.faces])


def surface(tetrahedra):
    """Faces that belong to one tetrahedron only, corners ascending."""
    faces = np.vstack([tetrahedra[:, corners] for corners in ([0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3])])
    faces, counts = np.unique(np.sort(faces, axis=1), axis=0, return_counts=True)
    return faces[counts == 1]


class ByToolkit:
    """A broad phase of the IPC Toolkit on so many threads."""

    program = "ipctk"

    def __init__(self, name, surfaces, threads):
        self.name, self.threads, self.surfaces = name, threads, surfaces
        self.version = importlib.metadata.version("ipctk")
        self.packed = surfaces.packed()
        self.candidates, self.times = None, []

    def turn(self):
        ipctk.set_num_threads(self.threads)
        broad_phase = getattr(ipctk, self.name)()
        start = time.perf_counter()
        broad_phase.build(*self.packed, 0.0)
        self.candidates = broad_phase.detect_collision_candidates()
        self.times.append((time.perf_counter() - start) * 1e3)

    def pairs(self):
        """Pairs of edges and of points with faces, each by the numbers of its points."""
        points, edges, faces = self.surfaces.points, self.surfaces.edges, self.surfaces.faces
        of_edges = [sorted((tuple(edges[pair.edge0_id]), tuple(edges[pair.edge1_id])))
                    for pair in self.candidates.ee_candidates]
        of_faces = [((points[pair.vertex_id],), tuple(sorted(faces[pair.face_id])))
                    for pair in self.candidates.fv_candidates]
        return {tuple(map(numbers, pair)) for pair in of_edges}, {tuple(map(numbers, pair)) for pair in of_faces}


def numbers(points):
    return tuple(int(point) for point in points)


class BySteric:
    """Times and pairs of `steric bench S2`."""

    program = "steric"

    def __init__(self, program, files):
        told = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()
        self.version = told[1] if len(told) > 1 else ""
        with tempfile.TemporaryDirectory() as folder:
            pairs = Path(folder) / "pairs.csv"
            command = [program, "bench", "S2", "--only", "meshes", "--quiet", "--json", "--pairs", str(pairs), "--meshes"]
            ran = subprocess.run(command + [str(file) for file in files], capture_output=True, text=True)
            if ran.returncode != 0:
                sys.exit(f"{' '.join(command)}: exit status {ran.returncode}\n{ran.stderr}")
            self.rows = json.loads(ran.stdout)
            self.pairs = read_pairs(pairs)

    def times(self, threads):
        """Median, spread and turns of both searches together; nothing on threads that it did not try."""
        of = [row for row in self.rows if row["threads"] == threads and row["unit"] == "ms"
              and row["what"] in ("edge-edge", "point-triangle")]
        if len(of) != 2:
            return None
        return sum(row["value"] for row in of), sum(row["spread"] for row in of), of[0]["repeats"]


def read_pairs(path):
    of_edges, of_faces = set(), set()
    for what, *points in csv.reader(path.open()):
        points = numbers(points)
        if what == "edge-edge":
            of_edges.add(tuple(sorted((points[:2], points[2:]))))
        else:
            of_faces.add((points[:1], tuple(sorted(points[1:]))))
    return of_edges, of_faces


def boxes_touch(places, pair):
    one, other = (places[list(points)] for points in pair)
    return bool(np.all(one.min(axis=0) <= other.max(axis=0)) and np.all(other.min(axis=0) <= one.max(axis=0)))


def compare(places, theirs, ours):
    """Missed by steric, beyond the boxes, and found by steric alone."""
    unknown = [pair for of_them, of_us in zip(theirs, ours) for pair in of_them - of_us]
    missed = sum(boxes_touch(places, pair) for pair in unknown)
    more = sum(len(of_us - of_them) for of_them, of_us in zip(theirs, ours))
    return missed, len(unknown) - missed, more


def rows_of(options, surfaces, peers, steric):
    """A row for each broad phase, and for steric, on each number of threads."""
    size = [options.meshes[0].stem, len(surfaces.edges), len(surfaces.faces), len(surfaces.points)]
    for threads in options.threads:
        if steric and (times := steric.times(threads)):
            median, spread, turns = times
            counts = [len(pairs) for pairs in steric.pairs]
            yield ["steric", steric.version, "clusters", *size, threads, turns, round(median, 3), round(spread, 3),
                   *counts, "", "", ""]
        for peer in (peer for peer in peers if peer.threads == threads):
            pairs = peer.pairs()
            compared = compare(surfaces.places, pairs, steric.pairs) if steric else ["", "", ""]
            timed = peer.times[1:]
            median, spread = statistics.median(timed), max(timed) - min(timed)
            yield ["ipctk", peer.version, peer.name, *size, threads, len(timed), round(median, 3), round(spread, 3),
                   len(pairs[0]), len(pairs[1]), *compared]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshes", nargs="+", type=Path, help="one mesh of tetrahedra, or two")
    parser.add_argument("--steric", help="the program steric, for rows of its own and the comparison")
    parser.add_argument("--threads", type=lambda text: [int(count) for count in text.split(",")], default=[1, 2])
    parser.add_argument("--turns", type=int, default=10, help="after one that is not timed")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    if len(options.meshes) > 2:
        sys.exit(f"expected one mesh or two, found {len(options.meshes)}")

    surfaces = Surfaces(options.meshes)
    print(f"{len(surfaces.edges)} edges, {len(surfaces.faces)} faces and {len(surfaces.points)} points of two surfaces, "
          f"the second shifted by {surfaces.shift:g} along x", file=sys.stderr)
    steric = BySteric(options.steric, options.meshes) if options.steric else None
    names = [name for name in BROAD_PHASES if hasattr(ipctk, name)]
    peers = [ByToolkit(name, surfaces, threads) for threads in options.threads for name in names]
    for _ in range(options.turns + 1):
        for peer in peers:
            peer.turn()

    rows = list(rows_of(options, surfaces, peers, steric))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    out.writerows(rows)
    if options.csv:
        options.csv.parent.mkdir(parents=True, exist_ok=True)
        with open(options.csv, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(rows)
        print(f"wrote {options.csv}", file=sys.stderr)
    missed = sum(row[COLUMNS.index("missed")] or 0 for row in rows)
    if steric:
        print("nothing missed" if missed == 0 else f"steric missed {missed} pairs", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
